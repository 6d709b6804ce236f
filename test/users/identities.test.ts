/** Rules of accounts at a provider of OpenID Connect: what they prove, and who may connect one. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { isConfirmed, isInvited, type User } from '../../src/users/user.ts';
import type { UserCommand } from '../../src/users/user-commands.ts';
import { browser, decide, decided, HOUR, invitedUser, link, MINUTE, sha256, signedIn, T } from './build.ts';

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

suite('accepting an invitation by a provider', () => {
  const now = T + MINUTE;
  const accept = {
    ...{ type: 'accept_link_by_identity', secretHash: link.hash, identity, provenAt: now - 1_000 },
    ...{ name: 'Ada Lovelace', email: 'ada@example.com', signIn: browser('first'), now },
  } as const satisfies UserCommand;
  const member = decided('change', invitedUser('support'), accept);

  test('makes a user without a password, who is signed in as a whole', () => {
    const [signIn] = member.signIns;
    assert.deepEqual(
      [member.name, member.email, member.password, member.link, member.roles, isInvited(member)],
      ['Ada Lovelace', 'ada@example.com', null, null, { 1: 'support' }, false],
    );
    assert.deepEqual(member.identity, { ...identity, linkedAt: now });
    assert.deepEqual([signIn?.isWhole, signIn?.confirmedAt], [true, now - 1_000]);
    const [late] = decided('change', invitedUser(), { ...accept, provenAt: now + 20_000 }).signIns;
    assert.equal(late?.confirmedAt, now);
  });

  test('is good once, for the link, in its time, and of an invitation alone', () => {
    assert.match(refused(member, accept), /used already/);
    assert.match(refused(invitedUser(), { ...accept, secretHash: sha256('other') }), /used already/);
    assert.match(refused(invitedUser(), { ...accept, now: link.until }), /expired/);
    assert.match(refused({ ...signedIn(), link }, accept), /used already/);
  });

  test('is refused with an account, or an e-mail address, of somebody else', () => {
    const refusedBy = (facts: Parameters<typeof decide>[2]) => {
      const decision = decide(invitedUser(), accept, facts);
      assert.ok(isRefusal(decision), 'not refused');
      return [decision.reason, decision.problems.map(({ pointer }) => pointer)];
    };
    const other = { ...linked, id: 'usr_01kf00000000000000000000b2' } as const;
    assert.deepEqual(refusedBy({ byIdentity: other }), ['user_exists', []]);
    assert.deepEqual(refusedBy({ byEmail: other }), ['user_exists', ['/email']]);
  });

  test('leaves no other way in: it stays until there is a password', () => {
    assert.match(refused(member, { type: 'unlink_identity' }), /disconnect it once you have a password/);
    const set = { type: 'set_first_password', password: '$argon2id$x', signIn: first, now } as const;
    const with1 = decided('change', member, set);
    assert.equal(with1.password, '$argon2id$x');
    assert.match(refused(with1, set), /a password already/);
    assert.match(refused(member, { ...set, now: now + 11 * MINUTE }), /too long ago/);
    assert.match(refused({ ...member, signIns: [] }, set), /signed out/);
    assert.equal(decided('change', with1, { type: 'unlink_identity' }).identity, undefined);
  });

  test('keeps the last passkey until there is a password, also where the provider lets them in', () => {
    const key = { id: 'one', publicKey: 'AA', counter: 0, name: 'Phone' };
    const one = decided('change', member, { type: 'add_passkey', passkey: key });
    const two = decided('change', one, { type: 'add_passkey', passkey: { ...key, id: 'two' } });
    const remove = (passkey: string) => ({ type: 'remove_passkey', passkey }) as const;
    const { identity: _, ...alone } = one;
    const left = decided('change', two, remove('one'));
    for (const [user, passkey] of [
      [one, 'one'],
      [alone, 'one'],
      [left, 'two'],
    ] as const)
      assert.match(refused(user, remove(passkey)), /remove the last passkey once you have a password/);
    assert.equal(decided('unchanged', one, remove('none')).passkeys.length, 1);
    const set = { type: 'set_first_password', password: '$argon2id$x', signIn: first, now } as const;
    assert.deepEqual(decided('change', decided('change', one, set), remove('one')).passkeys, []);
  });

  test('lets nobody in by a password', () => {
    for (const verified of [null, '$argon2id$of the right password'])
      decided('failed', member, { type: 'sign_in', signIn: browser('second'), verified });
  });
});
