/** The books of the demo: what the API says of sessions, events and money, as tables, and checked against each other. */
import { styleText } from 'node:util';
import { line } from '../../src/cli/demo/print.ts';
import { expect, type Shop, send } from '../../src/cli/demo/shop.ts';
import type { Order, Part } from './cast.ts';
import { type Cell, euro, table } from './print.ts';

/** An order for which a session was made. */
export type Sale = Order & { readonly id: string; readonly url: string };

export type Sales = Readonly<Record<Part, Sale>>;
/** The structured reference that the payer of each was told first. */
export type References = Readonly<Record<Part, string>>;

export type Entry = {
  readonly id: string;
  readonly problem: string;
  readonly direction: 'credit' | 'debit';
  readonly amount: number;
  readonly booked_on: string;
  readonly counterparty: { readonly name: string };
  readonly remittance: string;
  readonly concerns: string;
  readonly parts: ReadonlyArray<{ readonly payin: string; readonly amount: number }>;
  readonly suggestions: ReadonlyArray<{ readonly payin: string; readonly score: number }>;
  readonly note: string;
};

export type Event = {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A page larger than any list of the story. */
const ALL = 'limit=100';
const EVENTS_IN_A_LINE = 3;

export async function listed<T>(shop: Shop, path: string): Promise<readonly T[]> {
  const { data } = await send(shop, 'GET', `/v3/${path}${path.includes('?') ? '&' : '?'}${ALL}`);
  return data as unknown as readonly T[];
}

/** All entries of statements, oldest first. */
export async function entriesOf(shop: Shop): Promise<readonly Entry[]> {
  return (await listed<Entry>(shop, 'bank_entry')).toReversed();
}

/** All data that an import could change, as text. */
export async function snapshot(shop: Shop): Promise<string> {
  const lists = ['checkout', 'event', 'bank_entry', 'refund'].map((path) => listed(shop, path));
  return JSON.stringify(await Promise.all(lists), null, 1);
}

export type Standing = {
  readonly paid: number;
  readonly status: string;
  readonly payment: string;
};

/** Shows how the sessions stand, and checks that they do so as the story has it. */
export async function showSessions(
  shop: Shop,
  wanted: ReadonlyArray<readonly [Sale, Standing]>,
): Promise<void> {
  const rows: Cell[][] = [];
  const remarks: string[] = [];
  for (const [{ id, reference, payer, amount }, { paid, status, payment }] of wanted) {
    const { data } = await send(shop, 'GET', `/v3/checkout/${id}`);
    const found = [data.amount_paid, data.status, data.payment_status];
    expect(`how ${reference} stands`, found, [paid, status, payment]);
    const marks = [data.partially_paid, data.paid_in_excess];
    expect(`the marks of ${reference}`, marks, [paid > 0 && paid < amount, paid > amount]);
    rows.push([reference, payer.name, amount, paid, status, payment]);
    if (data.payment_status_description !== '') {
      remarks.push(`${reference}: ${data.payment_status_description}`);
    }
  }
  table(['Order', 'Payer', 'Amount', 'Paid', 'Status', 'Payment'], rows);
  if (remarks.length > 0) console.log();
  for (const each of remarks) line(each);
}

/** Shows the entries of all statements with what each was booked for. */
export async function showLedger(shop: Shop, sales: readonly Sale[]): Promise<readonly Entry[]> {
  const entries = await entriesOf(shop);
  const nameOf = (id: string) => sales.find((sale) => sale.id === id)?.reference ?? id;
  const rows = entries.map((entry): Cell[] => {
    const booked = entry.parts.map(({ payin }) => nameOf(payin)).join(', ');
    const isIn = entry.direction === 'credit';
    const what = booked || (entry.concerns ? `refund ${entry.concerns}` : `none: ${entry.note}`);
    return [
      entry.booked_on,
      isIn ? entry.amount : '',
      isIn ? '' : entry.amount,
      entry.counterparty.name,
      what,
    ];
  });
  table(['Day', 'In', 'Out', 'From or to', 'Booked for'], rows);
  return entries;
}

export type Payin = {
  readonly id: string;
  readonly reference: string;
  readonly paid: number;
  readonly refunded: number;
};

/** Shows what was collected for each session, attempt by attempt. */
export async function showPayins(shop: Shop, sales: readonly Sale[]): Promise<readonly Payin[]> {
  const rows: Cell[][] = [];
  const payins: Payin[] = [];
  for (const { id, reference } of sales) {
    const { data } = await send(shop, 'GET', `/v3/payin/${id}`);
    const [paid, refunded] = [Number(data.amount_paid), Number(data.amount_refunded)];
    payins.push({ id, reference, paid, refunded });
    const attempts = data.payment_attempts as ReadonlyArray<{ status: string; amount: number }>;
    const asked = attempts.map(({ amount, status }) => `${euro(amount)} ${status}`).join(', ');
    rows.push([reference, paid, refunded, paid - refunded, String(data.status), asked]);
  }
  table(['Order', 'Paid', 'Refunded', 'Kept', 'Payin', 'Asked for'], rows);
  return payins;
}

/** Shows what the shop was told of each session, in order. */
export async function showEvents(shop: Shop, sales: readonly Sale[]): Promise<readonly Event[]> {
  const events = await listed<Event>(shop, 'event');
  for (const { id, reference } of sales) {
    line(styleText('dim', reference));
    const types = typesOf(events, id);
    for (let from = 0; from < types.length; from += EVENTS_IN_A_LINE) {
      line(`  ${types.slice(from, from + EVENTS_IN_A_LINE).join(', ')}`);
    }
  }
  return events;
}

/** The types of the events of a session, of its payin, its attempts and its refunds, oldest first. */
export function typesOf(events: readonly Event[], id: string): readonly string[] {
  return events
    .filter(({ data }) => data.id === id || data.payin === id || data.checkout === id)
    .map(({ type }) => type);
}
