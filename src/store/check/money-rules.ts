/**
 * Rules of refunds, awaited transfers, provider events, bank entries and bank files. Statements
 * for every database, and rules for rows that are looked at one by one. What belongs to a session is held against it in
 * `session-rules.ts`.
 */
import { hash } from 'node:crypto';
import { type EntryContent, unassigned } from '../../banking/entry.ts';
import { ID_LENGTH } from '../../lib/id.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import { columnsIn, type Row } from '../tables.ts';
import {
  expect,
  isObject,
  joined,
  judgeOf,
  lone,
  ofNoSession,
  type SqlRule,
  sameEntries,
  twice,
} from './check.ts';

const ENTRY_ID_LENGTH = 'ntc_'.length + ID_LENGTH;
/** SQL for the id of the bank entry that has brought the transfer with this reference. */
const entryIn = (reference: string) => `substr(${reference}, 1, ${ENTRY_ID_LENGTH})`;

export const moneyRules: readonly SqlRule[] = [
  { rule: 'every refund belongs to a session', sql: ofNoSession('refund', 'id') },
  { rule: 'every movement of money belongs to a session', sql: ofNoSession('movement', 'id') },
  { rule: 'every transfer that is waited for belongs to a session', sql: ofNoSession('awaited', 'attempt') },
  { rule: 'no provider event is there twice', sql: twice('provider_event', 'rail, reference') },
  {
    rule: 'a provider event has a due time as long as it waits',
    sql: `SELECT id FROM provider_event WHERE (due_at IS NOT NULL) <> (state = 'waiting') OR tries < 0`,
  },
  {
    rule: 'a provider event says why it waits once it was looked at',
    sql: `
      SELECT id FROM provider_event
      WHERE (reason IS NULL) <> (state = 'done' OR (state = 'waiting' AND tries = 0))`,
  },
  {
    rule: 'what an event says has caused it is there',
    sql: `
      SELECT event.id FROM event LEFT JOIN ${joined('event', 'provider_event', 'provider_event.id = event.cause')}
      LEFT JOIN ${joined('event', 'bank_entry', 'bank_entry.id = event.cause')}
      WHERE event.cause <> 'asked' AND provider_event.id IS NULL AND bank_entry.id IS NULL`,
  },
  { rule: 'no bank entry is there twice', sql: twice('bank_entry', 'reference') },
  {
    // The reference of such a payment is the id of its entry, or begins with it and goes on behind a dot.
    rule: 'every transfer that is booked has its bank entry',
    sql: lone(
      'payment',
      'reference',
      'bank_entry',
      `bank_entry.id = ${entryIn('payment.reference')}
        AND substr(payment.reference, ${ENTRY_ID_LENGTH + 1}, 1) IN ('', '.')`,
      `payment.rail = '${BANK}'`,
    ),
  },
  { rule: 'no file of a bank is there twice', sql: twice('bank_file', 'kind, hash') },
  {
    rule: 'every refund that went out has its payment file',
    sql: lone(
      'refund',
      'id',
      'bank_file',
      "bank_file.id = refund.payment_file AND bank_file.kind = 'payments'",
      'refund.payment_file IS NOT NULL',
    ),
  },
];

export type BankEntryRow = Row<'bank_entry'> & {
  /** JSON: the lines of the ledger that come from it (see `BookedEntry`), or null where there are none. */
  readonly booked: string | null;
};

type BookedEntry = readonly [payment: string, checkout: string, attempt: string, amount: number];

/** Bank entries with what they have brought; `gathered` makes a JSON array of arrays of these columns, as a text. */
export const bankEntries = (gathered: (columns: string) => string): string => `
  SELECT ${columnsIn('bank_entry')}, booked FROM bank_entry
  LEFT JOIN (
    SELECT account, live, ${entryIn('reference')} AS entry,
      ${gathered('reference, checkout, attempt, amount')} AS booked
    FROM payment WHERE rail = '${BANK}' GROUP BY account, live, ${entryIn('reference')}
  ) AS ledger ON ledger.account = bank_entry.account AND ledger.live = bank_entry.live
    AND ledger.entry = bank_entry.id`;

type ReadEntry = BankEntryRow & { readonly content: EntryContent };

const bankEntryRules: Readonly<Record<string, (entry: ReadEntry) => boolean>> = {
  // An entry that goes back waits for no time, but for a statement that shows it.
  'a bank entry has a due time as long as it waits to be matched': ({ dueAt, state, tries, content }) =>
    (dueAt !== null) === (state === 'waiting' && content.sentBack?.state !== 'pending') && tries >= 0,
  'a bank entry has booked what the ledger says': ({ booked, content }) =>
    sameEntries(
      booked,
      content.parts.map(
        ({ payment, checkout, attempt, amount }): BookedEntry => [payment, checkout, attempt, amount],
      ),
    ),
  'no more of a transfer is booked or goes back than it has brought': ({ content }) =>
    unassigned(content) >= 0,
};

export const bankEntryJudge = () =>
  judgeOf(
    'every bank entry can be read',
    (row: BankEntryRow): ReadEntry => ({ ...row, content: JSON.parse(row.data) }),
    bankEntryRules,
    ({ id }) => id,
  );

export type BankFileRow = Row<'bank_file'> & {
  /** JSON: the ids of the refunds that say they went out in it, each in an array, or null where there are none. */
  readonly sent: string | null;
};

/** Files with the refunds that went out in them; `gathered` makes a JSON array of arrays of these columns, as a text. */
export const bankFiles = (gathered: (columns: string) => string): string => `
  SELECT ${columnsIn('bank_file')}, sent FROM bank_file
  LEFT JOIN (
    SELECT account, live, payment_file, ${gathered('id')} AS sent
    FROM refund WHERE payment_file IS NOT NULL GROUP BY account, live, payment_file
  ) AS refunds ON refunds.account = bank_file.account AND refunds.live = bank_file.live
    AND refunds.payment_file = bank_file.id`;

type ReadFile = BankFileRow & { readonly refunds: readonly string[] };

export const bankFileJudge = () =>
  judgeOf(
    'every file of a bank can be read',
    (row: BankFileRow): ReadFile => {
      const data = JSON.parse(row.data);
      expect(isObject(data));
      const payments = (data.payments ?? []) as ReadonlyArray<{ readonly id: string }>;
      return { ...row, refunds: payments.map(({ id }) => id).filter((id) => id.startsWith('rfd_')) };
    },
    {
      'a payment file has the refunds that went out in it, and no others': ({ sent, refunds }) =>
        sameEntries(
          sent,
          refunds.map((id) => [id]),
        ),
      'a file that was made for a bank is what it was, and of one that was read only the hash is kept': ({
        kind,
        content,
        ...file
      }) =>
        /^[0-9a-f]{64}$/.test(file.hash) &&
        (kind === 'payments' ? hash('sha256', content) === file.hash : content === ''),
    },
    ({ id }) => id,
  );
