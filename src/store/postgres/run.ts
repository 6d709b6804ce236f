/** Runs what is written for both databases on PostgreSQL. */
import type { Row, RowList } from 'postgres';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Read, Run } from '../resources/read.ts';
import { type Sql as Statement, written } from '../sql.ts';
import { awaitSteps, type Steps } from '../steps.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';

/** Runs each read on the connections that are for its kind of work. */
export function runner(pool: Pool): Run {
  return (read) => {
    const work = (sql: Sql) => runOn(sql, read);
    const { tenant = null } = read;
    if (read.by === 'key') return pool.read(tenant, work);
    if (read.by !== 'list') return pool.lookOut(tenant, work);
    return pool.search(tenant, work);
  };
}

export async function runOn<T>(sql: Sql, { sql: statement, from, rare = false }: Read<T>): Promise<T> {
  return from(await readRows(sql, statement, { prepare: !rare }));
}

/**
 * Rows of an answer, taken out of the driver's array: that keeps them in memory until V8 looks through its old objects, a
 * hundred megabytes of them where pages of a list follow each other.
 */
export async function readRows(sql: Sql, statement: Statement, how = { prepare: true }): Promise<Row[]> {
  const answer: RowList<Row[]> = await send(sql, statement, how);
  return answer.splice(0);
}

export function send(sql: Sql, statement: Statement, how = { prepare: true }) {
  // Sent at once, and so in the order in which they are asked.
  return waiting(sql, statement, how).execute();
}

/** The statement, sent when somebody asks for its answer: in its place among others that are asked for together. */
export function waiting(sql: Sql, statement: Statement, how = { prepare: true }) {
  const { text, values } = written(statement, 'postgres');
  return sql.unsafe(text, values, how);
}

/** Runs work of several statements, in a transaction that is open. */
export function stepsOn<T>(sql: Sql, steps: Steps<T>): Promise<T> {
  return awaitSteps(steps, async (statement) =>
    written(statement, 'postgres').text === '' ? [] : readRows(sql, statement),
  );
}

/** Runs the statements of a list, of whose forms all but few are rare. */
export function searchFor<T, U>(
  pool: Pool,
  tenant: Tenant,
  steps: Steps<T>,
  use: (found: T) => U | Promise<U>,
): Promise<U> {
  return pool.search(
    tenant,
    (sql) =>
      awaitSteps(steps, (statement) => readRows(sql, statement, { prepare: statement.isUsual ?? false })),
    use,
  );
}
