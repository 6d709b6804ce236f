/** Retention as seen by merchants and readers of the feed. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { databaseUrl } from '../../src/config/values.ts';
import { createRounds } from '../../src/lib/rounds.ts';
import { isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { openForReading } from '../../src/store/sqlite/file.ts';
import { removeOld } from '../../src/worker/retention.ts';
import { createWriter } from '../../src/writer/writer.ts';
import { freshTestDatabase } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint, deliveries, settled } from './endpoint.ts';
import { openEventSource } from './event-source.ts';
import { startReceiver } from './receiver.ts';
import {
  assertRefused,
  createSession,
  eventTypes,
  feed,
  fetchSession,
  order,
  pay,
  succeeded,
  until,
} from './shop.ts';

const DAY_MS = 86_400_000;
const env = { WEBHOOK_LOG_DAYS: '4', EVENT_RETENTION_DAYS: '5' };
const expired = { status: 410, message: 'EVENT.LIST.CURSOR_EXPIRED', errors: [[19050]] as const };

/** Retention as the worker does it, repeated until nothing is left to do. */
async function forgetAll({ service: { store }, account }: TestService, realNow: () => number): Promise<void> {
  // Only events with a position in the feed are removed from it.
  await store.events.end({ account: account.number, mode: 'test' });
  const serializer = createSerializer('https://pay.example.com');
  const execute = createWriter({ store, serializer, realNow });
  while (
    await removeOld({
      store,
      execute,
      round: createRounds(assert.ifError),
      realNow,
      deliveryDays: 4,
      eventDays: 5,
    })
  );
}

/** Problems that `db check` finds. */
async function faults({ database: { url } }: TestService): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const listener = { outcome: (outcome: Outcome) => outcomes.push(outcome), progress: () => {} };
  const address = databaseUrl(url);
  if (address.kind === 'postgres') {
    await checkPostgres(address.url, listener);
  } else {
    const opened = openForReading(address.path);
    await checkSqlite(opened, listener);
    opened.close();
  }
  assert.ok(outcomes.length > 0);
  return outcomes.filter(isBroken);
}

suite('a look at what retention would remove', () => {
  test('counts what it then removes, and removes nothing itself', async (t) => {
    let now = Date.now() - 60 * DAY_MS;
    const service = await startService(t, { env: { WEBHOOK_LOG_DAYS: '30' }, realNow: () => now });
    const { call } = service;
    const receiver = await startReceiver(t);
    const look = async (query: string) => succeeded(await call('GET', `/v3/retention${query}`));
    const removable = async (query: string) => {
      const { removable_deliveries, removable_events } = await look(query);
      return [removable_deliveries, removable_events];
    };
    assert.deepEqual(await look(''), {
      object: 'retention',
      webhook_log_days: 30,
      event_retention_days: 0,
      removable_deliveries: 0,
      removable_events: 0,
    });
    const told = { ...order, webhook_url: receiver.url };
    await createSession(service, told);
    now += 2 * DAY_MS;
    await pay(service, (await createSession(service, told)).id);
    now += 2 * DAY_MS;
    await createSession(service);
    await settled(service);
    const all = (await feed(service)).length;
    const count = (await deliveries(service)).length;
    const now4 = await removable('?webhook_log_days=4&event_retention_days=5');
    assert.deepEqual(now4, [0, 0], 'all of it is young');
    now += 3.5 * DAY_MS;
    const [first] = await removable('?webhook_log_days=4&event_retention_days=5');
    assert.ok(first > 1 && first === count, `${first} of ${count}`);
    const asked = await removable('?webhook_log_days=4&event_retention_days=5');
    assert.equal(asked[1], all - 1, 'the last one is younger');
    assert.deepEqual(await removable('?webhook_log_days=30'), [0, 0]);
    assert.deepEqual(await removable('?webhook_log_days=7&event_retention_days=8'), [1, 0]);
    assert.deepEqual(await removable('?webhook_log_days=6&event_retention_days=7'), [1, 1]);
    assert.equal((await feed(service)).length, all);
    await forgetAll(service, () => now);
    assert.equal((await feed(service)).length, 1);
    assert.deepEqual(await deliveries(service), []);
    assert.deepEqual(await removable('?webhook_log_days=4&event_retention_days=5'), [0, 0]);
  });

  test('counts by the time at which something was made, whatever the test clock showed', async (t) => {
    const service = await startService(t);
    const { call } = service;
    succeeded(await call('POST', '/v3/test_helpers/clock/advance', { body: { seconds: 365 * 86_400 } }));
    await createSession(service);
    await settled(service);
    const { removable_events } = succeeded(await call('GET', '/v3/retention?event_retention_days=31'));
    assert.equal(removable_events, 0);
  });

  test('tells all mistakes of the question', async (t) => {
    const { call } = await startService(t);
    for (const [query, pointers] of [
      ['?webhook_log_days=3&event_retention_days=x', ['/webhook_log_days', '/event_retention_days']],
      ['?event_retention_days=30', ['/event_retention_days']],
      ['?webhook_log_days=40&event_retention_days=40', ['/event_retention_days']],
      ['?webhook_log_days=3651', ['/webhook_log_days']],
    ] as const) {
      const { status, json } = await call('GET', `/v3/retention${query}`);
      assert.equal(status, 400, query);
      const told = json.errors.map(({ remarks }: { remarks: string }) => remarks);
      assert.deepEqual(told.sort(), [...pointers].sort(), query);
    }
  });
});

suite('a feed whose oldest events are gone', async () => {
  let now = Date.now() - 30 * DAY_MS;
  const service = await startService({ after }, { env, realNow: () => now });
  const { call } = service;
  const receiver = await startReceiver({ after });
  const old = await createSession(service, { ...order, webhook_url: receiver.url });
  await createEndpoint(service, { url: receiver.url });
  await pay(service, old.id, { amount: 1000 });
  await settled(service);
  const before = await feed(service);
  now += 10 * DAY_MS;
  const young = await createSession(service);
  await settled(service);
  await forgetAll(service, () => now);
  const start = String(before.length);

  test('is refused to who was away for longer', async () => {
    for (const query of ['?after=1', '?after=1&type=checkout.paid', '?after=1&wait=60', '?after=1&limit=1']) {
      assertRefused(await call('GET', `/v3/event${query}`), expired);
    }
    assertRefused(await call('GET', `/v3/event?after=${before.length - 1}`), expired);
  });

  test('is refused as a problem document as well', async () => {
    const headers = { accept: 'application/problem+json' };
    const { status, headers: got, json } = await call('GET', '/v3/event?after=1', { headers });
    assert.equal(status, 410);
    assert.equal(got.get('content-type'), 'application/problem+json; charset=utf-8');
    assert.equal(json.type, `${service.url}/docs/errors#cursor_expired`);
    assert.deepEqual([json.status, json.code, json.message], [410, 19050, expired.message]);
  });

  test('is refused to a stream before it begins', async () => {
    const accept = 'text/event-stream';
    assertRefused(await call('GET', '/v3/event?after=1', { headers: { accept } }), expired);
    const headers = { accept, 'last-event-id': '1' };
    assertRefused(await call('GET', '/v3/event', { headers }), expired);
    assertRefused(await call('GET', `/v3/event?after=${start}`, { headers }), expired);
  });

  test('begins with the oldest that is kept, and leads on from there', async () => {
    const first = await call('GET', '/v3/event');
    assert.deepEqual(
      succeeded(first).map(({ data }: { data: { id: string } }) => data.id),
      [young.id],
    );
    assert.equal(first.json.next_cursor, String(before.length + 1));
    assert.deepEqual((await call('GET', `/v3/event?after=${start}`)).json.data, first.json.data);
    const made = await createSession(service);
    const next = await call('GET', `/v3/event?after=${first.json.next_cursor}&wait=60`);
    assert.deepEqual([next.json.data.length, next.json.data[0].data.id], [1, made.id]);
    const source = await openEventSource(service, `?after=${start}`);
    assert.equal((await source.nextEvent()).data.data.id, young.id);
    source.close();
  });

  test('leaves the sessions as they were, and their history goes on', async () => {
    assert.deepEqual(await eventTypes(service, old.id), []);
    const session = await fetchSession(service, old.id);
    assert.equal(session.amount_paid, 1000);
    assert.equal((await call('GET', `/v3/event/${before[0].id}`)).status, 404);
    assert.deepEqual(await deliveries(service, `&checkout=${old.id}`), []);

    const headers = { 'idempotency-key': 'again-1' };
    const again = () => call('POST', `/v3/checkout/${old.id}/expire`, { headers });
    const [first, second] = [await again(), await again()];
    succeeded(first);
    await settled(service);
    await forgetAll(service, () => now);
    assert.deepEqual([second.text, (await again()).text], [first.text, first.text]);
    const types = await eventTypes(service, old.id);
    assert.ok(types.includes('checkout.expired'));
    const newest = (await feed(service)).filter(({ data }) => data.id === old.id);
    assert.equal(newest[0].sequence, before.length + 1, 'it is numbered as if all were there');
  });

  test('adds up in the end, also when a customer is forgotten and everything is gone', async () => {
    assert.deepEqual(await faults(service), []);
    const body = { name: 'Ada Lovelace', email: 'ada-2@example.com', country: 'GB' };
    const customer = succeeded(await call('POST', '/v3/customer', { body }), 201).id;
    const theirs = await createSession(service, { customer });
    await settled(service);
    now += 10 * DAY_MS;
    await forgetAll(service, () => now);
    assert.deepEqual(await feed(service), []);
    assert.deepEqual(await faults(service), []);
    const end = (await call('GET', '/v3/event?after=latest')).json.next_cursor;
    assert.ok(Number(end) > before.length);
    succeeded(await call('DELETE', `/v3/customer/${customer}`));
    succeeded(await call('POST', `/v3/checkout/${theirs.id}/expire`));
    await settled(service);
    const { json } = await call('GET', '/v3/event');
    assert.equal(json.next_cursor, String(Number(end) + json.data.length));
    assert.deepEqual(await faults(service), []);
  });

  test('keeps what a moved clock has made ahead of real time no longer than the rest', async () => {
    succeeded(await call('POST', '/v3/test_helpers/clock/advance', { body: { seconds: 365 * 86_400 } }));
    const ahead = await createSession(service, { ...order, webhook_url: receiver.url });
    await settled(service);
    now += 4.5 * DAY_MS;
    await forgetAll(service, () => now);
    assert.deepEqual(await deliveries(service, `&checkout=${ahead.id}`), []);
    assert.ok((await eventTypes(service, ahead.id)).length > 0);
    assert.deepEqual(await faults(service), []);
    now += DAY_MS;
    await forgetAll(service, () => now);
    assert.deepEqual(await feed(service), []);
    assert.deepEqual(await faults(service), []);
  });
});

test('the service forgets by itself, and gives up what its receiver has never taken', async (t) => {
  const database = await freshTestDatabase();
  const first = await startService(t, { env, database, realNow: () => Date.now() - 10 * DAY_MS });
  // The port has no listener.
  await createSession(first, { webhook_url: 'http://127.0.0.1:1/hook' });
  await createSession(first);
  await until(async () => (await deliveries(first))[0]?.attempts === 1);
  assert.equal((await feed(first)).length, 2);
  await first.stop();
  const second = await startService(t, { env, database });
  t.after(database.remove);
  const headers = { authorization: first.key.authorization };
  const read = (after: number) => second.call('GET', `/v3/event?after=${after}`, { headers });
  await until(async () => (await read(1)).status === 410);
  assertRefused(await read(1), expired);
  assert.deepEqual((await read(2)).json.data, []);
  assert.deepEqual((await second.call('GET', '/v3/webhook_delivery', { headers })).json.data, []);
  assert.deepEqual(await faults(second), []);
});
