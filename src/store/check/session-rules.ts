/**
 * Rules of a session and all that is kept of it elsewhere: the ledger, its events, their deliveries, the log
 * of changes, and whatever finds it. Each database reads these rows in its own way; the rules are the same.
 */

import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { AttemptId, CheckoutId } from '../../checkout/ids.ts';
import type { Checkout, Payment } from '../../checkout/session.ts';
import { isCovered } from '../../checkout/statuses.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { receiverOf } from '../../webhooks/endpoint.ts';
import { checkoutColumns, checkoutFrom, followingTables } from '../columns.ts';
import { type Column, columnsOf, type Row, type Table } from '../tables.ts';
import { expect, judgeOf, sameEntries } from './check.ts';
import { isLastingIn, isShownBy } from './shown.ts';
import { isNumbered, type Told } from './webhook-rules.ts';

type Columns = ReturnType<typeof checkoutColumns>;
/** The rows of a table that are found of a session, as JSON; null where there are none. */
type Found = { readonly [T in Table as `${T}_rows`]?: string | null };
/** As databases have them: a boolean may be a number. */
type Stored<T> = T extends boolean ? boolean | number : T;

export type SessionRow = { readonly [K in keyof Columns]: Stored<Columns[K]> } & Told &
  Found & {
    readonly id: CheckoutId;
    readonly version: number;
    readonly data: string;
    /** Which deliveries there are to the addresses that it names. */
    readonly sent: string | null;
    /** The bank entries that concern one of its refunds, each behind that refund. */
    readonly refund_entries: string | null;
    /** True if the record of its customer is there. */
    readonly customer_known: boolean | number;
    /** Number of versions that its events tell of, the oldest and the newest of them. */
    readonly versions: number;
    readonly oldest_version: number | null;
    readonly newest_version: number | null;
    /** Number of versions that the log of changes has lines for. */
    readonly audited: number;
    /** Events that are so young that none of their deliveries was removed for its age. */
    readonly young_events: number;
    /** The refunds that those of them are about which are about one. */
    readonly young_refunds: string | null;
    /** The body of its newest event, if that is still there. */
    readonly newest: string | null;
    /** That of the newest one that shows the whole session, if there is one beside it. */
    readonly shown: string | null;
  };

/** So young: less than a day by the clock of the tenant, where deliveries are kept for days. */
export const isYoung = (table: string): string => `${table}.created_at > ${Date.now() - 24 * 3_600_000}
  + CASE WHEN ${table}.live THEN 0 ELSE coalesce((
      SELECT max(offset_ms) FROM clock_move WHERE clock_move.account = ${table}.account AND NOT clock_move.live
    ), 0) END`;

/** The columns in which such rows are gathered. */
export const gatheredOf = (table: Table): readonly Column[] =>
  columnsOf(table).filter(({ name }) => name !== 'checkout');

/** A payment in such rows. */
export type PaymentEntry = readonly [
  rail: string,
  reference: string,
  attempt: AttemptId,
  amount: number,
  currency: string,
  bookedAt: TenantTime,
  late: number,
];
/** `young` deliveries are those of young events. */
export type SentEntry = readonly [url: string, receiver: string, young: number];

type Subject = {
  readonly row: SessionRow;
  readonly checkout: Checkout;
  readonly payments: readonly PaymentEntry[];
  readonly sent: readonly SentEntry[];
};

type Rules = Readonly<Record<string, (subject: Subject) => boolean>>;

/** Payments are the ledger, with rules of their own. */
const foundIn: { readonly [T in Table]?: string } = {
  payment_attempt: 'the attempts that are found are those of the session',
  refund: 'the refunds that are found are those of the session',
  movement: 'the movements of money that are found are those of the session',
  awaited: 'the transfers that are waited for are those of the session',
  checkout_metadata: 'the metadata to filter by is that of the session',
};

/** A cell as it is gathered: true and false are numbers. */
const entryOf = (cell: string | number | boolean | null) => (typeof cell === 'boolean' ? Number(cell) : cell);

/** Rules of the rows that follow from a session, which are found by other keys than its own. */
const foundRules: Rules = Object.fromEntries(
  followingTables.flatMap(({ table, rowsOf }) => {
    const rule = foundIn[table];
    const fields = gatheredOf(table).map(({ field }) => field);
    const holds = ({ row, checkout }: Subject) =>
      sameEntries(
        row[`${table}_rows`] ?? null,
        rowsOf(checkout).map((each) => fields.map((field) => entryOf(each[field] ?? null))),
      );
    return rule === undefined ? [] : [[rule, holds]];
  }),
);

const rules: Rules = {
  'the columns of a session say what it says itself': ({ row, checkout }) => {
    const { dueAt, amountPaid, ...columns } = checkoutColumns(checkout);
    return Object.entries(columns).every(([name, value]) => {
      const stored = row[name as keyof typeof columns];
      return typeof value === 'boolean' ? Boolean(stored) === value : stored === value;
    });
  },
  'a session is due when it says so': ({ row, checkout }) => row.dueAt === checkoutColumns(checkout).dueAt,
  'what is paid is the sum of the ledger': ({ row, payments }) => {
    const sum = payments.reduce((sum, [, , , amount]) => sum + amount, 0);
    return row.amountPaid === sum && Number.isSafeInteger(sum);
  },
  'the amounts of a session are whole numbers that can be counted with exactly': ({ checkout }) =>
    [checkout, ...checkout.attempts, ...checkout.refunds, ...checkout.reversals, ...checkout.fees]
      .map(({ amount }) => amount)
      .concat(checkout.items.flatMap(({ quantity, unitPrice }) => [quantity, unitPrice]))
      .every((each) => Number.isSafeInteger(each) && each >= 0),
  'the newest events of a session show it as it is': ({ row: { newest, shown }, checkout }) =>
    (newest === null || isShownBy(checkout, newest)) && (shown === null || isLastingIn(checkout, shown)),
  'a session is completed as soon as it is paid, and only then': ({ checkout }) =>
    checkout.lifecycle.state === 'expired' ||
    (checkout.lifecycle.state === 'completed') === isCovered(checkout),
  'payments have the currency of their session and belong to its attempts': ({ checkout, payments }) =>
    payments.every(
      ([rail, , attempt, , currency]) =>
        currency === checkout.currency &&
        checkout.attempts.some((each) => each.id === attempt && each.rail === rail),
    ),
  'refunds and reversals belong to attempts of their session': ({ checkout }) =>
    [...checkout.refunds, ...checkout.reversals].every(({ attempt, rail }) =>
      checkout.attempts.some((each) => each.id === attempt && each.rail === rail),
    ),
  'the bank entries that a refund names are there, and concern it': ({ row, checkout }) => {
    const found: ReadonlyArray<readonly string[]> = JSON.parse(row.refund_entries ?? '[]');
    const known = new Set(found.map(([refund, entry]) => `${refund} ${entry}`));
    return checkout.refunds.every(({ id, bankEntries = [] }) =>
      bankEntries.every((entry) => known.has(`${id} ${entry}`)),
    );
  },
  'the fees of a session are of its payments, at most one of each': ({ checkout: { fees, payments } }) => {
    const known = new Set(fees.map(paymentKey));
    return known.size === fees.length && known.isSubsetOf(new Set(payments.map(paymentKey)));
  },
  'no more goes back than was paid': ({ checkout }) =>
    checkout.attempts.every(({ id }) => sumOf(goingBack(checkout), id) <= sumOf(checkout.payments, id)),
  'a session has the events that it counts, numbered without a gap': ({ row }) =>
    row.eventCount > 0 && isNumbered(row),
  'events tell of every version of a session': ({ row, checkout }) => {
    const newest = isErased(row, checkout) ? [row.version, row.version - 1] : [row.version];
    if (row.events === row.eventCount) {
      return row.versions === toldVersions(row, checkout) && newest.includes(row.newest_version ?? 0);
    }
    // The versions before the first event that is left are gone with their events.
    if (row.newest_version === null) return row.events === 0;
    const span = row.newest_version - (row.oldest_version ?? 0) + 1;
    const all = isErased(row, checkout) ? [span, span - 1] : [span];
    return newest.includes(row.newest_version) && all.includes(row.versions);
  },
  // That of an erasure has one if what nobody can see has changed behind it.
  'every version of a session has its line in the log of changes': ({ row, checkout }) =>
    [toldVersions(row, checkout), row.version].includes(row.audited),
  'what goes to an address for a session goes to one that it or a refund names': ({ checkout, sent }) => {
    const named = new Set([checkout, ...checkout.refunds].map(({ webhookUrl }) => webhookUrl));
    return sent.every(([url, receiver]) => named.has(url) && url !== '' && receiver === receiverOf(url));
  },
  'every event of the last day has a delivery to where its session says': (subject) => {
    const expected = youngEventsByUrl(subject);
    return (
      [...expected].every(([url, events]) => events === 0 || subject.sent.some((each) => each[0] === url)) &&
      subject.sent.every(([url, , young]) => young === (expected.get(url) ?? 0))
    );
  },
  'the customer of a session exists, or was erased and has left nothing in it': ({ row, checkout }) =>
    !isErased(row, checkout) || !hasPerson(checkout),
};

const paymentKey = ({ rail, reference }: Pick<Payment, 'rail' | 'reference'>) => `${rail} ${reference}`;

export const sessionJudge = () =>
  judgeOf('every session can be read', subjectOf, { ...foundRules, ...rules }, ({ id }) => id);

/** True if its customer was erased: nothing else removes the record. The erasure made a version that no event tells of. */
function isErased({ customer_known }: SessionRow, { payer }: Checkout): boolean {
  return payer.customer !== '' && !customer_known;
}

function toldVersions(row: SessionRow, checkout: Checkout): number {
  return isErased(row, checkout) ? row.version - 1 : row.version;
}

function hasPerson({ payer }: Checkout): boolean {
  const { customer, phone, billingDetails, shippingDetails, ...texts } = payer;
  return [phone, billingDetails, shippingDetails].some(Boolean) || Object.values(texts).some(Boolean);
}

function subjectOf(row: SessionRow): Subject {
  const payments: readonly PaymentEntry[] = JSON.parse(row.payment_rows ?? '[]');
  const lines = payments.map(
    ([rail, reference, attempt, amount, , bookedAt, late]): Payment => ({
      rail,
      reference,
      attempt,
      amount,
      bookedAt,
      late: late === 1,
    }),
  );
  const stored = { id: row.id, version: row.version, eventCount: row.eventCount, data: row.data };
  // The account and mode are in no rule either: what is read with a session was found by them.
  const checkout = checkoutFrom(stored, { account: 0, mode: 'test' }, lines);
  return { row, checkout, payments, sent: JSON.parse(row.sent ?? '[]') };
}

/** Number of young events that go to each address: what a refund names counts for its events. */
function youngEventsByUrl({ row, checkout }: Subject): Map<string, number> {
  const events = new Map([[checkout.webhookUrl, row.young_events]]);
  const about: readonly string[] = JSON.parse(row.young_refunds ?? '[]');
  for (const id of about) {
    const url = checkout.refunds.find((refund) => refund.id === id)?.webhookUrl || checkout.webhookUrl;
    events.set(checkout.webhookUrl, (events.get(checkout.webhookUrl) ?? 0) - 1);
    events.set(url, (events.get(url) ?? 0) + 1);
  }
  events.delete('');
  return events;
}

type Money = { readonly attempt: string; readonly amount: number };

function sumOf(all: readonly Money[], attempt: string): number {
  return all.reduce((sum, each) => sum + (each.attempt === attempt ? each.amount : 0), 0);
}

/**
 * Money that was given back, or may still be. Not what rails take back: that is a fact, and can come on top of a refund, such
 * as a dispute about a charge that was refunded before.
 */
function goingBack({ refunds }: Checkout): Money[] {
  return refunds.filter(({ status }) => status !== 'failed');
}

type CustomerRow = Row<'customer'>;

export const customerJudge = () =>
  judgeOf(
    'the columns of a customer say what the record says',
    ({ id, email, data }: CustomerRow) => {
      const customer: Customer = JSON.parse(data);
      expect(customer.id === id && (emailKey(customer.email) || null) === email);
    },
    {},
    ({ id }) => id,
  );
