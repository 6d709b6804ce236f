/** Bodies that are made to be slow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from '../../src/http/json.ts';

/** Hundreds of times what such a body takes; what takes longer than linear time takes more. */
const BUDGET_MS = 2_000;

for (const [name, text] of [
  ['a number with many zeros', `{"amount":1.${'0'.repeat(500_000)}1}`],
  ['a number with many digits', `{"amount":${'1'.repeat(500_000)}}`],
  ['many exponents', `[${Array(100_000).fill('1e5').join()}]`],
  ['many escapes', JSON.stringify('\\"'.repeat(250_000))],
] as const)
  test(`${name} is read in time`, () => {
    const start = performance.now();
    try {
      readJson(Buffer.from(text));
    } catch {
      // Whether it is refused is tested elsewhere.
    }
    assert.ok(performance.now() - start < BUDGET_MS);
  });
