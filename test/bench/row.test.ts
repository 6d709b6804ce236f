import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { verdictOf } from '../../bench/row.ts';
import { rows } from '../../bench/rows.ts';
import { median } from '../../bench/statistics.ts';

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

suite('a median', () => {
  test('is the one in the middle, or between the two', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.equal(median([7]), 7);
  });
});
