/** Check of a SQLite file: whether it is whole, and whether everything in it adds up. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type CheckListener, createTally, type Outcome, untoldOutcome } from '../check/check.ts';
import { type Checked, checkAll } from '../check/run.ts';
import { gatheredAs } from '../check/sessions.ts';
import { checksumOf, checksumOfSession, coveredIn, type SummedTable, summedTables } from '../checksum.ts';
import { lineColumns, paymentsFrom } from '../columns.ts';
import { UnusableDatabase } from '../errors.ts';
import type { AnyRow } from '../tables.ts';
import { rules } from './check-rules.ts';
import { refuseLongLog } from './file.ts';

export const FILE_IS_WHOLE = 'the file is whole, and its indexes agree with its tables';
/** Faults of a damaged file that are told: the first ones say enough. */
const MAX_FAULTS = 5;
const ROWS_AT_ONCE = 500;

/** Looks at everything as it is at one moment, also while a service writes. */
export async function checkSqlite(
  database: DatabaseSync,
  listener: CheckListener,
  maxLogBytes?: number,
): Promise<void> {
  database.exec('BEGIN');
  try {
    const looking = checked(database, () => refuseLongLog(database, maxLogBytes));
    await checkFile(database, looking, listener);
    await checkRows(looking, listener);
    await checkAll(looking, listener);
  } finally {
    database.exec('ROLLBACK');
  }
}

/** Database as the check reads it; `mayGoOn` throws if somebody is held up by it. */
function checked(database: DatabaseSync, mayGoOn: () => void): Checked {
  function prepare(sql: string) {
    const statement = database.prepare(sql);
    // Read as a number, a large one throws.
    statement.setReadBigInts(true);
    return statement;
  }
  return {
    dialect: 'sqlite',
    rules,
    all: async (sql) => prepare(sql).all().map(withNumbers),
    async *each(sql, atOnce) {
      let rows: object[] = [];
      for (const row of prepare(sql).iterate()) {
        rows.push(withNumbers(row));
        if (rows.length < atOnce) continue;
        yield rows;
        mayGoOn();
        rows = [];
      }
      yield rows;
    },
    /** A database that is damaged may refuse a statement. */
    async attempt(work) {
      mayGoOn();
      try {
        await work();
        return null;
      } catch (error) {
        if (!(error instanceof Error) || error instanceof UnusableDatabase) throw error;
        return error;
      }
    },
  };
}

/** Large numbers become their neighbours; that there are such is a rule of its own. */
function withNumbers(row: Record<string, SQLOutputValue>): Record<string, SQLOutputValue> {
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'bigint') row[name] = Number(value);
  }
  return row;
}

async function checkFile(
  database: DatabaseSync,
  { attempt }: Checked,
  listener: CheckListener,
): Promise<void> {
  listener.progress('checking the file');
  await tell(FILE_IS_WHOLE, () => {
    const faults = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map(({ integrity_check }) => `${integrity_check}`);
    return faults[0] === 'ok' ? [] : faults;
  });
  await tell('everything that is referred to exists', () =>
    database
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map(({ table, rowid }) => `${table} ${rowid}`),
  );

  async function tell(rule: string, findFaults: () => readonly string[]): Promise<void> {
    let outcome: Outcome = { rule, count: 0, examples: [] };
    const error = await attempt(async () => {
      const found = findFaults();
      outcome = { rule, count: found.length, examples: found.slice(0, MAX_FAULTS) };
    });
    listener.outcome(error === null ? outcome : untoldOutcome(outcome, error));
  }
}

/** Holds every row that has a checksum against it. */
async function checkRows({ each, attempt }: Checked, listener: CheckListener): Promise<void> {
  const tally = createTally('every row is the one that was written');
  let failure: Error | null = null;
  for (const table of summedTables) {
    listener.progress(`checking the rows of ${table}`);
    const error = await attempt(async () => {
      for await (const rows of each(rowsOf(table), ROWS_AT_ONCE)) {
        for (const row of rows as readonly Summed[]) if (!isSound(table, row)) tally.add(nameOf(table, row));
      }
    });
    failure ??= error;
  }
  const outcome = tally.outcome();
  listener.outcome(failure === null || outcome.count > 0 ? outcome : untoldOutcome(outcome, failure));
}

type Summed = AnyRow & { readonly checksum: number; readonly payments?: string };

const rowsOf = (table: SummedTable): string =>
  `SELECT ${coveredIn(table)}, ${table}.checksum${table === 'checkout' ? `, ${ledger}` : ''} FROM ${table}`;

const ledger = `(
  SELECT ${gatheredAs.sqlite(lineColumns)} FROM payment
  WHERE payment.account = checkout.account AND payment.live = checkout.live AND payment.checkout = checkout.id
) AS payments`;

function isSound(table: SummedTable, { checksum, payments, ...row }: Summed): boolean {
  const sum =
    payments === undefined ? checksumOf(table, row) : checksumOfSession(row, paymentsFrom(payments));
  return sum === checksum;
}

const nameOf = (table: string, { id, idempotencyKey, number, subject }: AnyRow): string => {
  if (number !== undefined) return `account ${number}`;
  return idempotencyKey === undefined ? `${id ?? subject}` : table;
};
