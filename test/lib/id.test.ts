/** Ids: unique, and in the order in which they were made. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { firstIdAt, ID_LENGTH, newId, randomText, textOfBytes } from '../../src/lib/id.ts';

const T = 1_894_708_860_000;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** The number that these digits of base 32 are. */
const numberOf = (text: string) => [...text].reduce((sum, digit) => 32 * sum + DIGITS.indexOf(digit), 0);

suite('an id', () => {
  test('has its prefix, 26 characters, the time and a counter', () => {
    const counterOf = (id: string) => numberOf(id.slice(14, 18));
    const first = counterOf(newId('chk', T)) + 1;
    const ids = Array.from({ length: 100 }, () => newId('chk', T + 1));
    for (const [index, id] of ids.entries()) {
      assert.match(id, /^chk_[0-9a-hjkmnp-tv-z]{26}$/);
      assert.equal(numberOf(id.slice(4, 14)), T + 1);
      assert.equal(counterOf(id), first + index);
    }
    assert.equal(ID_LENGTH, 26);
    assert.equal(new Set(ids.map((id) => id.slice(18))).size, 100);
  });

  test('stands behind those before it, and within its time', () => {
    const times = fc.array(fc.nat(1_000_000), { minLength: 2 });
    fc.assert(
      fc.property(times, (gaps) => {
        let now = T;
        let before = '';
        for (const gap of gaps) {
          now += gap;
          const id = newId('evt', now);
          assert.ok(before < id);
          assert.ok(firstIdAt('evt', now) <= id && id < firstIdAt('evt', now + 1));
          before = id;
        }
      }),
    );
  });

  test('stands behind those of its millisecond, whatever clocks of others say in between', () => {
    const ids = Array.from({ length: 10 }, (_, index) => {
      newId('evt', T + 5000 + (index % 3));
      return newId('evt', T);
    });
    assert.deepEqual(ids.toSorted(), ids);
  });

  test('has a counter that begins anew between two milliseconds, and not within one', () => {
    const half = 32 ** 4 / 2;
    let id = newId('evt', T);
    for (let count = 0; count < half; count++) {
      const next = newId('evt', T);
      if (next <= id) assert.fail(`${next} stands before ${id}`);
      id = next;
    }
    assert.equal(numberOf(newId('evt', T + 1).slice(14, 18)), 1);
  });

  test('of a time before 1970 is none: all come behind it', () => {
    assert.equal(firstIdAt('whd', -5), 'whd_0000000000');
  });
});

suite('random text', () => {
  test('is as long as it is to be, and never the same', () => {
    const texts = Array.from({ length: 2_000 }, () => randomText(12));
    for (const text of texts) assert.match(text, /^[0-9a-hjkmnp-tv-z]{12}$/);
    assert.equal(new Set(texts).size, texts.length);
    for (const length of [0, 1, 4095, 4096, 5000]) assert.equal(randomText(length).length, length);
  });

  test('shares no piece with the one before it', () => {
    const [one, other] = [randomText(40), randomText(40)];
    for (let at = 0; at + 12 <= 40; at++) assert.ok(!other.includes(one.slice(at, at + 12)));
  });

  test('has a character for each five bits', () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => index + 192);
    assert.equal(textOfBytes(bytes), DIGITS + DIGITS);
  });
});
