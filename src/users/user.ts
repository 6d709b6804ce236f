/**
 * Users: people who sign in to the dashboard, with a role on each account that they work for. They belong to the
 * installation and not to one account.
 */
import { hash } from 'node:crypto';
import type { Tenant } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import type { Role } from './roles.ts';

export type UserId = Id<'usr'>;
export type SignInId = Id<'sgn'>;

/** True for the id of a user among those of callers, who may also be API keys. */
export const isUserId = (id: string): id is UserId => id.startsWith('usr_');

/** The tenant that users belong to: no account has this number. Its clock shows real time. */
export const installation: Tenant = { account: 0, mode: 'live' };

export type User = {
  readonly id: UserId;
  readonly createdAt: RealTime;
  readonly name: string;
  /** The address by which the user signs in, lower-case; of somebody who is invited the one to begin with, or empty. */
  readonly email: string;
  /** Roles by the numbers of accounts. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Set for operators of the installation: they make accounts, and see the log of all that concerns no single one. */
  readonly isOperator?: true;
  /** Argon2id in the PHC string format; null until an invitation is accepted, and of who signs in at a provider alone. */
  readonly password: string | null;
  /** The second factor, a time-based one-time password (RFC 6238), or null. */
  readonly totp: Totp | null;
  /** Hexadecimal SHA-256 of the recovery codes that are left. */
  readonly recoveryCodes: readonly string[];
  /** Passkeys, oldest first. */
  readonly passkeys: readonly Passkey[];
  /** The account at the provider of OpenID Connect with which the user signs in, if there is one. */
  readonly identity?: Identity & { readonly linkedAt: RealTime };
  /** The link with which the user sets a password, or null. */
  readonly link: Link | null;
  /** Wrong passwords and codes in a row of those who would sign in, whoever they are. */
  readonly failures: Failures;
  /** Browsers in which the user is signed in, oldest first. */
  readonly signIns: readonly SignIn[];
  /** Views of lists that the user has saved. */
  readonly views: readonly View[];
  /** Columns of the list of sessions, chosen for each account, the newest choice last. */
  readonly columns?: ReadonlyArray<{ readonly account: number; readonly columns: readonly string[] }>;
};

/** Filters of the list of sessions with its columns; `query` is its query without the `?`. */
export type View = { readonly account: number; readonly name: string; readonly query: string };

/** An account at a provider of OpenID Connect: what identifies it for good, which no e-mail address does. */
export type Identity = { readonly issuer: string; readonly subject: string };

/** The identity as one text, by which its user is found. */
export const identityKey = ({ issuer, subject }: Identity): string =>
  hash('sha256', JSON.stringify([issuer, subject]));

export type Failures = { readonly count: number; readonly lastAt: RealTime };

/** `secret` is in base 32; `lastStep` is the time step of the code that was used last, which no code may repeat. */
export type Totp = { readonly secret: string; readonly lastStep: number };

export type Passkey = {
  /** The id of the credential, in Base64url. */
  readonly id: string;
  /** The public key in the COSE format, in Base64url. */
  readonly publicKey: string;
  /** Number of uses, as the authenticator counts them; many stay at 0. */
  readonly counter: number;
  readonly name: string;
  readonly createdAt: RealTime;
  /** Time at which the challenge of its last use was made: no challenge is good twice. */
  readonly usedAt: RealTime;
};

/** `hash` is the hexadecimal SHA-256 of the secret in the link. */
export type Link = { readonly hash: string; readonly until: RealTime };

export type SignIn = {
  readonly id: SignInId;
  /** Hexadecimal SHA-256 of the secret in the cookie. */
  readonly secretHash: string;
  /** The token that its forms have; it stays when the cookie gets a new secret, so that no form is lost by that. */
  readonly formToken: string;
  readonly createdAt: RealTime;
  readonly seenAt: RealTime;
  /** False while the second factor is still to come: the sign-in leads to nothing else until then. */
  readonly isWhole: boolean;
  /** Time at which the user last proved who they are; null for one who has not, as far as anybody has told. */
  readonly confirmedAt: RealTime | null;
  readonly address: string;
  /** The browser as it names itself. */
  readonly browser: string;
  /** Wrong passwords and codes in a row with which somebody has tried to prove anew who they are. */
  readonly failures: Failures;
};

/** Maximum number of users of an installation, with invitations, of which an expired one gives its place to a new one. */
export const MAX_USERS = 10_000;
/** Maximum number of members of an account, those among them who are only invited. */
export const MAX_MEMBERS = 200;
export const MAX_SIGN_INS = 20;
/** Maximum of sign-ins that lack their second factor: they push out no whole one. */
export const MAX_HALF_SIGN_INS = 3;
export const MAX_PASSKEYS = 10;
export const PASSKEY_NAME_LENGTH = 50;
export const USER_NAME_LENGTH = 100;
export const EMAIL_LENGTH = 254;
export const BROWSER_LENGTH = 200;

/** A sign-in that is not used for so long has ended, and every one after so long. */
const IDLE_MS = 24 * 3_600_000;
const LONGEST_MS = 14 * 24 * 3_600_000;
/** Time for the second factor. */
const PARTIAL_MS = 5 * 60_000;
/** Time for which a proof of who somebody is does for what moves money, keys or people. */
export const CONFIRMED_MS = 10 * 60_000;

/** Time at which the sign-in ends unless it is used. */
export function endOf({ createdAt, seenAt, isWhole }: SignIn): RealTime {
  if (!isWhole) return createdAt + PARTIAL_MS;
  return Math.min(seenAt + IDLE_MS, createdAt + LONGEST_MS);
}

/** The sign-in, unless it has ended. */
export function openSignIn(user: User, id: SignInId, now: RealTime): SignIn | undefined {
  return user.signIns.find((each) => each.id === id && now < endOf(each));
}

export const isConfirmed = ({ confirmedAt }: SignIn, now: RealTime): boolean =>
  confirmedAt !== null && now < confirmedAt + CONFIRMED_MS;

/** Numbers of the accounts that the user has a role on, in order. */
export const accountsOf = ({ roles }: User): number[] =>
  Object.keys(roles)
    .map(Number)
    .sort((one, other) => one - other);

/** True for a user of whom an account cannot decide alone: there is more than a role on one account. */
export const isMoreThanMember = (user: User): boolean =>
  user.isOperator === true || Object.keys(user.roles).length > 1;

export const roleOn = ({ roles }: User, account: number): Role | undefined => roles[String(account)];

/** True until somebody has accepted the invitation, by a password or by an account at a provider. */
export const isInvited = ({ password, identity }: User): boolean =>
  password === null && identity === undefined;
