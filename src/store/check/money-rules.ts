/**
 * What must hold of refunds, of transfers that are waited for, of what rails have said unasked, of the files that go to
 * and fro with banks, and of what accounts have configured. Statements for every database, and rules for rows that are
 * looked at one by one. What belongs to a session is held against it in `session-rules.ts`.
 */
import { hash } from 'node:crypto';
import { type AccountSettings, settingsFrom } from '../../accounts/settings.ts';
import type { BankFileKind } from '../../banking/bank-file.ts';
import { type BankEntry, unassigned } from '../../banking/entry.ts';
import { ID_LENGTH } from '../../lib/id.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import type { NoticeState } from '../../methods/provider-event.ts';
import { createTally, type Outcome, ofNoSession, type SqlRule, sameEntries } from './check.ts';

const NOTICE_ID_LENGTH = 'ntc_'.length + ID_LENGTH;
/** The id of the notice that has brought the transfer with this reference. */
const noticeOf = (reference: string) => `substr(${reference}, 1, ${NOTICE_ID_LENGTH})`;

export const moneyRules: readonly SqlRule[] = [
  { rule: 'every refund belongs to a session', sql: ofNoSession('refund', 'id') },
  { rule: 'every transfer that is waited for belongs to a session', sql: ofNoSession('awaited', 'attempt') },
  {
    rule: 'no notice of a rail is there twice',
    sql: `SELECT min(id) AS id FROM notice GROUP BY account, live, rail, reference HAVING count(*) > 1`,
  },
  {
    // The reference of such a payment is the id of its notice, or begins with it and goes on behind a dot.
    rule: 'every transfer that is booked has its line on a statement',
    sql: `
      SELECT payment.reference AS id FROM payment
      LEFT JOIN notice ON notice.account = payment.account AND notice.live = payment.live
        AND notice.rail = payment.rail AND notice.id = ${noticeOf('payment.reference')}
      WHERE payment.rail = '${BANK}'
        AND (notice.id IS NULL OR substr(payment.reference, ${NOTICE_ID_LENGTH + 1}, 1) NOT IN ('', '.'))`,
  },
  {
    rule: 'no file of a bank is there twice',
    sql: `SELECT min(id) AS id FROM bank_file GROUP BY account, live, kind, hash HAVING count(*) > 1`,
  },
];

export type AccountRow = {
  readonly number: number;
  readonly settings_test: string | null;
  readonly settings_live: string | null;
};

/** For every database. */
export const accounts = 'SELECT number, settings_test, settings_live FROM account';

/** Looks at accounts one by one. */
export function accountJudge() {
  const readable = createTally('what every account has configured can be read');
  return {
    look({ number, settings_test, settings_live }: AccountRow): void {
      if (!isConfigured(settings_test) || !isConfigured(settings_live)) readable.add(`account ${number}`);
    },
    outcomes: (): Outcome[] => [readable.outcome()],
  };
}

function isConfigured(stored: string | null): boolean {
  try {
    const { business, policy, receivingAccounts, csvMappings }: AccountSettings = settingsFrom(stored);
    const ids = receivingAccounts.map(({ id }) => id);
    return (
      [business, policy, csvMappings].every(isObject) &&
      Number.isInteger(policy.underpaymentToleranceAtMost) &&
      ids.every((id) => typeof id === 'string') &&
      new Set(ids).size === ids.length
    );
  } catch {
    return false;
  }
}

export type NoticeRow = {
  readonly id: string;
  readonly rail: string;
  readonly state: NoticeState;
  readonly due_at: number | null;
  readonly tries: number;
  readonly data: string;
  /** JSON: the lines of the ledger that come from it (see `BookedEntry`), or null where there are none. */
  readonly booked: string | null;
};

type BookedEntry = readonly [payment: string, checkout: string, attempt: string, amount: number];

/** Notices with what they have brought; `gathered` makes a JSON array of arrays of these columns, as a text. */
export const notices = (gathered: (columns: string) => string): string => `
  SELECT notice.*, booked FROM notice
  LEFT JOIN (
    SELECT account, live, ${noticeOf('reference')} AS notice,
      ${gathered('reference, checkout, attempt, amount')} AS booked
    FROM payment WHERE rail = '${BANK}' GROUP BY account, live, ${noticeOf('reference')}
  ) AS ledger ON ledger.account = notice.account AND ledger.live = notice.live AND ledger.notice = notice.id
    AND notice.rail = '${BANK}'`;

type Unsettled = { readonly row: NoticeRow; readonly entry: BankEntry | null };

const noticeRules: Readonly<Record<string, (subject: Unsettled) => boolean>> = {
  // What goes back waits for no time, but for a statement that shows it.
  'a notice has a time as long as it is to be looked at': ({ row, entry }) =>
    (row.due_at !== null) === (row.state === 'waiting' && entry?.sentBack?.state !== 'pending') &&
    row.tries >= 0,
  'a line of a statement has booked what the ledger says': ({ row, entry }) =>
    entry === null ||
    sameEntries(
      row.booked,
      entry.parts.map(
        ({ payment, checkout, attempt, amount }): BookedEntry => [payment, checkout, attempt, amount],
      ),
    ),
  'no more of a transfer is booked or goes back than it has brought': ({ entry }) =>
    entry === null || unassigned(entry) >= 0,
};

/** Looks at notices one by one. */
export function noticeJudge() {
  const readable = createTally('every notice can be read');
  const tallies = Object.entries(noticeRules).map(([rule, holds]) => ({ holds, tally: createTally(rule) }));
  return {
    look(row: NoticeRow): void {
      try {
        const data = JSON.parse(row.data);
        if (!isObject(data)) throw new Error('it is no object');
        const subject = { row, entry: row.rail === BANK ? (data as BankEntry) : null };
        const broken = tallies.filter(({ holds }) => !holds(subject));
        for (const { tally } of broken) tally.add(row.id);
      } catch {
        // Not JSON, or JSON of something else: then there is nothing more to be told of it.
        readable.add(row.id);
      }
    },
    outcomes: (): Outcome[] => [readable, ...tallies.map(({ tally }) => tally)].map((each) => each.outcome()),
  };
}

export type BankFileRow = {
  readonly id: string;
  readonly kind: BankFileKind;
  readonly hash: string;
  readonly data: string;
  readonly content: string;
};

/** For every database. */
export const bankFiles = 'SELECT id, kind, hash, data, content FROM bank_file';

/** Looks at files of banks one by one. */
export function bankFileJudge() {
  const readable = createTally('every file of a bank can be read');
  const same = createTally(
    'a file that was made for a bank is what it was, and of one that was read only the hash is kept',
  );
  return {
    look({ id, kind, data, content, ...file }: BankFileRow): void {
      if (!isJsonObject(data)) readable.add(id);
      const isSame = kind === 'payments' ? hash('sha256', content) === file.hash : content === '';
      if (!isSame || !/^[0-9a-f]{64}$/.test(file.hash)) same.add(id);
    },
    outcomes: (): Outcome[] => [readable, same].map((each) => each.outcome()),
  };
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
