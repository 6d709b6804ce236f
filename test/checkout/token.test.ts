/** Tokens of payers' pages, and the codes of receipts that follow from them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import {
  opens,
  provesReceipt,
  readReceiptCode,
  readToken,
  receiptCode,
  TOKEN_SECRET_LENGTH,
  tokenOf,
} from '../../src/checkout/token.ts';
import { newId, randomText } from '../../src/lib/id.ts';
import { checkout } from './build.ts';

const tenants: readonly Tenant[] = [
  { account: 1, mode: 'test' },
  { account: 999_999_999, mode: 'live' },
];

const sessionIn = (tenant: Tenant) => {
  const id = newId('chk', Date.now());
  return checkout({ id, tenant, token: tokenOf(tenant, id, randomText(TOKEN_SECRET_LENGTH)) });
};

test('a token and a code name the session that they are of', () => {
  for (const tenant of tenants) {
    const session = sessionIn(tenant);
    const named = { tenant, checkoutId: session.id };
    assert.deepEqual(readToken(session.token), named);
    assert.deepEqual(readReceiptCode(receiptCode(session)), named);
  }
  for (const other of ['', '1t', '0t'.padEnd(54, '0'), `1x${'0'.repeat(52)}`, `1t${'0'.repeat(51)}!`]) {
    assert.equal(readReceiptCode(other), null, other);
  }
});

test('the code of a receipt is always the same, and each session has another', () => {
  const sessions = tenants.flatMap((tenant) => [sessionIn(tenant), sessionIn(tenant)]);
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
