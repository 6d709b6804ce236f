/** Parts of a bank entry as rows of a form: a session and an amount each, named by their places in a request. */
import { currencyExponent, decimalAmount } from '../../checkout/money.ts';
import { type Html, html } from '../../lib/html.ts';
import { ID_LENGTH } from '../../lib/id.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import { amountFrom, readAmount } from '../amounts.ts';
import type { ApiCaller, ApiRefusal, Mistake } from '../api.ts';
import { type Form, field } from '../form.ts';
import type { Session } from '../sessions/view.ts';
import { amountOf } from '../texts.ts';

/** A part as it was typed: the id or the reference of a session, and an amount. */
export type PartRow = { readonly payin: string; readonly amount: string };

/** The most that the API takes. */
const MAX_ROWS = 20;
const blank: PartRow = { payin: '', amount: '' };

/** Rows of the form in which anything was typed. */
export function rowsIn(form: Form): PartRow[] {
  const rows = Array.from({ length: MAX_ROWS }, (_, place): PartRow => {
    const typed = (name: string) => (form[`parts/${place}/${name}`] ?? '').trim();
    return { payin: typed('payin'), amount: typed('amount') };
  });
  return rows.filter(({ payin, amount }) => `${payin}${amount}` !== '');
}

/** A session that is to get all that is due for it. */
export const rowOf = ({ id, amount, amount_paid, invoice_currency }: Session): PartRow => {
  const due = Math.max(0, amount - amount_paid);
  return { payin: id, amount: due === 0 ? '' : decimalAmount(due, invoice_currency) };
};

/** Names of the fields of so many rows. */
export const partFields = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => [`parts/${place}/payin`, `parts/${place}/amount`]).flat();

/**
 * The sum of the amounts that can be read; null where there is none. No amount is less than zero, so a sum that is too large
 * to be exact is no safe integer.
 */
function sumOf(rows: readonly PartRow[], currency: string): number | null {
  const read = rows.map(({ amount }) => readAmount(amount, currency));
  const amounts = read.flatMap((each) => ('amount' in each ? [each.amount] : []));
  return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount, 0);
}

type Parts = {
  readonly parts: ReadonlyArray<{ readonly payin: string; readonly amount?: unknown }>;
  readonly own: readonly Mistake[];
};

/** The rows as a request has them, with the ids of sessions that were named by their references. */
export async function partsFrom(
  rows: readonly PartRow[],
  currency: string,
  api: Pick<ApiCaller, 'get'>,
): Promise<Parts | ApiRefusal> {
  const own: Mistake[] = rows.length > 0 ? [] : [{ message: 'Name a session.', pointer: '/parts' }];
  const parts: Array<Parts['parts'][number]> = [];
  for (const [place, { payin, amount }] of rows.entries()) {
    const named = await payinNamed(payin, api);
    if (typeof named === 'object' && 'status' in named) return named;
    if (typeof named === 'object') own.push({ message: named.wrong, pointer: `/parts/${place}/payin` });
    const typed = amountFrom(amount, currency, `/parts/${place}/amount`, own);
    parts.push(
      withoutUndefined({
        payin: typeof named === 'string' ? named : '',
        amount: typed === '' ? undefined : typed,
      }) as Parts['parts'][number],
    );
  }
  return { parts, own };
}

/** An id; anything else is a reference, which may begin like one. */
const SESSION_ID = new RegExp(`^chk_[0-9a-z]{${ID_LENGTH}}$`);

/** The id of the session that a person has named, if there is exactly one. */
async function payinNamed(
  text: string,
  api: Pick<ApiCaller, 'get'>,
): Promise<string | { readonly wrong: string } | ApiRefusal> {
  if (text === '' || SESSION_ID.test(text)) return text;
  const query = new URLSearchParams({ reference_id: text, limit: '2' });
  const found = await api.get<Session[]>(`/v3/checkout?${query}`);
  if (!found.ok) return found.status === 400 ? { wrong: 'No session has this reference.' } : found;
  const [session, another] = found.data;
  if (session === undefined) return { wrong: 'No session has this id or reference.' };
  return another === undefined
    ? session.id
    : { wrong: 'Several sessions have this reference. Name one by its id.' };
}

type Shown = {
  readonly rows: readonly PartRow[];
  readonly blanks: number;
  readonly currency: string;
  /** Amount that can be assigned; null for a transfer that was taken back, which is whole. */
  readonly left: number | null;
  readonly mistakes: readonly Mistake[];
};

/** The rows and `blanks` empty ones, with their sum. */
export function partForm({ rows, blanks, currency, left, mistakes }: Shown): Html {
  const all = [...rows, ...Array.from({ length: blanks }, () => blank)].slice(0, MAX_ROWS);
  const sum = sumOf(rows, currency);
  const digits = currencyExponent(currency) ?? 2;
  return html`${all.map(
    (
      { payin, amount },
      place,
    ) => html`<fieldset class="item" data-drop="entry session amount"><legend>Part ${place + 1}</legend><div class="fields">
${field({ name: `parts/${place}/payin`, label: 'Session', value: payin, maxlength: 128 }, mistakes)}
${field({ name: `parts/${place}/amount`, label: `Amount in ${currency}`, value: amount, inputmode: 'decimal' }, mistakes)}
</div><span class="hint" data-drag="amount" data-digits="${digits}" hidden>Drag the amount to another part</span></fieldset>
`,
  )}
${sum !== null && left !== null && html`<p>${sumInWords(sum, left, currency)}</p>`}`;
}

function sumInWords(sum: number, left: number, currency: string): string {
  if (!Number.isSafeInteger(sum)) return 'The amounts add up to more than can be assigned.';
  const rest =
    sum > left
      ? `That is ${amountOf(sum - left, currency)} too much.`
      : `${amountOf(left - sum, currency)} would be left.`;
  return `The amounts add up to ${amountOf(sum, currency)}. ${rest}`;
}

export const moreButton = html`<button class="quiet" name="more" value="1">Add a row</button>`;
