/** Runs what is written for both databases on PostgreSQL. */
import type { Row, RowList } from 'postgres';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Read, Run } from '../resources/read.ts';
import { type Sql as Statement, valuesOf, type Statement as Written, written } from '../sql.ts';
import { awaitSteps, type Steps } from '../steps.ts';
import type { Sql } from './connection.ts';
import { emptyQueries } from './emptied.ts';
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

export async function runOn<T>(sql: Sql, read: Read<T>): Promise<T> {
  return read.from(await rowsOf(sql, statementOf(read), { prepare: !read.rare }));
}

/** Texts of reads that name their form. */
const texts = new Map<string, string>();

function statementOf({ sql, form }: Pick<Read<unknown>, 'sql' | 'form'>): Written {
  const known = form === undefined ? undefined : texts.get(form);
  if (known !== undefined) return { text: known, values: valuesOf(sql, 'postgres') };
  const statement = written(sql, 'postgres');
  if (form !== undefined) texts.set(form, statement.text);
  return statement;
}

export function readRows(sql: Sql, statement: Statement, how = { prepare: true }): Promise<Row[]> {
  return rowsOf(sql, written(statement, 'postgres'), how);
}

/** Rows of an answer, taken out of the driver's array, which stays in memory as its query does. */
async function rowsOf(
  sql: Sql,
  { text, values }: Written,
  how: { readonly prepare: boolean },
): Promise<Row[]> {
  // Sent at once, and so in the order in which they are asked.
  const query = sql.unsafe(text, values, how).execute();
  const answer: RowList<Row[]> = await query;
  emptyQueries([query]);
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
