/**
 * Cache of rendered pages: a link is looked at more often than its session changes, by payers who wait and by people
 * they share it with. Parts that differ from one look to the next are inserted afterwards.
 */
import type { Account } from '../accounts/account.ts';
import { createKeptBytes, type Kept } from '../lib/kept-bytes.ts';
import { pageOf } from './page.ts';
import { newOnce, ONCE_FIELD } from './pay-form.ts';
import { accentOf, logoOf, type Opened, type Visit } from './visit.ts';

/** A page in UTF-8, with a character for each byte: so it goes out in one piece with its head. */
export type PageBytes = string;

/**
 * A page that is kept, with a one-time value that only holds the place of others: `onceAt` bytes behind its beginning, or null
 * without a form. `settings` are those of the account, and `form` is the form of it that was last found to have them.
 */
type About = { form: number; readonly settings: string; readonly onceAt: number | null };

/** Forms of accounts, as numbers: an account that has changed is another object, and pages that are kept keep none of them. */
const forms = new WeakMap<Account, number>();
let formCount = 0;

function formOf(account: Account): number {
  const known = forms.get(account);
  if (known !== undefined) return known;
  forms.set(account, ++formCount);
  return formCount;
}

/** Bytes in the cache: some 12,000 pages. */
const BLOCKS = 64;
const BLOCK_BYTES = 2 ** 20;

export type RenderedPages = ReturnType<typeof createRenderedPages>;

export function createRenderedPages(visitOf: (opened: Opened) => Visit, basePath: string) {
  const kept = createKeptBytes<About>(BLOCKS, BLOCK_BYTES);

  function fresh(key: string, opened: Opened): PageBytes {
    const form = formOf(opened.account);
    const visit = visitOf(opened);
    const settings = settingsOf(visit);
    const known = kept.get(key);
    if (known?.about.settings === settings) {
      known.about.form = form;
      return withOwnOnce(known);
    }
    const page = pageOf(visit, basePath);
    kept.set(key, page, { form, settings, onceAt: onceIn(page) });
    return latin1Of(page);
  }

  return {
    /** The page of this look, for which the account is looked at more closely only if it may have changed. */
    of(opened: Opened): PageBytes {
      const { checkout, account, locale, isChoosing } = opened;
      // Pages of the choice of method beside an open transfer are rare, so they are not kept.
      if (isChoosing) return latin1Of(pageOf(visitOf(opened), basePath));
      const key = `${checkout.token} ${checkout.version} ${locale.formatTag} ${locale.query}`;
      const known = kept.get(key);
      return known?.about.form === formOf(account) ? withOwnOnce(known) : fresh(key, opened);
    },
  };
}

function withOwnOnce({ about: { onceAt }, block, start, end }: Kept<About>): PageBytes {
  if (onceAt === null) return block.toString('latin1', start, end);
  const once = newOnce();
  const [before, behind] = [start + onceAt, start + onceAt + once.length];
  return block.toString('latin1', start, before) + once + block.toString('latin1', behind, end);
}

const latin1Of = (page: string): PageBytes => Buffer.from(page).toString('latin1');

/** Settings that an operator can change without a new version of the session. */
function settingsOf(visit: Visit): string {
  const { payee, offers, missing } = visit;
  const choice = offers.map(({ method, rail }) => `${method.id} ${rail.name}`);
  return [payee, accentOf(visit), logoOf(visit) ?? '', ...choice, ...missing].join('\n');
}

/** Nothing else on the page can look like the field: quotes are escaped wherever they come from elsewhere. */
function onceIn(page: string): number | null {
  const field = ONCE_FIELD.exec(page);
  if (field?.[1] === undefined) return null;
  return Buffer.byteLength(page.slice(0, field.index)) + field[0].indexOf(field[1]);
}
