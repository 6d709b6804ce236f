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
