/** What axe finds on a page: rules of WCAG that it breaks. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

const axe = readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/**
 * Pages that bring axe along wherever they go. To send half a megabyte and compile it anew on each screen takes as long as
 * to look at the screen; what a page brings along is compiled once.
 */
const equipped = new WeakSet<Page>();

/** Elements at fault, each with the rule; none where all is well. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!equipped.has(page)) {
    equipped.add(page);
    await page.addInitScript({ content: await axe });
    await page.evaluate(await axe);
  }
  // What is well would be a hundred times as long as what is not.
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}

/** Pixels that the page is wider than its window: none, or a reader has to scroll sideways. */
export const overflowOf = async (page: Page): Promise<number> =>
  Math.max(0, Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')));

/** How a screen is looked at; its window is so many pixels wide. */
type Look = { readonly colorScheme: 'light' | 'dark'; readonly width: number };

/**
 * Looks at which a screen is tried, all of its states with it: the one in which most goes wrong on SQLite, and the others on
 * PostgreSQL, in `npm run test:all`. `every-screen.test.ts` tries all screens at every width.
 */
export const looks = (database: string | undefined): readonly Look[] =>
  database === 'postgres'
    ? [
        { colorScheme: 'light', width: 320 },
        { colorScheme: 'dark', width: 1280 },
        { colorScheme: 'light', width: 1280 },
      ]
    : [{ colorScheme: 'dark', width: 320 }];
