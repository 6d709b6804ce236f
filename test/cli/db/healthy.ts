/** A database in which everything has happened that can happen to one, made by the service itself. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { startReceiver } from '../../crash/receiver.ts';
import { startService } from '../../support/service.ts';

type Context = Parameters<typeof startService>[0];

const person = { name: 'Ada Lovelace', email: 'Ada@Example.com', country: 'GB' };

/** Fills the database that the address names; the service has stopped when it resolves. */
export async function fillByService(t: Context, url: string): Promise<void> {
  const receiver = await startReceiver(t);
  const service = await startService(t, {
    env: { DATABASE_URL: url, CHECKOUT_URL: 'https://pay.example.com' },
  });
  let keys = 0;

  async function ask(method: string, path: string, body: object): Promise<{ readonly id: string }> {
    const headers = { 'idempotency-key': `key-${keys++}` };
    const answer = await service.call(method, path, { body, headers });
    assert.ok(answer.status < 300, answer.text);
    return answer.json.data;
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
  // Nobody listens there: its deliveries stay pending.
  await ask('POST', '/v3/checkout', { invoice_currency: 'JPY', webhook_url: 'http://127.0.0.1:9/' });

  const events = await service.call('GET', '/v3/event?limit=100');
  assert.ok(events.json.data.length > 30);
  while (receiver.count() < 10) await pause(20);
  await service.stop();
}
