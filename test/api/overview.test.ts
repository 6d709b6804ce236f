/** The overview through the API: what waits for a person, and how webhooks and payers of a time did. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../support/service.ts';
import { awaitTransfer, configure, imported } from './bank.ts';
import { createEndpoint, deliveries, settled, updateEndpoint } from './endpoint.ts';
import { startReceiver } from './receiver.ts';
import { advance, assertRefused, createSession, type Data, now, pay, succeeded, until } from './shop.ts';

const DAY_SECONDS = 86_400;
const iso = (ms: number) => new Date(ms).toISOString();

const service = await startService({ after });
const { call } = service;
const began = await now(service);

async function overview(query: Readonly<Record<string, string>> = {}): Promise<Data> {
  const all = {
    'created_at[gte]': iso(began - 1000),
    'created_at[lt]': iso((await now(service)) + 1000),
    currency: 'EUR',
    ...query,
  };
  return succeeded(await call('GET', `/v3/overview?${new URLSearchParams(all)}`));
}

const nothing = {
  bank_entries: 0,
  bank_refunds: 0,
  excess: 0,
  failed_deliveries: 0,
  suspended_receivers: 0,
  disabled_endpoints: 0,
  provider_events: 0,
};
const none = { delivered: 0, pending: 0, failed: 0 };

test('an account without anything has an overview', async () => {
  assert.deepEqual(await overview(), {
    object: 'overview',
    waiting: nothing,
    deliveries: none,
    time_to_pay: { count: 0, median_ms: null, p90_ms: null },
    currencies: [],
  });
});

test('what waits for a person is counted until it is done', async () => {
  const waiting = async () => (await overview()).waiting;
  await configure(service);
  const { id, reference } = await awaitTransfer(service);
  await imported(service, [
    { amount: 2500, reference },
    { amount: 1200, reference: 'nobody knows it' },
  ]);
  const refund = succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount: 100 } }), 201);
  assert.deepEqual(await waiting(), { ...nothing, bank_entries: 1, bank_refunds: 1 });

  const [entry] = succeeded(await call('GET', '/v3/bank_entry?status=open'));
  succeeded(await call('POST', `/v3/bank_entry/${entry.id}/ignore`, { body: { reason: 'Interest' } }));
  succeeded(
    await call('POST', `/v3/refund/${refund.id}/settle`, { body: { status: 'failed', reason: 'No.' } }),
  );
  assert.deepEqual(await waiting(), nothing);

  const excessive = await createSession(service);
  await pay(service, excessive.id, { amount: 3000 });
  const kept = await createSession(service, { invoice_currency: 'JPY', amount: 100 });
  await pay(service, kept.id, { amount: 101 });
  assert.deepEqual(await waiting(), { ...nothing, excess: 2 });
  succeeded(await call('POST', '/v3/refund', { body: { payin: excessive.id, amount: 500 } }), 201);
  assert.deepEqual(await waiting(), { ...nothing, excess: 1 });
  await advance(service, 31 * DAY_SECONDS);
  assert.deepEqual(await waiting(), nothing, 'excess of 31 days ago is one that stays');
});

test('of webhooks it tells the states, and which receivers get none', async (t) => {
  let status = 500;
  const receiver = await startReceiver(t, () => status);
  const from = (await now(service)) + 1;
  const endpoint = await createEndpoint(service, { url: receiver.url, events: ['checkout.created'] });
  await createSession(service);
  await until(async () => (await deliveries(service))[0]?.attempts === 1);
  const ofTime = async () => (await overview({ 'created_at[gte]': iso(from) })).deliveries;
  assert.deepEqual(await ofTime(), { ...none, pending: 1 });
  assert.equal((await overview()).waiting.suspended_receivers, 0);

  await advance(service, DAY_SECONDS);
  await until(async () => (await overview()).waiting.suspended_receivers === 1);

  await updateEndpoint(service, endpoint.id, { status: 'disabled' });
  await until(async () => (await overview()).waiting.failed_deliveries === 1);
  const { waiting } = await overview();
  assert.deepEqual([waiting.disabled_endpoints, waiting.failed_deliveries], [1, 1]);
  assert.deepEqual(await ofTime(), { ...none, failed: 1 });

  status = 200;
  await updateEndpoint(service, endpoint.id, { status: 'enabled' });
  const [failed] = await deliveries(service, '&status=failed');
  succeeded(await call('POST', `/v3/webhook_delivery/${failed.id}/resend`));
  await until(async () => (await ofTime()).delivered === 1);
  await settled(service);
  assert.equal((await overview()).waiting.disabled_endpoints, 0);
  const before = { 'created_at[gte]': iso(began - 2000), 'created_at[lt]': iso(began - 1000) };
  assert.deepEqual((await overview(before)).deliveries, none);
});

test('the currencies are those of all sessions, and times to pay of one currency and time', async () => {
  assert.deepEqual((await overview()).currencies, ['EUR', 'JPY']);
  const from = await now(service);
  for (const seconds of [60, 120, 7200]) {
    const { id } = await createSession(service, { invoice_currency: 'SEK', amount: 100 });
    await advance(service, seconds);
    await pay(service, id);
  }
  const { time_to_pay } = await overview({ 'created_at[gte]': iso(from), currency: 'sek' });
  assert.equal(time_to_pay.count, 3);
  assert.ok(time_to_pay.median_ms >= 120_000 && time_to_pay.median_ms < 200_000, time_to_pay.median_ms);
  assert.ok(time_to_pay.p90_ms >= 7_200_000 && time_to_pay.p90_ms < 7_400_000, time_to_pay.p90_ms);
  const earlier = { 'created_at[lt]': iso(from), currency: 'SEK' };
  assert.equal((await overview(earlier)).time_to_pay.count, 0);
});

test('live data is not counted with test data', async () => {
  const { authorization } = await service.createKey({ mode: 'live' });
  const query = `?created_at[gte]=${iso(0)}&created_at[lt]=${iso(Date.now() + 1e10)}&currency=EUR`;
  const { data } = (await call('GET', `/v3/overview${query}`, { headers: { authorization } })).json;
  assert.deepEqual([data.waiting, data.currencies, data.deliveries], [nothing, [], none]);
});

test('a time is asked for as a whole, and forwards', async () => {
  assertRefused(await call('GET', '/v3/overview?limit=5'), {
    status: 400,
    message: 'OVERVIEW.FETCH.BAD_QUERY',
    errors: [
      [104, '/created_at[gte]'],
      [104, '/created_at[lt]'],
      [104, '/currency'],
      [104, '/limit'],
    ],
  });
  const same = `created_at[gte]=${iso(began)}&created_at[lt]=${iso(began)}`;
  assertRefused(await call('GET', `/v3/overview?${same}&currency=none`), {
    status: 400,
    message: 'OVERVIEW.FETCH.BAD_QUERY',
    errors: [
      [104, '/currency'],
      [104, '/created_at[lt]'],
    ],
  });
});
