/** Accounts and API keys as they are stored; each database keeps accounts in memory in its own way. */
import type { Account } from '../../accounts/account.ts';
import type { ApiKey, Permission } from '../../accounts/api-key.ts';
import { countedWith, type KeyCounts } from '../../accounts/key-changes.ts';
import type { AccountCount } from '../../accounts/new-account.ts';
import { settingsFrom } from '../../accounts/settings.ts';
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import { credentialsFrom } from '../../methods/credentials.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';
import { checksumIn, sound } from '../checksum.ts';
import { byKey, load, locking } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, join, nothing, raw, type Sql, sql, type Value } from '../sql.ts';
import { type AnyRow, columnsIn, type Row } from '../tables.ts';
import { rowOf } from '../writes.ts';
import type { ClockMove } from './clocks.ts';
import { all, directionOf, one, owned, pageFrom, type Read, single, tenantOf } from './read.ts';

/** A row by its table and key. */
export type DirectoryRow = readonly ['account', number] | readonly ['api_key', string];

const columns = {
  account: sql`${raw(columnsIn('account'))}${checksumIn('account')}`,
  api_key: sql`${raw(columnsIn('api_key'))}${checksumIn('api_key')}`,
};
const { account, api_key: key } = columns;

function accountFrom(stored: Row<'account'>): Account {
  const row = sound('account', stored);
  return {
    number: row.number,
    name: row.name,
    createdAt: row.createdAt,
    webhookSecrets: { test: row.webhookSecretTest, live: row.webhookSecretLive },
    previousWebhookSecrets: {
      test: previousSecret(row.previousWebhookSecretTest, row.previousWebhookSecretTestUntil),
      live: previousSecret(row.previousWebhookSecretLive, row.previousWebhookSecretLiveUntil),
    },
    testClockOffsetMs: row.testClockOffsetMs,
    settings: { test: settingsFrom(row.settingsTest), live: settingsFrom(row.settingsLive) },
    railCredentials: {
      test: credentialsFrom(row.railCredentialsTest),
      live: credentialsFrom(row.railCredentialsLive),
    },
    logos: { test: row.logoTest, live: row.logoLive },
  };
}

function previousSecret(secret: string | null, until: TenantTime | null): PreviousSecret | null {
  return secret === null || until === null ? null : { secret, until };
}

function apiKeyFrom(stored: Row<'api_key'>): ApiKey {
  const { account, live, permissions, ...row } = sound('api_key', stored);
  return { ...row, tenant: tenantOf(account, live), permissions: permissions.split(' ') as Permission[] };
}

/** Accounts that have changed, or a key of which has, since this version of the directory; -1 for all. */
export const accountsSince = (version: number): Read<Account[]> =>
  all(sql`SELECT ${account} FROM account WHERE changed_in > ${version} ORDER BY number`, accountFrom);

/** For PostgreSQL, which has no triggers: says in the account that it, or a key of it, has made the new version of the directory. */
export const accountChanged = (number: number): Sql =>
  sql`UPDATE account SET changed_in = (SELECT version FROM directory WHERE id = 1) WHERE number = ${number}`;

/** The condition for the row. */
export const isRow = ([table, key]: DirectoryRow): Sql =>
  sql`${raw(table === 'account' ? 'number' : 'id')} = ${key}`;

/** The row as it is stored, with its checksum. */
export const storedRow = (row: DirectoryRow): Read<AnyRow | null> =>
  one(sql`SELECT ${columns[row[0]]} FROM ${raw(row[0])} WHERE ${isRow(row)}`, (stored: AnyRow) => stored);

/** An account before and after a change. */
export type AccountChange = { readonly before: Account; readonly after: Account };

type AccountWrites = { readonly account?: AccountChange; readonly newAccount?: Account };

/** Fields that a new account has of its own; all others begin with the defaults. */
export type FirstOfAccount = Pick<Account, 'number' | 'name' | 'createdAt' | 'webhookSecrets'>;

/** The statement that writes a new account. */
export const insertAccount = ({
  number,
  name,
  createdAt,
  webhookSecrets: { test, live },
}: FirstOfAccount): Sql =>
  sql`INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live)
      VALUES (${number}, ${name}, ${createdAt}, ${test}, ${live})`;

/** Number of the next account, and of all. Accounts are never removed. */
export const nextAccount: Read<AccountCount> = single(
  sql`SELECT coalesce(max(number), 0) + 1 AS next, count(*) AS count FROM account`,
  (counted: AccountCount) => counted,
);

/** Number of the next account, for one who makes it: nobody else does meanwhile. */
export const loadNextAccount = load({
  keyOf: (all: 'all') => all,
  read: () => byKey(nextAccount.sql, (counted: AccountCount) => ['all', counted]),
  lock: () => locking(sql`directory WHERE id = 1`, 'id'),
  apply(known, { newAccount }: AccountWrites) {
    const counted = known.get('all');
    if (newAccount && counted) known.set('all', { next: newAccount.number + 1, count: counted.count + 1 });
  },
});

/** Columns that differ, by their names, and what is in them afterwards. */
function changedColumns({ before, after }: AccountChange): Array<readonly [name: string, value: Value]> {
  const columnsOf = (account: Account): ReadonlyArray<readonly [string, unknown, Value]> => [
    ['name', account.name, account.name],
    ...(['test', 'live'] as const).flatMap((mode) => {
      const { [mode]: settings } = account.settings;
      const { [mode]: credentials } = account.railCredentials;
      const { [mode]: secret } = account.webhookSecrets;
      const { [mode]: previous } = account.previousWebhookSecrets;
      return [
        [`settings_${mode}`, settings, JSON.stringify(settings)],
        [`rail_credentials_${mode}`, credentials, JSON.stringify(credentials)],
        [`logo_${mode}`, account.logos[mode], account.logos[mode]],
        [`webhook_secret_${mode}`, secret, secret],
        [`previous_webhook_secret_${mode}`, previous, previous?.secret ?? null],
        [`previous_webhook_secret_${mode}_until`, previous, previous?.until ?? null],
      ] as const;
    }),
  ];
  const known = new Map(columnsOf(before).map(([name, compared]) => [name, compared]));
  return columnsOf(after).flatMap(([name, compared, value]) =>
    compared === known.get(name) ? [] : [[name, value] as const],
  );
}

/** The statement that writes the change of an account. What another change has made of its clock is left alone. */
export function changeAccount(change: AccountChange): Sql {
  const sets = changedColumns(change).map(([name, value]) => sql`${raw(name)} = ${value}`);
  return sql`UPDATE account SET ${join(sets, ', ')} WHERE number = ${change.after.number}`;
}

/** For PostgreSQL: whoever changes an account, or counts its keys, has it for himself. */
const lockAccount = ({ account }: Tenant): Sql =>
  locking(sql`account WHERE number = ${account}`, 'number', { how: 'NO KEY UPDATE' });

/** The account as it is stored now, for those who change it. */
export const loadAccounts = load({
  keyOf: (number: number) => String(number),
  read: (_tenant: Tenant, numbers: readonly number[]) =>
    byKey(
      sql`SELECT ${account} FROM account WHERE number IN (${join(
        numbers.map((number) => sql`${number}`),
        ', ',
      )})`,
      (row: Row<'account'>) => [String(row.number), accountFrom(row)],
    ),
  lock: lockAccount,
  apply(known, { account: change }: AccountWrites) {
    if (change) known.set(String(change.after.number), change.after);
  },
});

const keysOf = (tenant: Tenant): Sql => sql`SELECT ${key} FROM api_key WHERE ${owned(tenant)}`;

export const apiKeys = {
  fetch: (id: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE id = ${id}`, apiKeyFrom),
  fetchBySecretHash: (hash: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE secret_hash = ${hash}`, apiKeyFrom),
  /** Their ids tell nothing of their age. No key is ever removed, so that a cursor stays one. */
  list(tenant: Tenant, page: PageRequest): Read<Page<ApiKey>> {
    const { limit, after, before } = page;
    const cursor = before ?? after;
    const comparison = raw(before === undefined ? '<' : '>');
    const next =
      cursor === undefined
        ? nothing
        : sql` AND (created_at, id) ${comparison}
            ((SELECT created_at FROM api_key WHERE ${owned(tenant)} AND id = ${cursor}), ${cursor})`;
    const direction = directionOf(page);
    return {
      sql: sql`${keysOf(tenant)}${next} ORDER BY created_at ${direction}, id ${direction} LIMIT ${limit + 1}`,
      by: 'page',
      from: pageFrom(page, apiKeyFrom),
    };
  },
};

type KeyWrites = { readonly newApiKey?: ApiKey; readonly revokedApiKey?: ApiKey };

const apiKeyRow = ({ tenant, permissions, ...key }: ApiKey): Row<'api_key'> => ({
  ...key,
  account: tenant.account,
  live: tenant.mode === 'live',
  permissions: permissions.join(' '),
});

/** An id or a secret that there is already is an error: both are random. */
export const addApiKey = rowOf('api_key', apiKeyRow);
export const revokeApiKey = rowOf('api_key', apiKeyRow, { sets: ['revokedAt'] });

export const loadApiKeys = load({
  keyOf: (id: string) => id,
  read: (tenant: Tenant, ids: readonly string[]) =>
    byKey(sql`${keysOf(tenant)} AND ${isAnyOf('id', ids)}`, (row: Row<'api_key'>) => [
      row.id,
      apiKeyFrom(row),
    ]),
  apply(known, { newApiKey, revokedApiKey }: KeyWrites) {
    for (const key of [newApiKey, revokedApiKey]) if (key) known.set(key.id, key);
  },
});

/** Counts of the active keys of an account and mode. */
export const loadKeyCounts = load({
  keyOf: (all: 'all') => all,
  read: (tenant: Tenant) =>
    byKey(
      sql`SELECT count(*) AS active, coalesce(sum(CASE WHEN permissions LIKE '%manage%' THEN 1 ELSE 0 END), 0) AS managing
          FROM api_key WHERE ${owned(tenant)} AND revoked_at IS NULL`,
      ({ active, managing }: KeyCounts) => ['all', { active, managing }],
    ),
  lock: lockAccount,
  apply(known, { newApiKey, revokedApiKey }: KeyWrites) {
    const counts = known.get('all');
    if (counts === undefined) return;
    if (newApiKey) known.set('all', countedWith(counts, newApiKey, 1));
    if (revokedApiKey) known.set('all', countedWith(counts, revokedApiKey, -1));
  },
});

type DirectoryWrites = AccountWrites & KeyWrites & { readonly clockMove?: ClockMove };

/** True for what those who keep the account or keys of it in memory have to hear of. Nobody knows a new key yet. */
export const changesAccount = ({ account, clockMove, revokedApiKey }: DirectoryWrites): boolean =>
  Boolean(account ?? clockMove ?? revokedApiKey);

/** True for what changes the version of the directory. */
export const changesDirectory = (writes: DirectoryWrites): boolean =>
  changesAccount(writes) || writes.newApiKey !== undefined || writes.newAccount !== undefined;
