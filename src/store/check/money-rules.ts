/**
 * Rules of refunds, awaited transfers, provider events, bank entries, bank files and the settings of accounts. Statements
 * for every database, and rules for rows that are looked at one by one. What belongs to a session is held against it in
 * `session-rules.ts`.
 */
import { hash } from 'node:crypto';
import { type AccountSettings, settingsFrom } from '../../accounts/settings.ts';
import type { BankFileKind } from '../../banking/bank-file.ts';
import { type EntryContent, type EntryState, unassigned } from '../../banking/entry.ts';
import { ID_LENGTH } from '../../lib/id.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import { createTally, type Outcome, ofNoSession, type SqlRule, sameEntries } from './check.ts';

const ENTRY_ID_LENGTH = 'ntc_'.length + ID_LENGTH;
/** SQL for the id of the bank entry that has brought the transfer with this reference. */
const entryIn = (reference: string) => `substr(${reference}, 1, ${ENTRY_ID_LENGTH})`;

export const moneyRules: readonly SqlRule[] = [
  { rule: 'every refund belongs to a session', sql: ofNoSession('refund', 'id') },
  { rule: 'every transfer that is waited for belongs to a session', sql: ofNoSession('awaited', 'attempt') },
  {
    rule: 'no provider event is there twice',
    sql: `SELECT min(id) AS id FROM provider_event GROUP BY account, live, rail, reference HAVING count(*) > 1`,
  },
  {
    rule: 'a provider event has a due time as long as it waits',
    sql: `SELECT id FROM provider_event WHERE (due_at IS NOT NULL) <> (state = 'waiting') OR tries < 0`,
  },
  {
    rule: 'no bank entry is there twice',
    sql: `SELECT min(id) AS id FROM bank_entry GROUP BY account, live, reference HAVING count(*) > 1`,
  },
  {
    // The reference of such a payment is the id of its entry, or begins with it and goes on behind a dot.
    rule: 'every transfer that is booked has its bank entry',
    sql: `
      SELECT payment.reference AS id FROM payment
      LEFT JOIN bank_entry ON bank_entry.account = payment.account AND bank_entry.live = payment.live
        AND bank_entry.id = ${entryIn('payment.reference')}
      WHERE payment.rail = '${BANK}'
        AND (bank_entry.id IS NULL OR substr(payment.reference, ${ENTRY_ID_LENGTH + 1}, 1) NOT IN ('', '.'))`,
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

export type BankEntryRow = {
  readonly id: string;
  readonly state: EntryState;
  readonly due_at: number | null;
  readonly tries: number;
  readonly data: string;
  /** JSON: the lines of the ledger that come from it (see `BookedEntry`), or null where there are none. */
  readonly booked: string | null;
};

type BookedEntry = readonly [payment: string, checkout: string, attempt: string, amount: number];

/** Bank entries with what they have brought; `gathered` makes a JSON array of arrays of these columns, as a text. */
export const bankEntries = (gathered: (columns: string) => string): string => `
  SELECT bank_entry.*, booked FROM bank_entry
  LEFT JOIN (
    SELECT account, live, ${entryIn('reference')} AS entry,
      ${gathered('reference, checkout, attempt, amount')} AS booked
    FROM payment WHERE rail = '${BANK}' GROUP BY account, live, ${entryIn('reference')}
  ) AS ledger ON ledger.account = bank_entry.account AND ledger.live = bank_entry.live
    AND ledger.entry = bank_entry.id`;

const bankEntryRules: Readonly<Record<string, (row: BankEntryRow, content: EntryContent) => boolean>> = {
  // What goes back waits for no time, but for a statement that shows it.
  'a bank entry has a due time as long as it waits to be matched': ({ due_at, state, tries }, { sentBack }) =>
    (due_at !== null) === (state === 'waiting' && sentBack?.state !== 'pending') && tries >= 0,
  'a bank entry has booked what the ledger says': ({ booked }, { parts }) =>
    sameEntries(
      booked,
      parts.map(
        ({ payment, checkout, attempt, amount }): BookedEntry => [payment, checkout, attempt, amount],
      ),
    ),
  'no more of a transfer is booked or goes back than it has brought': (_row, content) =>
    unassigned(content) >= 0,
};

/** Looks at bank entries one by one. */
export function bankEntryJudge() {
  const readable = createTally('every bank entry can be read');
  const tallies = Object.entries(bankEntryRules).map(([rule, holds]) => ({
    holds,
    tally: createTally(rule),
  }));
  return {
    look(row: BankEntryRow): void {
      try {
        const content: EntryContent = JSON.parse(row.data);
        const broken = tallies.filter(({ holds }) => !holds(row, content));
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
