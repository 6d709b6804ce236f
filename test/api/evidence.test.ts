/** Evidence in the history of a session: what a bank or a provider has said of its money. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import type { StandInEvent } from '../support/stripe-stand-in-books.ts';
import { awaitTransfer, configure, entries, imported } from './bank.ts';
import { startCard } from './card.ts';
import { createSession, type Data, fetchSession, pay, succeeded, until } from './shop.ts';
import { refundsAreHeardOf } from './subjects.ts';

const stripe = await startStripe({ after });
const books = stripe.books.test;
const service = await startService({ after }, { env: { ...stripe.settings, STRIPE_ACCOUNT: '1' } });
const { call } = service;

/** A field of each event of the session, by the type of the event, the newest of each. */
async function told(id: string, field: 'evidence' | 'cause'): Promise<Readonly<Record<string, Data>>> {
  const entries: Data[] = succeeded(await call('GET', `/v3/checkout/${id}/timeline?limit=100`));
  return Object.fromEntries(entries.toReversed().map((entry) => [entry.type, entry[field]]));
}

const evidenceOf = (id: string) => told(id, 'evidence');
const causesOf = (id: string) => told(id, 'cause');

const none = { bank_entry: null, statement: null, provider_event: null };

suite('of a bank transfer', async () => {
  await configure(service);

  test('it is the entry and its statement, beside every event of the payment', async () => {
    const { id, reference } = await awaitTransfer(service);
    const file = await imported(service, [{ amount: 2500, reference }]);
    const [entry] = await entries(service);
    const shown = {
      rail: 'bank',
      reference: entry.id,
      bank_entry: entry.id,
      statement: file.id,
      provider_event: null,
    };
    const found = await evidenceOf(id);
    for (const type of ['payment_attempt.succeeded', 'payin.succeeded', 'checkout.paid'])
      assert.deepEqual(found[type], [shown], type);
    const causes = await causesOf(id);
    assert.equal(causes['checkout.paid'], entry.id);
    for (const type of ['checkout.created', 'payin.created', 'payment_attempt.created']) {
      assert.deepEqual(found[type] ?? [], [], type);
      assert.equal(causes[type] ?? null, null, type);
    }
  });

  test('an entry that a person has split is named by its id alone', async () => {
    const [one, other] = [await awaitTransfer(service), await awaitTransfer(service)];
    await imported(service, [{ amount: 5000, reference: 'both orders' }]);
    const [entry] = await entries(service);
    const parts = [
      { payin: one.id, amount: 2500 },
      { payin: other.id, amount: 2500 },
    ];
    succeeded(await call('POST', `/v3/bank_entry/${entry.id}/assign`, { body: { parts } }));
    for (const { id } of [one, other]) {
      const [shown] = (await evidenceOf(id))['checkout.paid'];
      assert.deepEqual([shown.bank_entry, shown.statement], [entry.id, entry.statement]);
      assert.match(shown.reference, new RegExp(`^${entry.id}\\.\\d$`));
    }
  });

  test('two payments of a session have each their own', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 1000, reference }]);
    const [first] = await entries(service);
    await imported(service, [{ amount: 1500, reference }]);
    const [second] = await entries(service);
    const entriesOf = (all: Data) => all?.map((each: Data) => each.bank_entry);
    const found = await evidenceOf(id);
    assert.deepEqual(entriesOf(found['payment_attempt.succeeded']), [first.id]);
    assert.deepEqual(entriesOf(found['checkout.paid']), [second.id]);
  });

  test('two payments of the same moment have each their own', async (t) => {
    const moment = Date.now();
    const other = await startService(t, { realNow: () => moment });
    await configure(other);
    const { id, reference } = await awaitTransfer(other);
    await imported(other, [
      { amount: 1000, reference },
      { amount: 1500, reference },
    ]);
    const booked: Data[] = await entries(other);
    const history: Data[] = succeeded(await other.call('GET', `/v3/checkout/${id}/timeline?limit=100`));
    const caused = history.filter(({ cause, evidence }) => cause !== null && evidence.length > 0);
    assert.deepEqual(new Set(caused.map(({ cause }) => cause)), new Set(booked.map((each) => each.id)));
    for (const { cause, evidence, type } of caused)
      assert.deepEqual(
        evidence.map((each: Data) => each.bank_entry),
        [cause],
        type,
      );
  });
});

suite('of a card payment', () => {
  const deliver = async (event: StandInEvent) => {
    assert.equal(await stripe.deliver(event, `${service.config.PUBLIC_URL}/notices/stripe`), 200);
    return event.id;
  };
  const newest = () => books.events.at(-1) ?? assert.fail('nothing has happened');
  const hear = () => deliver(newest());

  /** A payer who has paid at the provider, of which nobody has told yet. */
  async function paidThere() {
    const { id, attempt } = await startCard(service);
    const page = [...books.sessions.values()].find((each) => each.client_reference_id === attempt);
    assert.ok(page);
    const { id: payment } = books.pay(page.id);
    return { id, payment, back: page.success_url };
  }

  const isPaid = (id: string) => async () => (await fetchSession(service, id)).status === 'completed';
  const ASKS = /^GET \/v1\/checkout\/sessions\//;

  test('it is the payment at the provider, and the event that told of it', async () => {
    const { id, payment } = await paidThere();
    const event = await hear();
    await until(isPaid(id));
    const paid = { ...none, rail: 'stripe', reference: payment, provider_event: event };
    const found = await evidenceOf(id);
    for (const type of ['payment_attempt.succeeded', 'checkout.paid'])
      assert.deepEqual(found[type], [paid], type);

    // What came afterwards is not why it was paid.
    const dispute = books.dispute(payment);
    const later = await hear();
    await until(async () => 'reversal.open' in (await evidenceOf(id)));
    const disputed = await evidenceOf(id);
    assert.deepEqual(disputed['checkout.paid'], [paid]);
    assert.deepEqual(disputed['reversal.open'], [
      { ...none, rail: 'stripe', reference: dispute.id, provider_event: later },
    ]);
    const causes = await causesOf(id);
    assert.match(causes['checkout.paid'], /^pev_/);
    assert.match(causes['reversal.open'], /^pev_/);
    assert.notEqual(causes['checkout.paid'], causes['reversal.open']);
  });

  for (const order of ['the one', 'the other'] as const) {
    test(`of two events that came close together it is the one that was acted upon: ${order}`, async () => {
      const { id, payment } = await paidThere();
      const event = newest();
      const twin = { ...event, id: `${event.id}_twin` };
      const [first, second] = order === 'the one' ? [event, twin] : [twin, event];
      const held = stripe.hold(ASKS);
      await deliver(first);
      await until(async () => held.waiting.length === 1);
      // It had come as well by the time of the change, and is newer.
      await deliver(second);
      held.letGo();
      await until(isPaid(id));
      held.letAllGo();
      const paid = { ...none, rail: 'stripe', reference: payment, provider_event: first.id };
      assert.deepEqual((await evidenceOf(id))['checkout.paid'], [paid]);
    });
  }

  test('an answer that the payer’s way back has asked for has no event, although one had come', async () => {
    const { id, payment, back } = await paidThere();
    const held = stripe.hold(ASKS);
    await hear();
    await until(async () => held.waiting.length === 1);
    const coming = fetch(back);
    await until(async () => held.waiting.length === 2);
    // The way back has its answer first.
    held.letGo(1);
    await coming;
    await until(isPaid(id));
    held.letAllGo();
    assert.deepEqual((await evidenceOf(id))['checkout.paid'], [
      { ...none, rail: 'stripe', reference: payment },
    ]);
    assert.equal((await causesOf(id))['checkout.paid'], 'asked');
  });
});

suite('of the sandbox', () => {
  test('it is the reference of the payment, and none of an attempt that failed', async () => {
    const { id } = await createSession(service);
    await pay(service, id, { outcome: 'failed' });
    const payment_id = 'payment-at-the-sandbox';
    await pay(service, id, { payment_id });
    const found = await evidenceOf(id);
    assert.deepEqual(found['payment_attempt.failed'], []);
    assert.deepEqual(found['checkout.paid'], [{ ...none, rail: 'sandbox', reference: payment_id }]);
    succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount: 100 } }), 201);
    await refundsAreHeardOf(service);
    const refunded = await evidenceOf(id);
    assert.deepEqual(refunded['refund.pending'], []);
    assert.deepEqual(
      refunded['refund.succeeded'].map((each: Data) => each.rail),
      ['sandbox'],
    );
    const causes = await causesOf(id);
    assert.deepEqual([causes['checkout.paid'], causes['refund.succeeded']], [null, 'asked']);
  });
});
