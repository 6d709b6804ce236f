/** Check of a PostgreSQL database: whether everything in it adds up. */
import type { CheckListener } from '../check/check.ts';
import { type Checked, checkAll } from '../check/run.ts';
import { refuseOtherSchema } from '../schema-version.ts';
import { inSnapshot, onOwnConnection } from './alone.ts';
import { checkIndexes } from './check-indexes.ts';
import { rules } from './check-rules.ts';
import type { Sql } from './connection.ts';
import { isCorruption } from './errors.ts';
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
