/** Rules of users: invitations, signing in, second factors, roles. Pure. */
import { type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import { hashCode, usedTotp } from './codes.ts';
import type { Role } from './roles.ts';
import {
  accountsOf,
  endOf,
  isInvited,
  type Link,
  MAX_PASSKEYS,
  MAX_SIGN_INS,
  MAX_USERS,
  openSignIn,
  type Passkey,
  roleOn,
  type SignIn,
  type SignInId,
  type Totp,
  type User,
  type UserId,
} from './user.ts';

/** A new sign-in, as far as the browser and the shell know it. */
export type NewSignIn = Pick<SignIn, 'id' | 'secretHash' | 'address' | 'browser'>;

/** `verified` is the stored hash that the given password was found to match, or null. */
type Verified = { readonly verified: string | null };

/** A passkey whose use was verified; `askedAt` is when its challenge was made, and `counter` what it counts now. */
type UsedPasskey = { readonly passkey: string; readonly askedAt: RealTime; readonly counter: number };

export type UserCommand = { readonly now: RealTime } & (
  | ({
      readonly type: 'invite_user';
      readonly account: number;
      readonly role: Role;
      readonly link: Link;
    } & Pick<User, 'id' | 'name' | 'email'>)
  /** Takes the roles of an invitation, which is over then. */
  | { readonly type: 'join'; readonly invitation: UserId; readonly secretHash: string }
  | { readonly type: 'set_role'; readonly account: number; readonly role: Role }
  | { readonly type: 'remove_role'; readonly account: number }
  /**
   * A new link for somebody who cannot sign in; whoever opens it proves no second factor. `account` is the one that asks,
   * null the operator.
   */
  | { readonly type: 'reset_user'; readonly account: number | null; readonly link: Link }
  | ({
      readonly type: 'accept_link';
      readonly secretHash: string;
      readonly password: string;
      readonly signIn: NewSignIn;
    } & Pick<User, 'name' | 'email'>)
  | ({ readonly type: 'sign_in'; readonly signIn: NewSignIn } & Verified)
  /** Ends a sign-in that lacks its second factor with a whole one, which has a new secret. */
  | {
      readonly type: 'give_code';
      readonly signIn: SignInId;
      readonly code: string;
      readonly secretHash: string;
    }
  | ({ readonly type: 'confirm'; readonly signIn: SignInId; readonly code: string } & Verified)
  | { readonly type: 'add_passkey'; readonly passkey: Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'name'> }
  | { readonly type: 'remove_passkey'; readonly passkey: string }
  | ({ readonly type: 'sign_in_by_passkey'; readonly signIn: NewSignIn } & UsedPasskey)
  | ({ readonly type: 'confirm_by_passkey'; readonly signIn: SignInId } & UsedPasskey)
  | { readonly type: 'see_sign_in'; readonly signIn: SignInId; readonly address: string }
  | { readonly type: 'sign_out'; readonly signIn: SignInId }
  /** Ends all sign-ins but this one. */
  | { readonly type: 'sign_out_others'; readonly signIn: SignInId }
  | ({ readonly type: 'change_password'; readonly password: string; readonly signIn: SignInId } & Verified)
  | {
      readonly type: 'set_totp';
      readonly secret: string;
      readonly code: string;
      readonly recoveryCodes: readonly string[];
    }
  | { readonly type: 'remove_totp' }
  | { readonly type: 'replace_recovery_codes'; readonly recoveryCodes: readonly string[] }
  | ({ readonly type: 'rename_user' } & Pick<User, 'name' | 'email'>)
);

/** Facts beside the user of the command. */
export type UserFacts = {
  readonly byEmail: User | null;
  /** Whoever the command invites to join, if there is such an invitation. */
  readonly invitation: User | null;
  readonly count: number;
  /** Owners of the account of the command who can sign in. */
  readonly owners: readonly UserId[];
};

/**
 * `failed` is a wrong password or code: it is counted, and so a change. `paused` is one that was not looked at, because
 * too many before it were wrong. `gone` is a user who has no role left on any account.
 */
export type UserDecision = {
  readonly kind: 'change' | 'failed' | 'paused' | 'gone' | 'unchanged';
  readonly user: User;
  /** The invitation that is over. */
  readonly used?: User;
};

/** Wrong passwords and codes in a row, behind which only one in a minute is looked at. */
const FREE_FAILURES = 10;
const PAUSE_MS = 60_000;

export const NO_SUCH_MEMBER = 'There is no such member of the account.';
export const BAD_LINK = 'The link was used already, has expired, or is not complete.';
export const SIGNED_OUT = 'You are signed out.';
export const BAD_PASSKEY = 'The passkey is not known here, or what it was asked for is too old.';

/** `known` is the user of the command; null if there is none yet. */
export function decideUser(
  known: User | null,
  facts: UserFacts,
  command: UserCommand,
): UserDecision | Refusal {
  if (command.type === 'invite_user') return invited(facts, command);
  if (known === null) return 'account' in command && command.account !== null ? noSuchMember : noSuchUser;
  const user = { ...known, signIns: known.signIns.filter((each) => command.now < endOf(each)) };
  switch (command.type) {
    case 'set_role':
    case 'remove_role':
      return withRole(user, facts.owners, command);
    case 'join':
      return joined(user, facts, command);
    case 'reset_user':
      return reset(user, command);
    case 'accept_link':
      return accepted(user, facts, command);
    case 'sign_in':
      return tried(user, command, command.verified, () =>
        changed(withSignIn(user, command.signIn, command.now)),
      );
    case 'give_code':
      return codeGiven(user, command);
    case 'confirm':
      return confirmed(user, command);
    case 'add_passkey':
      return withPasskey(user, command);
    case 'remove_passkey':
      return changed({ ...user, passkeys: user.passkeys.filter(({ id }) => id !== command.passkey) });
    case 'sign_in_by_passkey': {
      const used = withPasskeyUsed(user, command);
      return used === null
        ? refuse('not_found', BAD_PASSKEY)
        : changed(withSignIn(used, command.signIn, command.now, true));
    }
    case 'confirm_by_passkey':
      return confirmedByPasskey(user, command);
    case 'see_sign_in':
      return onSignIn(user, command, (each) => ({ ...each, seenAt: command.now, address: command.address }));
    case 'sign_out':
      return changed({ ...user, signIns: user.signIns.filter(({ id }) => id !== command.signIn) });
    case 'sign_out_others':
      return changed({ ...user, signIns: user.signIns.filter(({ id }) => id === command.signIn) });
    case 'change_password':
      return tried(user, command, command.verified, () =>
        changed({
          ...user,
          password: command.password,
          link: null,
          failures: NO_FAILURES,
          signIns: user.signIns.filter(({ id }) => id === command.signIn),
        }),
      );
    case 'set_totp': {
      const totp = usedTotp({ secret: command.secret, lastStep: 0 }, command.code, command.now);
      if (totp === null) return wrongCode;
      return changed({ ...user, totp, recoveryCodes: command.recoveryCodes.map(hashCode) });
    }
    case 'remove_totp':
      return changed({ ...user, totp: null, recoveryCodes: [] });
    case 'replace_recovery_codes':
      return changed({ ...user, recoveryCodes: command.recoveryCodes.map(hashCode) });
    case 'rename_user':
      return emailTaken(user, facts) ?? changed({ ...user, name: command.name, email: command.email });
  }
}

const NO_FAILURES = { count: 0, lastAt: 0 };

const changed = (user: User): UserDecision => ({ kind: 'change', user });

const noSuchUser = refuse('not_found', 'There is no such user.');
const noSuchMember = refuse('not_found', NO_SUCH_MEMBER);
const wrongCode = refuseFields([{ pointer: '/code', detail: 'is not the current code' }]);

type CommandOf<T extends UserCommand['type']> = Extract<UserCommand, { readonly type: T }>;

/**
 * Whoever is invited proves by the link that they were meant, and not by an e-mail address, which everybody can claim. Who
 * is a user already opens it signed in, and joins.
 */
function invited(
  { byEmail, count }: UserFacts,
  { id, name, email, account, role, link, now }: CommandOf<'invite_user'>,
): UserDecision | Refusal {
  if (byEmail !== null && roleOn(byEmail, account) !== undefined)
    return refuse('user_exists', 'A member of the account has this e-mail address.', [
      { pointer: '/email', detail: 'belongs to a member of the account' },
    ]);
  if (count >= MAX_USERS) return refuse('too_many_users', `There are ${MAX_USERS} users already.`);
  return changed({
    id,
    createdAt: now,
    name,
    email,
    roles: { [account]: role },
    password: null,
    totp: null,
    recoveryCodes: [],
    passkeys: [],
    link,
    failures: NO_FAILURES,
    signIns: [],
  });
}

function joined(
  user: User,
  { invitation }: UserFacts,
  { secretHash, now }: CommandOf<'join'>,
): UserDecision | Refusal {
  if (invitation === null || !isInvited(invitation) || !isGood(invitation.link, secretHash, now))
    return refuse('not_found', BAD_LINK);
  const taken = accountsOf(invitation).some((account) => roleOn(user, account) !== undefined);
  if (taken) return refuse('user_exists', 'You are a member of the account already.');
  return { ...changed({ ...user, roles: { ...user.roles, ...invitation.roles } }), used: invitation };
}

const isGood = (link: Link | null, hash: string, now: RealTime): boolean =>
  link !== null && link.hash === hash && now < link.until;

function withRole(
  user: User,
  owners: readonly UserId[],
  command: CommandOf<'set_role' | 'remove_role'>,
): UserDecision | Refusal {
  const { [String(command.account)]: current, ...others } = user.roles;
  if (current === undefined) return noSuchMember;
  const role = command.type === 'set_role' ? command.role : null;
  if (role === current) return { kind: 'unchanged', user };
  if (current === 'owner' && owners.includes(user.id) && owners.length === 1)
    return refuse('last_owner', 'The account would have no owner left.');
  const roles = role === null ? others : { ...others, [command.account]: role };
  const isGone = Object.keys(roles).length === 0;
  return { kind: isGone ? 'gone' : 'change', user: { ...user, roles } };
}

/** The link leads to all roles of the user, so that one account has none made for a user of others. */
function reset(user: User, { account, link }: CommandOf<'reset_user'>): UserDecision | Refusal {
  if (account !== null) {
    if (roleOn(user, account) === undefined) return noSuchMember;
    if (accountsOf(user).length > 1)
      return refuse('member_elsewhere', 'The member has a role on another account as well.');
  }
  return changed({ ...user, link, failures: NO_FAILURES });
}

const emailTaken = ({ id }: User, { byEmail }: UserFacts): Refusal | null =>
  byEmail === null || byEmail.id === id
    ? null
    : refuse('user_exists', 'Another user has this e-mail address.', [
        { pointer: '/email', detail: 'belongs to another user' },
      ]);

/** The link is good for one use. Second factors and passkeys, which may be lost as well, go with it, and all other sign-ins end. */
function accepted(
  user: User,
  facts: UserFacts,
  { secretHash, password, name, email, signIn, now }: CommandOf<'accept_link'>,
): UserDecision | Refusal {
  if (!isGood(user.link, secretHash, now)) return refuse('not_found', BAD_LINK);
  const whose = isInvited(user) ? { name, email } : {};
  const fresh: User = {
    ...user,
    ...whose,
    password,
    link: null,
    totp: null,
    recoveryCodes: [],
    passkeys: [],
    failures: NO_FAILURES,
    signIns: [],
  };
  return emailTaken(user, facts) ?? changed(withSignIn(fresh, signIn, now));
}

/** The oldest sign-in makes room for a new one. */
function withSignIn(user: User, signIn: NewSignIn, now: RealTime, isWhole = user.totp === null): User {
  const made: SignIn = { ...signIn, createdAt: now, seenAt: now, confirmedAt: isWhole ? now : null };
  return {
    ...user,
    // Who knows the password and not the code has guessed no less.
    failures: isWhole ? NO_FAILURES : user.failures,
    signIns: [...user.signIns, made].slice(-MAX_SIGN_INS),
  };
}

/**
 * What follows from a password or code, unless it was wrong. A password counts as right only while it is the current
 * one: it was compared before the turn of the command.
 */
function tried(
  user: User,
  { now }: UserCommand,
  verified: string | null,
  right: () => UserDecision | Refusal,
): UserDecision | Refusal {
  const { count, lastAt } = user.failures;
  if (count >= FREE_FAILURES && now < lastAt + PAUSE_MS) return { kind: 'paused', user };
  if (verified !== null && verified === user.password) return right();
  return failed(user, now);
}

const failed = (user: User, now: RealTime): UserDecision => ({
  kind: 'failed',
  user: { ...user, failures: { count: user.failures.count + 1, lastAt: now } },
});

function codeGiven(user: User, command: CommandOf<'give_code'>): UserDecision | Refusal {
  const { signIn: id, code, secretHash, now } = command;
  const signIn = openSignIn(user, id, now);
  if (signIn === undefined || signIn.confirmedAt !== null) return refuse('not_found', SIGNED_OUT);
  return tried(user, command, user.password, () => {
    const used = withCodeUsed(user, code, now);
    if (used === null) return failed(user, now);
    const whole = { ...signIn, secretHash, confirmedAt: now, seenAt: now };
    return changed({
      ...used,
      failures: NO_FAILURES,
      signIns: used.signIns.map((each) => (each.id === id ? whole : each)),
    });
  });
}

function withPasskey(user: User, { passkey, now }: CommandOf<'add_passkey'>): UserDecision | Refusal {
  if (user.passkeys.some(({ id }) => id === passkey.id)) return { kind: 'unchanged', user };
  if (user.passkeys.length >= MAX_PASSKEYS)
    return refuseFields([{ pointer: '/passkey', detail: `is one more than ${MAX_PASSKEYS}` }]);
  return changed({ ...user, passkeys: [...user.passkeys, { ...passkey, createdAt: now, usedAt: 0 }] });
}

/** The user behind the use of a passkey; null for one that there is not, and for a challenge that was used. */
function withPasskeyUsed(user: User, { passkey: id, askedAt, counter }: UsedPasskey): User | null {
  const passkey = user.passkeys.find((each) => each.id === id);
  if (passkey === undefined || askedAt <= passkey.usedAt) return null;
  const used = { ...passkey, usedAt: askedAt, counter };
  return { ...user, passkeys: user.passkeys.map((each) => (each.id === id ? used : each)) };
}

function confirmedByPasskey(user: User, command: CommandOf<'confirm_by_passkey'>): UserDecision | Refusal {
  const { signIn: id, now } = command;
  const signIn = openSignIn(user, id, now);
  if (signIn === undefined || signIn.confirmedAt === null) return refuse('not_found', SIGNED_OUT);
  const used = withPasskeyUsed(user, command);
  if (used === null) return refuse('not_found', BAD_PASSKEY);
  return changed(withConfirmed(used, id, now));
}

const withConfirmed = (user: User, id: SignInId, now: RealTime): User => ({
  ...user,
  signIns: user.signIns.map((each) => (each.id === id ? { ...each, confirmedAt: now } : each)),
});

/** Whoever is signed in proves anew who they are: by the password, and by a code if there is a second factor. */
function confirmed(user: User, command: CommandOf<'confirm'>): UserDecision | Refusal {
  const { signIn: id, code, verified, now } = command;
  const signIn = openSignIn(user, id, now);
  if (signIn === undefined || signIn.confirmedAt === null) return refuse('not_found', SIGNED_OUT);
  return tried(user, command, verified, () => {
    const used = user.totp === null ? user : withCodeUsed(user, code, now);
    if (used === null) return failed(user, now);
    return changed({ ...withConfirmed(used, id, now), failures: NO_FAILURES });
  });
}

/** The user behind a one-time password or a recovery code, neither of which is good twice; null for a wrong one. */
function withCodeUsed(user: User, code: string, now: RealTime): User | null {
  const digits = code.replaceAll(' ', '');
  const totp: Totp | null = user.totp && usedTotp(user.totp, digits, now);
  if (totp !== null) return { ...user, totp };
  const hash = hashCode(code);
  if (!user.recoveryCodes.includes(hash)) return null;
  return { ...user, recoveryCodes: user.recoveryCodes.filter((each) => each !== hash) };
}

function onSignIn(
  user: User,
  { signIn: id, now }: CommandOf<'see_sign_in'>,
  change: (signIn: SignIn) => SignIn,
): UserDecision | Refusal {
  if (openSignIn(user, id, now) === undefined) return refuse('not_found', SIGNED_OUT);
  return changed({ ...user, signIns: user.signIns.map((each) => (each.id === id ? change(each) : each)) });
}
