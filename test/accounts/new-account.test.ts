/** Rules of making an account. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAccount } from '../../src/accounts/account.ts';
import { newApiKey } from '../../src/accounts/api-key.ts';
import { decideApiKey } from '../../src/accounts/key-changes.ts';
import { decideNewAccount, MAX_ACCOUNTS } from '../../src/accounts/new-account.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { MAX_USERS } from '../../src/users/user.ts';

test('an account has the next number and its own secrets', () => {
  const [one, other] = [newAccount('One'), newAccount('Other')];
  const account = decideNewAccount({ next: 7, count: 6 }, one, 1000);
  assert.ok(!isRefusal(account));
  assert.deepEqual([account.number, account.name, account.createdAt], [7, 'One', 1000]);
  const secrets = [one, other].flatMap(({ webhookSecrets: { test, live } }) => [test, live]);
  assert.equal(new Set(secrets).size, 4);
});

test('a name that nobody can read, and one account too many, are refused', () => {
  for (const name of ['', '  ', 'x'.repeat(251), 'x\u200by', 'x ']) {
    const refusal = decideNewAccount({ next: 2, count: 1 }, newAccount(name), 0);
    assert.ok(isRefusal(refusal));
    assert.deepEqual(
      refusal.problems.map(({ pointer }) => pointer),
      ['/name'],
    );
  }
  const last = decideNewAccount({ next: MAX_ACCOUNTS, count: MAX_ACCOUNTS - 1 }, newAccount('Last'), 0);
  assert.ok(!isRefusal(last));
  const full = decideNewAccount({ next: MAX_ACCOUNTS + 1, count: MAX_ACCOUNTS }, newAccount('More'), 0);
  assert.ok(isRefusal(full) && full.reason === 'too_many_accounts');
});

test('the owners of as many accounts as there can be leave room for the users of all', () => {
  assert.ok(2 * MAX_ACCOUNTS <= MAX_USERS);
});

test('a key for test mode has no permission for all accounts', () => {
  const keyFor = (mode: 'test' | 'live') =>
    newApiKey({ tenant: { account: 1, mode }, permissions: ['read', 'accounts'], name: '', nowMs: 0 }).key;
  const counts = { active: 0, managing: 0 };
  const refusal = decideApiKey(null, counts, { type: 'create_api_key', key: keyFor('test') });
  assert.ok(isRefusal(refusal));
  assert.deepEqual(
    refusal.problems.map(({ pointer }) => pointer),
    ['/permissions'],
  );
  assert.ok(!isRefusal(decideApiKey(null, counts, { type: 'create_api_key', key: keyFor('live') })));
});
