/** Fees of card payments, from Stripe to movements and totals. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import type { BalanceTransaction } from '../support/stripe-stand-in-books.ts';
import { startCard } from './card.ts';
import { type Data, eventTypes, fetchSession, now, pay, succeeded, until } from './shop.ts';

const stripe = await startStripe({ after });
const books = stripe.books.test;
const service = await startService(
  { after },
  {
    env: {
      ...stripe.settings,
      // The account that the test service makes first.
      STRIPE_ACCOUNT: '1',
    },
  },
);
const { call } = service;
const start = await now(service);

type Paid = { readonly id: string; readonly payment: string };

const hear = async (): Promise<void> => {
  const event = books.events.at(-1) ?? assert.fail('nothing has happened');
  assert.equal(await stripe.deliver(event, `${service.config.PUBLIC_URL}/notices/stripe`), 200);
};

/** A session of 25.00 EUR that was paid by card. Its fee is not known yet. */
async function payByCard(): Promise<Paid> {
  const { id, attempt } = await startCard(service);
  const page = [...books.sessions.values()].find((each) => each.client_reference_id === attempt);
  const { id: payment } = books.pay(page?.id ?? '');
  await hear();
  await until(async () => (await fetchSession(service, id)).status === 'completed');
  return { id, payment };
}

const movementOf = async (payment: string): Promise<Data> =>
  succeeded(await call('GET', '/v3/movement?limit=100')).find((each: Data) => each.reference === payment);

/** The payment enters the balance, and Stripe says so. */
async function learnFee({ payment }: Paid, given: Partial<BalanceTransaction>): Promise<Data> {
  books.enterBalance(payment, given);
  await hear();
  return until(async () => (await movementOf(payment)).fee);
}

const times = `created_at[gte]=${new Date(start).toISOString()}&created_at[lt]=2099-01-01T00:00:00Z`;

async function fees(): Promise<Data> {
  const [total] = succeeded(await call('GET', `/v3/total?${times}&currency=EUR`));
  return total.fees;
}

suite('the fee of a card payment', () => {
  test('comes later than the payment, and changes nothing that its session shows', async () => {
    const paid = await payByCard();
    const before = await call('GET', `/v3/checkout/${paid.id}`);
    const events = await eventTypes(service, paid.id);
    assert.equal((await movementOf(paid.payment)).fee, null);
    assert.deepEqual(await fees(), []);

    assert.deepEqual(await learnFee(paid, { fee: 63 }), { amount: 63, currency: 'EUR' });
    assert.deepEqual(await fees(), [{ count: 1, amount: 63, currency: 'EUR' }]);
    const session = await call('GET', `/v3/checkout/${paid.id}`);
    assert.equal(session.text, before.text);
    assert.equal(session.headers.get('etag'), before.headers.get('etag'));
    assert.deepEqual(await eventTypes(service, paid.id), events);
    const { amount } = await movementOf(paid.payment);
    assert.equal(amount, 2500);
  });

  test('in another currency is added to those of that currency alone', async () => {
    const known = await fees();
    await learnFee(await payByCard(), { amount: 2700, fee: 110, currency: 'usd' });
    await learnFee(await payByCard(), { amount: 2700, fee: 90, currency: 'usd' });
    await learnFee(await payByCard(), { fee: 0 });
    const [euros] = known;
    assert.deepEqual(await fees(), [
      { ...euros, count: euros.count + 1 },
      { count: 2, amount: 200, currency: 'USD' },
    ]);
  });

  test('counts once, however often Stripe says it', async () => {
    const paid = await payByCard();
    await learnFee(paid, { fee: 7 });
    const known = await fees();
    for (const event of books.events.slice(-4))
      await stripe.deliver(
        { ...event, id: `${event.id}_again` },
        `${service.config.PUBLIC_URL}/notices/stripe`,
      );
    await until(async () => {
      const [{ waiting }] = (await service.database.query(
        "SELECT count(*) AS waiting FROM provider_event WHERE state = 'waiting'",
      )) as [{ waiting: number | string }];
      return Number(waiting) === 0;
    });
    assert.deepEqual(await fees(), known);
  });

  test('is known of no payment whose rail tells none', async () => {
    const known = await fees();
    const { id } = succeeded(
      await call('POST', '/v3/checkout', { body: { invoice_currency: 'EUR', amount: 500 } }),
      201,
    );
    await pay(service, id, { payment_id: 'without-a-fee' });
    assert.equal((await movementOf('without-a-fee')).fee, null);
    assert.deepEqual(await fees(), known);
  });

  // The last one: what it leaves behind keeps all from being summed up.
  test('is not summed up beyond what a number holds', async () => {
    for (const fee of [9_000_000_000_000_000, 8_000_000_000_000])
      await learnFee(await payByCard(), { fee, currency: 'vnd' });
    const { status, json } = await call('GET', `/v3/total?${times}`);
    assert.deepEqual([status, json.message], [400, 'TOTAL.LIST.BAD_QUERY']);
  });
});
