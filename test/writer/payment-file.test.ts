/** Payment files: money that goes back is what was decided last. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import type { BankEntry, SentBack } from '../../src/banking/entry.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { decideOnPaymentFile } from '../../src/writer/handlers/payment-file.ts';
import { eur } from '../api/bank.ts';
import { entry, entryOf, PAYER } from '../banking/build.ts';
import { NOW } from '../checkout/build.ts';
import { nothing } from './loaded.ts';

const creditor = { name: 'Ada', account: PAYER, bic: '' };
const context = { serializer: createSerializer('https://pay.example.com'), settings: defaultSettings };

/** A file for which 500 of an entry were to go back, of which this is to go back now. */
function decided(sentBack: SentBack | null) {
  const stored: BankEntry = entryOf('ntc_1', entry({ counterparty: creditor }), {
    state: 'waiting',
    sentBack,
  });
  return decideOnPaymentFile(
    {
      origin: { tenant: { account: 1, mode: 'live' }, actor: 'ak_1', requestId: 'req_1', idempotency: null },
      ...{ now: NOW, id: 'bfl_1', account: eur, executeOn: '2026-03-02', refunds: [], leftOut: [] },
      returns: [{ id: 'ntc_1', reference: stored.reference, amount: 500, creditor, remittance: '' }],
    },
    { ...nothing, bankEntries: new Map([[stored.reference, stored]]) },
    context,
  );
}

suite('money that goes back without a session', () => {
  const pending: SentBack = { amount: 500, state: 'pending', reason: '', file: '' };

  test('is in the file, and its entry names that', () => {
    const decision = decided(pending);
    assert.ok('value' in decision);
    assert.deepEqual(decision.value.data.amount, 500);
    assert.equal(decision.writes[1]?.bankEntry?.sentBack?.file, 'bfl_1');
    assert.deepEqual(
      decision.writes.map(({ audit }) => [audit?.subject, audit?.version, audit?.action]),
      [
        ['bfl_1', 0, 'add_payments'],
        ['ntc_1', 0, 'filed'],
      ],
    );
  });

  test('is left to the next file if it was filed, taken back or changed meanwhile', () => {
    for (const meanwhile of [{ ...pending, file: 'bfl_0' }, null, { ...pending, amount: 300 }]) {
      const decision = decided(meanwhile);
      assert.ok('reason' in decision && decision.reason === 'nothing_to_pay');
    }
  });
});
