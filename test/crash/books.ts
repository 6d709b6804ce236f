/** Consistency of a database, read from the tables themselves. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { failAtOnce, type Report } from './findings.ts';
import type { Load } from './load.ts';
import { checkLedger, checkSessions, type Kept, repeatUnanswered } from './memory.ts';

export type Books = ReturnType<typeof openBooks>;

export function openBooks(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const digestOfEvents = (last: number): string =>
    hash(
      'sha256',
      JSON.stringify(all(`SELECT position, id, body FROM event WHERE position <= ${last} ORDER BY position`)),
    );

  return {
    all,
    one: (sql: string, ...values: string[]) => Object.values(all(sql, ...values)[0] ?? {})[0],
    close: () => database.close(),
    digestOfEvents,

    /** Fails with what contradicts itself. */
    async check(): Promise<void> {
      const broken: Outcome[] = [];
      await checkSqlite(database, {
        outcome: (outcome) => {
          if (isBroken(outcome)) broken.push(outcome);
        },
        progress: () => {},
      });
      assert.deepEqual(broken, []);
    },
  };
}

/** The number of recent requests from which the touched sessions are taken. */
const RECENT = 500;

/**
 * Holds a database, and the service that was started on it again, to what a load remembers: of sessions all, or those
 * that were touched last.
 */
export async function checkAgainst(
  load: Load,
  { path, url, allSessions }: { readonly path: string; readonly url: string; readonly allSessions: boolean },
  report: Report = failAtOnce,
): Promise<void> {
  const books = openBooks(path);
  await books.check().catch((error: Error) => report('half_applied', error.message));
  checkLedger(load, keptIn(books), load.unanswered(), report);
  await repeatUnanswered(load, url);
  checkLedger(load, keptIn(books), [], report);
  books.close();
  const touched = new Set(load.requests.slice(-RECENT).flatMap(({ session }) => session ?? []));
  await checkSessions(load, url, allSessions ? load.sessions : [...touched], report);
}

/** The stored effects of a load. */
export function keptIn(books: Books): Kept {
  return {
    keys: books.all('SELECT idempotency_key AS key FROM idempotency').map(({ key }) => String(key)),
    payments: books
      .all('SELECT reference, checkout, amount FROM payment')
      .map(({ reference, checkout, amount }) => ({
        reference: String(reference),
        checkout: String(checkout),
        amount: Number(amount),
      })),
    sessions: Number(books.one('SELECT count(*) FROM checkout')),
  };
}
