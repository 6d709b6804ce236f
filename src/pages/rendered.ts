/**
 * The page as text, kept for as long as it is in demand: a link is looked at more often than its session changes, by
 * payers who wait and by whoever they share it with. What differs from one look to the next is put in afterwards.
 */
import { LRUCache } from 'lru-cache';
import { pageOf } from './page.ts';
import { newOnce, ONCE_FIELD } from './pay-form.ts';
import type { Visit } from './visit.ts';

/** The page before and behind the one-time value; one part where it has no form. */
type Rendered = { readonly payee: string; readonly parts: readonly string[] };

/** Characters in all; at most twice as many bytes. */
const MAX_KEPT = 4_000_000;

const kept = new LRUCache<string, Rendered>({
  maxSize: MAX_KEPT,
  sizeCalculation: ({ parts }) => parts.reduce((sum, part) => sum + part.length, 1),
});

export function renderedPage(visit: Visit, basePath: string): string {
  const { checkout, payee, locale } = visit;
  const key = `${checkout.token} ${checkout.version} ${locale.formatTag} ${locale.query}`;
  let page = kept.get(key);
  if (page?.payee !== payee) {
    page = { payee, parts: splitAtOnce(pageOf(visit, basePath)) };
    kept.set(key, page);
  }
  const [before = '', after] = page.parts;
  return after === undefined ? before : before + newOnce() + after;
}

/** Nothing else on the page can look like the field: quotes are escaped wherever they come from elsewhere. */
function splitAtOnce(page: string): string[] {
  const match = ONCE_FIELD.exec(page);
  if (match === null) return [page];
  const at = match.index + match[0].indexOf(match[1] ?? '');
  return [page.slice(0, at), page.slice(at + (match[1]?.length ?? 0))];
}
