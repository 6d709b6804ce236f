import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { randomText } from '../../../src/lib/id.ts';
import {
  creditorReference,
  displayReference,
  isCreditorReference,
  isQrReference,
  isReference,
  newReference,
  normalReference,
  qrReference,
  referencesIn,
} from '../../../src/methods/bank/references.ts';

const RF = 'RF18539007547034';
const QRR = '210000000003139471430009017';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const bodies = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 21 });
const digits26 = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 26, maxLength: 26 });
/** Results of `randomText`, so that a failure can be replayed. */
const randoms = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz'), minLength: 64, maxLength: 64 })
  .map((text) => (length: number) => text.slice(0, length));

function replaced(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}
function transposed(text: string, at: number): string {
  return text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
}

suite('references that are published', () => {
  for (const reference of [RF, 'RF712348231', 'RF45G72UUR', 'RF18000000000539007547034']) {
    test(`${reference} is a creditor reference`, () => {
      assert.equal(isCreditorReference(reference), true);
      assert.equal(isReference(reference), true);
      assert.equal(creditorReference(reference.slice(4)), reference);
    });
  }
  test(`${QRR} is a QR reference`, () => {
    assert.equal(isQrReference(QRR), true);
    assert.equal(isReference(QRR), true);
    assert.equal(qrReference(QRR.slice(0, 26)), QRR);
  });

  const wrong = [
    { why: 'empty', text: '' },
    { why: 'no body', text: 'RF18' },
    { why: 'a wrong check digit', text: 'RF19539007547034' },
    { why: 'blanks', text: 'RF18 5390 0754 7034' },
    { why: 'small letters', text: RF.toLowerCase() },
    { why: 'a body of 22', text: creditorReference('A'.repeat(22)) },
    { why: 'a line end', text: `${RF}\n` },
    { why: 'a QR reference with a wrong check digit', text: '210000000003139471430009018' },
    { why: 'a QR reference of 26 digits', text: QRR.slice(1) },
    { why: 'zeros only', text: '0'.repeat(27) },
  ];
  for (const { why, text } of wrong) {
    test(`none: ${why}`, () => assert.equal(isReference(text), false));
  }

  test('check digits that nobody calculates are none, though they have the right remainder', () => {
    // 97 more or less is the same remainder.
    const [low] = fc.sample(
      bodies.map(creditorReference).filter((each) => each.startsWith('RF98')),
      1,
    );
    assert.equal(isCreditorReference(low as string), true);
    assert.equal(isCreditorReference(`RF01${(low as string).slice(4)}`), false);
  });
});

suite('a new reference', () => {
  test('RF: 22 characters of an alphabet without confusable ones, valid', () => {
    fc.assert(
      fc.property(randoms, (random) => {
        const reference = newReference('RF', random);
        assert.match(reference, /^RF\d\d[0-9A-HJKMNP-TV-Z]{18}$/);
        assert.ok(isCreditorReference(reference));
        assert.equal(reference.slice(4), random(18).toUpperCase());
      }),
    );
  });

  test('QRR: 27 digits, valid, from more than 86 random bits', () => {
    fc.assert(
      fc.property(randoms, (random) => {
        const reference = newReference('QRR', random);
        assert.match(reference, /^\d{27}$/);
        assert.ok(isQrReference(reference));
      }),
    );
    assert.equal(
      newReference('QRR', (length) => '1'.padStart(length, '0')),
      qrReference('1'.padStart(26, '0')),
    );
    assert.equal(
      newReference('QRR', (length) => '10'.padStart(length, '0')),
      qrReference('32'.padStart(26, '0')),
    );
    // The highest digit is as good as random: what came before it counts.
    assert.notEqual(
      newReference('QRR', (length) => 'z'.repeat(length)),
      newReference('QRR', (length) => `y${'z'.repeat(length - 1)}`),
    );
  });

  for (const kind of ['RF', 'QRR'] as const) {
    test(`${kind}: of 2,000 none is like another`, () => {
      assert.equal(new Set(Array.from({ length: 2_000 }, () => newReference(kind, randomText))).size, 2_000);
    });
  }
});

suite('a slip of the pen is noticed', () => {
  // A letter counts as two digits, so that one in the place of a digit is noticed 96 times of 97 only.
  const isDigit = (character: string) => /\d/.test(character);
  const isAlike = (one: string, other: string) => isDigit(one) === isDigit(other);

  test('RF: any digit replaced by another, and any letter', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.constantFrom(...letters), (body, position, character) => {
        const reference = creditorReference(body);
        const at = 2 + (position % (reference.length - 2));
        fc.pre(isAlike(reference.charAt(at), character));
        const changed = replaced(reference, at, character);
        assert.equal(isCreditorReference(changed), changed === reference);
      }),
      { numRuns: 2_000 },
    );
  });

  test('RF: any two digits that changed places, and any two letters', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, position) => {
        const reference = creditorReference(body);
        const at = 4 + (position % body.length);
        fc.pre(isAlike(reference.charAt(at), reference.charAt(at + 1) || 'A'));
        const changed = transposed(reference, at);
        assert.equal(isCreditorReference(changed), changed === reference);
      }),
      { numRuns: 2_000 },
    );
  });

  test('QRR: any digit replaced by another', () => {
    fc.assert(
      fc.property(digits26, fc.nat(26), fc.constantFrom(...'0123456789'), (digits, position, digit) => {
        fc.pre(!/^0+$/.test(digits));
        const reference = qrReference(digits);
        const changed = replaced(reference, position, digit);
        assert.equal(isQrReference(changed), changed === reference);
      }),
      { numRuns: 2_000 },
    );
  });
});

suite('references as they are written', () => {
  test('in groups', () => {
    assert.equal(displayReference(RF), 'RF18 5390 0754 7034');
    assert.equal(displayReference('RF712348231'), 'RF71 2348 231');
    assert.equal(displayReference(QRR), '21 00000 00003 13947 14300 09017');
  });

  test('and back, whatever stands between', () => {
    for (const text of ['rf18 5390 0754 7034', ' RF18-5390-0754-7034\r\n', 'RF18.5390.0754/7034']) {
      assert.equal(normalReference(text), RF);
    }
    assert.equal(normalReference(displayReference(QRR)), QRR);
    assert.equal(normalReference(' \n'), '');
  });
});

suite('references in free text', () => {
  const rows = [
    { text: RF, found: [RF] },
    { text: 'RF18 5390 0754 7034', found: [RF] },
    { text: 'Rechnung rf18 5390\r\n0754 7034 Danke', found: [RF] },
    { text: '/ROC/RF18539007547034/', found: [RF] },
    { text: 'REFRF18539007547034', found: [RF] },
    { text: 'R F18 53900 75470 34', found: [RF] },
    { text: QRR, found: [QRR] },
    { text: 'QRR 21 00000 00003 13947\n14300 09017', found: [QRR] },
    { text: `REF${QRR}CHF`, found: [QRR] },
    { text: `${QRR}, ${RF}`, found: [QRR, RF] },
    { text: `${RF} and ${RF}`, found: [RF] },
    { text: '', found: [] },
    { text: 'Thanks for the coffee, RF for all of us', found: [] },
    { text: 'RF19 5390 0754 7034', found: [] },
    { text: `1${QRR}`, found: [] },
    { text: `${QRR}1`, found: [] },
  ];
  for (const { text, found } of rows) {
    test(JSON.stringify(text), () => assert.deepEqual(referencesIn(text), found));
  }

  /** Between any two characters a bank may put what fits its lines. */
  const separators = fc.constantFrom('', '', '', ' ', '\n', '\r\n', '  ', '-');
  const scattered = (reference: string, between: readonly string[]) =>
    [...reference].map((each, index) => each + (between[index % between.length] ?? '')).join('');

  test('ours are found however they were broken, in capitals or not, whatever stands around them', () => {
    fc.assert(
      fc.property(
        randoms,
        fc.array(separators, { minLength: 1, maxLength: 27 }),
        fc.boolean(),
        fc.constantFrom('', 'Invoice ', 'EREF+', 'SVWZ+', 'pay to '),
        fc.constantFrom('', ' thank you', '/Shop', '\nSHOP 7'),
        (random, between, isSmall, before, after) => {
          for (const kind of ['RF', 'QRR'] as const) {
            const reference = newReference(kind, random);
            const written = scattered(reference, between);
            const text = `${before}${isSmall ? written.toLowerCase() : written}${after}`;
            assert.ok(referencesIn(text).includes(reference), text);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('ours are found with the O that somebody typed for a zero, and I or L for a one', () => {
    const reference = newReference('RF', (length) => '10'.repeat(length / 2));
    const typed = `${reference.slice(0, 4)}${reference.slice(4).replaceAll('0', 'o').replace('1', 'l').replace('1', 'I')}`;
    assert.deepEqual(referencesIn(`for ${typed}.`), [reference]);
  });

  test('many of ours in one transfer are found in order', () => {
    const all = Array.from({ length: 40 }, () => newReference('RF', randomText));
    const found = referencesIn(all.join(', '));
    assert.deepEqual(
      found.filter((each) => all.includes(each)),
      all,
    );
  });

  test('all that is found is valid, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'RF0123456789 \nab') }), (text) => {
        for (const reference of referencesIn(text)) assert.ok(isReference(reference));
      }),
    );
  });

  test('what is after 10,000 characters is not looked at, and a long text costs little', () => {
    assert.deepEqual(referencesIn(`${'x '.repeat(5_000)}${RF}`), []);
    assert.deepEqual(
      referencesIn('RF12'.repeat(1_000_000)).filter((each) => !isReference(each)),
      [],
    );
  });
});
