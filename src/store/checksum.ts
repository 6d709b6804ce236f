/**
 * Checksums of rows: SQLite has none of its pages, so that what a disk changes would be read as if it had been written. A
 * row with one is compared with it whenever it is read; of a row that is another, nothing is made. (PostgreSQL has
 * checksums of pages.)
 */
import { crc32 } from 'node:zlib';
import type { Payment } from '../checkout/session.ts';
import { keysOf } from '../lib/keys.ts';
import { DamagedRow } from './errors.ts';
import { either, nothing, raw, type Sql } from './sql.ts';
import { type AnyRow, columnsOf, type Row, type Table } from './tables.ts';

/** The fields that the checksum of a row is made of: all that does not change without it. */
const covered = {
  account: [
    'number',
    'name',
    'createdAt',
    'webhookSecretTest',
    'webhookSecretLive',
    'previousWebhookSecretTest',
    'previousWebhookSecretTestUntil',
    'previousWebhookSecretLive',
    'previousWebhookSecretLiveUntil',
    'settingsTest',
    'settingsLive',
    'railCredentialsTest',
    'railCredentialsLive',
    'logoTest',
    'logoLive',
  ],
  logo: ['name', 'content'],
  api_key: ['id', 'account', 'live', 'secretHash', 'permissions', 'name', 'createdAt', 'revokedAt'],
  dashboard_user: ['id', 'email', 'identity', 'accounts', 'data'],
  customer: ['id', 'email', 'data'],
  checkout: ['id', 'version', 'eventCount', 'data'],
  provider_event: ['id', 'rail', 'reference', 'receivedAt', 'body'],
  bank_entry: ['id', 'reference', 'data'],
  bank_file: ['id', 'hash', 'data', 'content'],
  event: ['id', 'cause', 'body'],
  webhook_endpoint: ['id', 'version', 'eventCount', 'slot', 'data'],
  idempotency: ['idempotencyKey', 'operation', 'requestHash', 'statusCode', 'headers', 'body'],
  audit: ['subject', 'version', 'at', 'actor', 'action', 'requestId'],
  request_log: [
    ...(['id', 'at', 'requestId', 'actor', 'method', 'path', 'operation', 'subject', 'status'] as const),
    ...(['errors', 'durationMs', 'idempotency', 'leftOut'] as const),
  ],
} as const satisfies { readonly [T in Table]?: ReadonlyArray<keyof Row<T>> };

export type SummedTable = keyof typeof covered;
export const summedTables = keysOf(covered);

/** Tells whether a change of these fields changes the checksum. */
export const isCovered = (table: string, fields: readonly string[]): boolean =>
  Object.entries(covered).some(
    ([name, all]) => name === table && all.some((field) => fields.includes(field)),
  );

/** The column, for a SELECT, where rows of the table have one; SQLite alone has it. */
export const checksumIn = (table: Table): Sql =>
  table in covered ? either({ sqlite: raw(`, ${table}.checksum`) }) : nothing;

/** The same columns for a SELECT of what it is made of. */
export const coveredIn = (table: SummedTable): string => {
  const fields: readonly string[] = covered[table];
  return columnsOf(table)
    .filter(({ field }) => fields.includes(field))
    .map(({ name, field }) => `${table}.${name} AS "${field}"`)
    .join(', ');
};

/** A longer text is summed by itself: to join it to others would be to copy it. */
const LONG = 200;

/** The checksum of a row, its fields in lines; that of a session has its ledger beside. */
export function checksumOf(table: SummedTable, row: AnyRow): number {
  let sum = 0;
  let lines = '';
  let end = '';
  for (const field of covered[table]) {
    const value = row[field] ?? '';
    lines += end;
    end = '\n';
    if (typeof value === 'string' && value.length > LONG) {
      sum = crc32(value, crc32(lines, sum));
      lines = '';
      // As it is stored.
    } else lines += typeof value === 'boolean' ? Number(value) : value;
  }
  return crc32(lines, sum);
}

/** The checksum of a session: each line of the ledger by itself, for whoever reads them may have them in another order. */
export function checksumOfSession(row: AnyRow, payments: readonly Payment[]): number {
  let sum = checksumOf('checkout', row);
  for (const { rail, reference, attempt, amount, bookedAt, late } of payments) {
    sum ^= crc32([rail, reference, attempt, amount, bookedAt, late].join('\n'));
  }
  return sum >>> 0;
}

/** Throws if the row is not the one that was written. */
export function refuseDamaged(table: Table, sum: number, checksum: unknown, id: string | null = null): void {
  if (checksum !== undefined && sum !== checksum) {
    const row = id === null ? 'a row' : `the row ${id}`;
    throw new DamagedRow(
      `SQLite: ${row} of the table ${table} is not what was written; run opentill db check`,
      id,
    );
  }
}

/** The row without its checksum, if it has one. */
export function sound<R extends object>(table: Table, row: R): R {
  const { checksum, ...content } = row as { readonly checksum?: number };
  if (checksum !== undefined) {
    const { id, number = null } = content as { readonly id?: string; readonly number?: number };
    const name = id ?? (number === null ? null : `${number}`);
    refuseDamaged(table, checksumOf(table as SummedTable, content as AnyRow), checksum, name);
  }
  return content as R;
}
