/** The cache of what was used last, against a list that is searched, and against the bounds that it promises. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { createLru } from '../../src/lib/lru.ts';

type Use = { readonly key: number; readonly size: number | 'get' | 'delete' } | 'clear';

/** The same, by a list: newest last. */
function model(most: number) {
  let kept: Array<readonly [key: number, value: string]> = [];
  return {
    get(key: number): string | undefined {
      const found = kept.find(([each]) => each === key);
      if (found) kept = [...kept.filter((each) => each !== found), found];
      return found?.[1];
    },
    set(key: number, value: string): void {
      kept = kept.filter(([each]) => each !== key);
      if (value.length > most) return;
      kept.push([key, value]);
      while (kept.reduce((sum, [, { length }]) => sum + length, 0) > most) kept.shift();
    },
    delete(key: number): void {
      kept = kept.filter(([each]) => each !== key);
    },
    clear(): void {
      kept = [];
    },
  };
}

suite('a cache of what was used last', () => {
  test('keeps what a list of the same size would keep', () => {
    const key = fc.integer({ min: 0, max: 8 });
    const size = fc.oneof(fc.integer({ min: 0, max: 7 }), fc.constantFrom('get' as const, 'delete' as const));
    const use: fc.Arbitrary<Use> = fc.oneof(
      { weight: 20, arbitrary: fc.record({ key, size }) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), fc.array(use, { maxLength: 80 }), (most, uses) => {
        const cache = createLru<number, string>({ most, sizeOf: ({ length }) => length });
        const list = model(most);
        for (const each of uses) {
          if (each === 'clear') {
            cache.clear();
            list.clear();
          } else if (each.size === 'get') assert.equal(cache.get(each.key), list.get(each.key));
          else if (each.size === 'delete') {
            cache.delete(each.key);
            list.delete(each.key);
          } else {
            const value = String(each.key).repeat(each.size);
            cache.set(each.key, value);
            list.set(each.key, value);
          }
        }
        for (let each = 0; each <= 8; each++) assert.equal(cache.get(each), list.get(each), `key ${each}`);
      }),
    );
  });

  test('counts entries where they have no size', () => {
    const cache = createLru<string, number>({ most: 2 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      cache.get('a');
      cache.set(key, index);
    }
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.get(key)),
      [0, undefined, 2],
    );
  });
});
