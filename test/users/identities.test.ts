/** Rules of accounts at a provider of OpenID Connect: what they prove, and who may connect one. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { isConfirmed, type User } from '../../src/users/user.ts';
import type { UserCommand } from '../../src/users/user-commands.ts';
import { browser, decide, decided, HOUR, MINUTE, sha256, signedIn, T } from './build.ts';

const identity = { issuer: 'https://login.example.com', subject: '1' };
const first = browser('first').id;
const linking = { type: 'link_identity', identity, signIn: first } as const;
const linked = decided('change', signedIn(), linking);

function refused(user: User, command: Parameters<typeof decide>[1]): string {
  const decision = decide(user, command);
  assert.ok(isRefusal(decision), 'not refused');
  return decision.detail;
}

suite('connecting an account', () => {
  test('is for a sign-in that has proved lately who it is of', () => {
    const late = T + 10 * MINUTE;
    decided('change', signedIn(), { ...linking, now: late - 1 });
    assert.match(refused(signedIn(), { ...linking, now: late }), /too long ago/);
  });

  test('is for no sign-in that has ended, or lacks its second factor', () => {
    assert.match(refused({ ...signedIn(), signIns: [] }, linking), /signed out/);
    const half = signedIn().signIns.map((each) => ({ ...each, isWhole: false }));
    assert.match(refused({ ...signedIn(), signIns: half }, linking), /signed out/);
  });
});

suite('signing in by a provider', () => {
  const now = T + HOUR;
  const signIn = (provenAt: number | null) =>
    decided('change', linked, {
      type: 'sign_in_by_identity',
      identity,
      provenAt,
      signIn: browser('second'),
      now,
    }).signIns.at(-1) ?? assert.fail();

  test('is whole, and proves who one is as of when the provider has asked', () => {
    for (const [provenAt, confirmedAt, isProof] of [
      [now - MINUTE, now - MINUTE, true],
      [now - 10 * MINUTE, now - 10 * MINUTE, false],
      [now + 20_000, now, true],
      [null, null, false],
    ] as const) {
      const made = signIn(provenAt);
      assert.deepEqual([made.isWhole, made.confirmedAt], [true, confirmedAt]);
      assert.equal(isConfirmed(made, now), isProof);
    }
  });
});

suite('proving at a provider who one is', () => {
  const now = T + HOUR;
  const confirm = {
    type: 'confirm_by_identity',
    identity,
    provenAt: now - MINUTE,
    signIn: first,
    secretHash: sha256('anew'),
    now,
  } as const satisfies UserCommand;

  test('counts from when the provider has asked, and changes the secret of the cookie', () => {
    const [signIn] = decided('change', linked, confirm).signIns;
    assert.deepEqual([signIn?.confirmedAt, signIn?.secretHash], [now - MINUTE, sha256('anew')]);
    const [ahead] = decided('change', linked, { ...confirm, provenAt: now + 20_000 }).signIns;
    assert.equal(ahead?.confirmedAt, now);
  });

  test('fails without the time, and with another account, which is counted', () => {
    for (const wrong of [{ provenAt: null }, { identity: { ...identity, subject: '2' } }]) {
      const [signIn] = decided('failed', linked, { ...confirm, ...wrong }).signIns;
      assert.deepEqual([signIn?.confirmedAt, signIn?.failures], [T, { count: 1, lastAt: now }]);
    }
  });
});
