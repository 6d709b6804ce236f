/** New accounts, and the clocks of their test data. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Account,
  createAccount,
  createFirstAccount,
  type NewAccount,
  tenantNow,
  tenantTime,
} from '../../src/accounts/account.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { accountNameProblem } from '../../src/lib/account-name.ts';

const completed = async (account: NewAccount): Promise<Account> => ({
  ...account,
  number: 1,
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  settings: { test: defaultSettings, live: defaultSettings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
});
const store = { accounts: { create: completed, createFirst: completed } };

suite('a new account', () => {
  for (const create of [createAccount, createFirstAccount]) {
    test(`signs with a secret of its own in each mode, and its clock is real time: ${create.name}`, async () => {
      const account = await create(store, 'Shop', 5);
      const { test: one, live: other } = account?.webhookSecrets ?? { test: '', live: '' };
      for (const secret of [one, other]) assert.match(secret, /^whsec_/);
      assert.notEqual(one, other);
      assert.deepEqual([account?.name, account?.testClockOffsetMs], ['Shop', 0]);
    });
  }
});

test('the clock of test data is ahead of real time, and nothing else is', () => {
  const ahead = { testClockOffsetMs: 50 };
  assert.equal(tenantTime(1000, 50), 1050);
  assert.equal(tenantNow(ahead, 'test', 1000), 1050);
  assert.equal(tenantNow(ahead, 'live', 1000), 1000);
  for (const missing of [null, undefined]) assert.equal(tenantNow(missing, 'test', 1000), 1000);
});

suite('the name of an account', () => {
  test('is one that payers can read, in any language', () => {
    for (const name of ['Shop', 'é', '商店', 'نان\u200cآوران', 'A & B <C>', '🛒', 'x'.repeat(100)])
      assert.equal(accountNameProblem(name), null, JSON.stringify(name));
  });

  test('has nothing that is not seen or steers a terminal, and no blanks at its ends', () => {
    for (const name of ['', ' ', 'x'.repeat(101), '\u200c', '\u200d\u200c'])
      assert.equal(accountNameProblem(name), 'must have 1 to 100 characters', JSON.stringify(name));
    for (const each of ['\n', '\u001b[31m', '\u200b', '\u202e', '\u2028', '\u00ad', '\ufeff', '\ud800'])
      assert.equal(accountNameProblem(`x${each}y`), 'must have no characters that cannot be seen', each);
    for (const name of [' x', 'x ', '\u00a0x'])
      assert.equal(accountNameProblem(name), 'must have no blanks at its ends', JSON.stringify(name));
  });
});
