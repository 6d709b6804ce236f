/**
 * Cache of rendered pages: a link is looked at more often than its session changes, by payers who wait and by people
 * they share it with. Parts that differ from one look to the next are inserted afterwards.
 */
import { createLru } from '../lib/lru.ts';
import { pageOf } from './page.ts';
import { newOnce, ONCE_FIELD } from './pay-form.ts';
import { accentOf, logoOf, type Visit } from './visit.ts';

/** The bytes of a page, with a one-time value that only holds the place of others; `onceAt` is null without a form. */
type Rendered = { readonly settings: string; readonly bytes: Buffer; readonly onceAt: number | null };

/** Bytes in the cache, at most: some 12,000 pages. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;
/** What an entry takes beside the bytes of its page. */
const ENTRY_BYTES = 600;

const kept = createLru<string, Rendered>({
  most: MAX_KEPT_BYTES,
  sizeOf: ({ bytes }) => bytes.length + ENTRY_BYTES,
});

/** The bytes are to be sent, not changed. */
export function renderedPage(visit: Visit, basePath: string): Buffer {
  const { checkout, locale } = visit;
  // Pages of the choice of method beside an open transfer are rare, so they are not cached.
  if (visit.isChoosing) return Buffer.from(pageOf(visit, basePath));
  const key = `${checkout.token} ${checkout.version} ${locale.formatTag} ${locale.query}`;
  let page = kept.get(key);
  const settings = settingsOf(visit);
  if (page?.settings !== settings) {
    page = { settings, ...bytesOf(pageOf(visit, basePath)) };
    kept.set(key, page);
  }
  const { bytes, onceAt } = page;
  if (onceAt === null) return bytes;
  const own = Buffer.from(bytes);
  own.write(newOnce(), onceAt, 'latin1');
  return own;
}

/** Settings that an operator can change without a new version of the session. */
function settingsOf(visit: Visit): string {
  const { payee, offers, missing } = visit;
  const choice = offers.map(({ method, rail }) => `${method.id} ${rail.name}`);
  return [payee, accentOf(visit), logoOf(visit) ?? '', ...choice, ...missing].join('\n');
}

/** Nothing else on the page can look like the field: quotes are escaped wherever they come from elsewhere. */
function bytesOf(page: string): Pick<Rendered, 'bytes' | 'onceAt'> {
  // Memory of its own: a piece of a pool would keep all of the pool.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(page));
  bytes.write(page);
  const field = ONCE_FIELD.exec(page);
  return {
    bytes,
    onceAt: field?.[1] === undefined ? null : bytes.indexOf(field[0]) + field[0].indexOf(field[1]),
  };
}
