/** Tokens of payers' pages, and the codes of receipts that follow from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../src/checkout/session.ts';
import { newId } from '../src/id.ts';
import { newToken, opens, provesReceipt, readReceiptCode, readToken, receiptCode } from '../src/token.ts';
import { checkout } from './checkout/build.ts';

const scopes: readonly Scope[] = [
  { account: 1, mode: 'test' },
  { account: 999_999_999, mode: 'live' },
];

const sessionIn = (scope: Scope) => {
  const id = newId('chk', Date.now());
  return checkout({ id, scope, token: newToken(scope, id) });
};

test('a token and a code name the session that they are of', () => {
  for (const scope of scopes) {
    const session = sessionIn(scope);
    const named = { scope, checkoutId: session.id };
    assert.deepEqual(readToken(session.token), named);
    assert.deepEqual(readReceiptCode(receiptCode(session)), named);
  }
  for (const other of ['', '1t', '0t'.padEnd(54, '0'), `1x${'0'.repeat(52)}`, `1t${'0'.repeat(51)}!`]) {
    assert.equal(readReceiptCode(other), null, other);
  }
});

test('the code of a receipt is always the same, and each session has another', () => {
  const sessions = scopes.flatMap((scope) => [sessionIn(scope), sessionIn(scope)]);
  for (const session of sessions) {
    assert.equal(receiptCode(session), receiptCode(checkout({ ...session, version: 99 })));
    for (const other of sessions) assert.equal(provesReceipt(receiptCode(other), session), other === session);
  }
  // Frozen: receipts that were handed out must go on to be true.
  const known = checkout({ id: `chk_${'0'.repeat(26)}`, token: `1t${'0'.repeat(52)}` });
  assert.equal(receiptCode(known), `1t${'0'.repeat(26)}mnqcr62vyxtkvjspt0yapxyg8v`);
});

test('the code of a receipt is no token, and a token no code', () => {
  const session = sessionIn({ account: 1, mode: 'test' });
  assert.ok(opens(session.token, session));
  assert.ok(provesReceipt(receiptCode(session), session));
  assert.ok(!opens(receiptCode(session), session));
  assert.ok(!provesReceipt(session.token, session));
  assert.ok(!provesReceipt('', session));
});
