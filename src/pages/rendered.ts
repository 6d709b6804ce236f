/**
 * Cache of rendered pages: a link is looked at more often than its session changes, by payers who wait and by people
 * they share it with. Parts that differ from one look to the next are inserted afterwards.
 */
import { createLru } from '../lib/lru.ts';
import { pageOf } from './page.ts';
import { newOnce, ONCE_FIELD } from './pay-form.ts';
import type { Visit } from './visit.ts';

/** The page before and after the one-time value; one part if it has no form. */
type Rendered = { readonly settings: string; readonly parts: readonly string[] };

/** Characters in the cache, at most; at most twice as many bytes. */
const MAX_KEPT = 4_000_000;

const kept = createLru<string, Rendered>({
  most: MAX_KEPT,
  sizeOf: ({ parts }) => parts.reduce((sum, part) => sum + part.length, 1),
});

export function renderedPage(visit: Visit, basePath: string): string {
  const { checkout, locale } = visit;
  // Pages of the choice of method beside an open transfer are rare, so they are not cached.
  if (visit.isChoosing) return pageOf(visit, basePath);
  const key = `${checkout.token} ${checkout.version} ${locale.formatTag} ${locale.query}`;
  let page = kept.get(key);
  const settings = settingsOf(visit);
  if (page?.settings !== settings) {
    page = { settings, parts: splitAtOnce(pageOf(visit, basePath)) };
    kept.set(key, page);
  }
  const [before = '', after] = page.parts;
  return after === undefined ? before : before + newOnce() + after;
}

/** Settings that an operator can change without a new version of the session. */
function settingsOf({ payee, offers, missing }: Visit): string {
  const choice = offers.map(({ method, rail }) => `${method.id} ${rail.name}`);
  return [payee, ...choice, ...missing].join('\n');
}

/** Nothing else on the page can look like the field: quotes are escaped wherever they come from elsewhere. */
function splitAtOnce(page: string): string[] {
  const match = ONCE_FIELD.exec(page);
  if (match === null) return [page];
  const at = match.index + match[0].indexOf(match[1] ?? '');
  return [page.slice(0, at), page.slice(at + (match[1]?.length ?? 0))];
}
