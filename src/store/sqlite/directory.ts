/** Accounts in memory, looked after by the version that triggers count up with every change of an account or a key. */

import type { DatabaseSync } from 'node:sqlite';
import type { Account, NewAccount } from '../../accounts/account.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { RealTime } from '../../lib/time.ts';
import { checksumOf, sound } from '../checksum.ts';
import { rememberAccounts } from '../directory.ts';
import {
  accountsSince,
  type DirectoryRow,
  type FirstOfAccount,
  insertAccount,
  isRow,
  nextAccount,
  storedRow,
} from '../resources/directory.ts';
import { one, type Read } from '../resources/read.ts';
import { raw, type Sql, sql } from '../sql.ts';
import type { Runner } from './run.ts';
import { inTransaction } from './transaction.ts';

/** Time for which the version of the directory that was seen last is taken for the stored one. */
const FRESH_MS = 1;

/** Gives a row that was written the checksum of what it says. */
export function sumRow({ read, change }: Runner, row: DirectoryRow): void {
  const checksum = checksumOf(row[0], read(storedRow(row)) ?? {});
  change(sql`UPDATE ${raw(row[0])} SET checksum = ${checksum} WHERE ${isRow(row)}`);
}

/** Writes a new account. */
export function addAccount(runner: Runner, account: FirstOfAccount): void {
  runner.change(insertAccount(account));
  sumRow(runner, ['account', account.number]);
}

/** Another version than that of nothing, so that a damaged file is read all the same. */
const MISSING = -2;

const fetchVersion: Read<number | null> = {
  ...one(sql`SELECT version FROM directory`, ({ version }: { readonly version: number }) => version),
  form: 'version of the directory',
};

export function directory(database: DatabaseSync, runner: Runner) {
  const { read, change } = runner;
  const anyAccount = database.prepare('SELECT 1 FROM account LIMIT 1');

  const remembered = rememberAccounts();
  /** Version of the database that the accounts in memory are of. */
  let rememberedVersion = -1;
  let lastSeen = -1;
  let seenAt = Number.NEGATIVE_INFINITY;

  /**
   * Changes with every change of an account or a key, by whatever process. Looked up once in a millisecond: what another
   * process has changed in it happens at the same time for everybody.
   */
  function storedVersion(): number {
    const now = performance.now();
    if (now - seenAt < FRESH_MS) return lastSeen;
    lastSeen = read(fetchVersion) ?? MISSING;
    seenAt = now;
    return lastSeen;
  }

  function refresh(): void {
    seenAt = Number.NEGATIVE_INFINITY;
  }

  function current(): ReadonlyMap<number, Account> {
    const found = storedVersion();
    if (found === rememberedVersion) return remembered.accounts;
    // A copy of an earlier time may have taken the place of the file.
    const all = found < rememberedVersion;
    remembered.note(read(accountsSince(all ? -1 : rememberedVersion)), { all });
    rememberedVersion = found;
    return remembered.accounts;
  }

  function version(): number {
    current();
    return remembered.version();
  }

  /** Accounts that cannot be read, such as a damaged one, are told of by those who ask for them. */
  function isUnchanged(number: number, since: number): boolean {
    try {
      current();
    } catch {
      return false;
    }
    return remembered.isUnchanged(number, since);
  }

  return {
    version,
    isUnchanged,
    /** Forgets the version, which is looked up anew; to be called when something was written. */
    refresh,
    accounts: current,

    tenants: (): Tenant[] =>
      [...current().keys()].flatMap((account): Tenant[] => [
        { account, mode: 'live' },
        { account, mode: 'test' },
      ]),

    insert: (account: NewAccount, nowMs: RealTime, { first = false }) =>
      inTransaction(database, () => {
        if (first && anyAccount.get() !== undefined) return null;
        refresh();
        const { next: number } = read(nextAccount);
        addAccount(runner, { ...account, number, createdAt: nowMs });
        return number;
      }),

    /** A row that is damaged is not changed: its new checksum would hide that. */
    change: (row: DirectoryRow, statement: Sql): boolean =>
      inTransaction(database, () => {
        refresh();
        sound(row[0], read(storedRow(row)) ?? {});
        if (change(statement) !== 1) return false;
        sumRow(runner, row);
        return true;
      }),
  };
}
