/** A database in which everything has happened that can happen to one, made by the service itself. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckoutId } from '../../../src/checkout/ids.ts';
import { startReceiver as startOther } from '../../api/receiver.ts';
import { startReceiver } from '../../crash/receiver.ts';
import { png } from '../../support/image.ts';
import { startService } from '../../support/service.ts';
import { acceptedUser } from '../../support/users.ts';
import { createTill } from './money.ts';

type Context = Parameters<typeof startService>[0];

const person = { name: 'Ada Lovelace', email: 'Ada@Example.com', country: 'GB' };

/** Fills the database that the address names; the service has stopped when it resolves. */
export async function fillByService(t: Context, url: string): Promise<void> {
  const receiver = await startReceiver(t);
  const unwilling = await startOther({ after: (hook) => t.after(async () => hook()) }, () => 410);
  const service = await startService(t, {
    env: { DATABASE_URL: url, CHECKOUT_URL: 'https://pay.example.com' },
    requestLogMs: 1,
  });
  let keys = 0;

  async function ask(method: string, path: string, body: object): Promise<{ readonly id: CheckoutId }> {
    const headers = { 'idempotency-key': `key-${keys++}` };
    const answer = await service.call(method, path, { body, headers });
    assert.ok(answer.status < 300, answer.text);
    return answer.json.data;
  }
  await service.call('POST', '/v3/checkout', { body: {} });
  // Answers that are stored would still refer to the events that are forgotten in the end.
  async function createOld(): Promise<{ readonly id: CheckoutId }> {
    const body = { invoice_currency: 'EUR', amount: 700 };
    return (await service.call('POST', '/v3/checkout', { body })).json.data;
  }
  const create = (body: object) =>
    ask('POST', '/v3/checkout', {
      invoice_currency: 'EUR',
      items: [{ name: 'Widget', quantity: 2, unit_price: 1250 }],
      webhook_url: receiver.url,
      ...body,
    });
  const pay = ({ id }: { readonly id: string }, body: object = {}) =>
    ask('POST', `/v3/test_helpers/checkout/${id}/pay`, body);

  /** Some of it goes back, some comes by transfer, and some is still waited for. */
  async function moveMoney(): Promise<void> {
    const { account } = service;
    const till = createTill(
      service.service.store,
      { account: account.number, mode: 'test' },
      Date.now() + 1_200_000,
    );
    await till.configure('DE1');
    const given = await create({});
    // The refunds below concern one of several attempts.
    await pay(given, { outcome: 'failed' });
    await pay(given, { payment_id: 'returned' });
    await till.learnFee(given.id, 59, 'USD');
    for (const [amount, status, url] of [
      [300, 'succeeded', `${receiver.url}/refunds`],
      [200, 'failed', ''],
    ] as const) {
      await till.reportRefund(given.id, await till.refund(given.id, amount, url), status);
    }
    await till.dispute(given.id, 1000);
    const transferred = await create({ webhook_url: '' });
    await till.startTransfer(transferred.id, 'RF1');
    await till.receiveTransfer(transferred.id, 'RF1', 2500);
    // The refund stays pending: no rail has this name.
    const filed = await till.refund(transferred.id, 1000, `${receiver.url}/refunds`);
    await till.carryOutRefund(transferred.id, await till.refund(transferred.id, 500), 500);
    await till.startTransfer((await create({})).id, 'RF2');
    await till.addEntry('line-2', 'waiting');
    await till.addEntry('line-3', 'open');
    const sentBack = { amount: 2500, state: 'pending', reason: 'unknown', file: '' } as const;
    await till.addEntry('line-4', 'waiting', { sentBack });
    await till.addEvent('evt-1', 'waiting');
    await till.addEvent('evt-2', 'done');
    await till.addFile('statement', '<Document/>');
    await till.fileRefund(transferred.id, filed, '<Document>3</Document>');
  }

  await ask('PUT', '/v3/logo', png());
  const { authorization } = await service.createKey({ mode: 'live' });
  await acceptedUser(service.service.store, { account: service.account.number, email: 'olga@example.com' });
  const invited = await service.call('POST', '/v3/member', {
    body: { role: 'owner', name: 'Ada Lovelace', email: 'ada@example.com' },
    headers: { authorization, 'idempotency-key': 'ada' },
  });
  assert.equal(invited.status, 201);
  const [old] = [await createOld(), await createOld()];
  const endpoint = (url: string, events: readonly string[]) =>
    ask('POST', '/v3/webhook_endpoint', { url, events });
  await endpoint(receiver.url, ['*']);
  const removed = await endpoint(`${receiver.url}/removed`, ['checkout.*']);
  const leaving = await endpoint(unwilling.url, ['checkout.created']);

  const paid = await create({
    customer_details: person,
    reference_id: 'order-1',
    metadata: { order: 'A-1', size: 4 },
  });
  await ask('PUT', `/v3/checkout/${paid.id}`, {
    metadata: { order: 'A-2', gift: true, nested: { no: 'index' } },
  });
  await pay(paid);
  await pay(paid, { amount: 100, payment_id: 'more' });

  await pay(await create({ webhook_url: '' }), { amount: 500 });
  const late = await create({ expires_at: new Date(Date.now() + 600_000).toISOString() });
  await create({ expires_at: new Date(Date.now() + 86_400_000).toISOString() });
  await pay(await create({}), { outcome: 'failed' });
  await pay(await create({}), { outcome: 'processing', payment_id: 'slow' });
  await pay(await create({}), { outcome: 'requires_action' });
  const expired = await create({});
  await ask('POST', `/v3/checkout/${expired.id}/expire`, {});
  await ask('POST', '/v3/test_helpers/clock/advance', { seconds: 1200 });
  await pay(late);

  const erased = await create({ customer_details: { name: 'Grace', email: 'grace@example.com' } });
  await pay(erased, { amount: 50 });
  const { json } = await service.call('GET', '/v3/customer?email=grace@example.com');
  await ask('DELETE', `/v3/customer/${json.data[0].id}`, {});
  await pay(erased);
  await pay(old);
  // Deliveries to a port without a listener stay pending, one behind the other.
  const unheard = { invoice_currency: 'JPY', amount: 70, webhook_url: 'http://127.0.0.1:9/' };
  await pay(await ask('POST', '/v3/checkout', unheard));
  await ask('POST', `/v3/webhook_endpoint/${leaving.id}/rotate_secret`, {});

  await moveMoney();

  const events = await service.call('GET', '/v3/event?limit=100');
  assert.ok(events.json.data.length > 30);
  const { store } = service.service;
  const tenant = { account: service.account.number, mode: 'test' } as const;
  while (receiver.count() < 10) await pause(20);
  while ((await store.endpoints.list(tenant)).every(({ disabled }) => disabled !== 'gone')) await pause(20);
  while ((await store.receivers.listFailing(tenant)).size === 0) await pause(20);
  await ask('DELETE', `/v3/webhook_endpoint/${removed.id}`, {});
  const arrived = await service.call('GET', '/v3/webhook_delivery?status=delivered&limit=1');
  await service.call('POST', `/v3/webhook_delivery/${arrived.json.data[0].id}/resend`);
  // All that one of the old sessions had, and the beginning of the other.
  assert.equal(await store.retention.purgeEvents(tenant, Date.now()), 2);
  await service.stop();
}
