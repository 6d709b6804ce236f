/** Export of sessions: all that fit some filters, from page to page, as a file that is made while it is read. */
import { setTimeout as pause } from 'node:timers/promises';
import { decimalAmount } from '../../checkout/money.ts';
import type { ApiAnswer, ApiCaller } from '../api.ts';
import type { Session } from './view.ts';

/** The API, which the pages of sessions are asked of. */
type Asked = Pick<ApiCaller, 'get'>;

const PAGE = 100;
/** Pause before a question, in which others get their turn. */
const BREATH_MS = 5;
/** Pause of an export that asks too often, or while the service has no time. */
const WAIT_MS = 1_000;
/** Pages that the service had no time for, in a row. */
const MAX_WAITS = 60;

export const pageOf = (api: Asked, query: URLSearchParams, after: string | null) =>
  api.get<Session[]>(
    `/v3/checkout?${new URLSearchParams([...query, ['limit', String(PAGE)], ...(after === null ? [] : [['after', after]])])}`,
  );

/**
 * Pages of sessions behind a first one that is known: no more than one is in memory. Throws where the API refuses to go
 * on, so that nobody takes a part for the whole.
 */
export async function* pagesFrom(
  api: Asked,
  query: URLSearchParams,
  first: ApiAnswer<Session[]> & { readonly ok: true },
): AsyncGenerator<readonly Session[]> {
  let page = first;
  for (;;) {
    yield page.data;
    if (page.nextCursor === null) return;
    const { nextCursor } = page;
    page = await patiently(() => pageOf(api, query, nextCursor));
  }
}

/**
 * Answer to one of many questions: behind a pause in which others get their turn, and asked again while the service has no
 * time. Throws where the API refuses it.
 */
export async function patiently<T>(
  ask: () => Promise<ApiAnswer<T>>,
): Promise<ApiAnswer<T> & { readonly ok: true }> {
  await pause(BREATH_MS);
  for (let waits = 0; ; waits++) {
    const answer = await ask();
    if (answer.ok) return answer;
    const isForNow = answer.status === 429 || answer.status === 503;
    if (!isForNow || waits === MAX_WAITS) throw new Error(`an export ended early: ${answer.status}`);
    await pause(WAIT_MS);
  }
}

type Pages = AsyncIterable<readonly Session[]>;

export async function* jsonLines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((session) => `${JSON.stringify(session)}\n`).join('');
}

const columns: ReadonlyArray<readonly [name: string, value: (session: Session) => string]> = [
  ['created_at', ({ created_at }) => created_at],
  ['id', ({ id }) => id],
  ['reference_id', ({ reference_id }) => reference_id],
  ['description', ({ transaction_description }) => transaction_description],
  ['customer', ({ customer }) => customer],
  ['customer_name', ({ customer_details }) => customer_details.name],
  ['customer_email', ({ customer_details }) => customer_details.email],
  ['currency', ({ invoice_currency }) => invoice_currency],
  ['amount', ({ amount, invoice_currency }) => decimalAmount(amount, invoice_currency)],
  ['amount_paid', ({ amount_paid, invoice_currency }) => decimalAmount(amount_paid, invoice_currency)],
  ['status', ({ status }) => status],
  ['payment_status', ({ payment_status }) => payment_status],
  ['expires_at', ({ expires_at }) => expires_at ?? ''],
  ['url', ({ url }) => url],
];

/** CSV as RFC 4180 has it. */
export async function* csv(pages: Pages): AsyncGenerator<string> {
  yield line(columns.map(([name]) => name));
  for await (const page of pages) {
    yield page.map((session) => line(columns.map(([, value]) => value(session)))).join('');
  }
}

const line = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/**
 * A cell that begins as a formula does would be run by spreadsheets (OWASP, on CSV injection): an apostrophe makes it
 * text.
 */
function cellOf(value: string): string {
  const text = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
