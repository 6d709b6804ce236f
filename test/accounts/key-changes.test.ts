/** Rules of changing API keys. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { newApiKey, type Permission } from '../../src/accounts/api-key.ts';
import { decideApiKey, MAX_API_KEYS } from '../../src/accounts/key-changes.ts';
import { isRefusal } from '../../src/checkout/refusals.ts';

const keyFor = (...permissions: Permission[]) =>
  newApiKey({ tenant: { account: 1, mode: 'test' }, permissions, name: '', nowMs: 1000 }).key;

test('a new key has its permissions once, in one order, whatever was named', () => {
  assert.deepEqual(keyFor('manage', 'read', 'read').permissions, ['read', 'manage']);
});

suite('creating a key', () => {
  const create = (active: number, key = keyFor('read')) =>
    decideApiKey(null, { active, managing: 1 }, { type: 'create_api_key', key });

  test('counts it', () => {
    const key = keyFor('read', 'manage');
    assert.deepEqual(create(3, key), { kind: 'created', key, counts: { active: 4, managing: 2 } });
    const decision = create(3);
    assert.ok(!isRefusal(decision));
    assert.deepEqual(decision.counts, { active: 4, managing: 1 });
  });

  test('is refused where there are as many as there may be', () => {
    assert.equal(create(MAX_API_KEYS - 1).kind, 'created');
    const refused = create(MAX_API_KEYS);
    assert.ok(isRefusal(refused));
    assert.equal(refused.reason, 'too_many_api_keys');
  });
});

suite('revoking a key', () => {
  const counts = { active: MAX_API_KEYS + 1, managing: 1 };
  const revoke = (key: ReturnType<typeof keyFor> | null) =>
    decideApiKey(key, counts, { type: 'revoke_api_key', at: 2000 });

  test('is possible however many there are, and for the last that may manage', () => {
    const key = keyFor('manage');
    assert.deepEqual(revoke(key), {
      kind: 'revoked',
      key: { ...key, revokedAt: 2000 },
      counts: { active: MAX_API_KEYS, managing: 0 },
    });
  });

  test('changes nothing the second time', () => {
    const key = { ...keyFor('manage'), revokedAt: 1500 };
    assert.deepEqual(revoke(key), { kind: 'unchanged', key, counts });
  });

  test('is refused for one that there is not', () => {
    const refused = revoke(null);
    assert.ok(isRefusal(refused));
    assert.equal(refused.reason, 'not_found');
  });
});
