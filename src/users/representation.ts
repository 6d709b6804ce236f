/** Public representation of a user as a member of an account. The API answers with it, and commands print it with `--json`. */
import { timestamp } from '../checkout/representation.ts';
import { isInvited, roleOn, type User } from './user.ts';

const timestampOrNull = (ms: number | null) => (ms === null ? null : timestamp(ms));

/** Nothing of it tells of other accounts. */
export function representMember(user: User, account: number) {
  const { id, createdAt, name, email, totp, passkeys, link } = user;
  return {
    id,
    object: 'member',
    created_at: timestamp(createdAt),
    name,
    email,
    role: roleOn(user, account),
    status: isInvited(user) ? 'invited' : 'active',
    has_second_factor: totp !== null || passkeys.length > 0,
    last_seen_at: timestampOrNull(lastSeenAt(user)),
    link_expires_at: timestampOrNull(link?.until ?? null),
  };
}

/** A member with the address of a new link, which is shown only now: null in an answer that is kept for a repetition. */
export function representNewLink(user: User, account: number, url: string | null) {
  return { ...representMember(user, account), url };
}

/** A sign-in that still lacks its second factor is of somebody who knows the password, and nobody yet. */
function lastSeenAt({ signIns }: User): number | null {
  const times = signIns.flatMap(({ isWhole, seenAt }) => (!isWhole ? [] : [seenAt]));
  return times.length === 0 ? null : Math.max(...times);
}
