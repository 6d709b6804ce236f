/** Users as members of an account, as the API shows them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { representMember, representNewLink } from '../../src/users/representation.ts';
import { invitedUser, link, MINUTE, signedIn, T } from './build.ts';

test('a member was seen when a browser that is signed in asked last, and not before the second factor', () => {
  const user = signedIn();
  const [signIn] = user.signIns;
  assert.ok(signIn);
  const at = (seenAt: number, isWhole = true) => ({ ...signIn, seenAt, isWhole });
  const seenAt = (...signIns: (typeof signIn)[]) => representMember({ ...user, signIns }, 1).last_seen_at;
  assert.equal(seenAt(), null);
  assert.equal(seenAt(at(T + MINUTE), at(T), at(T + 2 * MINUTE, false)), '2026-01-15T12:01:00.000Z');
  assert.equal(seenAt(at(T, false)), null);
});

test('a member is shown with the role on the account, the state of the invitation, and no more of a secret than that it is there', () => {
  const invited = { ...invitedUser(), roles: { 1: 'support', 2: 'owner' } } as const;
  const { id: _, name: __, ...shown } = representMember(invited, 1);
  assert.deepEqual(shown, {
    object: 'member',
    created_at: '2026-01-15T12:00:00.000Z',
    email: '',
    role: 'support',
    status: 'invited',
    has_second_factor: false,
    last_seen_at: null,
    link_expires_at: '2026-01-15T13:00:00.000Z',
  });
  const totp = { secret: 'A SECRET', lastStep: 0 };
  const active = representMember({ ...signedIn(), totp }, 1);
  assert.deepEqual([active.status, active.has_second_factor, active.link_expires_at], ['active', true, null]);
  const all = JSON.stringify([active, representNewLink(invited, 1, 'https://pay.example/the/link')]);
  for (const secret of [totp.secret, link.hash, signedIn().password ?? '']) assert.ok(!all.includes(secret));
});
