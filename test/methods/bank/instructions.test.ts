import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { instructionsFor, referenceKindOf } from '../../../src/methods/bank/instructions.ts';
import type { ReceivingAccount } from '../../../src/methods/bank/receiving-account.ts';
import { account, CH_IBAN, DE_IBAN, holder, OUR_RF, QR_IBAN, QRR } from './build.ts';

const due = { amount: 123450, reference: OUR_RF };

function fieldsOf(from: ReceivingAccount, method: string, reference = OUR_RF) {
  const instructions = instructionsFor(from, method, { ...due, reference });
  assert.ok(instructions);
  return instructions.fields.map(({ name, value, display }) => [name, value, display]);
}
function codeOf(from: ReceivingAccount, method: string, reference = OUR_RF) {
  return instructionsFor(from, method, { ...due, reference })?.code ?? null;
}

const swiss = account({ currency: 'CHF', iban: CH_IBAN, qrIban: QR_IBAN, bic: 'POFICHBEXXX' });
const british = account({
  currency: 'GBP',
  iban: 'GB82WEST12345698765432',
  bic: 'WESTGB22',
  accountNumber: '98765432',
  bankCode: '12-34-56',
  bankName: 'West Bank',
});

suite('what the payer is told', () => {
  test('within SEPA: payee, IBAN, BIC and bank, amount, reference, each to be copied and to be read', () => {
    assert.deepEqual(
      fieldsOf(
        account({ iban: DE_IBAN, bic: 'COBADEFF', bankName: 'Commerzbank' }),
        'local_bank_transfer_eur',
      ),
      [
        ['payee', 'Robert Schneider AG', 'Robert Schneider AG'],
        ['iban', DE_IBAN, 'DE89 3704 0044 0532 0130 00'],
        ['bic', 'COBADEFF', 'COBADEFF'],
        ['bank', 'Commerzbank', 'Commerzbank'],
        ['amount', '1234.50', '1234.50 EUR'],
        ['reference', OUR_RF, 'RF69 0123 4567 89AB CDEF GH'],
      ],
    );
  });

  test('in Switzerland: the QR-IBAN with its QR reference', () => {
    const fields = fieldsOf(swiss, 'local_bank_transfer_chf', QRR);
    assert.deepEqual(fields.slice(1, 2), [['iban', QR_IBAN, 'CH44 3199 9123 0008 8901 2']]);
    assert.deepEqual(fields.at(-1), ['reference', QRR, '21 00000 00003 13947 14300 09017']);
  });

  test('from abroad: the IBAN that takes all payments, with the address of the payee', () => {
    assert.deepEqual(fieldsOf(swiss, 'wire_transfer').slice(0, 4), [
      ['payee', 'Robert Schneider AG', 'Robert Schneider AG'],
      ['payee_address', 'Rue du Lac 1268, 2501 Biel, CH', 'Rue du Lac 1268, 2501 Biel, CH'],
      ['iban', CH_IBAN, 'CH93 0076 2011 6238 5295 7'],
      ['bic', 'POFICHBEXXX', 'POFICHBEXXX'],
    ]);
  });

  test('of an address that is not known, nothing', () => {
    const bare = {
      ...swiss,
      holder: { ...holder, street: '', buildingNumber: '', postalCode: '', city: '' },
    };
    assert.deepEqual(
      fieldsOf(bare, 'wire_transfer').map(([name]) => name),
      ['payee', 'iban', 'bic', 'amount', 'reference'],
    );
    const town = { ...swiss, holder: { ...holder, street: '', buildingNumber: '', postalCode: '' } };
    assert.deepEqual(fieldsOf(town, 'wire_transfer')[1]?.slice(0, 2), ['payee_address', 'Biel, CH']);
  });

  test('where a country has numbers of its own: these at home, the IBAN abroad', () => {
    const home = fieldsOf(british, 'local_bank_transfer_gbp').map(([name, value]) => `${name} ${value}`);
    assert.deepEqual(home.slice(1, 4), ['account_number 98765432', 'bank_code 12-34-56', 'bic WESTGB22']);
    const abroad = fieldsOf(british, 'wire_transfer').map(([name]) => name);
    assert.deepEqual(abroad, ['payee', 'payee_address', 'iban', 'bic', 'bank', 'amount', 'reference']);
    const without = fieldsOf({ ...british, iban: null }, 'wire_transfer').map(([name]) => name);
    assert.deepEqual(without.slice(2, 5), ['account_number', 'bank_code', 'bic']);
  });

  const proxies = [
    {
      method: 'paynow_sgd',
      parts: { currency: 'SGD', paynow: '+6591234567' },
      value: '+6591234567',
      display: '+65 9123 4567',
    },
    {
      method: 'promptpay_thb',
      parts: { currency: 'THB', promptpay: '0812345678' },
      value: '0812345678',
      display: '081-234-5678',
    },
    {
      method: 'pix_brl',
      parts: { currency: 'BRL', pix: '52998224725' },
      value: '52998224725',
      display: '529.982.247-25',
    },
    {
      method: 'upi_inr',
      parts: { currency: 'INR', upi: 'shop@okbank' },
      value: 'shop@okbank',
      display: 'shop@okbank',
    },
  ];
  for (const { method, parts, value, display } of proxies) {
    test(`${method}: payee, proxy, amount, reference`, () => {
      const fields = fieldsOf(account(parts), method);
      assert.deepEqual(
        fields.map(([name]) => name),
        ['payee', 'proxy', 'amount', 'reference'],
      );
      assert.deepEqual(fields[1], ['proxy', value, display]);
    });
  }

  test('amounts have the digits of their currency', () => {
    const yen = fieldsOf(account({ currency: 'JPY', accountNumber: '1' }), 'local_bank_transfer_jpy');
    assert.deepEqual(
      yen.find(([name]) => name === 'amount'),
      ['amount', '123450', '123450 JPY'],
    );
    const dinar = fieldsOf(account({ currency: 'KWD', accountNumber: '1' }), 'local_bank_transfer_kwd');
    assert.deepEqual(
      dinar.find(([name]) => name === 'amount'),
      ['amount', '123.450', '123.450 KWD'],
    );
  });

  test('nothing where the account does not carry the method', () => {
    for (const method of ['paynow_sgd', 'local_bank_transfer_eur', 'card', '']) {
      assert.equal(instructionsFor(swiss, method, due), null);
    }
    assert.equal(instructionsFor({ ...swiss, bic: null }, 'wire_transfer', due), null);
  });
});

suite('the kind of reference', () => {
  const rows = [
    { account: swiss, method: 'local_bank_transfer_chf', kind: 'QRR' },
    { account: swiss, method: 'wire_transfer', kind: 'RF' },
    { account: { ...swiss, currency: 'EUR' }, method: 'local_bank_transfer_eur', kind: 'QRR' },
    { account: { ...swiss, qrIban: null }, method: 'local_bank_transfer_chf', kind: 'RF' },
    { account: british, method: 'local_bank_transfer_gbp', kind: 'RF' },
  ];
  for (const { account, method, kind } of rows) {
    test(`${account.currency} ${method}${account.qrIban ? ' with a QR-IBAN' : ''}: ${kind}`, () => {
      assert.equal(referenceKindOf(account, method), kind);
      assert.equal(instructionsFor(account, method, due)?.referenceKind, kind);
    });
  }
});

suite('the code', () => {
  const chf = { ...swiss, qrIban: null };
  const rows = [
    {
      what: 'euro to Germany',
      account: account({ iban: DE_IBAN }),
      method: 'local_bank_transfer_eur',
      standard: 'EPC069-12',
    },
    { what: 'francs', account: chf, method: 'local_bank_transfer_chf', standard: 'Swiss QR-bill' },
    {
      what: 'euro to Switzerland, found by BIC',
      account: { ...chf, currency: 'EUR' },
      method: 'local_bank_transfer_eur',
      standard: 'EPC069-12',
    },
    {
      what: 'euro to Switzerland without',
      account: { ...chf, currency: 'EUR', bic: null },
      method: 'local_bank_transfer_eur',
      standard: 'Swiss QR-bill',
    },
    {
      what: 'from abroad',
      account: account({ iban: DE_IBAN, bic: 'COBADEFF' }),
      method: 'wire_transfer',
      standard: null,
    },
    { what: 'pounds', account: british, method: 'local_bank_transfer_gbp', standard: null },
    {
      what: 'dollars',
      account: account({ currency: 'USD', accountNumber: '1' }),
      method: 'local_bank_transfer_usd',
      standard: null,
    },
    {
      what: 'francs without an address',
      account: { ...chf, holder: { ...holder, city: '' } },
      method: 'local_bank_transfer_chf',
      standard: null,
    },
    {
      what: 'a number that is no IBAN, in euro',
      account: account({ accountNumber: '1' }),
      method: 'local_bank_transfer_eur',
      standard: null,
    },
  ];
  for (const { what, account, method, standard } of rows) {
    test(`${what}: ${standard}`, () => assert.equal(codeOf(account, method)?.standard ?? null, standard));
  }

  test('euro to a QR-IBAN is a QR-bill, with the cross; the others have none', () => {
    const code = codeOf({ ...swiss, currency: 'EUR' }, 'local_bank_transfer_eur', QRR);
    assert.deepEqual([code?.standard, code?.swissCross, code?.errorCorrection], ['Swiss QR-bill', true, 'M']);
    assert.equal(codeOf(account({ iban: DE_IBAN }), 'local_bank_transfer_eur')?.swissCross, false);
  });

  test('is none where the reference is of the wrong kind', () => {
    assert.equal(codeOf(swiss, 'local_bank_transfer_chf', OUR_RF), null);
  });
});
