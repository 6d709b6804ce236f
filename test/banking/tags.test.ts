/** Tags by which a decision on money says what it was made on: what is another one, and what is the same. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { SentBack } from '../../src/banking/entry.ts';
import { entryTag, paymentsTag } from '../../src/banking/tags.ts';
import { eur as account } from '../api/bank.ts';
import { NOW } from '../checkout/build.ts';
import { entry, entryOf, PAYER } from './build.ts';

const part = { checkout: 'chk_1', attempt: 'pat_1', amount: 400, payment: 'ntc_1.1' } as const;
const sentBack: SentBack = { amount: 1000, state: 'pending', reason: '', file: '' };
const open = entryOf('ntc_1', entry(), { state: 'open' });

test('the tag of an entry is another one once anything was decided, or has become of it', () => {
  const other = [
    open,
    entryOf('ntc_2', entry(), { state: 'open' }),
    { ...open, state: 'ignored' as const },
    { ...open, state: 'done' as const },
    { ...open, parts: [part] },
    { ...open, takenApartBy: 'bfl_2' as const },
    { ...open, sentBack },
    { ...open, sentBack: { ...sentBack, file: 'bfl_2' } },
    { ...open, sentBack: { ...sentBack, state: 'failed' as const } },
    { ...open, sentBack: { ...sentBack, amount: 600 } },
  ];
  assert.equal(new Set(other.map(entryTag)).size, other.length);
});

test('an entry that was looked up again is the same', () => {
  const lookedUp = {
    state: 'waiting' as const,
    problem: 'no_match' as const,
    suggestions: [{ checkout: 'chk_1' as const, score: 70 }],
    dueAt: NOW,
    tries: 2,
  };
  assert.equal(entryTag({ ...open, ...lookedUp }), entryTag(open));
});

suite('payments of a file', () => {
  const creditor = { name: 'Ada', account: PAYER, bic: 'NWBKGB2L' };
  const one = { id: 'rfd_1', amount: 400, creditor, remittance: 'A-1001' };
  const two = { ...one, id: 'rfd_2', amount: 250 };

  test('are the same in any order, and others with another one, or for another payee, amount or purpose', () => {
    assert.equal(paymentsTag(account, [one, two]), paymentsTag(account, [two, one]));
    const others = [
      [],
      [one],
      [one, two],
      [one, { ...two, amount: 251 }],
      [one, { ...two, id: 'rfd_3' }],
      [
        { ...one, amount: 250 },
        { ...two, amount: 400 },
      ],
      [one, { ...two, creditor: { ...creditor, account: 'NL91ABNA0417164300' } }],
      [one, { ...two, creditor: { ...creditor, name: 'Bob' } }],
      [one, { ...two, creditor: { ...creditor, bic: 'ABNANL2A' } }],
      [one, { ...two, remittance: 'A-1002' }],
    ];
    const tags = others.map((payments) => paymentsTag(account, payments));
    assert.equal(new Set(tags).size, others.length);
  });

  test('are others if they leave another account, or one whose holder, number or bank is another', () => {
    const accounts = [
      account,
      { ...account, id: 'other' },
      { ...account, currency: 'GBP' },
      { ...account, holder: { ...account.holder, name: 'Another Shop' } },
      { ...account, iban: 'NL91ABNA0417164300' },
      { ...account, accountNumber: '123456' },
      { ...account, bic: 'ABNANL2A' },
    ];
    assert.equal(new Set(accounts.map((from) => paymentsTag(from, [one]))).size, accounts.length);
  });
});
