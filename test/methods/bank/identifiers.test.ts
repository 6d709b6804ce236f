import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { composeIBAN } from 'ibantools';
import {
  belongTogether,
  bic,
  type Identifier,
  iban,
  isCountry,
  isMobileNumber,
  isQrIban,
  payNow,
  pix,
  promptPay,
  qrIban,
  upi,
} from '../../../src/methods/bank/identifiers.ts';

type Right = { readonly given: string; readonly normal?: string; readonly display?: string };
type Wrong = { readonly given: string; readonly problem: RegExp };

function check(name: string, identifier: Identifier, right: readonly Right[], wrong: readonly Wrong[]): void {
  suite(name, () => {
    for (const { given, normal = given, display = normal } of right) {
      test(`${given} is right`, () => {
        assert.equal(identifier.normal(given), normal);
        assert.equal(identifier.normal(normal), normal, 'the normal form has itself as its normal form');
        assert.equal(identifier.problem(normal), null);
        assert.equal(identifier.display(normal), display);
      });
    }
    for (const { given, problem } of wrong) {
      test(`${JSON.stringify(given)} is not`, () => {
        assert.match(identifier.problem(identifier.normal(given)) ?? 'nothing is wrong', problem);
      });
    }
  });
}

const MUST_BE_IBAN = /^must be an IBAN: two letters/;

check(
  'an IBAN',
  iban,
  [
    { given: 'DE89370400440532013000', display: 'DE89 3704 0044 0532 0130 00' },
    {
      given: 'de89 3704 0044 0532 0130 00',
      normal: 'DE89370400440532013000',
      display: 'DE89 3704 0044 0532 0130 00',
    },
    {
      given: 'IBAN: GB82-WEST-1234-5698-7654-32',
      normal: 'GB82WEST12345698765432',
      display: 'GB82 WEST 1234 5698 7654 32',
    },
    { given: 'CH9300762011623852957', display: 'CH93 0076 2011 6238 5295 7' },
    { given: 'FR1420041010050500013M02606', display: 'FR14 2004 1010 0505 0001 3M02 606' },
    { given: 'NO9386011117947', display: 'NO93 8601 1117 947' },
    { given: 'MT84MALT011000012345MTLCAST001S', display: 'MT84 MALT 0110 0001 2345 MTLC AST0 01S' },
  ],
  [
    { given: '', problem: MUST_BE_IBAN },
    { given: '370400440532013000', problem: MUST_BE_IBAN },
    { given: 'DEXX370400440532013000', problem: MUST_BE_IBAN },
    { given: 'DE89370400440532013000é', problem: MUST_BE_IBAN },
    { given: 'US89370400440532013000', problem: /^begins with US, a country without IBANs$/ },
    { given: 'DE8937040044053201300', problem: /^must have 22 characters for DE, and has 21$/ },
    { given: 'DE8937040044053201300A', problem: /^has letters or digits where DE has none$/ },
    { given: 'DE89370400440532013001', problem: /^has wrong check digits$/ },
    { given: 'DE98370400440532013000', problem: /^has wrong check digits$/ },
    // The check digits of the whole are right, those of the Norwegian account in it are not.
    {
      given: composeIBAN({ countryCode: 'NO', bban: '86011117948' }) ?? '',
      problem: /^has wrong check digits within/,
    },
  ],
);

check(
  'a QR-IBAN',
  qrIban,
  [
    {
      given: 'CH44 3199 9123 0008 8901 2',
      normal: 'CH4431999123000889012',
      display: 'CH44 3199 9123 0008 8901 2',
    },
  ],
  [
    { given: 'CH9300762011623852957', problem: /^must be a QR-IBAN/ },
    { given: 'DE89370400440532013000', problem: /^must be a QR-IBAN/ },
    { given: 'CH4531999123000889012', problem: /^has wrong check digits$/ },
  ],
);

suite('the institutions of QR-IBANs', () => {
  const rows = [
    { institution: '29999', is: false },
    { institution: '30000', is: true },
    { institution: '31999', is: true },
    { institution: '32000', is: false },
  ];
  for (const { institution, is } of rows) {
    for (const country of ['CH', 'LI']) {
      test(`${country} ${institution}: ${is}`, () => {
        const composed = composeIBAN({ countryCode: country, bban: `${institution}123000889012` }) ?? '';
        assert.equal(iban.problem(composed), null);
        assert.equal(isQrIban(composed), is);
        assert.equal(qrIban.problem(composed) === null, is);
      });
    }
  }
});

suite('an IBAN with a slip of the pen', () => {
  const bbans = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 18, maxLength: 18 });
  const ibans = bbans.map((bban) => composeIBAN({ countryCode: 'DE', bban }) ?? '');

  test('any other digit is noticed', () => {
    fc.assert(
      fc.property(
        ibans,
        fc.integer({ min: 2, max: 21 }),
        fc.constantFrom(...'0123456789'),
        (right, at, digit) => {
          const changed = right.slice(0, at) + digit + right.slice(at + 1);
          assert.equal(iban.problem(changed), changed === right ? null : 'has wrong check digits');
        },
      ),
    );
  });

  test('neighbours that changed places are noticed', () => {
    fc.assert(
      fc.property(ibans, fc.integer({ min: 4, max: 20 }), (right, at) => {
        const changed = right.slice(0, at) + right.charAt(at + 1) + right.charAt(at) + right.slice(at + 2);
        assert.equal(iban.problem(changed), changed === right ? null : 'has wrong check digits');
      }),
    );
  });
});

check(
  'a BIC',
  bic,
  [
    { given: 'COBADEFF' },
    { given: 'cobadeffxxx', normal: 'COBADEFFXXX' },
    { given: 'NEDS ZAJJ XXX', normal: 'NEDSZAJJXXX' },
    { given: 'NCBVXKPR' },
  ],
  [
    { given: 'COBADEF', problem: /^must have 8 or 11 characters$/ },
    { given: 'COBADEFFXX', problem: /^must have 8 or 11 characters$/ },
    { given: 'COBAZZFF', problem: /^must name a country with its 5th and 6th letter$/ },
    { given: 'C0BADEFF', problem: /^must begin with six letters/ },
    { given: 'COBADEF!', problem: /^must begin with six letters/ },
  ],
);

suite('the country of a BIC', () => {
  const rows = [
    { iban: 'DE', bic: 'DE', fits: true },
    { iban: 'DE', bic: 'AT', fits: false },
    { iban: 'GB', bic: 'JE', fits: true },
    { iban: 'GB', bic: 'IE', fits: false },
    { iban: 'FR', bic: 'MC', fits: true },
    { iban: 'FR', bic: 'RE', fits: true },
    { iban: 'CH', bic: 'LI', fits: true },
    { iban: 'CH', bic: 'DE', fits: false },
  ];
  for (const { iban, bic, fits } of rows) {
    test(`an IBAN of ${iban} and a BIC of ${bic}: ${fits}`, () => {
      assert.equal(belongTogether(`${iban}00123`, `XXXX${bic}XX`), fits);
    });
  }
  test('countries are known by code', () => {
    for (const code of ['DE', 'SG', 'US', 'XK']) assert.equal(isCountry(code), true);
    for (const code of ['', 'ZZ', 'de', 'EU', 'UK', 'toString', '__proto__'])
      assert.equal(isCountry(code), false);
  });
});

const MUST_BE_PAYNOW = /^must be a UEN such as 201403121W, or a mobile number such as \+6591234567$/;

check(
  'an address of PayNow',
  payNow,
  [
    { given: '201403121W' },
    { given: '53012345d', normal: '53012345D' },
    { given: 'T08LL0001A' },
    { given: 'S99SS0001B' },
    { given: '201403121W 001', normal: '201403121W001' },
    { given: '+65 9123 4567', normal: '+6591234567', display: '+65 9123 4567' },
    { given: '9123 4567', normal: '+6591234567', display: '+65 9123 4567' },
    { given: '6581234567', normal: '+6581234567', display: '+65 8123 4567' },
  ],
  [
    { given: '', problem: MUST_BE_PAYNOW },
    { given: '201403121', problem: MUST_BE_PAYNOW },
    { given: '189903121W', problem: MUST_BE_PAYNOW },
    { given: 'X08LL0001A', problem: MUST_BE_PAYNOW },
    { given: '201403121W12', problem: MUST_BE_PAYNOW },
    { given: '+6561234567', problem: MUST_BE_PAYNOW },
    { given: '+4991234567', problem: MUST_BE_PAYNOW },
    { given: 'S1234567D', problem: MUST_BE_PAYNOW },
  ],
);

test('PayNow tells numbers of telephones from those of companies', () => {
  assert.equal(isMobileNumber('+6591234567'), true);
  assert.equal(isMobileNumber('201403121W'), false);
});

check(
  'an address of PromptPay',
  promptPay,
  [
    { given: '081-234-5678', normal: '0812345678', display: '081-234-5678' },
    { given: '+66 81 234 5678', normal: '0812345678', display: '081-234-5678' },
    { given: '66812345678', normal: '0812345678', display: '081-234-5678' },
    { given: '1-2345-45678-78-1', normal: '1234545678781', display: '1-2345-45678-78-1' },
    { given: '0105536001433', display: '0-1055-36001-43-3' },
    { given: '004000123456789' },
  ],
  [
    { given: '1234545678782', problem: /^has a wrong check digit$/ },
    { given: '0212345678', problem: /^must be a mobile number such as 0812345678/ },
    { given: '081234567', problem: /^must be a mobile number such as 0812345678/ },
    { given: '+65812345678', problem: /^must be a mobile number such as 0812345678/ },
    { given: '123454567878', problem: /^must be a mobile number such as 0812345678/ },
  ],
);

test('any other digit in a Thai id is noticed, but where two remainders have one check digit', () => {
  const right = '1234545678781';
  const remainder = (id: string) =>
    [...id.slice(0, 12)].reduce((sum, digit, index) => sum + Number(digit) * (13 - index), 0) % 11;
  for (let at = 0; at < right.length; at++) {
    for (const digit of '0123456789') {
      const changed = right.slice(0, at) + digit + right.slice(at + 1);
      // 11 less 0 and 11 less 10 both end in 1.
      const isAlike = changed.endsWith('1') && [0, 10].includes(remainder(changed));
      assert.equal(promptPay.problem(changed), isAlike ? null : 'has a wrong check digit', changed);
    }
  }
});

const MUST_BE_PIX =
  /^must be a CPF, a CNPJ, an e-mail address, a telephone number with \+55, or a random key$/;

check(
  'a key of Pix',
  pix,
  [
    { given: '529.982.247-25', normal: '52998224725', display: '529.982.247-25' },
    { given: '11.222.333/0001-81', normal: '11222333000181', display: '11.222.333/0001-81' },
    { given: '12.abc.345/01de-35', normal: '12ABC34501DE35', display: '12.ABC.345/01DE-35' },
    { given: 'Fulano.de+Tal@Example.COM', normal: 'fulano.de+tal@example.com' },
    { given: '+55 (11) 98765-4321', normal: '+5511987654321' },
    { given: '+55 61 3414-1414', normal: '+556134141414' },
    { given: '123E4567-E12B-12D1-A456-426655440000', normal: '123e4567-e12b-12d1-a456-426655440000' },
  ],
  [
    { given: '', problem: MUST_BE_PIX },
    { given: '52998224724', problem: /^has wrong check digits for a CPF$/ },
    { given: '52998224735', problem: /^has wrong check digits for a CPF$/ },
    { given: '11111111111', problem: /^has wrong check digits for a CPF$/ },
    { given: '11222333000182', problem: /^has wrong check digits for a CNPJ$/ },
    { given: '12ABC34501DE36', problem: /^has wrong check digits for a CNPJ$/ },
    { given: '00000000000000', problem: /^has wrong check digits for a CNPJ$/ },
    { given: 'nobody@', problem: /^must be an e-mail address where it has an @$/ },
    { given: 'josé@example.com', problem: /^must be an e-mail address where it has an @$/ },
    {
      given: `${'a'.repeat(66)}@example.com`,
      problem: /^must have at most 77 characters as an e-mail address$/,
    },
    { given: '+5511987', problem: /^must be a telephone number such as \+5511987654321$/ },
    { given: '+4911987654321', problem: /^must be a telephone number such as \+5511987654321$/ },
    { given: '123e4567-e12b-12d1-a456', problem: MUST_BE_PIX },
    { given: '5299822472', problem: MUST_BE_PIX },
  ],
);

check(
  'an address of UPI',
  upi,
  [{ given: 'shop@okbank' }, { given: ' My.Shop-1_a@OKBank ', normal: 'my.shop-1_a@okbank' }],
  [
    { given: 'shop', problem: /^must be a UPI address such as shop@bank$/ },
    { given: 'shop@', problem: /^must be a UPI address/ },
    { given: 'shop@bank.com', problem: /^must be a UPI address/ },
    { given: 'sh op@bank', problem: /^must be a UPI address/ },
    { given: 'shop@bank&am=1', problem: /^must be a UPI address/ },
    { given: `${'a'.repeat(256)}@bank`, problem: /^must have at most 255 characters$/ },
  ],
);
