/** Facts of a document, before it is drawn. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Checkout, Refund, Reversal } from '../../src/checkout/session.ts';
import { plain } from '../../src/documents/plain.ts';
import { readSwissPayload } from '../../src/documents/swiss-payload.ts';
import { reversal } from '../checkout/build-refunds.ts';
import { OUR_RF } from '../methods/bank/build.ts';
import { checkout, invoiceOf, payment, receiptOf, refund, swissPayload, T } from './build.ts';

const TAKEN = 'Taken back by the bank';

const paidAnd = (paid: number, ...more: readonly (readonly [string, number])[]) => [['Paid', paid], ...more];

const sumsOf = (given: Partial<Checkout>) =>
  receiptOf(given).sums.map(({ label, amount }) => [label, amount] as const);

suite('the facts of a receipt', () => {
  test('name who is billed before who else is known', () => {
    assert.deepEqual(receiptOf().payer, {
      name: 'Analytical Engines Ltd',
      lines: ['12 St James’s Square', 'SW1Y 4LB London', 'GB', 'ada@example.com'],
    });
    const payer = { ...checkout().payer, billingDetails: null };
    assert.deepEqual(receiptOf({ payer }).payer, { name: 'Ada Lovelace', lines: ['GB', 'ada@example.com'] });
    const odd = { ...payer, billingDetails: { name: 7, address: ['x'] } };
    assert.deepEqual(receiptOf({ payer: odd }).payer.name, 'Ada Lovelace');
  });

  test('are dated by the last payment', () => {
    assert.equal(receiptOf().issuedAt, T + 3_600_000);
    assert.equal(receiptOf({ payments: [] }).issuedAt, T);
  });

  test('leave out a description that only lists the items', () => {
    const description = '2 x Sauerteigbrot, 1 kg, 10 x Espresso „Altstadt“';
    assert.equal(receiptOf({ description }).description, '');
    assert.equal(receiptOf({ description, items: [] }).description, description);
  });

  test('have what is beyond the items, either way', () => {
    const beyond = (given: Partial<Checkout>) => sumsOf(given).slice(0, -1);
    const open = { payments: [], refunds: [], lifecycle: { state: 'active' } } as const;
    assert.deepEqual(beyond(open), [['Tax, shipping and other charges', 490]]);
    assert.deepEqual(beyond({ ...open, amount: 13_000 }), [['Discount', -800]]);
    assert.deepEqual(beyond({ ...open, items: [] }), []);
  });

  test('have what came and went, and what of it is too much, so that the sums come out', () => {
    const after = (paid: number, refunds: readonly Refund[], reversals: readonly Reversal[] = []) =>
      sumsOf({ items: [], payments: [payment(paid)], refunds, reversals }).slice(1);
    const refunded = (amount: number, status: Refund['status'] = 'succeeded') => refund(amount, { status });
    const taken = (amount: number, status: Reversal['status'] = 'lost') => reversal(amount, { status });
    const cases = [
      [after(14_290, []), [['Paid', 14_290]]],
      [after(15_000, []), paidAnd(15_000, ['Paid in excess', 710])],
      [after(15_000, [refunded(700)]), paidAnd(15_000, ['Refunded', 700], ['Paid in excess', 10])],
      [after(15_000, [refunded(700, 'pending')]), paidAnd(15_000, ['Paid in excess', 710])],
      [after(15_000, [refunded(700, 'failed')]), paidAnd(15_000, ['Paid in excess', 710])],
      [after(14_290, [refunded(14_290)]), paidAnd(14_290, ['Refunded', 14_290])],
      [after(14_290, [], [taken(14_290)]), paidAnd(14_290, [TAKEN, 14_290])],
      [after(14_290, [], [taken(300, 'open')]), paidAnd(14_290, [TAKEN, 300])],
      [after(14_290, [], [taken(300, 'won')]), paidAnd(14_290)],
      [after(15_000, [], [taken(710)]), paidAnd(15_000, [TAKEN, 710])],
      [after(15_000, [], [taken(700)]), paidAnd(15_000, [TAKEN, 700], ['Paid in excess', 10])],
      [
        after(16_000, [refunded(700)], [taken(300)]),
        paidAnd(16_000, ['Refunded', 700], [TAKEN, 300], ['Paid in excess', 710]),
      ],
    ];
    for (const [sums, expected] of cases) assert.deepEqual(sums, expected);
  });

  test('have what is still to pay as long as it can be paid', () => {
    const remaining = (given: Partial<Checkout>) =>
      sumsOf({ payments: [payment(14_000)], refunds: [], ...given }).filter(
        ([label]) => label === 'Still to pay',
      );
    assert.deepEqual(remaining({ lifecycle: { state: 'active' } }), [['Still to pay', 290]]);
    assert.deepEqual(remaining({ lifecycle: { state: 'expired', at: T, by: 'time' } }), []);
    // Paid in full by its tolerance.
    assert.deepEqual(remaining({ lifecycle: { state: 'completed', at: T } }), []);
  });

  test('list what went back in the order of time, but not what came to nothing', () => {
    const { goneBack } = receiptOf({
      refunds: [refund(500), refund(90, { id: 'rfd_3', status: 'failed' })],
      reversals: [
        reversal(40, { createdAt: T + 1, reference: 'dp_1' }),
        reversal(30, { createdAt: T + 9_000_000, reference: 'dp_2', status: 'lost' }),
        reversal(20, { reference: 'dp_3', status: 'won' }),
      ],
    });
    assert.deepEqual(goneBack, [
      { at: T + 1, what: TAKEN, reference: 'dp_1', amount: 40 },
      { at: T + 7_200_000, what: 'Refunded', reference: 'rf_1', amount: 500 },
      { at: T + 9_000_000, what: TAKEN, reference: 'dp_2', amount: 30 },
    ]);
  });

  test('call a transfer by the reference that its payer has named', () => {
    const [attempt] = checkout().attempts;
    assert.ok(attempt);
    const [cash, transfer] = ['pat_a', 'pat_b'] as const;
    const attempts = [
      { ...attempt, id: cash },
      { ...attempt, id: transfer, rail: 'bank', reference: OUR_RF, traits: { standing: true } as const },
    ];
    const payments = [
      payment(1, { attempt: cash, reference: 'pay_1' }),
      payment(2, { attempt: transfer, rail: 'bank', reference: 'ntc_1' }),
    ];
    const reversals = [reversal(2, { attempt: transfer, rail: 'bank', reference: 'ntc_2', status: 'lost' })];
    const facts = receiptOf({ attempts, payments, refunds: [], reversals });
    const references = [...facts.payments, ...facts.goneBack].map(({ reference }) => reference);
    assert.deepEqual(references, ['pay_1', OUR_RF, OUR_RF]);
  });

  test('call a refund by its own id until its rail has one', () => {
    const [{ reference } = { reference: '' }] = receiptOf({
      refunds: [refund(1, { reference: '' })],
    }).goneBack;
    assert.equal(reference, 'rfd_1');
  });
});

test('an invoice knows the last moment to pay, or that there is none', () => {
  assert.equal(invoiceOf().dueAt, T + 86_400_000);
  assert.equal(invoiceOf({ expiresAt: null }).dueAt, null);
});

test('an invoice of the rest has what came and went', () => {
  const { sums, due } = invoiceOf({
    items: [],
    payments: [payment(10_000)],
    refunds: [refund(100)],
    reversals: [reversal(200)],
  });
  assert.equal(due, 4_290);
  assert.deepEqual(
    sums.map(({ label, amount }) => [label, amount]),
    [['Total', 14_290], ...paidAnd(10_000, ['Refunded', 100], [TAKEN, 200], ['Still to pay', 4_290])],
  );
});

test('text from elsewhere becomes one bounded line without power over its neighbours', () => {
  assert.equal(plain(' a\r\nb\u0000c '), 'a b c');
  assert.equal(plain('\u202eabc\u2066\u200f'), 'abc');
  assert.equal(plain('e\u0301'), 'é');
  assert.equal(plain('\ud800x\uffff'), '\ufffdx\ufffd');
  assert.ok(plain('x'.repeat(100_000)).length < 6_000);
});

suite('the payload of a Swiss QR-bill is printed', () => {
  test('in the groups of the guidelines', () => {
    const read = readSwissPayload(swissPayload('1234567.05', []));
    assert.equal(read.iban, 'CH44 3199 9123 0008 8901 2');
    assert.equal(read.reference, '21 00000 00003 13947 14300 09017');
    assert.equal(read.amount, '1 234 567.05');
    assert.deepEqual(read.debtor, []);
    assert.deepEqual(read.information, ['Bestellung vom 15.09.2030']);
  });

  test('with addresses abroad and creditor references', () => {
    const debtor = ['S', 'Ada', '', '', '80331', 'München', 'DE'];
    const payload = swissPayload('0.50', debtor).replace(
      'QRR\n210000000003139471430009017',
      'SCOR\nRF18539007547034',
    );
    const read = readSwissPayload(payload);
    assert.deepEqual(read.debtor, ['Ada', 'DE - 80331 München']);
    assert.equal(read.reference, 'RF18 5390 0754 7034');
    assert.equal(read.amount, '0.50');
  });
});
