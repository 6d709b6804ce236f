/** Copies of sessions: what is changed in them, what is not, and the order of their fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed, checkoutOf } from '../../src/checkout/session.ts';
import { checkout, EXPIRES } from './build.ts';

test('a session has the changes, and all else as it was', () => {
  const before = checkout({ expiresAt: EXPIRES });
  const after = changed(before, { amount: 7, expiresAt: null });
  assert.deepEqual(after, { ...before, amount: 7, expiresAt: null });
});

test('every field can be changed', () => {
  const before = checkoutOf(checkout());
  for (const name of Object.keys(before)) {
    for (const value of ['changed', null]) {
      assert.deepEqual(changed(before, { [name]: value }), { ...before, [name]: value });
    }
  }
});

test('nothing else than the fields of a session is kept, in an order of its own', () => {
  const fields = checkout();
  const reversed = Object.fromEntries(Object.entries({ ...fields, another: 1 }).reverse());
  const made = checkoutOf(reversed as typeof fields);
  assert.deepEqual(made, fields);
  assert.deepEqual(Object.keys(made), Object.keys(checkoutOf(fields)));
});
