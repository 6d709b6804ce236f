/** Receivers' answers may hold personal data: they are erased with the person. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../support/service.ts';
import { startReceiver } from './receiver.ts';
import { createSession, type Data, order, pay, succeeded, until } from './shop.ts';

const service = await startService({ after });
const { call } = service;

/** The answers to all attempts of the session's deliveries, once all were tried. */
async function answersOf(id: string): Promise<string[]> {
  return until(async () => {
    const list = succeeded(await call('GET', `/v3/webhook_delivery?checkout=${id}&limit=100`));
    if (list.length > 0 && list.every(({ status }: Data) => status === 'delivered')) {
      const whole = await Promise.all(
        list.map((each: Data) => call('GET', `/v3/webhook_delivery/${each.id}`)),
      );
      return whole.flatMap((answer) => succeeded(answer).attempt_log.map((each: Data) => each.answer));
    }
    return null;
  });
}

test('an erasure empties the answers to events of its sessions, and no others', async (t) => {
  const echo = await startReceiver(t, ({ text }) => ({ status: 200, body: text.slice(0, 900) }));
  const endpoint = { url: echo.url, events: ['checkout.paid'] };
  succeeded(await call('POST', '/v3/webhook_endpoint', { body: endpoint }), 201);
  const theirs = await createSession(service, { ...order, webhook_url: echo.url });
  await pay(service, theirs.id);
  const person = { name: 'Grace Hopper', email: 'grace@example.com' };
  const other = await createSession(service, { customer_details: person, webhook_url: echo.url });
  const [before, others] = [await answersOf(theirs.id), await answersOf(other.id)];
  assert.ok(before.length > 5 && before.every((answer) => answer.startsWith('{')));

  const { customer } = theirs.customer_details;
  succeeded(await call('DELETE', `/v3/customer/${customer}`));
  assert.deepEqual(
    await answersOf(theirs.id),
    before.map(() => ''),
  );
  assert.deepEqual(await answersOf(other.id), others);
});

test('an erasure leaves nothing of a person in sessions and events', async () => {
  const names = ['Katherine', 'Bath Road', 'Langley', '5550199'];
  const [name, billed, shipped, number] = names;
  const contact = (line1: string | undefined) => ({ name, phone: { number }, address: { line1 } });
  const { id, customer } = await createSession(service, {
    customer_details: { name, email: `${name}@example.com`.toLowerCase(), phone: { number } },
    billing_details: contact(billed),
    shipping_details: contact(shipped),
  });
  await pay(service, id);
  succeeded(await call('DELETE', `/v3/customer/${customer}`));

  const { json: timeline } = await call('GET', `/v3/checkout/${id}/timeline?limit=100`);
  const paths = timeline.data.map(({ event }: Data) => `/v3/event/${event}`);
  for (const path of [...paths, `/v3/checkout/${id}`, `/v3/payin/${id}`]) {
    const { data } = (await call('GET', path)).json;
    for (const text of names) assert.ok(!JSON.stringify(data).includes(text), `${path} has ${text}`);
  }
});
