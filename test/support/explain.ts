/** Query plans of PostgreSQL for a read. */
import assert from 'node:assert/strict';
import type { Read } from '../../src/store/resources/read.ts';
import { type Sql, written } from '../../src/store/sql.ts';
import type { TestDatabase } from './database.ts';

/** A node of what EXPLAIN answers. */
type Step = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Step[];
};

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];
const literal = (value: unknown): string => {
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  return typeof value === 'string' ? `'${value}'` : String(value);
};

/** A statement with its values in it: so PostgreSQL plans what is not prepared. */
export function withValues(sql: Sql): string {
  const { text, values } = written(sql, 'postgres');
  return text.replaceAll(/\$(\d+)/g, (_, number) => literal(values[number - 1]));
}

/** The indexes that it uses: of the tenant all of them, and no table is read from end to end. */
export async function indexesOf(
  { query }: Pick<TestDatabase, 'query'>,
  { sql }: Pick<Read<unknown>, 'sql'>,
): Promise<string[]> {
  const literals = withValues(sql);
  const [row] = await query(`EXPLAIN (FORMAT JSON) ${literals}`);
  return stepsOf(row['QUERY PLAN'][0].Plan).flatMap((step) => {
    assert.notEqual(step['Node Type'], 'Seq Scan', `${step['Relation Name']}: ${literals}`);
    const { 'Index Name': index } = step;
    if (index === undefined) return [];
    assert.match(String(step['Index Cond']), /\baccount = .*\blive\b/, literals);
    return [index];
  });
}

/** Rows that a read gets by each index, as it is run. */
export async function rowsByIndex(
  { query }: Pick<TestDatabase, 'query'>,
  { sql }: Pick<Read<unknown>, 'sql'>,
): Promise<Map<string, number>> {
  const [row] = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${withValues(sql)}`);
  const rows = new Map<string, number>();
  for (const step of stepsOf(row['QUERY PLAN'][0].Plan)) {
    const { 'Index Name': index, 'Actual Rows': each, 'Actual Loops': loops } = step;
    if (index !== undefined) rows.set(index, (rows.get(index) ?? 0) + Number(each) * Number(loops));
  }
  return rows;
}
