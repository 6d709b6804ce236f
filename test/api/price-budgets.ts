/**
 * Budgets: what each route may cost, by the kind of its caller. Bytes and rows are held to in `npm test`; the time of the
 * thread depends on the machine, and is judged by `npm run prove -- prices` alone.
 *
 * What has no budget yet gets one by
 *
 *     OPENTILL_WRITE_PRICES=new OPENTILL_TEST_SCALE=20 npx node --test test/api/prices.test.ts
 *
 * The table is written anew by these, the first of which is for all but the rows on PostgreSQL,
 *
 *     OPENTILL_WRITE_PRICES=all OPENTILL_TEST_SCALE=20 npx node --test test/api/prices.test.ts
 *     OPENTILL_WRITE_PRICES=all OPENTILL_TEST_DATABASE=postgres npx node --test test/api/prices.test.ts
 *
 * and a review sees what has become dearer.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseKind } from '../support/database.ts';

export type Caller = 'own' | 'other' | 'lacking' | 'nobody' | 'wrong key' | 'open';

export type Price = {
  /** Time of the thread that answers. */
  readonly ms: number;
  /** Bytes of the answer. */
  readonly bytes: number;
  /** Rows written, less those removed. */
  readonly rows: number;
};

/** Rows are budgeted by database: some keep in a second table what others have in an index. */
export type Budget = Omit<Price, 'rows'> & { readonly rows: Readonly<Record<DatabaseKind, number>> };

/** Budgets by the name of an operation or a route, and the caller. */
export type Budgets = Readonly<Record<string, Readonly<Partial<Record<Caller, Budget>>>>>;

export type Priced = Price & { readonly name: string; readonly caller: Caller };

const FILE = join(import.meta.dirname, 'price-budgets.json');

/** Share by which answers differ: ids and times have other digits, and documents other texts. */
const BYTES_MARGIN = 0.1;
/** The shortest answers differ by more than a share. */
const FEW_BYTES = 64;
/** Below this, a time is that of the machine. */
const LEAST_MS = 0.5;

const { OPENTILL_WRITE_PRICES: written } = process.env;
export const isWriting = written !== undefined;

export const budgets: Budgets = JSON.parse(readFileSync(FILE, 'utf8'));

/** The price that stays in the table while only new ones are written; null: it has to be found out. */
export function keptPrice(name: string, caller: Caller, kind: DatabaseKind): Price | null {
  const budget = budgets[name]?.[caller];
  return written !== 'new' || budget === undefined ? null : { ...budget, rows: budget.rows[kind] };
}

/** Bytes or rows beyond the budget, in words, or null. */
export function excessOf({ bytes, rows }: Price, budget: Budget, kind: DatabaseKind): string | null {
  const most = Math.ceil(budget.bytes * (1 + BYTES_MARGIN)) + FEW_BYTES;
  if (bytes > most) return `an answer of ${bytes} bytes, more than the budget of ${budget.bytes}`;
  return rows > budget.rows[kind] ? `${rows} rows, more than the budget of ${budget.rows[kind]}` : null;
}

/** The time as a multiple of the budget. */
export const timeRatio = ({ ms }: Price, budget: Pick<Price, 'ms'>): number =>
  ms / Math.max(LEAST_MS, budget.ms);

export function writeBudgets(prices: readonly Priced[], kind: DatabaseKind): void {
  const byName = Object.groupBy(prices, ({ name }) => name);
  const table = Object.entries(byName).map(([name, priced = []]) => {
    const cells = priced.map(({ caller, ...price }) => {
      const old = budgets[name]?.[caller];
      const isKept = old !== undefined && (kind === 'postgres' || written === 'new');
      const { ms, bytes } = isKept ? old : { ms: Math.ceil(price.ms * 10) / 10, bytes: price.bytes };
      const { sqlite, postgres }: Budget['rows'] = {
        sqlite: price.rows,
        postgres: price.rows,
        ...old?.rows,
        [kind]: price.rows,
      };
      const rows = `{ "sqlite": ${sqlite}, "postgres": ${postgres} }`;
      return `    ${JSON.stringify(caller)}: { "ms": ${ms}, "bytes": ${bytes}, "rows": ${rows} }`;
    });
    return `  ${JSON.stringify(name)}: {\n${cells.join(',\n')}\n  }`;
  });
  writeFileSync(FILE, `{\n${table.join(',\n')}\n}\n`);
}
