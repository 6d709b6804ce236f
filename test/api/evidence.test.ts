/** Evidence in the history of a session: what a bank or a provider has said of its money. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import { awaitTransfer, configure, entries, imported } from './bank.ts';
import { startCard } from './card.ts';
import { createSession, type Data, fetchSession, pay, succeeded, until } from './shop.ts';
import { refundsAreHeardOf } from './subjects.ts';

const stripe = await startStripe({ after });
const books = stripe.books.test;
const service = await startService({ after }, { env: { ...stripe.settings, STRIPE_ACCOUNT: '1' } });
const { call } = service;

/** Evidence of each event of the session, by the type of the event, oldest first. */
async function evidenceOf(id: string): Promise<Readonly<Record<string, Data>>> {
  const entries: Data[] = succeeded(await call('GET', `/v3/checkout/${id}/timeline?limit=100`));
  return Object.fromEntries(entries.toReversed().map(({ type, evidence }) => [type, evidence]));
}

const none = { bank_entry: null, statement: null, provider_event: null };

suite('of a bank transfer', async () => {
  await configure(service);

  test('it is the entry and its statement, beside every event of the payment', async () => {
    const { id, reference } = await awaitTransfer(service);
    const file = await imported(service, [{ amount: 2500, reference }]);
    const [entry] = await entries(service);
    const told = {
      rail: 'bank',
      reference: entry.id,
      bank_entry: entry.id,
      statement: file.id,
      provider_event: null,
    };
    const found = await evidenceOf(id);
    for (const type of ['payment_attempt.succeeded', 'payin.succeeded', 'checkout.paid'])
      assert.deepEqual(found[type], [told], type);
    for (const type of ['checkout.created', 'payin.created', 'payment_attempt.created'])
      assert.deepEqual(found[type] ?? [], [], type);
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
      const [told] = (await evidenceOf(id))['checkout.paid'];
      assert.deepEqual([told.bank_entry, told.statement], [entry.id, entry.statement]);
      assert.match(told.reference, new RegExp(`^${entry.id}\\.\\d$`));
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
});

suite('of a card payment', () => {
  const hear = async () => {
    const event = books.events.at(-1) ?? assert.fail('nothing has happened');
    assert.equal(await stripe.deliver(event, `${service.config.PUBLIC_URL}/notices/stripe`), 200);
    return event.id;
  };

  test('it is the payment at the provider, and the event that told of it', async () => {
    const { id, attempt } = await startCard(service);
    const page = [...books.sessions.values()].find((each) => each.client_reference_id === attempt);
    const { id: payment } = books.pay(page?.id ?? '');
    const event = await hear();
    await until(async () => (await fetchSession(service, id)).status === 'completed');
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
  });
});
