/** Users of the dashboard for tests, as a store keeps them. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { isRefusal } from '../../src/checkout/refusals.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import { newId } from '../../src/lib/id.ts';
import type { Store } from '../../src/store/store.ts';
import { LINK_MS } from '../../src/users/links.ts';
import type { Role } from '../../src/users/roles.ts';
import { installation, type User, type UserId } from '../../src/users/user.ts';
import type { UserCommand, UserDecision } from '../../src/users/user-commands.ts';
import { ownOrigin } from '../../src/writer/command.ts';

export async function changeUser(store: Store, id: UserId, command: UserCommand): Promise<UserDecision> {
  const origin = ownOrigin(installation, 'operator');
  const { result } = await executeOn(store)({ subject: 'user', origin, id, command });
  if (isRefusal(result)) throw new Error(`refused: ${result.reason}`);
  assert.ok(result.kind !== 'replay');
  return result.value;
}

type Given = {
  readonly account?: number;
  readonly role?: Role;
  readonly name?: string;
  readonly email?: string;
  readonly isOperator?: true;
};

const SECRET = 'the secret of the link';

/** Somebody who was invited, and has not accepted it. */
export async function inviteUser(store: Store, given: Given = {}): Promise<User> {
  const { account = 1, role = 'owner', name = 'Ada Lovelace', email = 'ada@example.com' } = given;
  const ofOperator = given.isOperator ? { isOperator: given.isOperator } : {};
  const now = Date.now();
  const link = { hash: hash('sha256', SECRET), until: now + LINK_MS };
  const id = newId('usr', now);
  const command = { type: 'invite_user', id, name, email, account, role, ...ofOperator, link, now } as const;
  return (await changeUser(store, id, command)).user;
}

/** Somebody who has accepted an invitation, and is signed in in one browser. */
export async function acceptedUser(store: Store, given: Given = {}): Promise<User> {
  const { id, name, email, link } = await inviteUser(store, given);
  const now = Date.now();
  const command = {
    type: 'accept_link',
    secretHash: link?.hash ?? '',
    name,
    email,
    password: '$argon2id$of nobody',
    signIn: {
      id: newId('sgn', now),
      secretHash: hash('sha256', id),
      formToken: hash('sha256', `form ${id}`),
      address: '192.0.2.7',
      browser: 'Firefox',
    },
  } as const;
  return (await changeUser(store, id, { ...command, now })).user;
}

/** Gives the user a role on one account more, by an invitation. */
export async function join(
  store: Store,
  { id }: Pick<User, 'id'>,
  account: number,
  role: Role,
): Promise<User> {
  const invitation = await inviteUser(store, { account, role, email: '' });
  const secretHash = invitation.link?.hash ?? '';
  const command = { type: 'join', invitation: invitation.id, secretHash, now: Date.now() } as const;
  return (await changeUser(store, id, command)).user;
}
