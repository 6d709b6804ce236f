/** Rules of signing in: passwords, codes, passkeys, and proofs of who is signed in. Pure. */
import { type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import { hashCode, usedTotp } from './codes.ts';
import {
  type Failures,
  type Identity,
  isConfirmed,
  MAX_HALF_SIGN_INS,
  MAX_PASSKEYS,
  MAX_SIGN_INS,
  openSignIn,
  type SignIn,
  type SignInId,
  type Totp,
  type User,
} from './user.ts';
import {
  BAD_IDENTITY,
  BAD_PASSKEY,
  type CommandOf,
  changed,
  IDENTITY_STAYS,
  IDENTITY_TAKEN,
  type NewSignIn,
  NO_FAILURES,
  PASSKEY_STAYS,
  SIGNED_OUT,
  TOO_LONG_AGO,
  type UsedPasskey,
  type UserCommand,
  type UserDecision,
  type UserFacts,
} from './user-commands.ts';

/** Wrong passwords and codes in a row, behind which only one in a minute is looked at. */
const FREE_FAILURES = 10;
const PAUSE_MS = 60_000;

type Proved = Pick<SignIn, 'isWhole' | 'confirmedAt'>;

/**
 * A new sign-in. The oldest makes room for it; one that lacks its second factor pushes out no whole one. Who can sign in
 * needs no link any more, whoever has asked for one.
 */
export function withSignIn(
  user: User,
  signIn: NewSignIn,
  now: RealTime,
  { isWhole = user.totp === null, confirmedAt = isWhole ? now : null }: Partial<Proved> = {},
): User {
  const made: SignIn = {
    ...signIn,
    createdAt: now,
    seenAt: now,
    isWhole,
    confirmedAt,
    failures: NO_FAILURES,
  };
  const alike = user.signIns.filter((each) => each.isWhole === isWhole);
  const most = isWhole ? MAX_SIGN_INS : MAX_HALF_SIGN_INS;
  const gone = alike.slice(0, Math.max(0, alike.length + 1 - most));
  const signIns = [...user.signIns.filter((each) => !gone.includes(each)), made];
  // A right password without the code ends no count: its guesser has guessed no less.
  return isWhole ? { ...user, link: null, failures: NO_FAILURES, signIns } : { ...user, signIns };
}

export const without = (user: User, id: SignInId | undefined): User => ({
  ...user,
  signIns: user.signIns.filter((each) => each.id !== id),
});

export const withChanged = (user: User, id: SignInId, change: Partial<SignIn>): User => ({
  ...user,
  signIns: user.signIns.map((each) => (each.id === id ? { ...each, ...change } : each)),
});

const isPaused = ({ count, lastAt }: Failures, now: RealTime): boolean =>
  count >= FREE_FAILURES && now < lastAt + PAUSE_MS;

const oneMore = ({ count }: Failures, now: RealTime): Failures => ({ count: count + 1, lastAt: now });

/**
 * Decision on a password or code of somebody who would sign in, unless it was wrong. A password counts as right only
 * while it is the current one: it was compared before the turn of the command.
 */
export function triedByAnybody(
  user: User,
  { now }: UserCommand,
  verified: string | null,
  right: () => User | null,
): UserDecision {
  if (isPaused(user.failures, now)) return { kind: 'paused', user };
  const done = verified !== null && verified === user.password ? right() : null;
  return done === null
    ? { kind: 'failed', user: { ...user, failures: oneMore(user.failures, now) } }
    : changed(done);
}

/** The same of somebody who is signed in: nobody else's wrong passwords keep them from it. */
export function triedBy(
  user: User,
  { signIn: id, verified, now }: CommandOf<'confirm' | 'change_password'>,
  right: () => User | null,
): UserDecision | Refusal {
  const signIn = wholeSignIn(user, id, now);
  if (signIn === undefined) return refuse('not_found', SIGNED_OUT);
  if (isPaused(signIn.failures, now)) return { kind: 'paused', user };
  const done = verified !== null && verified === user.password ? right() : null;
  return done === null
    ? { kind: 'failed', user: withChanged(user, id, { failures: oneMore(signIn.failures, now) }) }
    : changed(done);
}

function wholeSignIn(user: User, id: SignInId, now: RealTime): SignIn | undefined {
  const signIn = openSignIn(user, id, now);
  return signIn?.isWhole ? signIn : undefined;
}

export function codeGiven(user: User, command: CommandOf<'give_code'>): UserDecision | Refusal {
  const { signIn: id, code, secretHash, now } = command;
  if (openSignIn(user, id, now)?.isWhole !== false) return refuse('not_found', SIGNED_OUT);
  return triedByAnybody(user, command, user.password, () => {
    const used = withCodeUsed(user, code, now);
    const whole = { secretHash, isWhole: true, confirmedAt: now, seenAt: now };
    return used && { ...withChanged(used, id, whole), link: null, failures: NO_FAILURES };
  });
}

export function withPasskey(user: User, { passkey, now }: CommandOf<'add_passkey'>): UserDecision | Refusal {
  if (user.passkeys.some(({ id }) => id === passkey.id)) return { kind: 'unchanged', user };
  if (user.passkeys.length >= MAX_PASSKEYS)
    return refuseFields([{ pointer: '/passkey', detail: `is one more than ${MAX_PASSKEYS}` }]);
  return changed({ ...user, passkeys: [...user.passkeys, { ...passkey, createdAt: now, usedAt: 0 }] });
}

/** The user behind the use of a passkey; null for one that there is not, and for a challenge that was used. */
export function withPasskeyUsed(user: User, { passkey: id, askedAt, counter }: UsedPasskey): User | null {
  const passkey = user.passkeys.find((each) => each.id === id);
  if (passkey === undefined || askedAt <= passkey.usedAt) return null;
  const used = { ...passkey, usedAt: askedAt, counter };
  return { ...user, passkeys: user.passkeys.map((each) => (each.id === id ? used : each)) };
}

export function confirmedByPasskey(
  user: User,
  command: CommandOf<'confirm_by_passkey'>,
): UserDecision | Refusal {
  const { signIn: id, secretHash, now } = command;
  if (wholeSignIn(user, id, now) === undefined) return refuse('not_found', SIGNED_OUT);
  const used = withPasskeyUsed(user, command);
  return used === null
    ? refuse('not_found', BAD_PASSKEY)
    : changed(withChanged(used, id, proof(now, secretHash)));
}

/** A proof gives the sign-in a new secret, so that it is worth nothing to who has copied the one before. */
const proof = (confirmedAt: RealTime, secretHash: string): Partial<SignIn> => ({
  secretHash,
  confirmedAt,
  failures: NO_FAILURES,
});

/** Proof anew of who is signed in: by the password, and by a code if there is a second factor. */
export function confirmed(user: User, command: CommandOf<'confirm'>): UserDecision | Refusal {
  const { signIn: id, code, secretHash, now } = command;
  return triedBy(user, command, () => {
    const used = user.totp === null ? user : withCodeUsed(user, code, now);
    return used && withChanged(used, id, proof(now, secretHash));
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

const hasIdentity = ({ identity }: User, { issuer, subject }: Identity): boolean =>
  identity !== undefined && identity.issuer === issuer && identity.subject === subject;

/**
 * An identity is of one user, who has proved at the provider that it is theirs; and here, lately, that the sign-in is: the
 * identity is a way in that lasts longer than any sign-in.
 */
export function withIdentity(
  user: User,
  { byIdentity }: UserFacts,
  { identity, signIn: id, now }: CommandOf<'link_identity'>,
): UserDecision | Refusal {
  const signIn = wholeSignIn(user, id, now);
  if (signIn === undefined) return refuse('not_found', SIGNED_OUT);
  if (!isConfirmed(signIn, now)) return refuse('not_found', TOO_LONG_AGO);
  if (byIdentity !== null && byIdentity.id !== user.id) return refuse('user_exists', IDENTITY_TAKEN);
  if (hasIdentity(user, identity)) return { kind: 'unchanged', user };
  return changed({ ...user, identity: { ...identity, linkedAt: now } });
}

/** A way in that lasts, as an identity is: its owner has proved lately who they are. */
export function withFirstPassword(
  user: User,
  { password, signIn: id, now }: CommandOf<'set_first_password'>,
): UserDecision | Refusal {
  const signIn = wholeSignIn(user, id, now);
  if (signIn === undefined) return refuse('not_found', SIGNED_OUT);
  if (!isConfirmed(signIn, now)) return refuse('not_found', TOO_LONG_AGO);
  if (user.password !== null) return refuse('not_found', 'You have a password already.');
  return changed({ ...user, password, link: null });
}

/** Users without a password prove by the identity alone who they are, and would be locked out without it. */
export function withoutIdentity(user: User): UserDecision | Refusal {
  const { identity, ...others } = user;
  if (user.password === null) return refuse('not_found', IDENTITY_STAYS);
  return identity === undefined ? { kind: 'unchanged', user } : changed(others);
}

/**
 * The last passkey stays until there is a password, also beside an account of the provider: a provider that does not tell
 * when somebody signed in there lets people in, and proves nothing.
 */
export const keepsPasskey = ({ password, passkeys }: User): boolean =>
  password === null && passkeys.length === 1;

export function withoutPasskey(user: User, { passkey }: CommandOf<'remove_passkey'>): UserDecision | Refusal {
  const passkeys = user.passkeys.filter(({ id }) => id !== passkey);
  if (passkeys.length === user.passkeys.length) return { kind: 'unchanged', user };
  if (keepsPasskey(user)) return refuse('not_found', PASSKEY_STAYS);
  return changed({ ...user, passkeys });
}

/**
 * The provider asks for what factors it wants: the sign-in is whole. It may have asked nothing, of somebody whom it knows
 * already, so that it proves who they are as of when they signed in there, and nothing where that is not told.
 */
export function signedInByIdentity(
  user: User,
  { identity, provenAt, replaces, signIn, now }: CommandOf<'sign_in_by_identity'>,
): UserDecision | Refusal {
  if (!hasIdentity(user, identity)) return refuse('not_found', BAD_IDENTITY);
  const confirmedAt = provenAt === null ? null : Math.min(now, provenAt);
  return changed(withSignIn(without(user, replaces), signIn, now, { isWhole: true, confirmedAt }));
}

export function confirmedByIdentity(
  user: User,
  { identity, provenAt, signIn: id, secretHash, now }: CommandOf<'confirm_by_identity'>,
): UserDecision | Refusal {
  const own = wholeSignIn(user, id, now);
  if (own === undefined) return refuse('not_found', SIGNED_OUT);
  return provenAt !== null && hasIdentity(user, identity)
    ? changed(withChanged(user, id, proof(Math.min(now, provenAt), secretHash)))
    : { kind: 'failed', user: withChanged(user, id, { failures: oneMore(own.failures, now) }) };
}
