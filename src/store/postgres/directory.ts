/**
 * Accounts in memory, since every request asks for one: they are looked after several times a second. What has not been looked after for a second is not believed.
 */

import type { Account } from '../../accounts/account.ts';
import { type DirectoryParts, rememberAccounts } from '../directory.ts';
import {
  accountChanged,
  accountsSince,
  type DirectoryRow,
  type FirstOfAccount,
  insertAccount,
  nextAccount,
} from '../resources/directory.ts';
import type { Sql as Statement } from '../sql.ts';
import { again } from './again.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';
import { runOn, send, waiting } from './run.ts';

const LOOK_EVERY_MS = 400;
const BELIEVED_FOR_MS = 1_000;

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(pool: Pool, { watch, announce }: { watch: boolean; announce: () => void }) {
  const remembered = rememberAccounts();
  /** Version of the database; null for one that is to be looked at anew. */
  let version: number | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  const isBelieved = () => performance.now() - lookedAt < BELIEVED_FOR_MS;

  async function look(): Promise<void> {
    const startedAt = performance.now();
    const since = version;
    // The version comes first, and so is sent at once: what changes between the two is seen at the next look. The other
    // way around no account would seem to be left.
    const [found, rows] = await pool.lookOut(null, (sql) =>
      Promise.all([
        sql<Array<{ version: number }>>`SELECT version FROM directory WHERE id = 1`.execute(),
        runOn(sql, accountsSince(since ?? -1)),
      ]),
    );
    const current = found[0]?.version ?? 0;
    // The database was replaced by an earlier one.
    if (current < (version ?? 0)) version = null;
    // A version that was forgotten meanwhile is no base to build on: only the next look reads everything.
    if (version !== since) return look();
    if (current !== version) {
      remembered.note(rows, { all: version === null });
      version = current;
    }
    lookedAt = startedAt;
  }

  /** Looks now, or waits for the look that is under way and looks again: what was changed before the call is seen. */
  async function refresh(): Promise<void> {
    await looking?.catch(() => {});
    looking ??= look().finally(() => {
      looking = null;
    });
    await looking;
  }

  /**
   * A change of this process is seen by it at once, and by the others as soon as they hear of it. The change is
   * committed: if it cannot be looked at now, that is the trouble of those who ask next.
   */
  async function changed(): Promise<void> {
    announce();
    await refresh().catch(() => {
      lookedAt = Number.NEGATIVE_INFINITY;
    });
  }

  const insert: DirectoryParts['insert'] = async ({ name, webhookSecrets }, nowMs, { first }) => {
    const number = await again(() =>
      pool.transaction(null, async ({ sql, commit }) => {
        // The number is what the table may be distributed by, and so has to be known before the row is sent.
        const [, [counted], { next, count }] = await Promise.all([
          sql`SELECT 1 FROM directory WHERE id = 1 FOR UPDATE`,
          sql<[{ version: number }]>`SELECT version FROM directory WHERE id = 1`,
          runOn(sql, nextAccount),
        ]);
        if (first && count > 0) {
          await commit([]);
          return null;
        }
        await commit([
          ...accountInserts(sql, { number: next, name, createdAt: nowMs, webhookSecrets }),
          first ? countUpFrom(sql, counted.version) : countUp(sql),
          waiting(sql, accountChanged(next)),
        ]);
        return next;
      }),
    );
    await changed();
    return number;
  };

  const timer = watch ? setInterval(() => void refresh().catch(() => {}), LOOK_EVERY_MS).unref() : undefined;

  return {
    refresh,
    changed,
    close: () => clearInterval(timer),
    version: remembered.version,
    isUnchanged: (number: number, since: number): boolean =>
      isBelieved() && remembered.isUnchanged(number, since),
    /** There may be another server behind the connection now, whose versions count from elsewhere. */
    forget(): void {
      version = null;
      lookedAt = Number.NEGATIVE_INFINITY;
    },

    /** One that is not known may be of another process, and so new that this one has not looked since. */
    async accounts(wanted?: number): Promise<ReadonlyMap<number, Account>> {
      if (!isBelieved() || (wanted !== undefined && !remembered.accounts.has(wanted))) await refresh();
      return remembered.accounts;
    },
    insert,
    async change(_row: DirectoryRow, statement: Statement): Promise<boolean> {
      const [{ count }] = await pool.transaction(null, ({ sql, commit }) =>
        commit([send(sql, statement), countUp(sql)]),
      );
      await changed();
      return count === 1;
    },
  };
}

/** Writes a new account, with a row for each of its feeds. */
export function accountInserts(sql: Sql, account: FirstOfAccount) {
  const { number } = account;
  return [
    waiting(sql, insertAccount(account)),
    sql`INSERT INTO feed_end VALUES (${number}, true, 0), (${number}, false, 0)`,
    sql`INSERT INTO delivery_claim VALUES (${number}, true), (${number}, false)`,
  ];
}

/** The same where nothing may have changed since the version that was seen: then it becomes null, which the table refuses. */
function countUpFrom(sql: Sql, seen: number) {
  return sql`UPDATE directory SET version = CASE WHEN version = ${seen} THEN version + 1 END WHERE id = 1`;
}

/** Tells all processes that accounts or keys have changed. */
export function countUp(sql: Sql) {
  return sql`UPDATE directory SET version = version + 1 WHERE id = 1`;
}
