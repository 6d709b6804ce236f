/** A service whose PostgreSQL goes away in one way or another: it says so, survives, and goes on when it is back. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { assertRefused, createSession, type Data, feed, fetchSession, order, until } from '../api/shop.ts';
import { freshPostgres, postgresDatabase } from '../support/database-postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { type Answer, type ServiceOptions, startService, type TestService } from '../support/service.ts';

/** The number of times that the connections are broken. */
const BREAKS = 40;

async function onPostgres(t: TestContext, options: ServiceOptions = {}): Promise<TestService> {
  const database = await freshPostgres();
  const service = await startService(t, { ...options, database });
  t.after(() => database.remove());
  return service;
}

/** Ends all connections to the database but the one that asks for it. */
async function disconnectAll({ database }: TestService): Promise<void> {
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

/** Clients are told that the service is unavailable, and nothing about the database. */
async function assertUnavailable({ call }: TestService): Promise<void> {
  const headers = { 'idempotency-key': 'later' };
  const create = await call('POST', '/v3/checkout', { body: order, headers });
  assertRefused(create, { status: 503, message: 'CHECKOUT.CREATE.UNAVAILABLE', errors: [[101]] });
  const ready = await until(async () => {
    const answer = await call('GET', '/readyz');
    return answer.status === 503 && answer;
  });
  for (const answer of [create, ready]) {
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.doesNotMatch(answer.text, /postgres|connect|read-only|127\.0\.0\.1|\.ts/i);
  }
  assert.equal((await call('GET', '/livez')).status, 200);
}

/** The service recovers without a restart, and takes the same key as before. */
async function assertAvailable({ call }: TestService): Promise<void> {
  await until(async () => (await call('GET', '/readyz')).status === 200);
  const headers = { 'idempotency-key': 'later' };
  assert.equal((await call('POST', '/v3/checkout', { body: order, headers })).status, 201);
}

suite('a server', () => {
  for (const [what, end] of [
    ['that is shut down', 'stop'],
    ['that crashes', 'kill'],
  ] as const) {
    test(`${what} is a 503 until it is back`, async (t) => {
      const server = await startPostgres();
      const service = await startService(t, { database: postgresDatabase(server.url, server.remove) });
      t.after(() => service.database.remove());
      const { id } = await createSession(service);
      await server[end]();
      await assertUnavailable(service);
      const fetched = await service.call('GET', `/v3/checkout/${id}`);
      assert.equal(fetched.status, 503);
      assert.equal(fetched.headers.get('retry-after'), '1');
      await server.start();
      await assertAvailable(service);
      assert.equal((await fetchSession(service, id)).id, id);
    });
  }
});

test('a service can end while its server is gone', async (t) => {
  const server = await startPostgres();
  t.after(() => server.remove());
  const service = await startService(t, { database: postgresDatabase(server.url, server.remove) });
  await createSession(service);
  await server.kill();
  await service.stop();
});

suite('a database', () => {
  test('that becomes read-only is a 503 for those who write, until it is as before', async (t) => {
    const service = await onPostgres(t);
    const { id } = await createSession(service);
    const name = new URL(service.database.url).pathname.slice(1);
    await service.database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await disconnectAll(service);
    await until(async () => (await service.call('GET', `/v3/checkout/${id}`)).status === 200);
    await assertUnavailable(service);
    await service.database.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await assertAvailable(service);
  });

  test('that is gone is a 503 until there is one of its name', async (t) => {
    const server = await startPostgres();
    const { query, remove } = postgresDatabase(server.url, server.remove);
    await query('CREATE DATABASE till');
    const url = Object.assign(new URL(server.url), { pathname: 'till' }).href;
    const service = await startService(t, { database: postgresDatabase(url, remove) });
    t.after(() => service.database.remove());
    await createSession(service);
    // The database takes no connections meanwhile, and the service comes back at once.
    await until(async () => {
      await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'till'`);
      return query('ALTER DATABASE till RENAME TO lost').catch(() => null);
    });
    await assertUnavailable(service);
    await query('ALTER DATABASE lost RENAME TO till');
    await assertAvailable(service);
  });
});

test('connections that break under load, again and again, leave everything whole', async (t) => {
  const service = await onPostgres(t);
  const { call } = service;
  let breaking = true;
  const acknowledged = new Map<string, Data>();

  /** Repeats what failed on our side with the same key, like a sensible client. */
  async function insist(path: string, key: string, body: object): Promise<Answer> {
    return until(async () => {
      const answer = await call('POST', path, { body, headers: { 'idempotency-key': key } });
      assert.ok(answer.status < 300 || answer.status === 503, answer.text);
      return answer.status < 300 && answer;
    });
  }
  async function client(number: number): Promise<void> {
    for (let turn = 0; breaking; turn++) {
      const key = `${number}-${turn}`;
      const body = { invoice_currency: 'EUR', amount: 1000, reference_id: key };
      const { id } = (await insist('/v3/checkout', key, body)).json.data;
      const paid = await insist(`/v3/test_helpers/checkout/${id}/pay`, key, { payment_id: key });
      acknowledged.set(key, paid.json.data);
    }
  }
  const clients = Promise.all(Array.from({ length: 8 }, (_, number) => client(number)));
  for (let breaks = 0; breaks < BREAKS; breaks++) {
    const before = acknowledged.size;
    await disconnectAll(service);
    await until(async () => acknowledged.size > before);
  }
  breaking = false;
  await clients;

  const events = await feed(service);
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  for (const [key, answered] of acknowledged) {
    const session = await fetchSession(service, answered.id);
    assert.deepEqual(session, answered);
    assert.deepEqual([session.reference_id, session.status, session.amount_paid], [key, 'completed', 1000]);
    const own = events.filter(({ data }) => data.id === session.id || data.payin === session.id);
    assert.deepEqual(
      own.map(({ sequence }) => sequence),
      own.map((_, index) => index + 1),
    );
    assert.equal(own.filter(({ type }) => type === 'checkout.paid').length, 1);
  }
  const count = async (table: string) =>
    (await service.database.query(`SELECT count(*) FROM ${table}`))[0].count;
  for (const table of ['checkout', 'checkout_overview', 'payment', 'payment_attempt']) {
    assert.equal(await count(table), acknowledged.size, table);
  }
  for (const table of ['event', 'feed']) assert.equal(await count(table), events.length, table);
});

suite('a table that somebody holds', () => {
  test('does not hold up those who read, although there is work to do', async (t) => {
    let nowMs = Date.now();
    const service = await onPostgres(t, { realNow: () => nowMs });
    const expires_at = new Date(nowMs + 60_000).toISOString();
    const { id } = await createSession(service, { expires_at });
    const release = await service.database.lock();
    nowMs += 120_000;
    const isHeldUp = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE timer%'`;
    await until(async () => (await service.database.query(isHeldUp)).length > 0);
    for (let reads = 0; reads < 4; reads++) assert.equal((await fetchSession(service, id)).id, id);
    const stillHeldUp = (await service.database.query(isHeldUp)).length;
    await release();
    assert.ok(stillHeldUp > 0, 'all of that was while the work was held up');
    await until(async () => (await fetchSession(service, id)).status === 'expired');
  });
});

test('rows in errors of PostgreSQL stay out of the log', async (t) => {
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const service = await onPostgres(t, { logger: pino({ level: 'trace' }, { write }) });
  const { id } = await createSession(service);
  // Rows that break a rule appear in the errors of PostgreSQL.
  for (const table of ['customer', 'checkout'])
    await service.database.query(`ALTER TABLE ${table} ADD CHECK (data NOT LIKE '%canary%') NOT VALID`);
  const customer_details = { email: 'ada@canary.example.com' };
  const failures = [
    await service.call('POST', '/v3/customer', { body: customer_details }),
    await service.call('POST', '/v3/checkout', {
      body: { invoice_currency: 'EUR', amount: 1, customer_details },
    }),
    await service.call('PUT', `/v3/checkout/${id}`, { body: { metadata: { canary: true } } }),
  ];
  for (const { status, text } of failures) {
    assert.equal(status, 500);
    assert.doesNotMatch(text, /violates|constraint|canary/i);
  }
  assert.match(log, /violates check constraint/);
  assert.doesNotMatch(log, /canary/);
});
