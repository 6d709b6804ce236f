/** Codes of second factors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashCode, newRecoveryCodes, newTotpSecret, totpAddress, usedTotp } from '../../src/users/codes.ts';

// Appendix B of RFC 6238, of whose eight digits six are used.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
] as const;

test('codes are those of RFC 6238', () => {
  for (const [seconds, code] of vectors) {
    const used = usedTotp({ secret, lastStep: 0 }, code, seconds * 1000);
    assert.deepEqual(used, { secret, lastStep: Math.floor(seconds / 30) }, code);
  }
});

test('what is no code of six digits is wrong, and no error', () => {
  for (const code of ['', '28708', '2870820', '28708２', 'abcdef', '-87082', '0x1234', '287 82'])
    assert.equal(usedTotp({ secret, lastStep: 0 }, code, 59_000), null, code);
});

test('an authenticator app is told the issuer, the address and the secret', () => {
  const made = newTotpSecret();
  assert.match(made, /^[A-Z2-7]{32}$/);
  assert.equal(
    totpAddress(made, 'ada+till@example.com'),
    `otpauth://totp/opentill:ada%2Btill%40example.com?issuer=opentill&secret=${made}&algorithm=SHA1&digits=6&period=30`,
  );
});

test('recovery codes differ, and are known however they are typed', () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^[0-9a-z]{6}(-[0-9a-z]{6}){3}$/);
  assert.equal(hashCode('K3M9Q 7xw2p'), hashCode('k3m9q-7xw2p'));
  assert.notEqual(hashCode('k3m9q-7xw2p'), hashCode('k3m9q-7xw2q'));
});
