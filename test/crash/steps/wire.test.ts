import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
import { openTables } from '../../cluster/cluster.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { until } from '../refusals.ts';
import { startWire } from './wire.ts';

const COUNT = 'UPDATE counter SET value = value + 1';

for (const ends of [false, true]) {
  const moment = ends ? 'as its connection ends' : 'as its answer comes';
  test(`a withdrawn order whose last step was passed is reached ${moment}`, {
    timeout: 60_000,
  }, async (t) => {
    const database = await freshDatabase(t);
    const sql = openTables(t, database);
    await sql`CREATE TABLE counter AS SELECT 0 AS value`;
    const wire = await startWire(t, database);
    const client = postgres(wire.url, { max: 1, fetch_types: false });
    t.after(() => client.end({ timeout: 0 }));
    const [own] = await client<Array<{ pid: number }>>`SELECT pg_backend_pid() AS pid`;

    const armed = wire.arm({ step: COUNT, time: 1 });
    await client.unsafe('BEGIN');
    let counting = Promise.resolve();
    await sql.begin(async (holder) => {
      await holder`LOCK TABLE counter`;
      counting = assert.rejects(client.unsafe(COUNT));
      await until(() => armed.notes.includes(COUNT), 'the statement does not come');
      wire.disarm();
      if (ends) await holder`SELECT pg_terminate_backend(${own?.pid ?? 0})`;
    });
    await armed.reached;
    wire.cut();
    await counting;
  });
}
