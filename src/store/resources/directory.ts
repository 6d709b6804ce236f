/** Accounts and API keys as they are stored; each database keeps accounts in memory in its own way. */
import type { Account } from '../../accounts/account.ts';
import type { ApiKey, Permission } from '../../accounts/api-key.ts';
import { settingsFrom } from '../../accounts/settings.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';
import { checksumIn, sound } from '../checksum.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { type AnyRow, columnsIn, type Row } from '../tables.ts';
import { all, one, type Read, tenantOf } from './read.ts';

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
    webhookSecrets: { test: row.webhookSecretTest, live: row.webhookSecretLive },
    previousWebhookSecrets: {
      test: previousSecret(row.previousWebhookSecretTest, row.previousWebhookSecretTestUntil),
      live: previousSecret(row.previousWebhookSecretLive, row.previousWebhookSecretLiveUntil),
    },
    testClockOffsetMs: row.testClockOffsetMs,
    settings: { test: settingsFrom(row.settingsTest), live: settingsFrom(row.settingsLive) },
  };
}

function previousSecret(secret: string | null, until: TenantTime | null): PreviousSecret | null {
  return secret === null || until === null ? null : { secret, until };
}

function apiKeyFrom(stored: Row<'api_key'>): ApiKey {
  const { account, live, permissions, ...row } = sound('api_key', stored);
  return { ...row, tenant: tenantOf(account, live), permissions: permissions.split(' ') as Permission[] };
}

export const accountList: Read<Account[]> = all(
  sql`SELECT ${account} FROM account ORDER BY number`,
  accountFrom,
);

/** All of them, or none if nothing has changed since this version of the directory. */
export function accountsSince(version: number): Read<Account[]> {
  const current = sql`SELECT version FROM directory WHERE id = 1`;
  return all(
    sql`SELECT ${account} FROM account WHERE ${version} <> (${current}) ORDER BY number`,
    accountFrom,
  );
}

/** The condition for the row. */
export const isRow = ([table, key]: DirectoryRow): Sql =>
  sql`${raw(table === 'account' ? 'number' : 'id')} = ${key}`;

/** The row as it is stored, with its checksum. */
export const storedRow = (row: DirectoryRow): Read<AnyRow | null> =>
  one(sql`SELECT ${columns[row[0]]} FROM ${raw(row[0])} WHERE ${isRow(row)}`, (stored: AnyRow) => stored);

export const apiKeys = {
  fetch: (id: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE id = ${id}`, apiKeyFrom),
  fetchBySecretHash: (hash: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE secret_hash = ${hash}`, apiKeyFrom),
  list: (): Read<ApiKey[]> => all(sql`SELECT ${key} FROM api_key ORDER BY created_at, id`, apiKeyFrom),
};
