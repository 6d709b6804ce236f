/** The cache of bytes in blocks: what it gives is what was set last, and what was used lately is there. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { createKeptBytes } from '../../src/lib/kept-bytes.ts';
import { scaled } from '../support/scale.ts';

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
        fc.array(use, { minLength: 1, maxLength: 200, size: 'max' }),
        (blocks, uses) => {
          const kept = createKeptBytes<string>(blocks, BLOCK_BYTES);
          const memory = new Set<Buffer>();
          const last = new Map<string, string>();
          /** Bytes that may have been written since a key was used: whatever is used may be moved. */
          const since = new Map<string, number>();
          for (const { key: number, letter, times, sets } of uses) {
            const key = String(number);
            if (sets) {
              const text = letter.repeat(times);
              kept.set(key, text, `about ${text}`);
              last.set(key, text);
            }
            const text = last.get(key) ?? '';
            const length = Buffer.byteLength(text);
            const found = kept.get(key);
            if (found !== undefined) {
              memory.add(found.block);
              assert.equal(found.block.toString('utf8', found.start, found.end), text);
              assert.equal(found.about, `about ${text}`);
            } else if (last.has(key) && length <= BLOCK_BYTES) {
              // Of two blocks the other one has to be full before the one that was used is needed.
              assert.ok(!sets && (blocks === 1 || (since.get(key) ?? 0) > BLOCK_BYTES), `key ${key}`);
              last.delete(key);
            }
            for (const [other, bytes] of since) since.set(other, bytes + length);
            since.set(key, 0);
          }
          assert.ok(memory.size <= blocks);
        },
      ),
      { numRuns: scaled(200) },
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
