/** Rows and values as SQLite has them: for the statements that are its own. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';

export type Row = Record<string, SQLOutputValue>;

/** The `live` column of a tenant. */
export function liveOf(tenant: Tenant): 0 | 1 {
  return tenant.mode === 'live' ? 1 : 0;
}
