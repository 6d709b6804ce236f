/** Users for tests. */
import { hash } from 'node:crypto';
import { isRefusal } from '../../src/checkout/refusals.ts';
import type { Role } from '../../src/users/roles.ts';
import type { User, UserId } from '../../src/users/user.ts';
import { decideUser } from '../../src/users/user-changes.ts';
import type { NewSignIn, UserCommand, UserDecision, UserFacts } from '../../src/users/user-commands.ts';

export const T = Date.UTC(2026, 0, 15, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const sha256 = (text: string): string => hash('sha256', text);

export const ada: UserId = 'usr_01kf00000000000000000000a1';
export const bob: UserId = 'usr_01kf00000000000000000000b2';

export const link = { hash: sha256('the secret of the link'), until: T + HOUR };

export const browser = (secret = 'a secret'): NewSignIn => ({
  id: `sgn_${secret.replaceAll(' ', '').padEnd(26, '0')}`,
  secretHash: sha256(secret),
  formToken: sha256(`form ${secret}`),
  address: '192.0.2.7',
  browser: 'Firefox',
});

export const PASSWORD = '$argon2id$of the right password';

type Loose<C> = C extends { readonly now: number } ? Omit<C, 'now'> & { readonly now?: number } : never;

const nobodyElse: UserFacts = {
  byEmail: null,
  byIdentity: null,
  invitation: null,
  members: 1,
  oldInvitations: [],
  count: 1,
  owners: [],
};

export const decide = (user: User | null, command: Loose<UserCommand>, facts: Partial<UserFacts> = {}) =>
  decideUser(user, { ...nobodyElse, ...facts }, { now: T, ...command } as UserCommand);

/** The decision, which has to be one of this kind. */
export function decided(
  kind: UserDecision['kind'],
  user: User | null,
  command: Loose<UserCommand>,
  facts: Partial<UserFacts> = {},
): User {
  const decision = decide(user, command, facts);
  if (isRefusal(decision))
    throw new Error(`refused: ${decision.reason} ${JSON.stringify(decision.problems)}`);
  if (decision.kind !== kind) throw new Error(`${decision.kind} in the place of ${kind}`);
  return decision.user;
}

export const invitedUser = (role: Role = 'owner', account = 1): User =>
  decided('change', null, { type: 'invite_user', id: ada, name: 'Ada', email: '', account, role, link });

/** Somebody who has accepted an invitation, and is signed in with the secret `first`. */
export const signedIn = (role: Role = 'owner', account = 1): User =>
  decided('change', invitedUser(role, account), {
    type: 'accept_link',
    secretHash: link.hash,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    password: PASSWORD,
    signIn: browser('first'),
  });
