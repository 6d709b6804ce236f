/** Check of a PostgreSQL database: whether everything in it adds up. */
import { type CheckListener, createTally } from '../check/check.ts';
import { type Checked, checkAll } from '../check/run.ts';
import { refuseOtherSchema } from '../schema-version.ts';
import { inSnapshot, onOwnConnection } from './alone.ts';
import { rules } from './check-rules.ts';
import type { Sql } from './connection.ts';
import { migrations, schemaOf } from './migrate.ts';
import { nameOf, unfinishedMove } from './unusable.ts';

/** Room to sort and hash without files, and no more than one processor: the database has others to serve. */
const resources = `SET LOCAL work_mem = '32MB'; SET LOCAL max_parallel_workers_per_gather = 0`;

/** Looks at everything as it is at one moment, also while services write. */
export async function checkPostgres(url: string, listener: CheckListener): Promise<void> {
  await onOwnConnection(url, async (sql) => {
    await refuseUnfit(sql, nameOf(url));
    await checkIndexes(sql, listener);
    await inSnapshot(sql, async () => {
      await sql.unsafe(resources);
      await checkAll(checked(sql), listener);
    });
  });
}

async function refuseUnfit(sql: Sql, name: string): Promise<void> {
  const [move] = await sql`SELECT to_regclass('move_progress') IS NOT NULL AS unfinished`;
  if (move?.unfinished) throw unfinishedMove(name);
  refuseOtherSchema(`the database ${name}`, (await schemaOf(sql)) ?? 0, migrations.length);
}

/**
 * Asks amcheck whether each index is in order, and has every row of its table. Not in the snapshot: an index that is
 * damaged would end the transaction, and what it should hold is no matter of one moment.
 */
async function checkIndexes(sql: Sql, listener: CheckListener): Promise<void> {
  const rule = 'indexes are whole and agree with their tables';
  const [amcheck] = await sql<Array<{ call: string; usable: boolean }>>`
    SELECT quote_ident(nspname) || '.bt_index_check' AS call,
      has_function_privilege(quote_ident(nspname) || '.bt_index_check(regclass, boolean)', 'EXECUTE') AS usable
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'amcheck'`;
  if (!amcheck?.usable) {
    const untold = amcheck ? 'this user may not use amcheck' : 'the extension amcheck is not installed';
    listener.outcome({ rule, count: 0, examples: [], untold, skipped: true });
    return;
  }
  const indexes = await sql<Array<{ oid: number; name: string }>>`
    SELECT pg_class.oid, relname AS name
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE relnamespace = current_schema()::regnamespace AND amname = 'btree' AND indisvalid
    ORDER BY relname`;
  const tally = createTally(rule);
  for (const [done, { oid, name }] of indexes.entries()) {
    listener.progress('checking indexes', done, indexes.length);
    await sql.unsafe(`SELECT ${amcheck.call}(${oid}::regclass, true)`).catch((error) => {
      if (!isCorruption(error)) throw error;
      tally.add(name);
    });
  }
  listener.outcome(tally.outcome());
}

/** SQLSTATE class XX: data or an index is corrupted, or something that cannot be has happened. */
function isCorruption(error: { readonly code?: unknown }): boolean {
  return String(error.code).startsWith('XX');
}

function checked(sql: Sql): Checked {
  return {
    dialect: 'postgres',
    rules,
    all: async (text) => sql.unsafe(text),
    each: (text, atOnce) => sql.unsafe(text).cursor(atOnce),
    async attempt(work) {
      await sql`SAVEPOINT attempt`;
      try {
        await work();
        await sql`RELEASE SAVEPOINT attempt`;
        return null;
      } catch (error) {
        // Class 22: a value is not what it should be. Anything else is about the connection, the server or a mistake of ours.
        if (!(error instanceof Error)) throw error;
        const { code } = error as { code?: unknown };
        if (!isCorruption({ code }) && !String(code).startsWith('22')) throw error;
        await sql`ROLLBACK TO SAVEPOINT attempt`;
        return error;
      }
    },
  };
}
