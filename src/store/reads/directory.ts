/** Accounts and API keys as they are stored; each database keeps accounts in memory in its own way. */
import type { Account } from '../../accounts/account.ts';
import type { ApiKey } from '../../accounts/api-key.ts';
import { accountFrom, apiKeyFrom } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { all, one, type Read } from './read.ts';

const key = raw(columnsIn('api_key'));

const account = raw(columnsIn('account'));

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

export const apiKeys = {
  fetch: (id: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE id = ${id}`, apiKeyFrom),
  fetchBySecretHash: (hash: string): Read<ApiKey | null> =>
    one(sql`SELECT ${key} FROM api_key WHERE secret_hash = ${hash}`, apiKeyFrom),
  list: (): Read<ApiKey[]> => all(sql`SELECT ${key} FROM api_key ORDER BY created_at, id`, apiKeyFrom),
};
