/** Entries and files of a bank as clients see them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { EntryContent, SentBack } from '../../src/banking/entry.ts';
import { representBankFile, representEntry } from '../../src/banking/representation.ts';
import { NOW } from '../checkout/build.ts';
import { entry, entryOf } from './build.ts';

const part = { checkout: 'chk_1', attempt: 'pat_1', amount: 400, payment: 'ntc_1.1' } as const;
const sentBack: SentBack = { amount: 100, state: 'pending', reason: 'Unknown', file: 'bfl_2' };
const whole: EntryContent = {
  ...entry({
    bookedOn: '2030-01-31',
    valueOn: '2030-02-01',
    bankReference: 'BANK-1',
    endToEndId: 'E1',
    creditorReference: 'RF18ORDER1',
    remittance: 'Order 1',
    transactionCode: 'PMNT-RCDT-ESCT',
    counterparty: { name: 'Ada', account: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  }),
  parts: [part],
  suggestions: [{ checkout: 'chk_2', score: 70 }],
  note: 'Asked.',
  concerns: 'chk_3',
  takenApartBy: '',
  sentBack,
};

suite('an entry', () => {
  test('shows what the bank said and what was made of it', () => {
    assert.deepEqual(representEntry(entryOf('ntc_1', whole, { state: 'waiting' })), {
      id: 'ntc_1',
      object: 'bank_entry',
      created_at: new Date(NOW).toISOString(),
      status: 'waiting',
      problem: '',
      direction: 'credit',
      amount: 1000,
      amount_unassigned: 500,
      currency: 'EUR',
      booked_on: '2030-01-31',
      value_on: '2030-02-01',
      receiving_account: 'eur',
      statement: 'bfl_1',
      counterparty: { name: 'Ada', account: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
      creditor_reference: 'RF18ORDER1',
      end_to_end_id: 'E1',
      remittance: 'Order 1',
      bank_reference: 'BANK-1',
      transaction_code: 'PMNT-RCDT-ESCT',
      is_reversal: false,
      return_reason: '',
      concerns: 'chk_3',
      taken_apart_by: '',
      parts: [{ payin: 'chk_1', payment_attempt: 'pat_1', amount: 400, payment: 'ntc_1.1' }],
      suggestions: [{ payin: 'chk_2', score: 70 }],
      sent_back: { amount: 100, status: 'pending', reason: 'Unknown', payment_file: 'bfl_2' },
      note: 'Asked.',
    });
  });

  const shown = (given: Partial<EntryContent>, state: Parameters<typeof entryOf>[2] = {}) =>
    representEntry(entryOf('ntc_1', { ...entry(), ...given }, state));

  test('has nothing left where it was set aside, or is no money for a session', () => {
    assert.equal(shown({}).amount_unassigned, 1000);
    assert.equal(shown({}, { state: 'ignored' }).amount_unassigned, 0);
    assert.equal(shown({ direction: 'debit' }).amount_unassigned, 0);
  });

  test('tells its problem, and why money came back, as far as the bank says it', () => {
    assert.equal(shown({ problem: 'no_match' }).problem, 'no_match');
    for (const [reasonCode, reasonText, expected] of [
      ['AC04', 'Account closed', 'AC04 Account closed'],
      ['AC04', '', 'AC04'],
      ['', 'Account closed', 'Account closed'],
      ['', '', ''],
    ] as const) {
      const returned = { reasonCode, reasonText, originalEndToEndId: '' };
      assert.equal(shown({ returned, isReversal: true }).return_reason, expected);
    }
    assert.equal(shown({}).sent_back, null);
  });
});

test('a file is a statement or a file of payments, with its own facts', () => {
  const file = { id: 'bfl_1', createdAt: NOW, hash: 'abc', content: 'secret', data: { entries: 3 } } as const;
  const common = { id: 'bfl_1', created_at: new Date(NOW).toISOString(), sha256: 'abc', entries: 3 };
  assert.deepEqual(representBankFile({ ...file, kind: 'statement' }), {
    ...common,
    object: 'bank_statement',
  });
  assert.deepEqual(representBankFile({ ...file, kind: 'payments' }), { ...common, object: 'payment_file' });
});
