import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { verdictOf } from '../../bench/row.ts';
import { queriesOf } from '../../bench/rows/lists.ts';
import { rows } from '../../bench/rows.ts';
import { median, slopeOf } from '../../bench/statistics.ts';

suite('rows of the bench', () => {
  const row = {
    reach: { ratio: { atLeast: 0.7 }, p99_ms: { atMost: 5 } },
    aim: { ratio: { atLeast: 0.85 } },
  };
  const cases = [
    { figures: { ratio: 0.9, p99_ms: 5 }, verdict: 'aim' },
    { figures: { ratio: 0.7, p99_ms: 1 }, verdict: 'reached' },
    { figures: { ratio: 0.69, p99_ms: 1 }, verdict: 'not reached' },
    { figures: { ratio: 0.9, p99_ms: 5.1 }, verdict: 'not reached' },
    { figures: { ratio: 0.9 }, verdict: 'not reached' },
    { figures: { ratio: Number.NaN, p99_ms: 1 }, verdict: 'not reached' },
  ] as const;
  for (const { figures, verdict } of cases) {
    test(`with ${JSON.stringify(figures)} come to: ${verdict}`, () => {
      assert.equal(verdictOf(row, figures), verdict);
    });
  }

  test('have names of their own', () => {
    assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  });
});

test('lists are asked for by none, each and every two of the filters, with all values', () => {
  assert.deepEqual(queriesOf({ a: ['1', '2'], 'b[c]': ['x y'], q: ['z'] }), [
    'limit=20',
    'a=1',
    'a=2',
    'b%5Bc%5D=x%20y',
    'q=z',
    'a=1&b%5Bc%5D=x%20y',
    'a=2&b%5Bc%5D=x%20y',
    'a=1&q=z',
    'a=2&q=z',
    'b%5Bc%5D=x%20y&q=z',
  ]);
});

test('a slope is that of the nearest line', () => {
  assert.equal(slopeOf([1, 2, 3, 4].map((x) => [x, 3 * x + 1] as const)), 3);
  assert.equal(
    slopeOf([
      [0, 1],
      [1, 0],
      [2, 1],
    ]),
    0,
  );
});

suite('a median', () => {
  test('is the one in the middle, or between the two', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([7]), 7);
  });
});
