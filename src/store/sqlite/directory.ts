/** Accounts and API keys: small tables that every request asks, and so are kept in memory. */
import type { DatabaseSync } from 'node:sqlite';
import type { Account, NewAccount } from '../../accounts/account.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import { type AccountSettings, defaultSettings } from '../../accounts/settings.ts';
import type { Mode, Tenant } from '../../checkout/tenant.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';
import type { TenantClock } from '../store.ts';
import { accountFrom, apiKeyFrom, liveOf, type Row } from './rows.ts';
import { inTransaction } from './transaction.ts';

export function directory(database: DatabaseSync) {
  const allAccounts = database.prepare('SELECT * FROM account ORDER BY number');
  const anyAccount = database.prepare('SELECT 1 FROM account LIMIT 1');
  const renameAccount = database.prepare('UPDATE account SET name = ? WHERE number = ?');
  const insertAccount = database.prepare(
    `INSERT INTO account (name, created_at, webhook_secret_test, webhook_secret_live) VALUES (?, ?, ?, ?)`,
  );
  const replaceSecretOf = (mode: Mode) =>
    database.prepare(
      `UPDATE account SET webhook_secret_${mode} = ?, previous_webhook_secret_${mode} = ?,
         previous_webhook_secret_${mode}_until = ?
       WHERE number = ?`,
    );
  const replaceSecret = { test: replaceSecretOf('test'), live: replaceSecretOf('live') };
  const configureOf = (mode: Mode) =>
    database.prepare(`UPDATE account SET settings_${mode} = ? WHERE number = ?`);
  const configure = { test: configureOf('test'), live: configureOf('live') };
  const keyById = database.prepare('SELECT * FROM api_key WHERE id = ?');
  const keyByHash = database.prepare('SELECT * FROM api_key WHERE secret_hash = ?');
  const allKeys = database.prepare('SELECT * FROM api_key ORDER BY created_at, id');
  const insertKey = database.prepare(
    `INSERT INTO api_key (id, account, live, secret_hash, permissions, name, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const revokeKey = database.prepare('UPDATE api_key SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const versionStatement = database.prepare('SELECT version FROM directory');

  let accounts = new Map<number, Account>();
  let accountsVersion = -1;
  let lastSeen = -1;
  let seenInThisTurn = false;
  const key = (row: unknown) => (row === undefined ? null : apiKeyFrom(row as Row));

  /**
   * Changes with every change of an account or a key, by whatever process. Looked up once in a turn of the event loop:
   * what happens meanwhile happens at the same time for everybody.
   */
  function version(): number {
    if (seenInThisTurn) return lastSeen;
    seenInThisTurn = true;
    setImmediate(refresh);
    lastSeen = versionStatement.get()?.version as number;
    return lastSeen;
  }

  function refresh(): void {
    seenInThisTurn = false;
  }

  function currentAccounts(): Map<number, Account> {
    const current = version();
    if (current !== accountsVersion) {
      accounts = new Map(
        allAccounts.all().map((row) => {
          const account = accountFrom(row as Row);
          return [account.number, account];
        }),
      );
      accountsVersion = current;
    }
    return accounts;
  }

  function create({ name, webhookSecrets }: NewAccount, nowMs: number): Account {
    const { lastInsertRowid } = insertAccount.run(name, nowMs, webhookSecrets.test, webhookSecrets.live);
    refresh();
    return {
      number: Number(lastInsertRowid),
      name,
      webhookSecrets,
      previousWebhookSecrets: { test: null, live: null },
      testClockOffsetMs: 0,
      settings: { test: defaultSettings, live: defaultSettings },
    };
  }

  return {
    version,
    /** To be called when something was written: the version is looked up anew, in this turn as well. */
    refresh,

    account: (number: number): Account | null => currentAccounts().get(number) ?? null,
    accounts: (): Account[] => [...currentAccounts().values()],
    /** All accounts and modes with the time that their clocks show. */
    places: (realNow: number): TenantClock[] =>
      [...currentAccounts().values()].flatMap(({ number: account, testClockOffsetMs }): TenantClock[] => [
        { tenant: { account, mode: 'live' }, now: realNow },
        { tenant: { account, mode: 'test' }, now: realNow + testClockOffsetMs },
      ]),
    createAccount: create,
    createFirstAccount: (account: NewAccount, nowMs: number): Account | null =>
      inTransaction(database, () => (anyAccount.get() === undefined ? create(account, nowMs) : null)),

    rename(number: number, name: string): boolean {
      const { changes } = renameAccount.run(name, number);
      refresh();
      return changes === 1;
    },

    configure({ account, mode }: Tenant, settings: AccountSettings): boolean {
      const { changes } = configure[mode].run(JSON.stringify(settings), account);
      refresh();
      return changes === 1;
    },

    replaceWebhookSecret(
      { account, mode }: Tenant,
      secret: string,
      previous: PreviousSecret | null,
    ): boolean {
      const { changes } = replaceSecret[mode].run(
        secret,
        previous?.secret ?? null,
        previous?.until ?? null,
        account,
      );
      refresh();
      return changes === 1;
    },

    key: (id: string): ApiKey | null => key(keyById.get(id)),
    keyBySecretHash: (hash: string): ApiKey | null => key(keyByHash.get(hash)),
    keys: (): ApiKey[] => allKeys.all().map((row) => apiKeyFrom(row as Row)),
    addKey({ id, tenant, secretHash, permissions, name, createdAt }: ApiKey): boolean {
      const { account } = tenant;
      const { changes } = insertKey.run(
        id,
        account,
        liveOf(tenant),
        secretHash,
        permissions.join(' '),
        name,
        createdAt,
      );
      refresh();
      return changes === 1;
    },
    revokeKey(id: string, atMs: number): boolean {
      const { changes } = revokeKey.run(atMs, id);
      refresh();
      return changes === 1;
    },
  };
}
