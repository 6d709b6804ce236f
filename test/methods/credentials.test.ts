/** The vault: what opens credentials, and what does not. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  createVault,
  isSealed,
  type Place,
  type SealedCredentials,
  type SealedSecret,
  unreadableOf,
  type Vault,
} from '../../src/methods/credentials.ts';

const [one, two, three] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const place: Place = { tenant: { account: 1, mode: 'test' }, rail: 'stripe' };
const secrets = { secret_key: 'sk_test_0123456789abcdef', webhook_secret: 'whsec_short' };

const sealed = (vault: Vault, at = place): SealedCredentials => ({
  secrets: vault.seal(secrets, at),
  setAt: 5,
  setBy: 'operator',
});

const changed = (given: SealedCredentials, change: (secret: SealedSecret) => Partial<SealedSecret>) => ({
  ...given,
  secrets: Object.fromEntries(
    Object.entries(given.secrets).map(([field, each]) => [field, { ...each, ...change(each) }]),
  ),
});

suite('sealed credentials', () => {
  test('are opened with their key, and hold nothing of the secrets but a hint of long ones', () => {
    const vault = createVault(one);
    const given = sealed(vault);
    assert.deepEqual(createVault(one).open(given, place), secrets);
    assert.equal(vault.keyOf(given, place), 'current');
    const text = JSON.stringify(given);
    for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret.slice(6, 12)));
    const hints = Object.values(given.secrets).map(({ hint }) => hint);
    assert.deepEqual(hints, ['cdef', '']);
    assert.ok(isSealed(given));
  });

  test('differ each time, even for the same secrets', () => {
    const vault = createVault(one);
    const boxes = [sealed(vault), sealed(vault)].map((each) => each.secrets.secret_key?.box);
    assert.notEqual(boxes[0]?.slice(0, 16), boxes[1]?.slice(0, 16), 'the nonce is another one');
  });

  for (const [what, other] of [
    ['account', { ...place, tenant: { account: 2, mode: 'test' } }],
    ['mode', { ...place, tenant: { account: 1, mode: 'live' } }],
    ['rail', { ...place, rail: 'other' }],
  ] as const)
    test(`are opened in no other ${what}, even by a vault that knows them`, () => {
      const vault = createVault(one);
      const given = sealed(vault);
      assert.deepEqual(vault.open(given, place), secrets);
      assert.equal(vault.open(given, other), null);
      assert.equal(vault.keyOf(given, other), 'unknown');
      assert.deepEqual(vault.open(given, place), secrets);
    });

  test('are opened in no other field', () => {
    const vault = createVault(one);
    const { secret_key: key, webhook_secret: webhook } = sealed(vault).secrets;
    assert.ok(key && webhook);
    const swapped = { secrets: { secret_key: webhook, webhook_secret: key }, setAt: 5, setBy: 'operator' };
    assert.equal(vault.open(swapped, place), null);
  });

  test('are not opened with any bit of them changed', () => {
    const vault = createVault(one);
    const given = sealed(vault);
    const length = Buffer.from(given.secrets.webhook_secret?.box ?? '', 'base64').length;
    for (let at = 0; at < length; at++) {
      const flipped = changed(given, ({ box }) => {
        const bytes = Buffer.from(box, 'base64');
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        return { box: bytes.toString('base64') };
      });
      assert.equal(vault.open(flipped, place), null, String(at));
    }
    for (const box of ['', 'a', Buffer.alloc(28).toString('base64')]) {
      const cut = changed(given, () => ({ box }));
      assert.equal(vault.open(cut, place), null);
      assert.equal(isSealed(cut), false);
    }
  });

  test('are opened with the previous key, and sealed under the current one', () => {
    const old = sealed(createVault(one));
    const rotated = createVault(two, one);
    assert.deepEqual(rotated.open(old, place), secrets);
    assert.equal(rotated.keyOf(old, place), 'previous');
    const anew = sealed(rotated);
    assert.equal(rotated.keyOf(anew, place), 'current');
    assert.deepEqual(createVault(two).open(anew, place), secrets);
    const half = { ...old, secrets: { ...old.secrets, webhook_secret: anew.secrets.webhook_secret } };
    assert.equal(rotated.keyOf(half as SealedCredentials, place), 'previous');
    assert.equal(createVault(two).open(half as SealedCredentials, place), null);
  });

  test('stay closed under another key or none, and say of which account they are', () => {
    const given = sealed(createVault(one));
    for (const vault of [createVault(three, two), createVault(null)]) {
      assert.equal(vault.open(given, place), null);
      const account = { number: 1, railCredentials: { test: { stripe: given }, live: {} } };
      assert.deepEqual(unreadableOf(account, vault), [{ account: 1, mode: 'test', rail: 'stripe' }]);
    }
    assert.equal(createVault(null).canSeal, false);
    assert.throws(() => createVault(null).seal(secrets, place), /CREDENTIALS_KEY is not set/);
  });
});
