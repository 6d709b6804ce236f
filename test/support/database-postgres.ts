import postgres from 'postgres';
import { types } from '../../src/store/postgres/connection.ts';
import type { Row, TestDatabase } from './database.ts';
import { createHooks } from './hooks.ts';
import { emptyDatabase } from './postgres-reuse.ts';

const HOUSEKEEPING = new Set(['directory', 'feed', 'feed_end', 'feed_waiting']);

/** A database on the server that all tests share, with the newest schema and no rows. */
export async function freshPostgres(): Promise<TestDatabase> {
  const hooks = createHooks();
  return postgresDatabase(await emptyDatabase(hooks), hooks.run);
}

/** The database at this address; `remove` does what has to be done in the end. */
export function postgresDatabase(url: string, remove: () => Promise<void>): TestDatabase {
  const connect = () => postgres(url, { max: 1, fetch_types: false, types });
  // The connection opens with the first query.
  const connection = connect();
  async function query(sql: string, ...values: ReadonlyArray<string | number>): Promise<Row[]> {
    let number = 0;
    const text = sql.replaceAll('?', () => `$${++number}`);
    return [...(await connection.unsafe(text, [...values]))];
  }
  async function tables(): Promise<string[]> {
    const rows = await query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
    );
    return rows.map(({ tablename }) => tablename);
  }
  const tablesOfChanges = async () => (await tables()).filter((name) => !HOUSEKEEPING.has(name));
  return {
    kind: 'postgres',
    url,
    directoryLagMs: 1_000,
    query,
    tables,
    tablesOfChanges,
    async state() {
      // Each row that is written, even if only as it was, lies at another place and has the number of who wrote it.
      const places = (await tablesOfChanges()).map(
        (name) =>
          `SELECT '${name}', md5(string_agg(ctid || ' ' || xmin, ',' ORDER BY ctid, xmin::text)) FROM ${name}`,
      );
      // PostgreSQL gives rows in any order without this, as its processes read side by side.
      return query(`${places.join(' UNION ALL ')} ORDER BY 1`);
    },
    async lock() {
      const names = (await tables()).join(', ');
      const holder = connect();
      // One that waited for its next table with others in its hands would be in a deadlock with a commit.
      const lock = `BEGIN; LOCK TABLE ${names} IN EXCLUSIVE MODE NOWAIT`;
      while (!(await holder.unsafe(lock).then(() => true, isHeldByAnother))) await holder.unsafe('ROLLBACK');
      return () => holder.end();
    },
    async remove() {
      await connection.end();
      await remove();
    },
  };
}

function isHeldByAnother(error: { code?: string }): false {
  if (error.code !== '55P03') throw error;
  return false;
}
