/**
 * The database goes away under load, in every way in which it can: it stops and starts again, ends all connections, or
 * dies and its standby takes over. Meanwhile requests are put off with 503, never answered with 500 and never left
 * waiting; the service is back by itself, and everything that it has acknowledged is there.
 *
 * OPENTILL_SEED repeats the requests of a run.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLoad } from '../crash/load.ts';
import { checkLedger, checkReplay, checkSessions } from '../crash/memory.ts';
import { randomFrom } from '../crash/random.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { createClients } from './client.ts';
import { authorization, checkBooks, type Instance, keptIn, openTables, startInstance } from './cluster.ts';

const outages = scaled(1);
const CLIENTS = 16;
/** Limit for every answer, whatever the database does. */
const LONGEST_ANSWER_MS = 15_000;
const TIMEOUT = { timeout: 90_000 + 10_000 * outages };

async function durableServer(t: TestContext): Promise<PostgresServer> {
  const server = await startPostgres({ durable: true });
  t.after(() => server.remove());
  return server;
}

/** Load on one instance, from now until `settle`, which then holds the service to what it has acknowledged. */
function startLoad(t: TestContext, instance: Instance) {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const load = createLoad(random, authorization, '');
  const clients = createClients(load, { giveUpAfterMs: 60_000 });
  const stop = new AbortController();
  const asking = clients.keepAsking(instance.url, CLIENTS, stop.signal);
  // Failures surface when the load is settled.
  asking.catch(() => {});
  t.after(() => stop.abort());

  return {
    figures: clients.figures,
    async settle(databaseUrl: string): Promise<void> {
      stop.abort();
      await asking.catch((error) => {
        throw new Error(`${error.message}\n${instance.log()}`);
      });
      instance.checkAlive();
      await checkBooks(databaseUrl);
      checkLedger(load, await keptIn(openTables(t, databaseUrl)), []);
      await checkSessions(load, instance.url);
      for (let i = 0; i < 20; i++) await checkReplay(load, instance.url, random.pick(load.requests));
      const { answered, unavailable, broken, longestMs } = clients.figures;
      t.diagnostic(
        `${answered} requests, all answered in the end; ${unavailable} times 503, ` +
          `${broken} connections broke; the longest answer took ${longestMs.toFixed(0)} ms`,
      );
      assert.equal(broken, 0, 'every request has an answer');
      assert.ok(longestMs < LONGEST_ANSWER_MS, `an answer took ${longestMs} ms`);
    },
    /** Resolves when so many more requests were answered with what they asked for. */
    async goesOn(further = 30): Promise<void> {
      const { answered } = clients.figures;
      while (clients.figures.answered < answered + further) {
        await Promise.race([pause(10), asking]);
      }
    },
  };
}

async function readiness({ url }: Instance): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

async function untilReadiness(instance: Instance, status: number): Promise<number> {
  const startedAt = performance.now();
  while ((await readiness(instance)) !== status) await pause(10);
  return performance.now() - startedAt;
}

/**
 * Stops the processes of a server where they are: its connections stand, and nothing answers, as with a machine that has
 * frozen or a network that swallows everything. Returns what lets them go on, so that they hear that they are to end.
 */
async function freeze(t: TestContext, { url, directory }: PostgresServer): Promise<() => void> {
  const sql = openTables(t, url);
  const [postmaster = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
  const [own] = await sql<Array<{ pid: number }>>`SELECT pg_backend_pid() AS pid`;
  process.kill(Number(postmaster), 'SIGSTOP');
  // The stopped postmaster starts no process any more.
  const others = await sql<Array<{ pid: number }>>`SELECT pid FROM pg_stat_activity`;
  const frozen = [Number(postmaster), ...others.map(({ pid }) => pid).filter((pid) => pid !== own?.pid)];
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
  };
}

/** Resolves when the service hears again of what other processes change. */
async function untilItListens(t: TestContext, databaseUrl: string): Promise<void> {
  const sql = openTables(t, databaseUrl);
  const asked = () => sql`
    SELECT FROM pg_stat_activity WHERE application_name = 'opentill listener' AND query = 'LISTEN opentill'`;
  while ((await asked()).length === 0) await pause(50);
}

// Each has a server of its own, and waits for it for most of the time.
suite('a service whose database fails under load', { concurrency: 2 }, () => {
  test('goes on with the standby that takes over, and has lost nothing', TIMEOUT, async (t) => {
    const primary = await durableServer(t);
    const standby = await startStandby(primary, { durable: true, synchronous: true });
    t.after(() => standby.remove());
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    const database = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
    const instance = await startInstance(t, database);
    const load = startLoad(t, instance);
    await load.goesOn();
    await primary.kill();
    await untilReadiness(instance, 503);
    await standby.promote();
    const backMs = await untilReadiness(instance, 200);
    t.diagnostic(`ready ${backMs.toFixed(0)} ms after the standby was promoted`);
    await load.goesOn();
    await load.settle(standby.url);
    await untilItListens(t, standby.url);
  });

  test('goes on with the standby when the server says nothing any more', TIMEOUT, async (t) => {
    const hooks: Array<() => unknown> = [];
    const primary = await startPostgres({ durable: true });
    const standby = await startStandby(primary, { durable: true, synchronous: true });
    t.after(async () => {
      for (const hook of hooks) hook();
      await standby.remove();
      await primary.remove();
    });
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    const instance = await startInstance(t, `postgres://postgres@${hosts}/postgres`);
    const load = startLoad(t, instance);
    await load.goesOn();
    hooks.push(await freeze(t, primary));
    await untilReadiness(instance, 503);
    await standby.promote();
    const backMs = await untilReadiness(instance, 200);
    t.diagnostic(`ready ${backMs.toFixed(0)} ms after the standby was promoted`);
    await load.goesOn();
    await load.settle(standby.url);
  });

  test('goes on when the server is there again, however it went', TIMEOUT, async (t) => {
    const server = await durableServer(t);
    const instance = await startInstance(t, server.url);
    const load = startLoad(t, instance);
    for (let round = 0; round < outages; round++) {
      await load.goesOn();
      await (round % 2 === 0 ? server.stop() : server.kill());
      await untilReadiness(instance, 503);
      await server.start();
      const backMs = await untilReadiness(instance, 200);
      t.diagnostic(`ready ${backMs.toFixed(0)} ms after the server was`);
    }
    await load.goesOn();
    await load.settle(server.url);
  });

  test('goes on when all of its connections are ended', TIMEOUT, async (t) => {
    const server = await durableServer(t);
    const instance = await startInstance(t, server.url);
    const load = startLoad(t, instance);
    const sql = openTables(t, server.url);
    let ended = 0;
    for (let round = 0; round < 5 * outages; round++) {
      await load.goesOn();
      const rows = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'opentill%' AND pid <> pg_backend_pid()`;
      ended += rows.length;
    }
    t.diagnostic(`${ended} connections were ended`);
    await load.goesOn();
    await load.settle(server.url);
  });
});
