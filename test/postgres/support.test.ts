/**
 * The PostgreSQL of the tests is what they take it for: real, fresh, able to crash and to fail over, and
 * gone.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import { freshDatabase, sharedPostgres } from '../support/postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';

type Ends = Pick<TestContext, 'after'>;

/** A connection that ends with the test. The server's notice at the end is ignored. */
function connection(context: Ends, url: string): Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  context.after(() => sql.end({ timeout: 0 }));
  return sql;
}

async function server(context: Ends): Promise<PostgresServer> {
  const started = await startPostgres({ durable: true });
  context.after(() => started.remove());
  return started;
}

async function numbersIn(sql: Sql): Promise<number[]> {
  const rows = await sql<{ number: number }[]>`SELECT number FROM numbers ORDER BY number`;
  return rows.map(({ number }) => number);
}

suite('a fresh database', () => {
  test('is empty, and goes with the test though somebody is connected', async (t) => {
    const shared = connection(t, (await sharedPostgres()).url);
    let name = '';
    await t.test('the test', async (inner) => {
      const url = await freshDatabase(inner);
      name = new URL(url).pathname.slice(1);
      const tables = await connection(t, url)`SELECT FROM pg_tables WHERE schemaname = 'public'`;
      assert.equal(tables.length, 0);
      assert.equal((await shared`SELECT FROM pg_database WHERE datname = ${name}`).length, 1);
    });
    assert.equal((await shared`SELECT FROM pg_database WHERE datname = ${name}`).length, 0);
  });
});

suite('a server', () => {
  test('keeps after a crash what was committed before', async (t) => {
    const { url, kill, start } = await server(t);
    await connection(t, url)`CREATE TABLE numbers AS SELECT 1 AS number`;
    await kill();
    await assert.rejects(async () => connection(t, url)`SELECT`, { code: 'ECONNREFUSED' });
    await start();
    assert.deepEqual(await numbersIn(connection(t, url)), [1]);
  });

  test('that cannot start says why', async () => {
    await assert.rejects(startPostgres({ settings: { shared_buffers: 'none' } }), /shared_buffers/);
  });

  for (const how of ['by itself', 'SIGINT', 'SIGKILL'] as const) {
    test(`does not outlive a process that ends ${how}`, async (t) => {
      const { child, port, directory } = await processWithServer(how === 'by itself');
      t.after(() => child.kill('SIGKILL'));
      if (how !== 'by itself') child.kill(how);
      while (existsSync(directory)) await delay(10);
      await assert.rejects(async () => connection(t, `postgres://127.0.0.1:${port}`)`SELECT`, {
        code: 'ECONNREFUSED',
      });
    });
  }
});

suite('a standby', () => {
  test('follows the primary, and takes over when that is killed', async (t) => {
    const primary = await server(t);
    const before = connection(t, primary.url);
    await before`CREATE TABLE numbers AS SELECT 1 AS number`;
    const standby = await startStandby(primary, { durable: true, synchronous: true });
    t.after(() => standby.remove());
    await before`INSERT INTO numbers VALUES (2)`;
    await primary.kill();
    const after = connection(t, standby.url);
    await assert.rejects(async () => after`INSERT INTO numbers VALUES (3)`, /read-only/);
    await standby.promote();
    await after`INSERT INTO numbers VALUES (3)`;
    assert.deepEqual(await numbersIn(after), [1, 2, 3]);
  });

  test('that is synchronous has what the primary confirms: without it, nothing is confirmed', async (t) => {
    const primary = await server(t);
    const standby = await startStandby(primary, { durable: true, synchronous: true });
    t.after(() => standby.remove());
    await standby.kill();
    const order: string[] = [];
    const commit = connection(t, primary.url)`CREATE TABLE numbers ()`.then(() => order.push('confirmed'));
    const observer = connection(t, primary.url);
    while ((await observer`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).length === 0) {
      await delay(10);
    }
    order.push('the standby is back');
    await standby.start();
    await commit;
    assert.deepEqual(order, ['the standby is back', 'confirmed']);
  });
});

/** A process of its own with a server, which goes on unless it `ends`. */
async function processWithServer(ends: boolean) {
  const module = join(import.meta.dirname, '../support/postgres-server.ts');
  const code = `
    import { startPostgres } from ${JSON.stringify(module)};
    const { port, directory } = await startPostgres();
    console.log(JSON.stringify({ port, directory }));
    ${ends ? '' : 'setInterval(() => {}, 1000);'}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...(JSON.parse(line) as { port: number; directory: string }) };
}
