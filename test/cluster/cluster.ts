/** Several processes of the service on one PostgreSQL, and what the tests ask of its tables. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import postgres from 'postgres';
import { isBroken } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { type Sql, types } from '../../src/store/postgres/connection.ts';
import type { Kept } from '../crash/memory.ts';
import { type Server, serve } from '../support/process.ts';

type Ends = Pick<TestContext, 'after'>;

const key = 'ak_test_cluster:sk_test_cluster';
export const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

/** Enough to see what went wrong. */
const LOG_LENGTH = 5_000;

/** A process of the service, and its successors on the same port. */
export type Instance = {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Starts it again after it was killed; resolves with the milliseconds until it was ready. */
  start(): Promise<number>;
  /** Fails if the process has ended by itself. */
  checkAlive(): void;
  /** The end of what it has written to standard error. */
  log(): string;
};

export async function startInstance(
  context: Ends,
  databaseUrl: string,
  given: Readonly<Record<string, string>> = {},
  options: { program?: string } = {},
): Promise<Instance> {
  const settings = {
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_API_KEY: key,
    // Addresses in answers must not depend on who answers.
    CHECKOUT_URL: 'https://pay.example.com',
    ...given,
  };
  let running: Server = await serve(context, settings, options);
  const { url, port } = running;
  const log = () => running.output.stderr.slice(-LOG_LENGTH);
  return {
    url,
    port,
    log,
    async kill() {
      await running.kill('SIGKILL');
    },
    signal: (signal) => void running.child.kill(signal),
    async start() {
      running = await serve(context, { ...settings, PORT: String(port) }, options);
      return running.readyMs;
    },
    checkAlive() {
      const { child } = running;
      assert.deepEqual([child.exitCode, child.signalCode], [null, null], log());
    },
  };
}

/** The first one makes the account and the key that all of them know. */
export async function startInstances(
  context: Ends,
  databaseUrl: string,
  count: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance[]> {
  const first = await startInstance(context, databaseUrl, settings);
  const others = Array.from({ length: count - 1 }, () => startInstance(context, databaseUrl, settings));
  return [first, ...(await Promise.all(others))];
}

/** A connection of the test's own, to look at what there is beside the service. */
export function openTables(context: Ends, databaseUrl: string): Sql {
  const sql = postgres(databaseUrl, { max: 1, types, onnotice: () => {} });
  context.after(() => sql.end({ timeout: 1 }));
  return sql;
}

export async function keptIn(sql: Sql): Promise<Kept> {
  const answers = await sql<Array<{ key: string }>>`SELECT idempotency_key AS key FROM idempotency`;
  const payments = await sql<
    Array<Kept['payments'][number]>
  >`SELECT reference, checkout, amount FROM payment`;
  const [checkout] = await sql<Array<{ count: number }>>`SELECT count(*) FROM checkout`;
  return { keys: answers.map(({ key }) => key), payments, sessions: checkout?.count ?? 0 };
}

/** Fails with what in the database does not add up. */
export async function checkBooks(databaseUrl: string): Promise<void> {
  const broken: object[] = [];
  await checkPostgres(databaseUrl, {
    outcome(outcome) {
      if (isBroken(outcome)) broken.push(outcome);
    },
    progress() {},
  });
  assert.deepEqual(broken, []);
}
