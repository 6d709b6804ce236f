/** Deliveries to a session's `webhook_url`: signed, frozen, in order, and retried until accepted. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startService, type TestService } from '../support/service.ts';
import { assertSigned, startReceiver } from './receiver.ts';
import { advance, createSession, type Data, eventTypes, feed, order, pay, reopened } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const secret = service.account.webhookSecrets.test;
const DAY = 86_400;

const expire = ({ call }: TestService, id: string) => call('POST', `/v3/checkout/${id}/expire`);
const bySequence = (a: Data, b: Data) => a.event.sequence - b.event.sequence;

/** The rows of a session's deliveries, as an operator would look at them. */
const rowsOf = ({ database }: TestService, id: string): Promise<Data[]> =>
  database.query('SELECT * FROM delivery WHERE subject = ? ORDER BY id', id);

test('events arrive with the bytes of the feed and two signatures', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await createSession(service, { ...order, webhook_url: receiver.url });
  await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { name: 'Zoë 東京 🧾' } } });
  await pay(service, id);
  const types = await eventTypes(service, id);
  const deliveries = (await receiver.received(types.length)).toSorted(bySequence);
  assert.deepEqual(
    deliveries.map(({ event }) => event.type),
    [
      'checkout.created',
      'checkout.updated',
      'payment_attempt.created',
      'payment_attempt.succeeded',
      'checkout.paid',
      'payin.succeeded',
    ],
  );
  assert.deepEqual(
    types,
    deliveries.map(({ event }) => event.type),
  );
  for (const delivery of deliveries) {
    assertSigned(delivery, secret);
    const { event, text } = delivery;
    assert.deepEqual(Object.keys(event), [
      'type',
      'id',
      'object',
      'created_at',
      'data',
      'version',
      'sequence',
    ]);
    assert.equal(text, JSON.stringify(event), 'compact JSON');
    const answer = await call('GET', `/v3/event/${event.id}`);
    assert.equal(answer.text, `{"status":"success","message":"EVENT.FETCH.SUCCESS","data":${text}}`);
  }
  const paid = deliveries.find(({ event }) => event.type === 'checkout.paid')?.event;
  assert.deepEqual(paid.data, (await call('GET', `/v3/checkout/${id}`)).json.data);
  assert.deepEqual(
    deliveries.map(({ event }) => event.version),
    [1, 2, 3, 3, 3, 3],
  );
});

for (const by of ['the merchant', 'time'] as const) {
  test(`the end of a session by ${by} arrives`, async (t) => {
    const receiver = await startReceiver(t);
    const clock = await advance(service, 1);
    const expires_at = new Date(Date.parse(clock) + 120_000).toISOString();
    const { id } = await createSession(service, { webhook_url: receiver.url, expires_at });
    if (by === 'time') await advance(service, 200);
    else await expire(service, id);
    const [, expired] = (await receiver.received(3)).toSorted(bySequence);
    assert.ok(expired);
    assertSigned(expired, secret);
    assert.equal(expired.event.type, 'checkout.expired');
    assert.equal(expired.event.data.payment_status, by === 'time' ? 'expired' : 'unpaid');
  });
}

test('events of a session without a receiver are not sent', async () => {
  const { id } = await createSession(service);
  await expire(service, id);
  assert.deepEqual(await rowsOf(service, id), []);
});

test('a change that is refused sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await createSession(service, { webhook_url: receiver.url });
  await expire(service, id);
  await expire(service, id);
  await call('PUT', `/v3/checkout/${id}`, { body: { items: order.items } });
  await call('PUT', `/v3/checkout/${id}`, { body: {} });
  await advance(service, DAY);
  assert.equal(receiver.deliveries.length, 3);
});

suite('a receiver that fails', () => {
  test('gets the same bytes again, with a new time and signature', async (t) => {
    const receiver = await startReceiver(t, (_delivery, count) => (count < 4 ? 500 : 200));
    const { id } = await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await advance(service, DAY);
    assert.equal(receiver.deliveries.length, 4);
    const [first] = receiver.deliveries;
    for (const delivery of receiver.deliveries) {
      assert.equal(delivery.text, first?.text);
      assertSigned(delivery, secret);
    }
    const [row] = await rowsOf(service, id);
    assert.deepEqual([row.state, row.attempts, row.due_at, row.last_status], ['delivered', 4, null, 200]);
    await advance(service, 5 * DAY);
    assert.equal(receiver.deliveries.length, 4, 'what has arrived is not sent again');
  });

  test('gets 12 attempts over at least 72 hours, and then no more', async (t) => {
    const receiver = await startReceiver(t, () => 503);
    const { id } = await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await advance(service, 3 * DAY);
    const [before] = await rowsOf(service, id);
    assert.deepEqual([before.state, before.attempts < 12], ['pending', true]);
    await advance(service, 30 * DAY);
    const [row] = await rowsOf(service, id);
    assert.deepEqual(
      [row.state, row.attempts, row.due_at, row.last_error],
      ['failed', 12, null, 'status 503'],
    );
    assert.equal(receiver.deliveries.length, 12);
  });

  test('with 410 is asked no more for this event', async (t) => {
    const receiver = await startReceiver(t, () => 410);
    const { id } = await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await advance(service, 10 * DAY);
    assert.equal(receiver.deliveries.length, 1);
    assert.equal((await rowsOf(service, id))[0].state, 'failed');
  });

  test('holds up no other receiver', async (t) => {
    const { promise: release, resolve } = Promise.withResolvers<number>();
    const stuck = await startReceiver(t, () => release);
    const healthy = await startReceiver(t);
    await Promise.all(Array.from({ length: 8 }, () => createSession(service, { webhook_url: stuck.url })));
    await stuck.received(8);
    await createSession(service, { webhook_url: healthy.url });
    assert.equal((await healthy.received(1)).length, 1);
    resolve(200);
  });

  test('is tried again after a restart', async (t) => {
    const first = await startService(t);
    let status = 500;
    const receiver = await startReceiver(t, () => status);
    const { id } = await createSession(first, { webhook_url: receiver.url });
    await receiver.received(1);
    const second = await reopened(first);
    const [row] = await rowsOf(second, id);
    assert.deepEqual([row.state, row.attempts], ['pending', 1]);
    status = 200;
    await advance(second, DAY);
    const [before, again] = receiver.deliveries;
    assert.ok(before && again);
    assert.equal(again.text, before.text);
    assertSigned(again, first.account.webhookSecrets.test);
    assert.deepEqual(
      (await rowsOf(second, id)).map(({ state }) => state),
      ['delivered'],
    );
    await second.stop();
  });

  test('is tried first after a restart that came before the first attempt', async (t) => {
    const first = await startService(t, { env: { WEBHOOK_CONCURRENCY: '0' } });
    const receiver = await startReceiver(t);
    const { id } = await createSession(first, { webhook_url: receiver.url });
    await pay(first, id);
    const events = await feed(first);
    assert.equal(receiver.deliveries.length, 0);
    const second = await reopened(first);
    const deliveries = (await receiver.received(events.length)).toSorted(bySequence);
    assert.deepEqual(
      deliveries.map(({ event }) => event),
      events,
    );
    await second.stop();
  });
});

test('the events of a session come one after the other, in their order', async (t) => {
  const receiver = await startReceiver(t, async () => {
    // Time enough for another delivery to come in between, if there were one.
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    return 200;
  });
  const { id } = await createSession(service, { webhook_url: receiver.url });
  await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { a: 1 } } });
  await pay(service, id);
  const deliveries = await receiver.received(6);
  assert.deepEqual(
    deliveries.map(({ event }) => event.sequence),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(
    deliveries.map(({ beside }) => beside),
    [0, 0, 0, 0, 0, 0],
  );
});
