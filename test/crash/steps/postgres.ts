/** A service on PostgreSQL that is killed, or loses its connections, behind a statement. */
import type { TestContext } from 'node:test';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { checkBooks, openTables } from '../../cluster/cluster.ts';
import { migratedDatabase } from '../../support/postgres.ts';
import { serve } from '../../support/process.ts';
import { BESIDE, COUNTED, type Rows } from './rows.ts';
import { program, quickClock, SOON_MS, type Stepped } from './stepped.ts';
import { startWire } from './wire.ts';

/** Rows that move between tables by themselves, or come and go with work. */
const MOVING = new Set(['feed', 'feed_waiting', 'timer', 'delivery_claim', BESIDE]);

export async function steppedPostgres(
  t: TestContext,
  settings: Readonly<Record<string, string>>,
  { kills }: { readonly kills: boolean },
): Promise<Stepped> {
  const database = await migratedDatabase(t);
  const wire = await startWire(t, database);
  const sql = openTables(t, database);
  const clock = quickClock();
  const tables = await sql<Array<{ name: string }>>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;

  async function rows(): Promise<Rows> {
    const counts = tables
      .filter(({ name }) => !MOVING.has(name))
      .map(({ name }) => `SELECT '${name}' AS name, count(*) AS count FROM ${name}`);
    const sums = COUNTED.map(
      ([table, column]) =>
        `SELECT '${column} of ${table}' AS name, coalesce(sum(${column}), 0)::bigint AS count FROM ${table}`,
    );
    const fed = `SELECT 'feed' AS name, (SELECT count(*) FROM feed) + (SELECT count(*) FROM feed_waiting) AS count`;
    const found = await sql.unsafe<Array<{ name: string; count: number }>>(
      [...counts, ...sums, fed].join(' UNION ALL '),
    );
    return new Map(found.map(({ name, count }) => [name, count]));
  }

  return {
    name: kills ? 'PostgreSQL' : 'PostgreSQL, cut',
    kills,
    directoryLagMs: 1_000,
    start: () => serve(t, { ...settings, ...clock.settings, DATABASE_URL: wire.url }, { program }),
    openStore: () => openPostgresStore(database),
    arm(server, end) {
      const { notes, reached } = wire.arm(end);
      const gone = async () => {
        if (kills) await server.kill('SIGKILL');
        wire.cut();
      };
      return { steps: () => notes, reached: reached.then(gone) };
    },
    disarm: wire.disarm,
    rows,
    rowsLeft: rows,
    async isIdle() {
      const soon = clock.now() + SOON_MS;
      const [found] = await sql<Array<{ due: number }>>`
        SELECT (SELECT count(*) FROM delivery WHERE state = 'pending') + (SELECT count(*) FROM feed_waiting) +
          (SELECT count(*) FROM timer
            WHERE due_at <= ${soon} + (SELECT max(test_clock_offset_ms) FROM account)) AS due`;
      return found?.due === 0;
    },
    check: () => checkBooks(database),
    checkLeft: () => checkBooks(database),
  };
}
