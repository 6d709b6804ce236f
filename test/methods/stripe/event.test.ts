import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BadSignature, type InboundEvent } from '../../../src/methods/method.ts';
import { createStripeRail } from '../../../src/methods/stripe/stripe.ts';
import type { SignedEvent } from '../../support/stripe-stand-in-api.ts';
import { type Harness, refundOf, startHarness } from './harness.ts';

const read = ({ rail }: Harness, { body, headers }: SignedEvent): InboundEvent => {
  const event = rail.readEvent?.(body, headers);
  assert.ok(event);
  return event;
};

suite('events of Stripe', () => {
  test('name the attempt or the payment that they are about', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const { attempt } = paid;
    await harness.rail.refund(paid.checkout, refundOf(paid, { amount: 1 }), Date.now());
    harness.endDispute(harness.returnOrDispute(attempt), 'lost');
    const unpaid = await harness.started();
    harness.fail(unpaid.attempt);
    harness.enterBalance(attempt);
    const payment = harness.pageOf(attempt).payment_intent;
    const seen = harness.stripe.books.test.events.map((event) => {
      const { reference, ...about } = read(harness, harness.stripe.signed(event));
      assert.equal(reference, event.id);
      return { type: event.type, ...about };
    });
    const both = {
      attemptReference: attempt.id,
      paymentReference: payment,
      tenant: { account: 1, mode: 'test' },
    };
    const dispute = {
      attemptReference: null,
      paymentReference: payment,
      tenant: { account: 1, mode: 'test' },
    };
    assert.deepEqual(seen, [
      { type: 'payment_intent.succeeded', ...both },
      { type: 'charge.succeeded', ...both },
      { type: 'checkout.session.completed', ...both },
      { type: 'refund.created', ...both },
      { type: 'charge.refunded', ...both },
      { type: 'charge.dispute.created', ...dispute },
      { type: 'charge.dispute.closed', ...dispute },
      {
        type: 'checkout.session.expired',
        attemptReference: unpaid.attempt.id,
        paymentReference: null,
        tenant: { account: 1, mode: 'test' },
      },
      { type: 'charge.updated', ...both },
    ]);
    assert.equal(payment, paid.checkout.payments[0]?.reference);
    assert.equal(read(harness, harness.newestEvent(attempt)).paymentReference, payment);
  });

  test('of both modes, each with its own secret', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.paid({ tenant: { account: 1, mode: 'live' } });
    assert.equal(read(harness, harness.newestEvent(attempt)).tenant.mode, 'live');
    const [event] = harness.stripe.books.live.events;
    assert.ok(event);
    const { webhookSecret: secret } = harness.stripe.keys.test;
    assert.throws(() => read(harness, harness.stripe.signed(event, { secret })), BadSignature);
  });

  test('about something that is not ours name nothing', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.paid();
    const [event] = harness.stripe.books.test.events;
    assert.ok(event);
    const foreign = { id: 'cus_1', object: 'customer', created: 1, livemode: false };
    const about = read(harness, harness.stripe.signed({ ...event, data: { object: foreign } }));
    assert.deepEqual([about.attemptReference, about.paymentReference], [null, null]);
    assert.ok(attempt);
  });

  test('name nothing that cannot be an id, and are refused without one of their own', async (t) => {
    const harness = await startHarness(t);
    await harness.paid();
    const [event] = harness.stripe.books.test.events;
    assert.ok(event);
    for (const id of ['a\0b', '', 'x'.repeat(256), 'evt 1']) {
      const object = { object: 'payment_intent', created: 1, livemode: false, id, metadata: { attempt: id } };
      const about = read(harness, harness.stripe.signed({ ...event, data: { object } }));
      assert.deepEqual([about.attemptReference, about.paymentReference], [null, null]);
      const unnamed = harness.stripe.signed({ ...event, id });
      assert.throws(() => read(harness, unnamed), BadSignature, id);
    }
  });

  test('that are not signed by Stripe, or were signed long ago, are refused', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.paid();
    const event = harness.stripe.books.test.events.at(-1);
    assert.ok(event);
    const { stripe } = harness;
    const now = Math.floor(Date.now() / 1000);
    assert.equal(read(harness, stripe.signed(event, { timestamp: now - 290 })).attemptReference, attempt.id);

    const good = stripe.signed(event);
    const bad: Record<string, SignedEvent> = {
      'another secret': stripe.signed(event, { secret: 'whsec_other' }),
      'other bytes': stripe.signed(event, { alter: (text) => text.replace('evt_', 'evt_0') }),
      'one blank more': { ...good, body: Buffer.concat([good.body, Buffer.from(' ')]) },
      'an old time': stripe.signed(event, { timestamp: now - 310 }),
      'no header': { ...good, headers: {} },
      'an empty header': { ...good, headers: { 'stripe-signature': '' } },
      nonsense: { ...good, headers: { 'stripe-signature': 't=now,v1=ff' } },
      'another scheme': {
        ...good,
        headers: { 'stripe-signature': String(good.headers['stripe-signature']).replace('v1=', 'v0=') },
      },
      'no body': { ...good, body: Buffer.alloc(0) },
    };
    for (const [what, each] of Object.entries(bad)) {
      assert.throws(() => read(harness, each), BadSignature, what);
    }
    const twice = { 'stripe-signature': ['t=1,v1=a', 't=1,v1=b'] };
    assert.throws(() => harness.rail.readEvent?.(good.body, twice), BadSignature);
  });

  test('are refused where no secret is set', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.paid();
    const { body, headers } = harness.newestEvent(attempt);
    const bare = createStripeRail({ test: null, live: harness.stripe.keys.live, accountNumber: 1 });
    assert.throws(() => bare.readEvent?.(body, headers), BadSignature);
  });
});
