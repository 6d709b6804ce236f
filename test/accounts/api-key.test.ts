import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { type ApiKey, addApiKey, createApiKey, hashSecret } from '../../src/accounts/api-key.ts';

/** A directory of keys that refuses an id or secret that is taken, as databases do. */
function directory() {
  const rows: ApiKey[] = [];
  const add = async (key: ApiKey) => {
    const isTaken = rows.some(({ id, secretHash }) => id === key.id || secretHash === key.secretHash);
    if (!isTaken) rows.push(key);
    return !isTaken;
  };
  return { rows, store: { apiKeys: { add } } };
}

const given = {
  tenant: { account: 7, mode: 'live' },
  permissions: ['read'],
  name: 'shop',
  nowMs: 5,
} as const;

suite('API keys', () => {
  test('are stored without their secret', async () => {
    const { rows, store } = directory();
    const { id, secret } = await createApiKey(store, given);
    const { tenant, permissions, name } = given;
    const secretHash = hashSecret(secret);
    assert.deepEqual(rows, [{ id, tenant, secretHash, permissions, name, createdAt: 5, revokedAt: null }]);
    assert.match(secretHash, /^[0-9a-f]{64}$/);
  });

  test('name their mode, and end with a checksum that scanners for secrets know', async () => {
    const { id, secret } = await createApiKey(directory().store, given);
    assert.match(id, /^ak_live_[0-9a-z]{16}$/);
    const [, random = '', checksum = ''] = /^sk_live_([0-9a-z]{40})([0-9a-z]{7})$/.exec(secret) ?? [];
    assert.equal(Number.parseInt(checksum, 36), crc32(random));
  });

  test('that could not be stored are not handed out', async () => {
    const refusing = { apiKeys: { add: async () => false } };
    await assert.rejects(createApiKey(refusing, given), /came twice/);
  });

  test('cannot share an id or a secret', async () => {
    const { store } = directory();
    assert.equal(await addApiKey(store, { ...given, id: 'ak_1', secret: 'one' }), true);
    assert.equal(await addApiKey(store, { ...given, id: 'ak_1', secret: 'two' }), false);
    assert.equal(await addApiKey(store, { ...given, id: 'ak_2', secret: 'one' }), false);
  });
});
