/** The reference in a browser: everybody can read it, on a phone and in the dark. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { launchBrowser } from '../support/browser.ts';
import { combinations } from '../support/scale.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await launchBrowser();
after(() => browser.close());

const WHOLE = 'document';
/** Parts of the reference that have all that there is in it; the whole takes axe as long as fifty screens. */
const PARTS = "'header, nav, #customers, .narrow'";
const [ofReference] = combinations([WHOLE], [PARTS]);

for (const [name, options, rules] of [
  ['on a phone', { viewport: { width: 360, height: 740 } }, null],
  // The dark page differs from the light one in its colours only.
  ['in the dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }, ['color-contrast']],
] as const) {
  for (const path of ['/docs', '/docs/errors']) {
    test(`${path} can be read ${name}, by everybody`, async () => {
      const context = await browser.newContext({ ...options, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(`${service.url}${path}`);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      assert.equal(overflow, 0, 'nothing is wider than the screen');
      await page.addScriptTag({ content: axe });
      const scope = rules !== null ? PARTS : path === '/docs' ? ofReference : WHOLE;
      const asked = { resultTypes: ['violations'], ...(rules === null ? {} : { runOnly: rules }) };
      const violations = await page.evaluate(
        `axe.run(${scope}, ${JSON.stringify(asked)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      );
      assert.deepEqual(violations, []);
      await context.close();
    });
  }
}
