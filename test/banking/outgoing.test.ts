/** Outgoing transfers: to whom, from which account, and what has to stay behind. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { BankEntry, EntryId, SentBack } from '../../src/banking/entry.ts';
import { outgoingFrom, outgoingFromAll } from '../../src/banking/outgoing.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import type { Checkout, Payment } from '../../src/checkout/session.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { eur, receiving } from '../api/bank.ts';
import { payment } from '../checkout/build.ts';
import { refund, reversal } from '../checkout/build-refunds.ts';
import { entry, entryOf, PAYER, paidSession, storeOf } from './build.ts';

const OTHER_PAYER = 'AT611904300234573201';
const usd = receiving({ id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021' });
const tenant = { account: 1, mode: 'test' } as const;
const ada = { name: 'Ada', account: PAYER, bic: 'COBADEFFXXX' };
const grace = { name: 'Grace', account: OTHER_PAYER, bic: '' };

const outgoing = (given: Parameters<typeof storeOf>[0], account = eur, configured = [eur, usd]) =>
  outgoingFrom(storeOf(given).store, tenant, account, configured);

/** A refund of 4 euro of the 10 that a transfer has brought; `paid` are the payments of the attempt. */
function refunded(given: Partial<Checkout> = {}, asked: Parameters<typeof refund>[1] = {}) {
  const own = refund(400, { id: 'rfd_1', attempt: 'pat_one', rail: BANK, ...asked });
  return { id: own.id, checkout: paidSession('one', 1000, { refunds: [own], ...given }) };
}
/** The entry that has paid it. */
const paidBy = (given: Partial<BankEntry> = {}, id: EntryId = 'ntc_one'): BankEntry =>
  entryOf(id, { ...entry(), counterparty: ada, ...given });
const brought = (amount: number, reference: string, given: Partial<Payment> = {}): Payment =>
  payment(amount, { rail: BANK, reference, attempt: 'pat_one', ...given });

suite('a refund', () => {
  test('goes to the account that has paid, with what the payer knows it by', async () => {
    const row = refunded({ referenceId: 'order-7' }, { reason: 'Lost parcel' });
    assert.deepEqual(await outgoing({ refunds: [row], entries: [paidBy()] }), {
      refunds: [
        { id: 'rfd_1', checkout: 'chk_one', amount: 400, creditor: ada, remittance: 'order-7 Lost parcel' },
      ],
      returns: [],
      leftOut: [],
    });
    const silent = refunded({ referenceId: '' }, { reason: 'Lost parcel' });
    const { refunds } = await outgoing({ refunds: [silent], entries: [paidBy()] });
    assert.equal(refunds[0]?.remittance, 'Lost parcel');
  });

  test('of a part of an entry goes to whoever sent the entry', async () => {
    const row = refunded({ payments: [brought(1000, 'ntc_one.2')] });
    const { refunds } = await outgoing({ refunds: [row], entries: [paidBy()] });
    assert.deepEqual(refunds[0]?.creditor, ada);
  });

  const payers: ReadonlyArray<
    readonly [name: string, payments: readonly Payment[], first: BankEntry['counterparty'], expected: unknown]
  > = [
    ['the newest where that has brought enough', [brought(600, 'ntc_a'), brought(400, 'ntc_b')], grace, ada],
    [
      'the newest of three where that has brought enough',
      [brought(300, 'ntc_a'), brought(300, 'ntc_a'), brought(400, 'ntc_b')],
      grace,
      ada,
    ],
    [
      'nobody where the newest whose entry is known has brought less',
      [brought(201, 'ntc_a'), brought(399, 'ntc_b'), brought(400, 'ntc_lost')],
      grace,
      'the money came from several accounts',
    ],
    [
      'nobody where several accounts have brought it together',
      [brought(601, 'ntc_a'), brought(399, 'ntc_b')],
      grace,
      'the money came from several accounts',
    ],
    [
      'the one account that has paid several times',
      [brought(601, 'ntc_a'), brought(399, 'ntc_b')],
      { ...ada, name: 'A. Lovelace' },
      ada,
    ],
    [
      'who has paid by transfer, not by card',
      [
        brought(600, 'ntc_b'),
        brought(400, 'ntc_a', { rail: 'sandbox' }),
        brought(400, 'ntc_a', { attempt: 'pat_x' }),
      ],
      grace,
      ada,
    ],
    [
      'nobody where no entry is known',
      [brought(1000, 'ntc_lost')],
      grace,
      'no statement entry names the payer',
    ],
  ];
  for (const [name, payments, first, expected] of payers) {
    test(`goes to: ${name}`, async () => {
      const entries = [paidBy({ counterparty: first }, 'ntc_a'), paidBy({}, 'ntc_b')];
      const { refunds, leftOut } = await outgoing({ refunds: [refunded({ payments })], entries });
      const found = refunds[0]?.creditor ?? leftOut[0]?.reason;
      assert.deepEqual([found, refunds.length + leftOut.length], [expected, 1]);
    });
  }

  test('stays behind where its account cannot be paid, and says why', async () => {
    const nowhere = { ...ada, account: '' };
    const national = { ...ada, account: '1234567' };
    const reasonOf = async (counterparty: BankEntry['counterparty']) =>
      (await outgoing({ refunds: [refunded()], entries: [paidBy({ counterparty })] })).leftOut;
    assert.deepEqual(await reasonOf(nowhere), [
      { id: 'rfd_1', reason: 'the bank did not report the payer’s account' },
    ]);
    assert.deepEqual(await reasonOf(national), [
      { id: 'rfd_1', reason: 'the payer’s account is not an IBAN' },
    ]);
  });

  test('needs no IBAN where none is in use: in another currency, or from an account without one', async () => {
    const counterparty = { ...ada, account: '1234567' };
    const inUsd = refunded({ currency: 'USD' });
    const entries = [paidBy({ counterparty, account: 'usd' })];
    assert.equal((await outgoing({ refunds: [inUsd], entries }, usd)).refunds.length, 1);
    const national = { ...eur, iban: null, accountNumber: '202051' };
    const found = await outgoing({ refunds: [refunded()], entries: [paidBy({ counterparty })] }, national);
    assert.equal(found.refunds.length, 1);
    const swiss = { ...eur, currency: 'CHF' };
    const chf = { refunds: [refunded({ currency: 'CHF' })], entries: [paidBy({ counterparty })] };
    assert.equal((await outgoing(chf, swiss)).refunds.length, 1);
  });

  test('stays behind once the bank has taken the payment back', async () => {
    const taken = (amount: number) =>
      outgoing({
        refunds: [refunded({ reversals: [reversal(amount, { attempt: 'pat_one', status: 'lost' })] })],
        entries: [paidBy()],
      });
    assert.deepEqual((await taken(600)).leftOut, [], 'there is just enough left');
    assert.deepEqual((await taken(601)).leftOut, [
      { id: 'rfd_1', reason: 'the bank has taken the payment back' },
    ]);
  });

  test('is none of this file: in another currency, in a file already, or paid into another account', async () => {
    for (const [name, row, paid] of [
      ['currency', refunded({ currency: 'CHF' }), paidBy()],
      ['file', refunded({}, { paymentFile: 'bfl_1' }), paidBy()],
      ['account', refunded(), paidBy({ account: 'usd' })],
    ] as const) {
      const found = await outgoing({ refunds: [row], entries: [paid] });
      assert.deepEqual(found, { refunds: [], returns: [], leftOut: [] }, name);
    }
    const gone = await outgoing({ refunds: [refunded()], entries: [paidBy({ account: 'closed' })] });
    assert.deepEqual(gone.leftOut, [
      { id: 'rfd_1', reason: 'the money arrived in the account "closed", which is no longer configured' },
    ]);
  });
});

suite('money without a session', () => {
  const pending: SentBack = { amount: 700, state: 'pending', reason: 'Unknown', file: '' };
  const waiting = (id: EntryId, given: Partial<BankEntry> = {}) =>
    entryOf(id, { ...entry(), counterparty: grace, sentBack: pending, ...given }, { state: 'waiting' });

  test('goes back to whoever sent it', async () => {
    const entries = [
      waiting('ntc_1'),
      waiting('ntc_2', { sentBack: { ...pending, reason: '' }, remittance: 'Invoice 7' }),
    ];
    const { returns } = await outgoing({ entries });
    assert.deepEqual(returns, [
      { id: 'ntc_2', reference: 'key of ntc_2', amount: 700, creditor: grace, remittance: 'Invoice 7' },
      { id: 'ntc_1', reference: 'key of ntc_1', amount: 700, creditor: grace, remittance: 'Unknown' },
    ]);
  });

  test('is none of this file: not to go back, in a file, back already, or of another account', async () => {
    const entries = [
      waiting('ntc_1', { sentBack: null }),
      waiting('ntc_2', { sentBack: { ...pending, file: 'bfl_1' } }),
      waiting('ntc_3', { sentBack: { ...pending, state: 'failed' } }),
      waiting('ntc_4', { account: 'usd' }),
      entryOf('ntc_5', { ...entry(), counterparty: grace, sentBack: pending }, { state: 'open' }),
    ];
    assert.deepEqual(await outgoing({ entries }), { refunds: [], returns: [], leftOut: [] });
  });

  test('stays behind where its sender has no IBAN', async () => {
    const entries = [waiting('ntc_1', { counterparty: { ...grace, account: '1234567' } })];
    assert.deepEqual(await outgoing({ entries }), {
      refunds: [],
      returns: [],
      leftOut: [{ id: 'ntc_1', reason: 'the payer’s account is not an IBAN' }],
    });
  });
});

suite('a file', () => {
  const many = (count: number, amount = 1) =>
    Array.from({ length: count }, (_, index) => {
      const own = refund(amount, { id: `rfd_${index}`, attempt: 'pat_one', rail: BANK });
      return { id: own.id, checkout: paidSession('one', MAX_AMOUNT, { refunds: [own] }) };
    });
  const back = (count: number, amount = 1) =>
    Array.from({ length: count }, (_, index) =>
      entryOf(
        `ntc_${index}`,
        {
          ...entry(),
          counterparty: ada,
          sentBack: { amount, state: 'pending', reason: '', file: '' },
        },
        { state: 'waiting' },
      ),
    );
  const countOf = async (given: Parameters<typeof storeOf>[0]) => {
    const entries = [paidBy(), ...(given.entries ?? [])];
    const { refunds, returns, leftOut } = await outgoing({ ...given, entries });
    assert.deepEqual(leftOut, [], 'what has no room is for the next file');
    return [refunds.length, returns.length];
  };

  test('has 500 payments at most', async () => {
    assert.deepEqual(await countOf({ refunds: many(501) }), [500, 0]);
    assert.deepEqual(await countOf({ refunds: many(498), entries: back(3) }), [498, 2]);
  });

  test('has those that have waited longest, whatever comes meanwhile', async () => {
    // As lists have them: the newest first.
    const refunds = many(502);
    const oldest = refunds.slice(2).reverse();
    const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id);
    for (const given of [refunds, refunds.slice(1), refunds.slice(2)]) {
      const found = await outgoing({ refunds: given, entries: [paidBy()] });
      assert.deepEqual(idsOf(found.refunds), idsOf(oldest));
    }
    const entries = back(502);
    const { returns } = await outgoing({ entries });
    assert.deepEqual(idsOf(returns), idsOf(entries.slice(2).reverse()));
  });

  test('has a sum that can be counted', async () => {
    const half = (MAX_AMOUNT - 1) / 2;
    assert.deepEqual(await countOf({ refunds: many(2, half) }), [2, 0]);
    assert.deepEqual(await countOf({ refunds: many(3, half) }), [2, 0]);
    assert.deepEqual(await countOf({ refunds: many(1, MAX_AMOUNT) }), [1, 0]);
    assert.deepEqual(await countOf({ refunds: many(1, MAX_AMOUNT), entries: back(1) }), [1, 0]);
    assert.deepEqual(await countOf({ entries: back(3, half) }), [0, 2]);
  });

  test('is looked for page after page, but not without end', async () => {
    const { store, pages } = storeOf({ refunds: many(250), entries: [paidBy()] });
    const { refunds } = await outgoingFrom(store, tenant, eur, [eur]);
    assert.equal(new Set(refunds.map(({ id }) => id)).size, 250);
    assert.deepEqual(pages, [undefined, 'rfd_99', 'rfd_199', undefined]);

    const inOther = many(5_200).map((row) => ({ ...row, checkout: { ...row.checkout, currency: 'CHF' } }));
    const endless = storeOf({ refunds: inOther });
    await outgoingFrom(endless.store, tenant, eur, [eur]);
    assert.equal(endless.pages.length, 50 + 1, '5000 refunds, and the first page of entries');
  });
});

suite('files of all accounts', () => {
  const second = receiving({ id: 'second', currency: 'EUR', iban: 'DE75512108001245126199' });

  test('have each refund and each return once, by the account that its money came into, in one look', async () => {
    const one = refunded();
    const other = refunded({ payments: [brought(1000, 'ntc_two')] });
    const [own] = other.checkout.refunds.map((each) => ({ ...each, id: 'rfd_2' as const }));
    assert.ok(own);
    const moved = { id: own.id, checkout: { ...other.checkout, id: 'chk_two' as const, refunds: [own] } };
    const sentBack = { amount: 70, state: 'pending', file: '', reason: 'Unknown.' } as const;
    const from = { ...entry(), account: 'second', counterparty: ada, sentBack };
    const back = entryOf('ntc_back', from, { state: 'waiting' });
    const entries = [paidBy(), paidBy({ account: 'second' }, 'ntc_two'), back];
    const { store, pages } = storeOf({ refunds: [one, moved], entries });
    const files = await outgoingFromAll(store, tenant, [second, eur, usd]);
    assert.deepEqual(
      files.map(({ account, refunds, returns, total }) => [
        account.id,
        ...refunds.map(({ id }) => id),
        ...returns.map(({ id }) => id),
        total,
      ]),
      [
        ['second', 'rfd_2', 'ntc_back', 470],
        ['eur', 'rfd_1', 400],
        ['usd', 0],
      ],
    );
    assert.deepEqual(pages, [undefined, undefined]);
  });
});
