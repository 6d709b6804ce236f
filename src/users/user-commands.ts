/** Commands about users, and what is decided on them. */
import type { RealTime } from '../lib/time.ts';
import type { Role } from './roles.ts';
import type { Identity, Link, Passkey, SignIn, SignInId, User, UserId, View } from './user.ts';

/** A new sign-in, as far as the browser and the shell know it. */
export type NewSignIn = Pick<SignIn, 'id' | 'secretHash' | 'formToken' | 'address' | 'browser'>;

/** `verified` is the stored hash that the given password was found to match, or null. */
type Verified = { readonly verified: string | null };

/** A passkey whose use was verified; `askedAt` is when its challenge was made, and `counter` what it counts now. */
export type UsedPasskey = { readonly passkey: string; readonly askedAt: RealTime; readonly counter: number };

export type UserCommand = { readonly now: RealTime } & (
  | ({
      readonly type: 'invite_user';
      readonly account: number;
      readonly role: Role;
      readonly isOperator?: true;
      readonly link: Link;
    } & Pick<User, 'id' | 'name' | 'email'>)
  /** Makes the user the owner of an account that was just made. */
  | { readonly type: 'own_account'; readonly account: number }
  | { readonly type: 'set_operator'; readonly isOperator: boolean }
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
  /** The same by an account at a provider, for an invitation: `provenAt` is when its owner signed in there. */
  | ({
      readonly type: 'accept_link_by_identity';
      readonly secretHash: string;
      readonly identity: Identity;
      readonly provenAt: RealTime | null;
      readonly signIn: NewSignIn;
    } & Pick<User, 'name' | 'email'>)
  /** `replaces` is the sign-in that the browser has had, which ends. */
  | ({ readonly type: 'sign_in'; readonly signIn: NewSignIn; readonly replaces?: SignInId } & Verified)
  /** Ends a sign-in that lacks its second factor with a whole one, which has a new secret. */
  | {
      readonly type: 'give_code';
      readonly signIn: SignInId;
      readonly code: string;
      readonly secretHash: string;
    }
  | ({
      readonly type: 'confirm';
      readonly signIn: SignInId;
      readonly code: string;
      readonly secretHash: string;
    } & Verified)
  | { readonly type: 'add_passkey'; readonly passkey: Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'name'> }
  /** `identity` is the account with which the provider of the settings lets the user in now, or null. */
  | { readonly type: 'remove_passkey'; readonly passkey: string }
  | ({
      readonly type: 'sign_in_by_passkey';
      readonly signIn: NewSignIn;
      readonly replaces?: SignInId;
    } & UsedPasskey)
  | ({
      readonly type: 'confirm_by_passkey';
      readonly signIn: SignInId;
      readonly secretHash: string;
    } & UsedPasskey)
  /** `signIn` is the one that has begun it. */
  | { readonly type: 'link_identity'; readonly identity: Identity; readonly signIn: SignInId }
  | { readonly type: 'unlink_identity' }
  | {
      readonly type: 'sign_in_by_identity';
      readonly identity: Identity;
      /** Time at which the user signed in at the provider; null where it does not tell. */
      readonly provenAt: RealTime | null;
      readonly signIn: NewSignIn;
      readonly replaces?: SignInId;
    }
  | {
      readonly type: 'confirm_by_identity';
      readonly identity: Identity;
      readonly provenAt: RealTime | null;
      readonly signIn: SignInId;
      readonly secretHash: string;
    }
  | { readonly type: 'see_sign_in'; readonly signIn: SignInId; readonly address: string }
  | { readonly type: 'sign_out'; readonly signIn: SignInId }
  /** Ends all sign-ins but this one. */
  | { readonly type: 'sign_out_others'; readonly signIn: SignInId }
  | ({ readonly type: 'change_password'; readonly password: string; readonly signIn: SignInId } & Verified)
  /** For who has none, and has signed in by an account of a provider: `signIn` is the one that has proved it. */
  | { readonly type: 'set_first_password'; readonly password: string; readonly signIn: SignInId }
  | {
      readonly type: 'set_totp';
      readonly secret: string;
      readonly code: string;
      readonly recoveryCodes: readonly string[];
    }
  | { readonly type: 'remove_totp' }
  | { readonly type: 'replace_recovery_codes'; readonly recoveryCodes: readonly string[] }
  | ({ readonly type: 'rename_user' } & Pick<User, 'name' | 'email'>)
  | { readonly type: 'save_view'; readonly view: View }
  | { readonly type: 'remove_view'; readonly view: Pick<View, 'account' | 'name'> }
  /** Columns of the list of sessions on the account; null for the usual ones. */
  | { readonly type: 'choose_columns'; readonly account: number; readonly columns: readonly string[] | null }
);

/** Facts beside the user of the command. */
export type UserFacts = {
  readonly byEmail: User | null;
  /** The user who signs in with the identity that the command brings. */
  readonly byIdentity: User | null;
  /** Invitation that the command takes, if there is one. */
  readonly invitation: User | null;
  readonly count: number;
  /** Invitations that were made long ago, where there is no room for another user. */
  readonly oldInvitations: readonly User[];
  /** Members of the account of the command. */
  readonly members: number;
  /** Owners of the account of the command who can sign in. */
  readonly owners: readonly UserId[];
};

/**
 * `failed` is a wrong password or code: it is counted, and so a change. `paused` is one that was not looked at, because
 * too many before it were wrong. `gone` is a user who has no role left on any
 * account, and does not operate the installation.
 */
export type UserDecision = {
  readonly kind: 'change' | 'failed' | 'paused' | 'gone' | 'unchanged';
  readonly user: User;
  /** The invitation that is over. */
  readonly used?: User;
};

export const NO_SUCH_MEMBER = 'There is no such member of the account.';
export const BAD_LINK = 'The link was used already, has expired, or is not complete.';
export const IDENTITY_TAKEN = 'Somebody else signs in with this account of the provider.';
export const IDENTITY_STAYS = 'You can disconnect it once you have a password.';
export const PASSKEY_STAYS = 'You can remove the last passkey once you have a password.';
export const NO_SECOND_FACTOR = 'You have no second factor. Set one up: recovery codes come with it.';
export const BAD_IDENTITY = 'You do not sign in with this account of the provider.';
export const TOO_LONG_AGO = 'You proved too long ago who you are. Begin again.';
export const SIGNED_OUT = 'You are signed out.';
export const BAD_PASSKEY = 'The passkey is not known here, or what it was asked for is too old.';

export type CommandOf<T extends UserCommand['type']> = Extract<UserCommand, { readonly type: T }>;

export const NO_FAILURES = { count: 0, lastAt: 0 };

export const changed = (user: User): UserDecision => ({ kind: 'change', user });
