/** Facts of a document, before it is drawn. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { plain } from '../../src/documents/plain.ts';
import { readSwissPayload } from '../../src/documents/swiss-payload.ts';
import { OUR_RF } from '../methods/bank/build.ts';
import { checkout, invoiceOf, payment, receiptOf, refund, swissPayload, T } from './build.ts';

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
    assert.equal(receiptOf().beyondItems, 490);
    assert.equal(receiptOf({ amount: 13_000 }).beyondItems, -800);
    assert.equal(receiptOf({ items: [] }).beyondItems, 0);
  });

  test('have what is due and what is too much, with refunds and tolerance', () => {
    const money = (paid: number, refunded: number, status: 'succeeded' | 'pending' = 'succeeded') => {
      const refunds = refunded === 0 ? [] : [refund(refunded, { status })];
      const { due, excess } = receiptOf({ payments: [payment(paid)], refunds });
      return [due, excess];
    };
    assert.deepEqual(money(14_290, 0), [0, 0]);
    assert.deepEqual(money(14_000, 0), [290, 0]);
    assert.deepEqual(money(15_000, 0), [0, 710]);
    assert.deepEqual(money(15_000, 700), [0, 10]);
    assert.deepEqual(money(15_000, 700, 'pending'), [0, 710]);
    assert.deepEqual(money(14_290, 14_290), [0, 0]);
    const policy = {
      ...defaultPolicy,
      underpaymentToleranceBasisPoints: 500,
      underpaymentToleranceAtMost: 500,
    };
    assert.equal(receiptOf({ policy, payments: [payment(14_000)] }).due, 0);
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
    const references = receiptOf({ attempts, payments }).payments.map(({ reference }) => reference);
    assert.deepEqual(references, ['pay_1', OUR_RF]);
  });

  test('call a refund by its own id until its rail has one', () => {
    const [{ reference } = { reference: '' }] = receiptOf({
      refunds: [refund(1, { reference: '' })],
    }).refunds;
    assert.equal(reference, 'rfd_1');
  });
});

test('an invoice knows the last moment to pay, or that there is none', () => {
  assert.equal(invoiceOf().dueAt, T + 86_400_000);
  assert.equal(invoiceOf({ expiresAt: null }).dueAt, null);
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
