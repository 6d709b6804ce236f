/** Matching of transfers on statements: by the payer's reference, or by other evidence for a session. */

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { newId } from '../../src/lib/id.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import { createWriter } from '../../src/writer/writer.ts';
import { startService } from '../support/service.ts';
import { awaitTransfer, configure, entered, entries, eur, imported, receiving } from './bank.ts';
import { advance, createSession, eventTypes, fetchSession, now } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const chf = receiving({ id: 'chf', currency: 'CHF', iban: 'CH9300762011623852957', bic: 'POFICHBE' });
await configure(service, { receivingAccounts: [eur, chf] });

/** The session's payin. */
const payinOf = async (id: string) => (await call('GET', `/v3/payin/${id}`)).json.data;
const summary = async (id: string) => {
  const { status, payment_status, amount_paid } = await fetchSession(service, id);
  return [status, payment_status, amount_paid];
};

/** An attempt with just this reference, which the rail would choose itself. */
async function showReference(id: CheckoutId, reference: string): Promise<void> {
  const { store } = service.service;
  const execute = createWriter({ store, serializer: createSerializer(service.url), realNow: Date.now });
  const tenant = { account: service.account.number, mode: 'test' } as const;
  const time = await now(service);
  const { result } = await execute({
    subject: 'checkout',
    origin: { tenant, actor: 'payer', requestId: '', idempotency: null },
    id,
    command: {
      type: 'start_attempt',
      now: time,
      attemptId: newId('pat', time),
      rail: 'bank',
      reference,
      method: 'local_bank_transfer_eur',
      expectedAmount: 900,
      status: 'requires_action',
      syncAt: null,
      traits: { standing: true },
      details: {},
    },
  });
  assert.equal(result.kind, 'change');
}

suite('a transfer that names a reference', () => {
  test('of all that is due pays the session', async () => {
    const { id, attempt, reference } = await awaitTransfer(service);
    const entry = await entered(service, { amount: 2500, reference });
    assert.deepEqual([entry.status, entry.problem, entry.amount_unassigned], ['done', '', 0]);
    assert.deepEqual(entry.parts, [{ payin: id, payment_attempt: attempt, amount: 2500, payment: entry.id }]);
    assert.deepEqual(await summary(id), ['completed', 'paid', 2500]);
    assert.deepEqual((await eventTypes(service, id)).slice(-3), [
      'payment_attempt.succeeded',
      'checkout.paid',
      'payin.succeeded',
    ]);
  });

  test('is found in the text, however it is written', async () => {
    const { id, reference } = await awaitTransfer(service);
    const written = `Thanks! ${reference.slice(0, 7).toLowerCase()} ${reference.slice(7, 13)}-${reference.slice(13)}/Ada`;
    assert.equal((await entered(service, { amount: 2500, text: written })).status, 'done');
    assert.deepEqual(await summary(id), ['completed', 'paid', 2500]);
  });

  test('of a part pays a part, and the next one the rest', async () => {
    const { id, reference } = await awaitTransfer(service);
    assert.equal((await entered(service, { amount: 1000, reference })).status, 'done');
    assert.deepEqual(await summary(id), ['active', 'unpaid', 1000]);
    await entered(service, { amount: 1500, reference });
    assert.deepEqual(await summary(id), ['completed', 'paid', 2500]);
    const { payment_attempts } = await fetchSession(service, id);
    assert.equal(payment_attempts.length, 1, 'both are of the attempt that was named');
  });

  test('of too much is booked as it is, and what is too much goes back where the account wants that', async () => {
    const { id, reference } = await awaitTransfer(service);
    await entered(service, { amount: 3000, reference });
    assert.deepEqual(await summary(id), ['completed', 'paid', 3000]);
    assert.deepEqual((await payinOf(id)).refunds, []);

    await configure(service, {
      receivingAccounts: [eur, chf],
      policy: { ...defaultPolicy, excess: 'refund' },
    });
    const other = await awaitTransfer(service);
    await entered(service, { amount: 3000, reference: other.reference });
    await configure(service, { receivingAccounts: [eur, chf] });
    const { refunds, amount_refunded } = await payinOf(other.id);
    assert.deepEqual(
      refunds.map(({ amount, status }: { amount: number; status: string }) => [amount, status]),
      [[500, 'pending']],
    );
    assert.equal(amount_refunded, 0);
    assert.ok((await eventTypes(service, other.id)).includes('refund.pending'));
  });

  test('twice is two payments', async () => {
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [
      { amount: 2500, reference },
      { amount: 2500, reference },
    ]);
    assert.deepEqual(await summary(id), ['completed', 'paid', 5000]);
    assert.equal((await fetchSession(service, id)).paid_in_excess, true);
  });

  test('that nobody knows waits, and is open when it has waited long enough', async () => {
    const reference = creditorReference('0UNKNOWN0000');
    const entry = await entered(service, { amount: 2500, reference });
    assert.deepEqual([entry.status, entry.problem], ['waiting', 'unknown_reference']);
    await advance(service, 40 * 3600);
    const [later] = await entries(service);
    assert.deepEqual([later.id, later.status, later.problem], [entry.id, 'open', 'unknown_reference']);
  });

  test('is booked by the clock as soon as somebody knows its reference', async () => {
    const { id } = await createSession(service, { amount: 900 });
    const reference = creditorReference('0LATER00000');
    const entry = await entered(service, { amount: 899, reference });
    assert.equal(entry.status, 'waiting');
    // The bank was faster than whoever writes down that the payer was shown the reference.
    await showReference(id, reference);
    await advance(service, 60 * 11);
    const later = (await call('GET', `/v3/bank_entry/${entry.id}`)).json.data;
    assert.deepEqual([later.status, later.parts[0]?.payin], ['done', id]);
    assert.deepEqual(await summary(id), ['active', 'unpaid', 899]);
  });

  test('of several orders pays each if it brings just what is due', async () => {
    const one = await awaitTransfer(service, { amount: 1100 });
    const other = await awaitTransfer(service, { amount: 2200 });
    const text = `${one.reference} ${other.reference}`;
    const entry = await entered(service, { amount: 3300, text });
    assert.equal(entry.status, 'done');
    assert.deepEqual(
      entry.parts.map(({ payin, amount, payment }: Record<string, unknown>) => [payin, amount, payment]),
      [
        [one.id, 1100, `${entry.id}.1`],
        [other.id, 2200, `${entry.id}.2`],
      ],
    );
    assert.deepEqual(await summary(one.id), ['completed', 'paid', 1100]);
    assert.deepEqual(await summary(other.id), ['completed', 'paid', 2200]);
  });

  test('of several orders is for a person where the sum is another', async () => {
    const one = await awaitTransfer(service, { amount: 1100 });
    const other = await awaitTransfer(service, { amount: 2200 });
    const text = `${one.reference} ${other.reference}`;
    const entry = await entered(service, { amount: 3299, text });
    assert.deepEqual([entry.status, entry.problem, entry.parts], ['open', 'several_references', []]);
    assert.deepEqual(
      entry.suggestions.map(({ payin }: { payin: string }) => payin).sort(),
      [one.id, other.id].sort(),
    );
    assert.deepEqual(await summary(one.id), ['active', 'unpaid', 0]);
  });

  test('in another currency is for a person', async () => {
    const { id, reference } = await awaitTransfer(service);
    const statement = { account: 'CH9300762011623852957', currency: 'CHF' };
    const entry = await entered(service, { amount: 2500, reference }, statement);
    assert.deepEqual([entry.status, entry.problem], ['open', 'other_currency']);
    assert.deepEqual(entry.suggestions, [{ payin: id, score: 100 }]);
    assert.deepEqual(await summary(id), ['active', 'unpaid', 0]);
  });

  test('without an amount pays nothing', async () => {
    const { id, reference } = await awaitTransfer(service);
    const entry = await entered(service, { amount: 0, reference });
    assert.deepEqual([entry.status, entry.problem, entry.parts], ['done', '', []]);
    assert.equal((await payinOf(id)).status, 'requires_action', 'it is still waited for');
  });
});

suite('a transfer after the end', () => {
  const hold = (graceMinutes: Record<string, number> = {}) => ({
    receivingAccounts: [eur],
    policy: { ...defaultPolicy, late: 'hold' as const, graceMinutes },
  });
  const expired = async () => {
    const transfer = await awaitTransfer(service);
    assert.equal((await call('POST', `/v3/checkout/${transfer.id}/expire`)).status, 200);
    return transfer;
  };

  test('is booked, and said to be late', async () => {
    await configure(service);
    const { id, reference } = await expired();
    assert.equal((await entered(service, { amount: 2500, reference })).status, 'done');
    assert.deepEqual(await summary(id), ['expired', 'paid', 2500]);
  });

  test('is held where the account wants to be asked, and booked when a person says so', async () => {
    await configure(service, hold());
    const { id, reference } = await expired();
    await advance(service, 1);
    const entry = await entered(service, { amount: 2500, reference });
    assert.deepEqual([entry.status, entry.problem, entry.parts], ['open', 'held_late', []]);
    assert.deepEqual(entry.suggestions, [{ payin: id, score: 100 }]);
    assert.deepEqual(await summary(id), ['expired', 'unpaid', 0]);
    const answer = await call('POST', `/v3/bank_entry/${entry.id}/assign`, {
      body: { parts: [{ payin: id }] },
    });
    assert.equal(answer.json.data.status, 'done', answer.text);
    assert.deepEqual(await summary(id), ['expired', 'paid', 2500]);
  });

  test('is in time within the grace, and on the day before the end', async () => {
    await configure(service, hold({ bank: 60 }));
    const graced = await expired();
    await advance(service, 59 * 60);
    assert.equal((await entered(service, { amount: 2500, reference: graced.reference })).status, 'done');
    const late = await expired();
    await advance(service, 61 * 60);
    const { reference } = late;
    assert.equal((await entered(service, { amount: 100, reference })).problem, 'held_late');
    // The statement is late, and not the money.
    assert.equal((await entered(service, { amount: 2500, reference, day: '2020-01-31' })).status, 'done');
    await configure(service);
  });
});

suite('a transfer without a reference', () => {
  test('is booked for the session of that amount and payer', async () => {
    const { id } = await awaitTransfer(service, {
      amount: 7001,
      customer_details: { name: 'Zoë van Dürer' },
    });
    const entry = await entered(service, { amount: 7001, name: 'VAN DUERER ZOE', text: 'Thanks' });
    assert.deepEqual([entry.status, entry.parts[0]?.payin], ['done', id]);
    assert.deepEqual(await summary(id), ['completed', 'paid', 7001]);
  });

  test('is booked for the session whose order it names', async () => {
    const { id } = await awaitTransfer(service, { amount: 7002, reference_id: 'RE-2030/0815' });
    const entry = await entered(service, {
      amount: 7002,
      name: 'Somebody',
      text: 'Rechnung re 20300815 danke',
    });
    assert.deepEqual([entry.status, entry.parts[0]?.payin], ['done', id]);
  });

  test('that has the number of an order as a part of another is not', async () => {
    await awaitTransfer(service, { amount: 7003, reference_id: '4711' });
    const entry = await entered(service, { amount: 7003, name: 'Somebody', text: 'Kundennummer 8847110' });
    assert.deepEqual([entry.status, entry.problem], ['open', 'several_candidates']);
  });

  test('is for a person where only the amount is right, or two sessions are as likely', async () => {
    const one = await awaitTransfer(service, { amount: 7004, customer_details: { name: 'Ada Lovelace' } });
    const entry = await entered(service, { amount: 7004, name: 'Somebody' });
    assert.deepEqual(entry.suggestions, [{ payin: one.id, score: 50 }]);
    assert.deepEqual([entry.status, entry.problem], ['open', 'several_candidates']);
    const other = await awaitTransfer(service, { amount: 7004, customer_details: { name: 'Ada Lovelace' } });
    const between = await entered(service, { amount: 7004, name: 'Ada Lovelace' });
    assert.deepEqual(
      between.suggestions.map(({ payin }: { payin: string }) => payin).sort(),
      [one.id, other.id].sort(),
    );
    assert.deepEqual(await summary(one.id), ['active', 'unpaid', 0]);
  });

  test('of an amount that nobody waits for is for a person, and what went out concerns nobody', async () => {
    const entry = await entered(service, { amount: 7005 });
    assert.deepEqual([entry.status, entry.problem, entry.amount_unassigned], ['open', 'no_match', 7005]);
    const fee = await entered(service, { amount: 7005, direction: 'debit', text: 'Fees' });
    assert.deepEqual([fee.status, fee.problem, fee.amount_unassigned], ['done', '', 0]);
  });

  test('that names an id of ours which there is not is money all the same', async () => {
    for (const prefix of ['NTC', 'rfd']) {
      const endToEndId = `${prefix}01k9zq4tn30000x5r7m2c9w1he`;
      const entry = await entered(service, { amount: 7006, endToEndId });
      assert.deepEqual([entry.status, entry.problem, entry.amount_unassigned], ['open', 'no_match', 7006]);
    }
  });
});
