/** Rules of users. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { hashCode, newRecoveryCodes, newTotpSecret } from '../../src/users/codes.ts';
import {
  CONFIRMED_MS,
  isConfirmed,
  MAX_MEMBERS,
  MAX_SIGN_INS,
  MAX_USERS,
  openSignIn,
  type User,
} from '../../src/users/user.ts';
import {
  ada,
  bob,
  browser,
  decide,
  decided,
  HOUR,
  invitedUser,
  link,
  MINUTE,
  PASSWORD,
  sha256,
  signedIn,
  T,
} from './build.ts';

function refused(...given: Parameters<typeof decide>): string {
  const decision = decide(...given);
  assert.ok(isRefusal(decision), `${JSON.stringify(decision)} is no refusal`);
  return [decision.reason, ...decision.problems.map(({ pointer }) => pointer)].join(' ');
}

const codeOf = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

const codes = newRecoveryCodes();
const secret = newTotpSecret();
const withTotp = (user: User = signedIn()): User =>
  decided('change', user, { type: 'set_totp', secret, code: codeOf(secret, T), recoveryCodes: codes });

suite('inviting', () => {
  test('gives a role, and a link that is good for one use within its time', () => {
    const invited = invitedUser('finance', 7);
    assert.deepEqual(invited.roles, { 7: 'finance' });
    assert.equal(invited.password, null);
    const accept = (secretHash: string, now = T) =>
      ({
        type: 'accept_link',
        secretHash,
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        password: PASSWORD,
        signIn: browser('first'),
        now,
      }) as const;
    assert.equal(refused(invited, accept(sha256('another'))), 'not_found');
    assert.equal(refused(invited, accept(link.hash, link.until)), 'not_found');
    const user = decided('change', invited, accept(link.hash, link.until - 1));
    assert.equal(user.email, 'ada@example.com');
    assert.equal(user.name, 'Ada Lovelace');
    assert.equal(user.signIns.length, 1);
    assert.equal(refused(user, accept(link.hash)), 'not_found');
  });

  test('goes by its link alone: whoever has its e-mail address gets nothing by that', () => {
    const user = signedIn('owner', 1);
    const invite = {
      type: 'invite_user',
      id: bob,
      name: 'B',
      email: user.email,
      role: 'support',
      link,
    } as const;
    const invitation = decided('change', null, { ...invite, account: 2 }, { byEmail: user });
    assert.deepEqual([invitation.id, invitation.roles, invitation.password], [bob, { 2: 'support' }, null]);
    assert.equal(refused(null, { ...invite, account: 1 }, { byEmail: user }), 'user_exists /email');
  });

  test('gives somebody who is signed in a role more, and is over then', () => {
    const user = signedIn('owner', 1);
    const invitation = { ...invitedUser('support', 2), id: bob };
    const join = { type: 'join', invitation: bob, secretHash: link.hash } as const;
    const decision = decide(user, join, { invitation });
    assert.deepEqual(decision, {
      kind: 'change',
      user: { ...user, roles: { 1: 'owner', 2: 'support' } },
      used: invitation,
    });
    assert.equal(refused(user, join, { invitation: null }), 'not_found');
    assert.equal(refused(user, { ...join, secretHash: sha256('x') }, { invitation }), 'not_found');
    assert.equal(refused(user, { ...join, now: link.until }, { invitation }), 'not_found');
    // What leads a user back is no invitation.
    assert.equal(refused(user, join, { invitation: { ...signedIn(), id: bob, link } }), 'not_found');
    assert.equal(
      refused(user, join, { invitation: { ...invitation, roles: { 1: 'support' } } }),
      'user_exists',
    );
  });

  test('is refused where there are as many users as there may be', () => {
    const invite = {
      type: 'invite_user',
      id: bob,
      name: 'B',
      email: '',
      account: 1,
      role: 'owner',
      link,
    } as const;
    assert.equal(refused(null, invite, { count: MAX_USERS }), 'too_many_users');
    assert.equal(refused(null, invite, { members: MAX_MEMBERS }), 'too_many_users');
    decided('change', null, invite, { members: MAX_MEMBERS - 1 });
    decided('change', null, invite, { count: MAX_USERS - 1 });
  });

  test('takes the place of one that has expired where there is no other', () => {
    const invite = {
      ...({ type: 'invite_user', id: bob, name: 'B', email: '', account: 1, role: 'owner' } as const),
      ...{ link, now: T },
    };
    const open = { ...invitedUser(), link: { ...link, until: T + 1 } };
    const expired = { ...invitedUser(), link: { ...link, until: T } };
    const full = { count: MAX_USERS };
    assert.equal(refused(null, invite, { ...full, oldInvitations: [open] }), 'too_many_users');
    const decision = decide(null, invite, { ...full, oldInvitations: [open, expired] });
    assert.ok(!isRefusal(decision));
    assert.deepEqual([decision.user.id, decision.used], [bob, expired]);
    // Without it an account may have no owner left, and so it goes where nobody else does.
    const owner: User = { ...expired, roles: { 1: 'support', 2: 'owner' } };
    const other: User = { ...expired, roles: { 1: 'support' } };
    const usedOf = (...oldInvitations: User[]) => {
      const found = decide(null, invite, { ...full, oldInvitations });
      return isRefusal(found) ? null : found.used;
    };
    assert.deepEqual([usedOf(owner, other), usedOf(owner)], [other, owner]);
    const roomy = decide(null, invite, { count: MAX_USERS - 1, oldInvitations: [expired] });
    assert.ok(!isRefusal(roomy));
    assert.equal(roomy.used, undefined);
  });

  test('is not accepted with the address of another user', () => {
    const other = { ...signedIn(), id: bob };
    const accept = {
      type: 'accept_link',
      secretHash: link.hash,
      name: 'Ada',
      email: other.email,
      password: PASSWORD,
      signIn: browser(),
    } as const;
    assert.equal(refused(invitedUser(), accept, { byEmail: other }), 'user_exists /email');
  });
});

suite('signing in', () => {
  const signIn = (verified: string | null, now = T, name = 'second') =>
    ({ type: 'sign_in', verified, signIn: browser(name), now }) as const;

  test('needs the current password', () => {
    const user = decided('change', signedIn(), signIn(PASSWORD));
    assert.deepEqual(
      user.signIns.map(({ secretHash, confirmedAt }) => [secretHash, confirmedAt]),
      [
        [sha256('first'), T],
        [sha256('second'), T],
      ],
    );
    decided('failed', signedIn(), signIn(null));
    decided('failed', signedIn(), signIn('$argon2id$of the password before'));
    decided('failed', invitedUser(), signIn(null));
  });

  test('is looked at once in a minute behind ten wrong passwords, and counts anew behind a right one', () => {
    let user = signedIn();
    for (let i = 0; i < 10; i++) user = decided('failed', user, signIn(null));
    decided('paused', user, signIn(PASSWORD));
    assert.deepEqual(decided('paused', user, signIn(null, T + MINUTE - 1)).failures, user.failures);
    user = decided('failed', user, signIn(null, T + MINUTE));
    decided('paused', user, signIn(PASSWORD, T + MINUTE));
    user = decided('change', user, signIn(PASSWORD, T + 2 * MINUTE));
    assert.equal(user.failures.count, 0);
  });

  test('ends the oldest of too many, and those whose time is over', () => {
    let user = signedIn();
    for (let i = 0; i < MAX_SIGN_INS; i++) user = decided('change', user, signIn(PASSWORD, T, `n${i}`));
    assert.equal(user.signIns.length, MAX_SIGN_INS);
    assert.ok(user.signIns.every(({ secretHash }) => secretHash !== sha256('first')));
    const later = decided('change', user, signIn(PASSWORD, T + 24 * HOUR, 'later'));
    assert.equal(later.signIns.length, 1);
  });

  test('lasts for a day without use, and for two weeks at most', () => {
    let user = signedIn();
    const { id } = browser('first');
    assert.ok(openSignIn(user, id, T + 24 * HOUR - 1));
    assert.equal(openSignIn(user, id, T + 24 * HOUR), undefined);
    for (let now = T + 23 * HOUR; now < T + 14 * 24 * HOUR; now += 23 * HOUR) {
      user = decided('change', user, { type: 'see_sign_in', signIn: id, address: '192.0.2.8', now });
      assert.equal(user.signIns[0]?.address, '192.0.2.8');
    }
    assert.ok(openSignIn(user, id, T + 14 * 24 * HOUR - 1));
    assert.equal(openSignIn(user, id, T + 14 * 24 * HOUR), undefined);
    const see = { type: 'see_sign_in', signIn: id, address: '', now: T + 14 * 24 * HOUR } as const;
    assert.equal(refused(user, see), 'not_found');
  });

  test('ends one by one, and all others at once', () => {
    const two = decided('change', signedIn(), signIn(PASSWORD));
    const [first, second] = two.signIns;
    assert.ok(first && second);
    assert.deepEqual(decided('change', two, { type: 'sign_out', signIn: first.id }).signIns, [second]);
    assert.deepEqual(decided('change', two, { type: 'sign_out_others', signIn: first.id }).signIns, [first]);
  });

  test('ends for nobody without a change', () => {
    const one = signedIn();
    const [first] = one.signIns;
    assert.ok(first);
    for (const command of [
      { type: 'sign_out', signIn: browser('nobody').id },
      { type: 'sign_out_others', signIn: first.id },
    ] as const)
      assert.deepEqual(decided('unchanged', one, command).signIns, [first], command.type);
  });
});

suite('a second factor', () => {
  const later = T + MINUTE;
  const half = (user = withTotp(), name = 'second'): User =>
    decided('change', user, { type: 'sign_in', verified: PASSWORD, signIn: browser(name), now: later });
  const give = (code: string, now = later, name = 'second') =>
    ({ type: 'give_code', signIn: browser(name).id, code, secretHash: sha256('third'), now }) as const;

  test('is set with a code that shows that the app has it', () => {
    const wrong = { type: 'set_totp', secret, code: '000000', recoveryCodes: codes } as const;
    assert.equal(
      refused(signedIn(), { ...wrong, code: codeOf(secret, T - 2 * MINUTE) }),
      'field_invalid /code',
    );
    assert.deepEqual(withTotp().recoveryCodes, codes.map(hashCode));
  });

  test('is asked for behind the password, within five minutes, and the secret of the cookie changes', () => {
    const user = half();
    assert.deepEqual([user.signIns.at(-1)?.isWhole, user.signIns.at(-1)?.confirmedAt], [false, null]);
    const whole = decided('change', user, give(codeOf(secret, later)));
    assert.deepEqual(whole.signIns.at(-1), {
      ...user.signIns.at(-1),
      secretHash: sha256('third'),
      isWhole: true,
      confirmedAt: later,
    });
    const late = later + 5 * MINUTE;
    assert.equal(refused(user, give(codeOf(secret, late), late)), 'not_found');
    assert.equal(refused(whole, give(codeOf(secret, later))), 'not_found');
  });

  test('takes the codes of the steps beside the current one, each once and none behind one that was used', () => {
    for (const step of [-1, 0, 1]) decided('change', half(), give(codeOf(secret, later + step * 30_000)));
    for (const step of [-2, 2]) decided('failed', half(), give(codeOf(secret, later + step * 30_000)));
    const used = decided('change', half(), give(codeOf(secret, later)));
    const again = half(used, 'fourth');
    decided('failed', again, give(codeOf(secret, later), later, 'fourth'));
    decided('failed', again, give(codeOf(secret, later - 30_000), later, 'fourth'));
    decided('change', again, give(codeOf(secret, later + 30_000), later, 'fourth'));
  });

  test('pushes out no whole sign-in while it is still to come', () => {
    let user = withTotp();
    for (let i = 0; i < 30; i++) user = half(user, `half ${i}`);
    assert.equal(user.signIns.filter(({ isWhole }) => !isWhole).length, 3);
    assert.equal(user.signIns[0]?.secretHash, sha256('first'));
  });

  test('takes each recovery code once, however it is typed', () => {
    const [code = ''] = codes;
    const whole = decided('change', half(), give(` ${code.toUpperCase().replace('-', ' ')}`));
    assert.equal(whole.recoveryCodes.length, codes.length - 1);
    decided('failed', half(whole, 'fourth'), give(code, later, 'fourth'));
  });

  test('counts wrong codes with wrong passwords, and a right password alone does not end the count', () => {
    let user = withTotp();
    for (let i = 0; i < 5; i++) user = decided('failed', half(user, `n${i}`), give('123 45', later, `n${i}`));
    for (let i = 0; i < 5; i++) {
      user = decided('failed', user, { type: 'sign_in', verified: null, signIn: browser(), now: later });
    }
    decided('paused', user, { type: 'sign_in', verified: PASSWORD, signIn: browser(), now: later });
    const other = half({ ...user, failures: { count: 0, lastAt: 0 } });
    decided('paused', { ...other, failures: user.failures }, give(codeOf(secret, later)));
  });

  test('can be taken away, with its recovery codes, and the codes replaced', () => {
    const bare = decided('change', withTotp(), { type: 'remove_totp' });
    assert.deepEqual([bare.totp, bare.recoveryCodes], [null, []]);
    const anew = newRecoveryCodes();
    const replace = { type: 'replace_recovery_codes', recoveryCodes: anew } as const;
    assert.deepEqual(decided('change', withTotp(), replace).recoveryCodes, anew.map(hashCode));
  });

  test('that is not there has no recovery codes, and is not taken away', () => {
    const replace = { type: 'replace_recovery_codes', recoveryCodes: newRecoveryCodes() } as const;
    assert.equal(refused(signedIn(), replace), 'not_found');
    decided('unchanged', signedIn(), { type: 'remove_totp' });
  });
});

suite('proving anew who one is', () => {
  const { id } = browser('first');
  const now = T + HOUR;
  const confirm = (verified: string | null, code = '') =>
    ({ type: 'confirm', signIn: id, verified, code, secretHash: sha256('anew'), now }) as const;

  test('does for ten minutes', () => {
    const user = decided('change', signedIn(), confirm(PASSWORD));
    const [signIn] = user.signIns;
    assert.ok(signIn);
    assert.equal(signIn.secretHash, sha256('anew'));
    assert.ok(isConfirmed(signIn, now + CONFIRMED_MS - 1));
    assert.ok(!isConfirmed(signIn, now + CONFIRMED_MS));
    decided('failed', signedIn(), confirm(null));
  });

  test('takes a code as well where there is a second factor', () => {
    decided('failed', withTotp(), confirm(PASSWORD));
    decided('failed', withTotp(), confirm(null, codeOf(secret, now)));
    decided('change', withTotp(), confirm(PASSWORD, codeOf(secret, now)));
  });

  test('is held up by wrong tries of this browser alone, and not by those of strangers', () => {
    const signIn = { type: 'sign_in', verified: null, signIn: browser('stranger'), now } as const;
    let user = signedIn();
    for (let i = 0; i < 12; i++) {
      const decision = decide(user, signIn);
      assert.ok(!isRefusal(decision));
      user = decision.user;
    }
    decided('paused', user, { ...signIn, verified: PASSWORD });
    decided('change', user, confirm(PASSWORD));
    for (let i = 0; i < 10; i++) user = decided('failed', user, confirm(null));
    decided('paused', user, confirm(PASSWORD));
    decided('change', user, { ...confirm(PASSWORD), now: now + MINUTE });
  });

  test('is refused of a sign-in that has ended or lacks its second factor', () => {
    assert.equal(refused({ ...signedIn(), signIns: [] }, confirm(PASSWORD)), 'not_found');
    const [signIn] = signedIn().signIns;
    assert.ok(signIn);
    const half = {
      ...signedIn(),
      signIns: [{ ...signIn, createdAt: now, isWhole: false, confirmedAt: null }],
    };
    assert.equal(refused(half, confirm(PASSWORD)), 'not_found');
  });
});

suite('a passkey', () => {
  const key = { id: 'credential-1', publicKey: 'cHVibGlj', counter: 0, name: 'Phone' };
  const withKey = decided('change', signedIn(), { type: 'add_passkey', passkey: key });
  const used = { passkey: key.id, askedAt: T + 5, counter: 3 };
  const signIn = (given: Partial<typeof used> = {}, user = withKey) =>
    [
      user,
      { type: 'sign_in_by_passkey', signIn: browser('second'), now: T + 10, ...used, ...given },
    ] as const;

  test('is added once, and up to ten of them', () => {
    assert.deepEqual(withKey.passkeys, [{ ...key, createdAt: T, usedAt: 0 }]);
    decided('unchanged', withKey, { type: 'add_passkey', passkey: { ...key, name: 'again' } });
    let user = withKey;
    for (let i = 2; i <= 10; i++)
      user = decided('change', user, { type: 'add_passkey', passkey: { ...key, id: `credential-${i}` } });
    assert.equal(
      refused(user, { type: 'add_passkey', passkey: { ...key, id: 'one more' } }),
      'field_invalid /passkey',
    );
    assert.equal(decided('change', user, { type: 'remove_passkey', passkey: key.id }).passkeys.length, 9);
  });

  test('signs in as a whole, also where a second factor is set and wrong passwords came before', () => {
    const failures = { count: 12, lastAt: T + 9 };
    const user = { ...decided('change', ...signIn({}, { ...withTotp(withKey), failures })), totp: null };
    assert.equal(user.signIns.at(-1)?.confirmedAt, T + 10);
    assert.equal(user.failures.count, 0);
    assert.deepEqual([user.passkeys[0]?.usedAt, user.passkeys[0]?.counter], [T + 5, 3]);
  });

  test('is good for each challenge once, and for none before', () => {
    const user = decided('change', ...signIn());
    for (const askedAt of [T + 5, T + 4]) assert.equal(refused(...signIn({ askedAt }, user)), 'not_found');
    decided('change', ...signIn({ askedAt: T + 6 }, user));
    assert.equal(refused(...signIn({ passkey: 'another' })), 'not_found');
  });

  test('proves anew who one is', () => {
    const now = T + HOUR;
    const confirm = {
      type: 'confirm_by_passkey',
      signIn: browser('first').id,
      secretHash: sha256('anew'),
      ...used,
      now,
    } as const;
    assert.equal(decided('change', withKey, confirm).signIns[0]?.confirmedAt, now);
    assert.equal(refused(withKey, { ...confirm, passkey: 'another' }), 'not_found');
    assert.equal(refused({ ...withKey, signIns: [] }, confirm), 'not_found');
  });

  test('goes with everything else when a password is set by a link', () => {
    const reset = decided('change', withKey, { type: 'reset_user', account: null, link });
    const accept = {
      type: 'accept_link',
      secretHash: link.hash,
      name: '',
      email: '',
      password: PASSWORD,
      signIn: browser('second'),
    } as const;
    assert.deepEqual(decided('change', reset, accept).passkeys, []);
  });
});

suite('a link of somebody who can sign in', () => {
  test('is void as soon as they do, or join another account', () => {
    const reset = decided('change', signedIn(), { type: 'reset_user', account: 1, link });
    assert.deepEqual(reset.link, link);
    const signIn = { type: 'sign_in', verified: PASSWORD, signIn: browser('second') } as const;
    assert.equal(decided('change', reset, signIn).link, null);
    const invitation = { ...invitedUser('support', 2), id: bob };
    const join = { type: 'join', invitation: bob, secretHash: link.hash } as const;
    assert.equal(decided('change', reset, join, { invitation }).link, null);
  });

  test('stays where the password alone is known, and the second factor is not', () => {
    const reset = decided('change', withTotp(), { type: 'reset_user', account: 1, link });
    const signIn = { type: 'sign_in', verified: PASSWORD, signIn: browser('second') } as const;
    assert.deepEqual(decided('change', reset, signIn).link, link);
  });
});

test('a new sign-in takes the place of the one that the browser has had', () => {
  const signIn = { type: 'sign_in', verified: PASSWORD, signIn: browser('second') } as const;
  const user = decided('change', signedIn(), { ...signIn, replaces: browser('first').id });
  assert.deepEqual(
    user.signIns.map(({ secretHash }) => secretHash),
    [sha256('second')],
  );
});

suite('changing a password', () => {
  test('needs the one before, and ends all other sign-ins and any link', () => {
    const signIn = { type: 'sign_in', verified: PASSWORD, signIn: browser('second') } as const;
    const user = decided('change', { ...signedIn(), link }, signIn);
    const change = (verified: string | null) =>
      ({
        type: 'change_password',
        password: '$argon2id$new',
        verified,
        signIn: browser('second').id,
      }) as const;
    decided('failed', user, change(null));
    const changed = decided('change', user, change(PASSWORD));
    assert.equal(changed.password, '$argon2id$new');
    assert.equal(changed.link, null);
    assert.deepEqual(
      changed.signIns.map(({ secretHash }) => secretHash),
      [sha256('second')],
    );
  });

  test('by an account is only for those who work for no other one; the operator resets anybody', () => {
    const reset = (account: number | null) => ({ type: 'reset_user', account, link }) as const;
    const elsewhere = { ...signedIn(), roles: { 1: 'owner', 2: 'read_only' } } as const;
    assert.equal(refused(elsewhere, reset(1)), 'member_elsewhere');
    assert.equal(refused(elsewhere, reset(2)), 'member_elsewhere');
    assert.equal(refused(elsewhere, reset(3)), 'not_found');
    assert.equal(refused(signedIn(), reset(3)), 'not_found');
    assert.deepEqual(decided('change', elsewhere, reset(null)).link, link);
    assert.deepEqual(decided('change', invitedUser(), reset(1)).link, link);
  });

  test('is for members: nobody is told more of others than of those who do not exist', () => {
    const commands = [
      { type: 'reset_user', account: 3, link },
      { type: 'set_role', account: 3, role: 'owner' },
      { type: 'remove_role', account: 3 },
    ] as const;
    for (const command of commands)
      assert.deepEqual(decide(signedIn(), command, { owners: [bob] }), decide(null, command));
  });

  test('by a link ends all sign-ins, and takes the second factor away; name and address stay', () => {
    const reset = decided('change', withTotp(), { type: 'reset_user', account: 1, link });
    // Until the link is used, everything goes on as before.
    assert.deepEqual(
      { ...reset, link: null, failures: null },
      { ...withTotp(), totp: reset.totp, failures: null },
    );
    const user = decided('change', reset, {
      type: 'accept_link',
      secretHash: link.hash,
      name: 'Somebody',
      email: 'else@example.com',
      password: '$argon2id$new',
      signIn: browser('second'),
    });
    assert.deepEqual([user.name, user.email], ['Ada Lovelace', 'ada@example.com']);
    assert.deepEqual([user.password, user.totp, user.recoveryCodes], ['$argon2id$new', null, []]);
    assert.deepEqual(
      user.signIns.map(({ secretHash }) => secretHash),
      [sha256('second')],
    );
  });
});

suite('roles', () => {
  const owners = [ada, bob];

  test('change and end; who has none left is gone', () => {
    const user = signedIn('support', 1);
    const set = { type: 'set_role', account: 1, role: 'finance' } as const;
    assert.deepEqual(decided('change', user, set).roles, { 1: 'finance' });
    decided('unchanged', user, { ...set, role: 'support' });
    assert.equal(refused(user, { ...set, account: 2 }), 'not_found');
    decided('gone', user, { type: 'remove_role', account: 1 });
    const two = { ...user, roles: { 1: 'support', 2: 'owner' } } as const;
    assert.deepEqual(decided('change', two, { type: 'remove_role', account: 1 }).roles, { 2: 'owner' });
  });

  test('leave every account an owner', () => {
    const demote = { type: 'set_role', account: 1, role: 'finance' } as const;
    const remove = { type: 'remove_role', account: 1 } as const;
    assert.equal(refused(signedIn(), demote, { owners: [ada] }), 'last_owner');
    assert.equal(refused(signedIn(), remove, { owners: [ada] }), 'last_owner');
    decided('change', signedIn(), demote, { owners });
    decided('gone', signedIn(), remove, { owners });
    decided('gone', signedIn('finance'), remove, { owners: [bob] });
    // Whoever was only invited as an owner is none yet.
    decided('gone', invitedUser(), remove, { owners: [] });
    decided('change', invitedUser(), demote, { owners: [bob] });
  });

  test('are of a user who exists', () => {
    assert.equal(refused(null, { type: 'remove_role', account: 1 }), 'not_found');
  });
});

test('a name and an address can be changed, but not to the address of another user', () => {
  const rename = { type: 'rename_user', name: 'A', email: 'a@example.com' } as const;
  const user = decided('change', signedIn(), rename);
  assert.deepEqual([user.name, user.email], ['A', 'a@example.com']);
  decided('unchanged', user, rename);
  for (const other of [{ name: 'B' }, { email: 'b@example.com' }])
    decided('change', user, { ...rename, ...other });
  assert.equal(refused(signedIn(), rename, { byEmail: { ...user, id: bob } }), 'user_exists /email');
  decided('change', signedIn(), rename, { byEmail: user });
});
