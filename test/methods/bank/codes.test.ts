/** Payment codes, element by element. `codes-read.test.ts` has tests that they can be read. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { crc16, emvPayload } from '../../../src/methods/bank/codes/emv.ts';
import { epcPayload } from '../../../src/methods/bank/codes/epc.ts';
import { payNowPayload } from '../../../src/methods/bank/codes/paynow.ts';
import { pixPayload } from '../../../src/methods/bank/codes/pix.ts';
import { promptPayPayload } from '../../../src/methods/bank/codes/promptpay.ts';
import { swissPayload } from '../../../src/methods/bank/codes/swiss.ts';
import { ASCII, cleanText, cutText } from '../../../src/methods/bank/codes/text.ts';
import { upiLink } from '../../../src/methods/bank/codes/upi.ts';
import { anyText } from '../../support/any-text.ts';
import { CH_IBAN, DE_IBAN, holder, OUR_RF, QR_IBAN, QRR, RF } from './build.ts';
import { parseEmv, parseEpc, parseObjects, parseSwiss, parseUpi } from './parse-codes.ts';

const LARGEST = 999_999_999_99;

suite('text for codes', () => {
  const rows = [
    { text: 'Zoë Müller', plain: 'Zoe Muller' },
    { text: 'Łódź Straße Ægir Œuvre Þór', plain: 'Lodz Strasse AEgir OEuvre Thor' },
    { text: '  two\n lines\t ', plain: 'two lines' },
    { text: 'สวัสดี Shop', plain: 'Shop' },
    { text: 'Ｆｕｌｌ ½', plain: 'Full 12' },
    { text: '“O’Neil” – Sons', plain: '"O\'Neil" - Sons' },
    { text: '商店', plain: '' },
    { text: '\ud800', plain: '' },
  ];
  for (const { text, plain } of rows) {
    test(JSON.stringify(text), () => assert.equal(cleanText(text, ASCII, 70), plain));
  }
  test('is cut between characters, and ends in none that is blank', () => {
    assert.equal(cutText('😀😀😀', 2), '😀😀');
    assert.equal(cleanText('Ab cd', ASCII, 3), 'Ab');
  });
  test('comes out as what is allowed, whatever went in', () => {
    fc.assert(
      fc.property(anyText(), fc.nat(30), (text, length) => {
        const cleaned = cleanText(text, ASCII, length);
        assert.match(cleaned, /^([!-~]([ -~]*[!-~])?)?$/);
        assert.ok(cleaned.length <= length);
        assert.equal(cleanText(cleaned, ASCII, length), cleaned);
      }),
    );
  });
});

suite('EPC069-12', () => {
  const transfer = { name: 'Red Cross', iban: DE_IBAN, bic: null, amount: 1234, reference: RF };

  test('is these lines', () => {
    assert.equal(
      epcPayload({ ...transfer, bic: 'COBADEFF' }),
      `BCD\n002\n1\nSCT\nCOBADEFF\nRed Cross\n${DE_IBAN}\nEUR12.34\n\n${RF}`,
    );
  });

  test('needs no BIC within the European Economic Area', () => {
    const parsed = parseEpc(epcPayload(transfer) ?? '');
    assert.deepEqual(
      [parsed.bic, parsed.name, parsed.iban, parsed.amount, parsed.reference, parsed.text],
      ['', 'Red Cross', DE_IBAN, '12.34', RF, undefined],
    );
  });

  test('needs one in the rest of SEPA, and there is none for the rest of the world', () => {
    assert.equal(epcPayload({ ...transfer, iban: CH_IBAN }), null);
    assert.equal(parseEpc(epcPayload({ ...transfer, iban: CH_IBAN, bic: 'POFICHBE' }) ?? '').bic, 'POFICHBE');
    assert.equal(epcPayload({ ...transfer, iban: 'TR330006100519786457841326', bic: 'TCZBTR2A' }), null);
  });

  test('takes amounts from 0.01 to 999999999.99', () => {
    const amountOf = (amount: number) => parseEpc(epcPayload({ ...transfer, amount }) ?? '').amount;
    assert.equal(amountOf(1), '0.01');
    assert.equal(amountOf(LARGEST), '999999999.99');
    assert.equal(epcPayload({ ...transfer, amount: 0 }), null);
    assert.equal(epcPayload({ ...transfer, amount: LARGEST + 1 }), null);
  });

  test('cuts a name at 70 characters, and earlier where it would have more than 331 bytes', () => {
    const nameOf = (name: string) =>
      parseEpc(
        epcPayload({ ...transfer, name, bic: 'COBADEFFXXX', amount: LARGEST, reference: OUR_RF }) ?? '',
      ).name;
    assert.equal(nameOf('ü'.repeat(80)), 'ü'.repeat(70));
    const cut = nameOf('😀'.repeat(70)) ?? '';
    assert.ok(cut.length > 40 && cut.length < 140);
    assert.equal(cut, '😀'.repeat(cut.length / 2));
  });

  test('keeps to its lines whatever is in the name, and is none without a name', () => {
    assert.equal(
      parseEpc(epcPayload({ ...transfer, name: 'A\nEUR1.00\r\n\u2028B' }) ?? '').name,
      'A EUR1.00 B',
    );
    assert.equal(epcPayload({ ...transfer, name: '\u0007' }), null);
  });
});

suite('Swiss QR-bill', () => {
  const transfer = { holder, iban: QR_IBAN, currency: 'CHF', amount: 199_95, reference: QRR };

  test('is these lines', () => {
    const address = ['S', 'Robert Schneider AG', 'Rue du Lac', '1268', '2501', 'Biel', 'CH'];
    const nobody = Array<string>(7).fill('');
    const lines = [
      'SPC',
      '0200',
      '1',
      QR_IBAN,
      ...address,
      ...nobody,
      '199.95',
      'CHF',
      ...nobody,
      'QRR',
      QRR,
      '',
      'EPD',
    ];
    assert.equal(swissPayload(transfer), lines.join('\n'));
    assert.equal(lines.length, 31);
  });

  test('has a QR reference for a QR-IBAN, a creditor reference for any other, and nothing mixed', () => {
    const typeOf = (iban: string, reference: string) => {
      const payload = swissPayload({ ...transfer, iban, reference });
      return payload === null ? null : parseSwiss(payload).referenceType;
    };
    assert.equal(typeOf(QR_IBAN, QRR), 'QRR');
    assert.equal(typeOf(CH_IBAN, RF), 'SCOR');
    assert.equal(typeOf(QR_IBAN, RF), null);
    assert.equal(typeOf(CH_IBAN, QRR), null);
    assert.equal(typeOf(CH_IBAN, ''), null);
  });

  test('is for francs and euro, and for accounts in Switzerland and Liechtenstein', () => {
    assert.equal(parseSwiss(swissPayload({ ...transfer, currency: 'EUR' }) ?? '').currency, 'EUR');
    assert.equal(swissPayload({ ...transfer, currency: 'USD' }), null);
    assert.equal(swissPayload({ ...transfer, iban: DE_IBAN, reference: RF }), null);
    assert.notEqual(swissPayload({ ...transfer, iban: 'LI21088100002324013AA', reference: RF }), null);
  });

  test('takes amounts from 0.01 to 999999999.99', () => {
    assert.equal(parseSwiss(swissPayload({ ...transfer, amount: 1 }) ?? '').amount, '0.01');
    assert.equal(parseSwiss(swissPayload({ ...transfer, amount: LARGEST }) ?? '').amount, '999999999.99');
    assert.equal(swissPayload({ ...transfer, amount: 0 }), null);
    assert.equal(swissPayload({ ...transfer, amount: LARGEST + 1 }), null);
  });

  test('needs a name, a postal code and a town, but no street', () => {
    for (const part of ['name', 'postalCode', 'city']) {
      assert.equal(swissPayload({ ...transfer, holder: { ...holder, [part]: '' } }), null);
    }
    const payload = swissPayload({ ...transfer, holder: { ...holder, street: '', buildingNumber: '' } });
    assert.deepEqual(parseSwiss(payload ?? '').creditor, {
      kind: 'S',
      name: 'Robert Schneider AG',
      street: '',
      number: '',
      postalCode: '2501',
      city: 'Biel',
      country: 'CH',
    });
  });

  test('writes other letters with those that it may have', () => {
    const name = 'Ștefan Žižek & Frères ꞌ Ḱ €';
    assert.equal(
      parseSwiss(swissPayload({ ...transfer, holder: { ...holder, name } }) ?? '').creditor.name,
      'Ștefan Žižek & Frères K €',
    );
  });
});

suite('EMVCo', () => {
  test('the checksum of 123456789 is 29B1', () => assert.equal(crc16('123456789'), 0x29b1));

  const published = [
    // Banco Central do Brasil, Manual do BR Code.
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
    // The example that libraries for PromptPay share.
    '00020101021129370016A000000677010111011300668012345675802TH530376463046197',
    // A code from the tests of a library for PayNow.
    '00020101021226490009SG.PAYNOW010120210201101550Z03010040820201127520400005303702540550.005802SG5907Qryptal6009Singapore62060102AJ630488E9',
  ];
  for (const payload of published) {
    test(`the checksum of ${payload.slice(0, 40)}… is what was published`, () => {
      parseEmv(payload);
      assert.equal(crc16(payload.slice(0, -4)), Number.parseInt(payload.slice(-4), 16));
    });
  }

  const payment = {
    account: ['26', [['00', 'test']]],
    initiation: null,
    currencyNumber: '392',
    currency: 'JPY',
    amount: 1200,
    country: 'JP',
    name: 'Shop',
    city: 'Tokyo',
    additional: [['05', 'A1']],
  } as const;

  test('has the amount with the digits of the currency, in at most 13 characters', () => {
    assert.equal(parseEmv(emvPayload(payment) ?? '')['54'], '1200');
    assert.equal(parseEmv(emvPayload({ ...payment, currency: 'KWD' }) ?? '')['54'], '1.200');
    assert.equal(
      parseEmv(emvPayload({ ...payment, currency: 'THB', amount: 999_999_999_999 }) ?? '')['54'],
      '9999999999.99',
    );
    assert.equal(emvPayload({ ...payment, currency: 'THB', amount: 100_000_000_000_00 }), null);
    assert.equal(emvPayload({ ...payment, amount: 0 }), null);
  });

  test('has a name of at most 25 and a town of at most 15 characters, in ASCII and never missing', () => {
    const parsed = parseEmv(
      emvPayload({ ...payment, name: 'Café São João '.repeat(3), city: 'São José dos Campos' }) ?? '',
    );
    assert.equal(parsed['59'], 'Cafe Sao Joao Cafe Sao Jo');
    assert.equal(parsed['60'], 'Sao Jose dos Ca');
    const empty = parseEmv(emvPayload({ ...payment, name: 'ร้าน', city: '' }) ?? '');
    assert.deepEqual([empty['59'], empty['60']], ['NA', 'NA']);
  });

  test('has no room for a reference of more than 25 characters', () => {
    assert.notEqual(emvPayload({ ...payment, additional: [['05', 'A'.repeat(25)]] }), null);
    assert.equal(emvPayload({ ...payment, additional: [['05', 'A'.repeat(26)]] }), null);
  });
});

suite('PayNow', () => {
  const transfer = { payNow: '201403121W', name: 'ACME Pte Ltd', amount: 5000, reference: OUR_RF };

  test('names a company by its number, fixes the amount and carries the reference', () => {
    const parsed = parseEmv(payNowPayload(transfer) ?? '');
    assert.deepEqual(parseObjects(parsed['26'] ?? ''), {
      '00': 'SG.PAYNOW',
      '01': '2',
      '02': '201403121W',
      '03': '0',
    });
    assert.deepEqual(
      ['01', '52', '53', '54', '58', '59', '60'].map((id) => parsed[id]),
      ['12', '0000', '702', '50.00', 'SG', 'ACME Pte Ltd', 'Singapore'],
    );
    assert.deepEqual(parseObjects(parsed['62'] ?? ''), { '01': OUR_RF });
  });

  test('names a person by a telephone number', () => {
    const parsed = parseEmv(payNowPayload({ ...transfer, payNow: '+6591234567' }) ?? '');
    assert.deepEqual(parseObjects(parsed['26'] ?? ''), {
      '00': 'SG.PAYNOW',
      '01': '0',
      '02': '+6591234567',
      '03': '0',
    });
  });
});

suite('PromptPay', () => {
  const transfer = { promptPay: '0801234567', name: 'Shop', city: 'Bangkok', amount: 420, reference: OUR_RF };
  const rows = [
    { id: '0801234567', tag: '01', value: '0066801234567' },
    { id: '1234545678781', tag: '02', value: '1234545678781' },
    { id: '004000123456789', tag: '03', value: '004000123456789' },
  ];
  for (const { id, tag, value } of rows) {
    test(`${id} is ${value} in ${tag}`, () => {
      const parsed = parseEmv(promptPayPayload({ ...transfer, promptPay: id }) ?? '');
      assert.deepEqual(parseObjects(parsed['29'] ?? ''), { '00': 'A000000677010111', [tag]: value });
      assert.deepEqual(
        ['01', '53', '54', '58', '59', '60'].map((each) => parsed[each]),
        ['12', '764', '4.20', 'TH', 'Shop', 'Bangkok'],
      );
      assert.deepEqual(parseObjects(parsed['62'] ?? ''), { '05': OUR_RF });
    });
  }
});

suite('Pix', () => {
  const transfer = {
    pix: '123e4567-e12b-12d1-a456-426655440000',
    name: 'Fulano de Tal',
    city: 'BRASILIA',
    amount: 1000,
    reference: OUR_RF,
  };

  test('is the example of the manual but for amount, reference and checksum', () => {
    assert.equal(
      pixPayload(transfer)?.slice(0, -8),
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000520400005303986540510.005802BR' +
        `5913Fulano de Tal6008BRASILIA62260522${OUR_RF}`,
    );
    assert.equal(parseObjects(parseEmv(pixPayload(transfer) ?? '')['62'] ?? '')['05'], OUR_RF);
  });

  test('has room for the longest key', () => {
    const pix = `${'a'.repeat(65)}@example.com`;
    assert.equal(parseObjects(parseEmv(pixPayload({ ...transfer, pix }) ?? '')['26'] ?? '')['01'], pix);
    assert.equal(pix.length, 77);
  });
});

suite('UPI', () => {
  test('is this address', () => {
    assert.equal(
      upiLink({ upi: 'shop@okbank', name: 'Tea & Co', amount: 100_50, reference: OUR_RF }),
      `upi://pay?pa=shop@okbank&pn=Tea%20%26%20Co&tr=${OUR_RF}&tn=${OUR_RF}&am=100.50&cu=INR`,
    );
  });

  test('says nothing else whatever is in the name', () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 1, max: LARGEST }), (name, amount) => {
        const parsed = parseUpi(upiLink({ upi: 'shop@okbank', name, amount, reference: OUR_RF }));
        assert.deepEqual(Object.keys(parsed), ['pa', 'pn', 'tr', 'tn', 'am', 'cu']);
        assert.equal(parsed.pa, 'shop@okbank');
        assert.notEqual(parsed.pn, '');
        assert.equal(Math.round(Number(parsed.am) * 100), amount);
      }),
    );
  });
});
