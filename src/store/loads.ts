/**
 * Rows that units of work need before they decide, found by keys: once for both databases, which run the reads. What is
 * here is about loading in general; each resource says beside its reads what is loaded of it.
 */
import type { Tenant } from '../checkout/tenant.ts';
import type { Read } from './resources/read.ts';
import { either, nothing, raw, type Sql, sql } from './sql.ts';
import { counterOf, type Table } from './tables.ts';

/** Values by keys: `K` is what a unit names, and `W` the part of the writes that changes the values. */
export type Load<K, T, W> = {
  readonly keyOf: (key: K) => string;
  /** The rows that exist. */
  readonly read: (tenant: Tenant, keys: readonly K[]) => Read<Map<string, T>>;
  /**
   * For PostgreSQL, locks those that may change, everywhere in the same order. The read comes behind it, in a statement of
   * its own: a locking SELECT may show what was there before it waited.
   */
  readonly lock?: (tenant: Tenant, keys: readonly K[]) => Sql;
  /**
   * Brings what is loaded up to date with what a unit has decided to write, for those behind it in the batch. Absent
   * where they are to read it anew.
   */
  readonly apply?: (known: Map<string, T>, writes: W) => void;
  /** The table whose rows are read with their number of changes, on PostgreSQL. */
  readonly counted?: Table;
  /** Set if two batches under way may name the same key. */
  readonly isShared?: true;
};

/** Fixes the types. */
export const load = <K, T, W>(load: Load<K, T, W>): Load<K, T, W> => load;

/** Rows of the type `R` by their keys. */
export function byKey<R, T>(
  statement: Sql,
  entryOf: (row: R) => readonly [key: string, value: T],
): Read<Map<string, T>> {
  return { sql: statement, by: 'key', from: (rows) => new Map(rows.map((row) => entryOf(row as R))) };
}

/** A SELECT of nothing that locks rows. */
export function locking(
  from: Sql,
  order: string,
  {
    how = 'UPDATE',
    table,
  }: { readonly how?: 'UPDATE' | 'NO KEY UPDATE' | 'KEY SHARE'; readonly table?: string } = {},
): Sql {
  const of = table === undefined ? nothing : sql` OF ${raw(table)}`;
  return sql`SELECT 1 FROM ${from} ORDER BY ${raw(order)} FOR ${raw(how)}${of}`;
}

/** The number of changes, for a SELECT, where PostgreSQL alone has it: a write names what it has seen. */
export const counterIn = (table: Table): Sql =>
  counterOf(table) === 'revision' ? either({ postgres: raw(`, ${table}.revision`) }) : nothing;
