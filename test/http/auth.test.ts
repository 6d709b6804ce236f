/** Callers that are remembered, so that their keys are not looked up for each request. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { createApiKey } from '../../src/accounts/api-key.ts';
import { createAuthenticator } from '../../src/http/auth.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory } from '../support/process.ts';

test('a key that comes in ever new spellings leaves others remembered', async (t) => {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const { number: account } = await createAccount(store, 'Shop', 0);
  const newKey = () =>
    createApiKey(store, { tenant: { account, mode: 'test' }, permissions: ['read'], name: '', nowMs: 0 });
  const [steady, shifting] = [await newKey(), await newKey()];
  const auth = createAuthenticator(store, { most: 3 });
  const usual = `Bearer ${steady.secret}`;
  await auth.verify(usual);
  for (let spaces = 1; spaces <= 10; spaces++) {
    const spelling = `Bearer${' '.repeat(spaces)}${shifting.secret}`;
    assert.equal((await auth.verify(spelling)).keyId, shifting.id);
    assert.equal(auth.recall({ headers: { authorization: spelling } })?.keyId, shifting.id);
    assert.equal(auth.recall({ headers: { authorization: usual } })?.keyId, steady.id, `${spaces} spellings`);
  }
});
