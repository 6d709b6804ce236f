/**
 * Accounts and API keys: small tables that every request asks, and so are kept in memory and looked after several times
 * a second. What has not been looked after for a second is not believed.
 */

import type { Account, NewAccount } from '../../accounts/account.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import { type AccountSettings, defaultSettings } from '../../accounts/settings.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';
import { type AccountColumns, type ApiKeyColumns, accountFrom, apiKeyFrom, tenantColumns } from './rows.ts';

const LOOK_EVERY_MS = 400;
const BELIEVED_FOR_MS = 1_000;

export type Directory = ReturnType<typeof createDirectory>;

export function createDirectory(pool: Pool, { watch, announce }: { watch: boolean; announce: () => void }) {
  let accounts = new Map<number, Account>();
  /** Of the database; null for one that is to be looked at anew. */
  let version: number | null = null;
  /** Counts the versions that this process has seen. */
  let generation = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  /** Counts down, so that it is no version that ever was. */
  let unknown = 0;

  const isBelieved = () => performance.now() - lookedAt < BELIEVED_FOR_MS;

  async function look(): Promise<void> {
    const startedAt = performance.now();
    // The version comes first: what changes between the two is seen at the next look.
    const [found, rows] = await pool.read((sql) =>
      Promise.all([
        sql<Array<{ version: number }>>`SELECT version FROM directory WHERE id = 1`,
        sql<AccountColumns[]>`
          SELECT * FROM account WHERE ${version ?? 0} <> (SELECT version FROM directory WHERE id = 1)`,
      ]),
    );
    const current = found[0]?.version ?? 0;
    if (current !== version) {
      const inOrder = rows.map(accountFrom).sort((a, b) => a.number - b.number);
      accounts = new Map(inOrder.map((account) => [account.number, account]));
      version = current;
      generation++;
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

  async function currentAccounts(): Promise<Map<number, Account>> {
    if (!isBelieved()) await refresh();
    return accounts;
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

  /** Null if it would not be the first and should be. */
  async function create(
    { name, webhookSecrets }: NewAccount,
    nowMs: number,
    { first }: { first: boolean },
  ): Promise<Account | null> {
    const number = await pool.transaction(async ({ sql, commit }) => {
      // The number is what the table may be distributed by, and so has to be known before the row is sent.
      const [, others, [row]] = await Promise.all([
        sql`SELECT 1 FROM directory WHERE id = 1 FOR UPDATE`,
        sql`SELECT number FROM account LIMIT 1`,
        sql<Array<{ number: number }>>`
          SELECT nextval(pg_get_serial_sequence('account', 'number')) AS number`,
      ]);
      if ((first && others.length > 0) || row === undefined) {
        await commit([]);
        return null;
      }
      const next = row.number;
      await commit([
        sql`INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live)
            VALUES (${next}, ${name}, ${nowMs}, ${webhookSecrets.test}, ${webhookSecrets.live})`,
        sql`INSERT INTO feed_end VALUES (${next}, true, 0), (${next}, false, 0)`,
        sql`INSERT INTO delivery_claim VALUES (${next}, true), (${next}, false)`,
        countUp(sql),
      ]);
      return next;
    });
    await changed();
    const previousWebhookSecrets = { test: null, live: null };
    const settings = { test: defaultSettings, live: defaultSettings };
    return number === null
      ? null
      : { number, name, webhookSecrets, previousWebhookSecrets, testClockOffsetMs: 0, settings };
  }

  /** False if there is no such account. */
  async function change(number: number, columns: Readonly<Record<string, string | number | null>>) {
    const [{ count }] = await pool.transaction(({ sql, commit }) =>
      commit([sql`UPDATE account SET ${sql(columns)} WHERE number = ${number}`, countUp(sql)]),
    );
    await changed();
    return count === 1;
  }

  const timer = watch ? setInterval(() => void refresh().catch(() => {}), LOOK_EVERY_MS).unref() : undefined;

  return {
    refresh,
    changed,
    close: () => clearInterval(timer),
    /** Another one at each call while nobody knows. */
    version: (): number => (isBelieved() ? generation : --unknown),
    /** There may be another server behind the connection now, whose versions count from elsewhere. */
    forget(): void {
      version = null;
      lookedAt = Number.NEGATIVE_INFINITY;
    },

    /** One that is not known may be of another process, and so new that this one has not looked since. */
    async account(number: number): Promise<Account | null> {
      const known = (await currentAccounts()).get(number);
      if (known) return known;
      await refresh();
      return accounts.get(number) ?? null;
    },
    accounts: async (): Promise<Account[]> => [...(await currentAccounts()).values()],

    createAccount: (account: NewAccount, nowMs: number): Promise<Account> =>
      create(account, nowMs, { first: false }) as Promise<Account>,
    createFirstAccount: (account: NewAccount, nowMs: number): Promise<Account | null> =>
      create(account, nowMs, { first: true }),

    rename: (number: number, name: string): Promise<boolean> => change(number, { name }),

    configure: ({ account, mode }: Tenant, settings: AccountSettings): Promise<boolean> =>
      change(account, { [`settings_${mode}`]: JSON.stringify(settings) }),

    replaceWebhookSecret: (
      { account, mode }: Tenant,
      secret: string,
      previous: PreviousSecret | null,
    ): Promise<boolean> =>
      change(account, {
        [`webhook_secret_${mode}`]: secret,
        [`previous_webhook_secret_${mode}`]: previous?.secret ?? null,
        [`previous_webhook_secret_${mode}_until`]: previous?.until ?? null,
      }),

    async key(id: string): Promise<ApiKey | null> {
      const [row] = await pool.read((sql) => sql<ApiKeyColumns[]>`SELECT * FROM api_key WHERE id = ${id}`);
      return row ? apiKeyFrom(row) : null;
    },
    async keyBySecretHash(hash: string): Promise<ApiKey | null> {
      const [row] = await pool.read(
        (sql) => sql<ApiKeyColumns[]>`SELECT * FROM api_key WHERE secret_hash = ${hash}`,
      );
      return row ? apiKeyFrom(row) : null;
    },
    async keys(): Promise<ApiKey[]> {
      const rows = await pool.read(
        (sql) => sql<ApiKeyColumns[]>`SELECT * FROM api_key ORDER BY created_at, id`,
      );
      return rows.map(apiKeyFrom);
    },
    async addKey({ id, tenant, secretHash, permissions, name, createdAt }: ApiKey): Promise<boolean> {
      const [account, live] = tenantColumns(tenant);
      const [{ count }] = await pool.transaction(({ sql, commit }) =>
        commit([
          sql`INSERT INTO api_key (id, account, live, secret_hash, permissions, name, created_at)
              VALUES (${id}, ${account}, ${live}, ${secretHash}, ${permissions.join(' ')}, ${name}, ${createdAt})
              ON CONFLICT DO NOTHING`,
          countUp(sql),
        ]),
      );
      await changed();
      return count === 1;
    },
    async revokeKey(id: string, atMs: number): Promise<boolean> {
      const [{ count }] = await pool.transaction(({ sql, commit }) =>
        commit([
          sql`UPDATE api_key SET revoked_at = ${atMs} WHERE id = ${id} AND revoked_at IS NULL`,
          countUp(sql),
        ]),
      );
      await changed();
      return count === 1;
    },
  };
}

/** Tells all processes that accounts or keys have changed. */
export function countUp(sql: Sql) {
  return sql`UPDATE directory SET version = version + 1 WHERE id = 1`;
}
