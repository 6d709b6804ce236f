/** Refusals are told from everything else that a decision may come to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal, refuse } from '../../src/checkout/refusals.ts';

test('a refusal is not mistaken for another result', () => {
  assert.equal(isRefusal(refuse('not_found', 'There is no such session.')), true);
  assert.equal(isRefusal({ kind: 'change' }), false);
  assert.equal(isRefusal({ state: 'refusal' }), false);
});
