/** Deliveries to endpoints: the selected events, signed with the endpoint's own secret. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startService, type TestService } from '../support/service.ts';
import {
  createEndpoint,
  deliveries,
  fetchEndpoint,
  path,
  resendFailed,
  settled,
  updateEndpoint,
} from './endpoint.ts';
import { assertSigned, type Delivery, startReceiver } from './receiver.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  feed,
  now,
  pay,
  succeeded,
  until,
} from './shop.ts';

const HOUR = 3600;
const DAY = 86_400;

const typesOf = (received: readonly Delivery[]) => received.map(({ event }) => event.type);
const signaturesOf = ({ headers }: Delivery) => String(headers['webhook-signature']).split(' ').length;

test('an endpoint gets what it has selected, in order, signed with its own secret', async (t) => {
  const service = await startService(t);
  const all = await startReceiver(t);
  const some = await startReceiver(t);
  const own = await startReceiver(t);
  const { secret: ofAll } = await createEndpoint(service, { url: all.url });
  const { secret: ofSome } = await createEndpoint(service, {
    url: some.url,
    events: ['checkout.*', 'payin.succeeded'],
  });
  const { id } = await createSession(service, { webhook_url: own.url });
  await pay(service, id);
  await settled(service);

  const events = await feed(service);
  const chosen = events.filter(({ type }) => type.startsWith('checkout.') || type === 'payin.succeeded');
  for (const [receiver, expected, secret] of [
    [all, events, ofAll],
    [some, chosen, ofSome],
    [own, events, service.account.webhookSecrets.test],
  ] as const) {
    assert.deepEqual(
      receiver.deliveries.map(({ event }) => event),
      expected,
    );
    for (const delivery of receiver.deliveries) assertSigned(delivery, secret);
  }
  assert.equal(new Set([ofAll, ofSome, service.account.webhookSecrets.test]).size, 3);
});

test('an endpoint gets nothing of other modes and accounts', async (t) => {
  const service = await startService(t);
  const receiver = await startReceiver(t);
  await createEndpoint(service, { url: receiver.url });
  const { webhookSecrets } = service.account;
  const other = await service.service.store.accounts.create(
    { name: 'Neighbour', webhookSecrets, testClockOffsetMs: 0 },
    Date.now(),
  );
  for (const key of [
    await service.createKey({ mode: 'live' }),
    await service.createKey({ account: other.number }),
  ]) {
    const { authorization } = key;
    const body = { invoice_currency: 'EUR', amount: 100 };
    succeeded(await service.call('POST', '/v3/checkout', { body, headers: { authorization } }), 201);
    const { json } = await service.call('GET', '/v3/webhook_delivery', { headers: { authorization } });
    assert.deepEqual(json.data, []);
  }
  await createSession(service);
  await settled(service);
  assert.equal(receiver.deliveries.length, 1);
});

test('an endpoint that was made later gets what happens from then on', async (t) => {
  const service = await startService(t);
  const receiver = await startReceiver(t);
  const { id } = await createSession(service);
  await createEndpoint(service, { url: receiver.url });
  await service.call('POST', `/v3/checkout/${id}/expire`);
  await settled(service);
  assert.deepEqual(typesOf(receiver.deliveries), ['checkout.expired', 'payin.cancelled']);
});

test('a change of its address and its selection counts at once, also for what waits', async (t) => {
  const service = await startService(t);
  const broken = await startReceiver(t, () => 500);
  const receiver = await startReceiver(t);
  const { id } = await createEndpoint(service, { url: broken.url });
  await createSession(service);
  await broken.received(1);
  await until(async () => (await fetchEndpoint(service, id)).health.status === 'failing');
  const changed = await updateEndpoint(service, id, { url: receiver.url, events: ['payin.*'] });
  assert.equal(changed.health.status, 'healthy');
  await pay(service, (await createSession(service)).id);
  await settled(service);
  assert.deepEqual(typesOf(receiver.deliveries).toSorted(), ['checkout.created', 'payin.succeeded']);
  assert.equal(broken.deliveries.length, 1);
});

suite('a disabled endpoint', () => {
  test('gets nothing; what waited fails, and comes when it is enabled and asked for', async (t) => {
    const service = await startService(t);
    let status = 500;
    const receiver = await startReceiver(t, () => status);
    const { id: endpoint } = await createEndpoint(service, { url: receiver.url });
    const { id } = await createSession(service);
    await pay(service, id);
    await receiver.received(1);
    await until(async () => (await fetchEndpoint(service, endpoint)).health.status === 'failing');
    await updateEndpoint(service, endpoint, { status: 'disabled' });
    await advance(service, HOUR);
    const expected = await feed(service);
    const failed = await deliveries(service);
    assert.equal(failed.length, expected.length);
    for (const delivery of failed) {
      assert.deepEqual(
        [delivery.status, delivery.last_error, delivery.next_attempt_at],
        ['failed', 'endpoint disabled', null],
      );
    }
    // Events in the meantime are not for it, not even later.
    await createSession(service);
    assert.equal((await deliveries(service)).length, expected.length);
    assert.deepEqual(await resendFailed(service), {
      object: 'resend',
      resent: 0,
      has_more: false,
      next_cursor: null,
    });
    assert.equal(receiver.deliveries.length, 1);

    status = 200;
    await updateEndpoint(service, endpoint, { status: 'enabled' });
    const { resent } = await resendFailed(service, { endpoint });
    assert.equal(resent, expected.length);
    await settled(service);
    const [first, ...again] = receiver.deliveries;
    assert.deepEqual(
      again.map(({ event }) => event),
      expected,
    );
    assert.equal(again[0]?.text, first?.text, 'the same bytes');
    for (const delivery of await deliveries(service)) assert.equal(delivery.status, 'delivered');
  });

  test('that was deleted leaves its deliveries, which fail', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 500);
    const { id: endpoint } = await createEndpoint(service, { url: receiver.url });
    await createSession(service);
    await receiver.received(1);
    await until(async () => (await deliveries(service))[0].last_error === 'status 500');
    succeeded(await service.call('DELETE', `${path}/${endpoint}`));
    await settled(service);
    const [delivery] = await deliveries(service, `&endpoint=${endpoint}`);
    assert.deepEqual(
      [delivery.status, delivery.last_error, delivery.url, delivery.endpoint],
      ['failed', 'endpoint deleted', '', endpoint],
    );
    const resent = await service.call('POST', `/v3/webhook_delivery/${delivery.id}/resend`);
    const message = 'WEBHOOK_DELIVERY.RESEND.ENDPOINT_DISABLED';
    assertRefused(resent, { status: 409, message, errors: [[19041]] });
    assert.deepEqual(await resendFailed(service), {
      object: 'resend',
      resent: 0,
      has_more: false,
      next_cursor: null,
    });
  });
});

suite('a secret that is rotated', () => {
  const rotate = async ({ call }: TestService, id: string, body?: object): Promise<Data> =>
    succeeded(await call('POST', `${path}/${id}/rotate_secret`, { body }));

  test('signs beside the new one until the overlap is over', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const { id, secret: first } = await createEndpoint(service, { url: receiver.url });
    const { secret: second, previous_secret_expires_at } = await rotate(service, id);
    assert.notEqual(second, first);
    const ends = Date.parse(previous_secret_expires_at) - (await now(service));
    assert.ok(Math.abs(ends - DAY * 1000) < 60_000);
    const shown = await fetchEndpoint(service, id);
    assert.deepEqual(
      [shown.previous_secret_expires_at, shown.secret],
      [previous_secret_expires_at, undefined],
    );

    await createSession(service);
    const [during] = await receiver.received(1);
    assert.ok(during);
    assert.equal(signaturesOf(during), 2);
    // Receivers that know only one signature go on with the secret they have.
    assertSigned(during, first);
    new Webhook(second).verify(during.text, during.headers as Record<string, string>);

    await advance(service, DAY + 1);
    assert.equal((await fetchEndpoint(service, id)).previous_secret_expires_at, null);
    await createSession(service);
    const [, later] = await receiver.received(2);
    assert.ok(later);
    assert.equal(signaturesOf(later), 1);
    assertSigned(later, second);
    assert.throws(() => new Webhook(first).verify(later.text, later.headers as Record<string, string>));
  });

  test('ends at once without an overlap, or when it is rotated twice', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const { id, secret: first } = await createEndpoint(service, { url: receiver.url });
    const second = await rotate(service, id, { overlap_seconds: 0 });
    assert.equal(second.previous_secret_expires_at, null);
    await createSession(service);
    const [alone] = await receiver.received(1);
    assert.ok(alone);
    assert.equal(signaturesOf(alone), 1);
    assertSigned(alone, second.secret);

    await rotate(service, id, { overlap_seconds: HOUR });
    const fourth = await rotate(service, id, { overlap_seconds: HOUR });
    await createSession(service);
    const [, newest] = await receiver.received(2);
    assert.ok(newest);
    assert.equal(signaturesOf(newest), 2);
    new Webhook(fourth.secret).verify(newest.text, newest.headers as Record<string, string>);
    for (const ended of [first, second.secret]) {
      assert.throws(() => new Webhook(ended).verify(newest.text, newest.headers as Record<string, string>));
    }
  });

  test('is rotated once by a request that is repeated with its key', async (t) => {
    const service = await startService(t);
    const { id } = await createEndpoint(service);
    const headers = { 'idempotency-key': 'rotate-1' };
    const ask = () => service.call('POST', `${path}/${id}/rotate_secret`, { headers });
    assert.equal((await ask()).text, (await ask()).text);
  });
});
