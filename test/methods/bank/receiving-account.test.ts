import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { methodsOf } from '../../../src/methods/bank/receiving-account.ts';
import {
  readReceivingAccount,
  serializeReceivingAccount,
} from '../../../src/methods/bank/receiving-account-schema.ts';
import { findMethod } from '../../../src/methods/catalogue.ts';
import { account, CH_IBAN, DE_IBAN, QR_IBAN } from './build.ts';

const address = { name: 'Robert Schneider AG', country: 'CH', postal_code: '2501', city: 'Biel' };
const sepa = {
  id: 'main',
  currency: 'EUR',
  holder: { name: 'Example GmbH', country: 'DE' },
  iban: DE_IBAN,
  bic: 'COBADEFF',
};
const swiss = { id: 'ch', currency: 'CHF', holder: address, iban: CH_IBAN, qr_iban: QR_IBAN };
const proxies = {
  SGD: { paynow: '201403121W' },
  THB: { promptpay: '0812345678' },
  BRL: { pix: 'shop@example.com' },
  INR: { upi: 'shop@okbank' },
};

function read(given: unknown) {
  const answer = readReceivingAccount(given);
  assert.ok('account' in answer, JSON.stringify(answer));
  return answer.account;
}

/** All problems, each as "pointer detail". */
function problems(given: unknown): string[] {
  const answer = readReceivingAccount(given);
  assert.ok('problems' in answer, 'it was accepted');
  return answer.problems.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

suite('a receiving account that can be used', () => {
  test('has everything in its normal form', () => {
    const given = {
      id: 'main-1',
      currency: ' chf ',
      holder: {
        name: ' Robert Schneider AG ',
        street: 'Rue du Lac',
        building_number: '1268',
        postal_code: '2501',
        city: 'Biel',
        country: 'ch',
      },
      iban: 'ch93 0076 2011 6238 5295 7',
      bic: 'pofichbexxx',
      bank_name: 'PostFinance',
      qr_iban: 'CH44 3199 9123 0008 8901 2',
      account_number: '',
      bank_code: null,
    };
    assert.deepEqual(
      read(given),
      account({
        id: 'main-1',
        currency: 'CHF',
        iban: CH_IBAN,
        bic: 'POFICHBEXXX',
        bankName: 'PostFinance',
        qrIban: QR_IBAN,
      }),
    );
  });

  test('needs little: a holder in a country, and where the money goes', () => {
    const { id, holder } = read({
      id: 'a',
      currency: 'USD',
      holder: { name: 'Shop', country: 'US' },
      account_number: '12-345 6',
    });
    assert.equal(id, 'a');
    assert.deepEqual(holder, {
      name: 'Shop',
      street: '',
      buildingNumber: '',
      postalCode: '',
      city: '',
      country: 'US',
    });
  });

  test('an empty text is as good as none, and so is null', () => {
    const bare = read(sepa);
    assert.deepEqual(read({ ...sepa, bank_name: '', pix: '  ', upi: null, account_number: undefined }), bare);
    assert.equal(bare.bankName, null);
  });

  for (const [currency, proxy] of Object.entries(proxies)) {
    test(`a proxy is enough for ${currency}`, () => {
      const { bic: _bic, iban: _iban, ...rest } = sepa;
      assert.equal(methodsOf(read({ ...rest, ...proxy, currency })).length, 1);
    });
  }

  test('is the same account again when it is read as it was serialized', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'Aé 1-'), maxLength: 16 });
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.constantFrom(sepa, swiss, { ...sepa, currency: 'BRL', pix: '529.982.247-25' }),
        (street, bank_name, base) => {
          const first = read({ ...base, bank_name, holder: { ...base.holder, street } });
          assert.deepEqual(read(serializeReceivingAccount(first)), first);
          assert.deepEqual(read(JSON.parse(JSON.stringify(serializeReceivingAccount(first)))), first);
        },
      ),
    );
  });
});

suite('a receiving account that cannot', () => {
  const rows: { why: string; given: unknown; says: string[] }[] = [
    { why: 'no object', given: 'main', says: [' must be an object'] },
    { why: 'a list', given: [], says: [' must be an object'] },
    { why: 'null', given: null, says: [' must be an object'] },
    {
      why: 'nothing in it',
      given: {},
      says: [
        '/id is required',
        '/currency is required',
        '/holder is required',
        ' must have at least one of iban, account_number, paynow, promptpay, pix, upi',
      ],
    },
    {
      why: 'fields that nobody knows',
      given: { ...sepa, IBAN: 'x', 'a/b~c': 1, holder: { ...sepa.holder, zip: '1' }, __proto__: null },
      says: [
        '/IBAN is not a known field',
        '/a~1b~0c is not a known field',
        '/holder/zip is not a known field',
      ],
    },
    {
      why: 'a field of every object',
      given: { ...sepa, toString: 'x' },
      says: ['/toString is not a known field'],
    },
    {
      why: 'values of another type',
      given: { ...sepa, id: 1, bic: ['COBADEFF'], holder: { name: true, country: 'DE' } },
      says: ['/id must be a string', '/bic must be a string or null', '/holder/name must be a string'],
    },
    {
      why: 'a holder that is a text',
      given: { ...sepa, holder: 'Example GmbH' },
      says: ['/holder must be an object'],
    },
    {
      why: 'an id with capitals',
      given: { ...sepa, id: 'Main' },
      says: ['/id must have only a to z, 0 to 9 and -'],
    },
    {
      why: 'a long id',
      given: { ...sepa, id: 'a'.repeat(33) },
      says: ['/id must have at most 32 characters'],
    },
    {
      why: 'no currency',
      given: { ...sepa, currency: 'EUX' },
      says: ['/currency must be an ISO 4217 currency code such as EUR'],
    },
    {
      why: 'no country',
      given: { ...sepa, holder: { name: 'A', country: 'EU' } },
      says: ['/holder/country must be an ISO 3166-1 alpha-2 country code such as DE'],
    },
    {
      why: 'a long name',
      given: { ...sepa, holder: { name: 'é'.repeat(71), country: 'DE' } },
      says: ['/holder/name must have at most 70 characters'],
    },
    {
      why: 'control characters',
      given: {
        ...sepa,
        bank_name: 'A\u0000B',
        holder: { name: 'A\nB', city: 'A\u2028B', street: '\ud800', country: 'DE' },
      },
      says: ['/bank_name', '/holder/name', '/holder/street', '/holder/city'].map(
        (each) => `${each} must have no control characters and no line breaks`,
      ),
    },
    {
      why: 'wrong check digits',
      given: { ...sepa, iban: 'DE89370400440532013001' },
      says: ['/iban has wrong check digits'],
    },
    { why: 'a wrong BIC', given: { ...sepa, bic: 'COBADEF' }, says: ['/bic must have 8 or 11 characters'] },
    {
      why: 'a BIC of another country',
      given: { ...sepa, bic: 'RZTIAT22' },
      says: ['/bic is of a bank in AT, and the IBAN of one in DE'],
    },
    {
      why: 'strange account numbers',
      given: { ...sepa, account_number: '12_34', bank_code: '<1>' },
      says: ['/account_number', '/bank_code'].map(
        (each) => `${each} must have only letters, digits, blanks and . / -`,
      ),
    },
    {
      why: 'a QR-IBAN as the IBAN',
      given: { ...swiss, qr_iban: null, iban: QR_IBAN },
      says: ['/iban is a QR-IBAN, which belongs in qr_iban'],
    },
    {
      why: 'an IBAN as the QR-IBAN',
      given: { ...swiss, qr_iban: CH_IBAN },
      says: ['/qr_iban must be a QR-IBAN: from CH or LI, with digits 5 to 9 between 30000 and 31999'],
    },
    {
      why: 'a QR-IBAN alone',
      given: { ...swiss, iban: null },
      says: ['/iban is required beside qr_iban, for all other payments'],
    },
    {
      why: 'a QR-IBAN for dollars',
      given: { ...swiss, currency: 'USD' },
      says: ['/qr_iban is for CHF and EUR only'],
    },
    {
      why: 'a QR-IBAN without an address',
      given: { ...swiss, holder: { name: 'A', country: 'CH' } },
      says: ['/holder/postal_code is required for a QR-bill', '/holder/city is required for a QR-bill'],
    },
    {
      why: 'proxies of other currencies',
      given: { ...sepa, ...proxies.SGD, ...proxies.THB, ...proxies.BRL, ...proxies.INR },
      says: [
        '/paynow is for SGD only',
        '/promptpay is for THB only',
        '/pix is for BRL only',
        '/upi is for INR only',
      ],
    },
    {
      why: 'proxies that are none',
      given: { ...sepa, paynow: '1', promptpay: '1234545678782', pix: '52998224724', upi: 'shop' },
      says: [
        '/paynow must be a UEN such as 201403121W, or a mobile number such as +6591234567',
        '/promptpay has a wrong check digit',
        '/pix has wrong check digits for a CPF',
        '/upi must be a UPI address such as shop@bank',
      ],
    },
    {
      why: 'a proxy that is far too long',
      given: { ...sepa, currency: 'INR', upi: 'a'.repeat(300) },
      says: ['/upi must have at most 255 characters'],
    },
    {
      why: 'many things at once',
      given: { currency: 'EUR', holder: { name: '' }, iban: 'DE00', bogus: 1 },
      says: [
        '/bogus is not a known field',
        '/id is required',
        '/iban must have 22 characters for DE, and has 4',
        '/holder/name is required',
        '/holder/country is required',
      ],
    },
  ];
  for (const { why, given, says } of rows) {
    test(why, () => assert.deepEqual(problems(given).sort(), says.toSorted()));
  }

  test('any value at all gets an account or problems, never an error', () => {
    const names = ['id', 'currency', 'holder', 'iban', 'bic', 'qr_iban', 'pix', 'paynow', 'x'];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.anything()), (given) => {
        const answer = readReceivingAccount(given);
        assert.ok('account' in answer || answer.problems.length > 0);
      }),
    );
  });
});

suite('the methods of a receiving account', () => {
  const rows = [
    {
      what: 'an IBAN with a BIC',
      parts: { iban: DE_IBAN, bic: 'COBADEFF' },
      methods: ['local_bank_transfer_eur', 'wire_transfer'],
    },
    { what: 'an IBAN without', parts: { iban: DE_IBAN }, methods: ['local_bank_transfer_eur'] },
    {
      what: 'a number with a BIC',
      parts: { currency: 'USD', accountNumber: '1', bic: 'BOFAUS3N' },
      methods: ['local_bank_transfer_usd', 'wire_transfer'],
    },
    { what: 'a proxy', parts: { currency: 'SGD', paynow: '201403121W' }, methods: ['paynow_sgd'] },
    {
      what: 'a proxy with a BIC but no number',
      parts: { currency: 'INR', upi: 'a@bank', bic: 'HDFCINBB' },
      methods: ['upi_inr'],
    },
    {
      what: 'a proxy and a number',
      parts: { currency: 'BRL', pix: 'a@example.com', accountNumber: '1' },
      methods: ['pix_brl', 'local_bank_transfer_brl'],
    },
    {
      what: 'a proxy of Thailand',
      parts: { currency: 'THB', promptpay: '0812345678' },
      methods: ['promptpay_thb'],
    },
  ];
  for (const { what, parts, methods } of rows) {
    test(`${what}: ${methods.join(', ')}`, () => {
      assert.deepEqual(methodsOf(account(parts)), methods);
      for (const method of methods) {
        const known = findMethod(method);
        assert.ok(known);
        assert.ok(known.currency === null || known.currency === (parts.currency ?? 'EUR'));
      }
    });
  }
});
