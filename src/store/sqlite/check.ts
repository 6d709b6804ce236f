/** Whether a SQLite file is whole, and whether everything in it adds up. */
import type { DatabaseSync } from 'node:sqlite';
import { type CheckListener, type SqlRule, untoldOutcome } from '../check/check.ts';
import { type Checked, checkAll } from '../check/run.ts';
import { UnusableDatabase } from '../errors.ts';
import { refuseLongLog } from './file.ts';

/** Of the many faults that a damaged file can have, what the first ones are says enough. */
const MAX_FAULTS = 5;

/** The position up to which events of the same feed are gone. */
const startOf = (table: string) =>
  `coalesce((SELECT position FROM feed_start AS start WHERE start.account = ${table}.account AND start.live = ${table}.live), 0)`;

const rules: readonly SqlRule[] = [
  {
    rule: 'positions of events have no gap, and begin behind those that are gone',
    sql: `
      SELECT account, live FROM event GROUP BY account, live
      HAVING min(position) <> 1 + ${startOf('event')} OR max(position) <> count(*) + ${startOf('event')}
      UNION SELECT account, live FROM feed_start WHERE position < 1`,
  },
  {
    rule: 'every session points to its newest event',
    sql: `
      SELECT id FROM checkout LEFT JOIN (
        SELECT account, live, subject, max(position) AS newest FROM event GROUP BY account, live, subject
      ) AS told ON told.account = checkout.account AND told.live = checkout.live AND told.subject = checkout.id
      WHERE last_event <> coalesce(newest, 0)
        AND NOT (newest IS NULL AND last_event BETWEEN 1 AND ${startOf('checkout')})`,
  },
  {
    // The first that is left points to one that is gone; and only sessions have a chain.
    rule: 'every event points to the one before it',
    sql: `
      SELECT id FROM (
        SELECT account, live, id, subject, sequence, position, previous,
          lag(position) OVER (PARTITION BY account, live, subject ORDER BY sequence) AS expected
        FROM event
      ) AS told WHERE previous >= position OR CASE
        WHEN subject NOT LIKE 'chk#_%' ESCAPE '#' OR sequence = 1 THEN previous <> 0
        WHEN expected IS NULL THEN previous NOT BETWEEN 1 AND ${startOf('told')}
        ELSE previous <> expected END`,
  },
];

/** Looks at everything as it is at one moment, also while a service writes. */
export async function checkSqlite(
  database: DatabaseSync,
  listener: CheckListener,
  maxLogBytes?: number,
): Promise<void> {
  database.exec('BEGIN');
  try {
    const looking = checked(database, listener, () => refuseLongLog(database, maxLogBytes));
    await checkFile(database, looking.attempt, listener);
    await checkAll(looking, listener);
  } finally {
    database.exec('ROLLBACK');
  }
}

/** `mayGoOn` throws if somebody is held up by it. */
function checked(database: DatabaseSync, { outcome }: CheckListener, mayGoOn: () => void): Checked {
  return {
    dialect: 'sqlite',
    rules,
    all: async (sql) => database.prepare(sql).all(),
    async *each(sql, atOnce) {
      let rows: object[] = [];
      for (const row of database.prepare(sql).iterate()) {
        rows.push(row);
        if (rows.length < atOnce) continue;
        yield rows;
        mayGoOn();
        rows = [];
      }
      yield rows;
    },
    /** A database that is damaged may refuse a statement. */
    async attempt(rule, work) {
      mayGoOn();
      await work().catch((error) => {
        if (error instanceof UnusableDatabase) throw error;
        outcome(untoldOutcome(rule, error));
      });
    },
  };
}

async function checkFile(
  database: DatabaseSync,
  attempt: Checked['attempt'],
  listener: CheckListener,
): Promise<void> {
  listener.progress('checking the file');
  const whole = { rule: 'the file is whole, and its indexes agree with its tables' };
  await attempt(whole, async () => {
    const faults = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map(({ integrity_check }) => `${integrity_check}`);
    const found = faults[0] === 'ok' ? [] : faults;
    listener.outcome({ ...whole, count: found.length, examples: found.slice(0, MAX_FAULTS) });
  });
  const referred = { rule: 'everything that is referred to exists' };
  await attempt(referred, async () => {
    const found = database
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map(({ table, rowid }) => `${table} ${rowid}`);
    listener.outcome({ ...referred, count: found.length, examples: found.slice(0, MAX_FAULTS) });
  });
}
