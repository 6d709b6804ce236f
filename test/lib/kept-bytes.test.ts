/** The cache of bytes in blocks: what it gives is what was set last, and what was used lately is there. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { createKeptBytes } from '../../src/lib/kept-bytes.ts';

const BLOCK_BYTES = 32;
const LETTERS = ['a', 'é', '日', '🛒'];

type Use = { readonly key: number; readonly letter: string; readonly times: number; readonly sets: boolean };

const use: fc.Arbitrary<Use> = fc.record({
  key: fc.integer({ min: 0, max: 20 }),
  letter: fc.constantFrom(...LETTERS),
  times: fc.integer({ min: 0, max: 12 }),
  sets: fc.boolean(),
});

suite('a cache of bytes in blocks', () => {
  test('gives what was set last or nothing, and what was used lately', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(use, { minLength: 1, maxLength: 200 }),
        (blocks, uses) => {
          const kept = createKeptBytes<string>(blocks, BLOCK_BYTES);
          const memory = new Set<Buffer>();
          const last = new Map<string, string>();
          /** Keys in the order of their use, the latest last. */
          let order: string[] = [];
          for (const { key: number, letter, times, sets } of uses) {
            const key = String(number);
            if (sets) {
              const text = letter.repeat(times);
              kept.set(key, text, `about ${text}`);
              last.set(key, text);
            }
            const found = kept.get(key);
            order = [...order.filter((each) => each !== key), key];
            const text = last.get(key);
            if (found === undefined) {
              const isKept = text !== undefined && Buffer.byteLength(text) <= BLOCK_BYTES;
              assert.ok(!(sets && isKept), 'it was set just now');
              last.delete(key);
              continue;
            }
            memory.add(found.block);
            assert.equal(found.block.toString('utf8', found.start, found.end), text);
            assert.equal(found.about, `about ${text}`);
          }
          assert.ok(memory.size <= blocks);
          // Each block may end with room for less than the longest text, and half of them are used again for what is new.
          let bytes = 0;
          for (const key of order.toReversed()) {
            const length = Buffer.byteLength(last.get(key) ?? '');
            if (!last.has(key) || length > BLOCK_BYTES) continue;
            bytes += length;
            if (bytes > BLOCK_BYTES / 2) break;
            assert.ok(kept.get(key), `key ${key} was used lately`);
          }
        },
      ),
    );
  });

  test('keeps what is looked at again and again, however much else comes', () => {
    const kept = createKeptBytes<null>(8, 100);
    kept.set('hot', 'x'.repeat(40), null);
    for (let other = 0; other < 1_000; other++) {
      kept.set(String(other), 'y'.repeat(40), null);
      const hot = kept.get('hot');
      assert.equal(hot?.block.toString('latin1', hot.start, hot.end), 'x'.repeat(40));
    }
    const others = Array.from({ length: 1_000 }, (_, other) => kept.get(String(other)));
    assert.equal(others[0], undefined);
    assert.ok(others.at(-1));
  });

  test('forgets what does not fit', () => {
    const kept = createKeptBytes<number>(2, 10);
    kept.set('a', 'ä'.repeat(5), 1);
    assert.equal(kept.get('a')?.about, 1);
    kept.set('a', 'ä'.repeat(6), 2);
    assert.equal(kept.get('a'), undefined);
  });
});
