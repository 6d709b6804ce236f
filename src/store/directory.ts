/** Accounts and API keys: reads and changes are the same for every database, which keeps accounts in memory. */

import type { Account, NewAccount } from '../accounts/account.ts';
import type { RealTime } from '../lib/time.ts';
import type { AskedResources } from './resources/all.ts';
import type { DirectoryRow } from './resources/directory.ts';
import { type Sql, sql } from './sql.ts';
import type { Accounts, ApiKeys } from './store.ts';

export type DirectoryParts = {
  /** By their numbers; looks anew where `wanted` is not among them and another process may have made it. */
  accounts(wanted?: number): Promise<ReadonlyMap<number, Account>>;
  /** The number of the new account; null if it should be the first and is not. */
  insert(account: NewAccount, nowMs: RealTime, how: { readonly first: boolean }): Promise<number | null>;
  /** Changes a key such that everybody sees it; false if there is none to change. Accounts change in commits. */
  change(row: Extract<DirectoryRow, readonly ['api_key', string]>, statement: Sql): Promise<boolean>;
} & Pick<Accounts, 'version' | 'isUnchanged'>;

export type RememberedAccounts = ReturnType<typeof rememberAccounts>;

/**
 * Accounts in memory, each with the version in which it was read last. The versions are counted here and not in the
 * database, which another one may replace whose versions count from elsewhere.
 */
export function rememberAccounts() {
  const accounts = new Map<number, Account>();
  const readIn = new Map<number, number>();
  let version = 0;

  return {
    accounts: accounts as ReadonlyMap<number, Account>,
    version: () => version,
    isUnchanged: (number: number, since: number) => (readIn.get(number) ?? Number.POSITIVE_INFINITY) <= since,

    /** Notes that the directory has changed, and what has changed in it; `all` if nothing else is there. */
    note(changed: readonly Account[], { all }: { readonly all: boolean }): void {
      version++;
      if (all) {
        accounts.clear();
        readIn.clear();
      }
      for (const account of changed) {
        accounts.set(account.number, account);
        readIn.set(account.number, version);
      }
    },
  };
}

type AskedKeys = AskedResources['apiKeys'];
type Directory = { readonly accounts: Accounts; readonly apiKeys: ApiKeys & AskedKeys };

export function directoryOf(
  { accounts, insert, change, version, isUnchanged }: DirectoryParts,
  apiKeys: AskedKeys,
): Directory {
  async function create(account: NewAccount, nowMs: RealTime, first: boolean): Promise<Account | null> {
    const number = await insert(account, nowMs, { first });
    return number === null ? null : ((await accounts(number)).get(number) ?? null);
  }

  return {
    accounts: {
      fetch: async (number) => (await accounts(number)).get(number) ?? null,
      list: async () => [...(await accounts()).values()],
      create: async (account, nowMs) => {
        const created = await create(account, nowMs, false);
        if (created === null) throw new Error('the account was not made');
        return created;
      },
      createFirst: (account, nowMs) => create(account, nowMs, true),
      version,
      isUnchanged,
    },
    apiKeys: {
      ...apiKeys,
      add: ({ id, tenant, secretHash, permissions, name, createdAt }) =>
        change(
          ['api_key', id],
          sql`INSERT INTO api_key (id, account, live, secret_hash, permissions, name, created_at)
              VALUES (${id}, ${tenant.account}, ${tenant.mode === 'live'}, ${secretHash}, ${permissions.join(' ')},
                ${name}, ${createdAt})
              ON CONFLICT DO NOTHING`,
        ),
    },
  };
}
