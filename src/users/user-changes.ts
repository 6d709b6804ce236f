/** Rules of users: invitations, links, roles, and what they change about themselves. Pure. */
import { type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import { hashCode, usedTotp } from './codes.ts';
import { withColumns, withoutColumns } from './columns.ts';
import {
  codeGiven,
  confirmed,
  confirmedByIdentity,
  confirmedByPasskey,
  signedInByIdentity,
  triedBy,
  triedByAnybody,
  withChanged,
  withFirstPassword,
  withIdentity,
  without,
  withoutIdentity,
  withoutPasskey,
  withPasskey,
  withPasskeyUsed,
  withSignIn,
} from './sign-in-rules.ts';
import {
  accountsOf,
  endOf,
  isInvited,
  isMoreThanMember,
  type Link,
  MAX_MEMBERS,
  MAX_USERS,
  openSignIn,
  roleOn,
  type SignIn,
  type User,
  type UserId,
} from './user.ts';
import {
  BAD_LINK,
  BAD_PASSKEY,
  type CommandOf,
  changed,
  IDENTITY_TAKEN,
  NO_FAILURES,
  NO_SECOND_FACTOR,
  NO_SUCH_MEMBER,
  SIGNED_OUT,
  type UserCommand,
  type UserDecision,
  type UserFacts,
} from './user-commands.ts';
import { withoutView, withView } from './views.ts';

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
    case 'own_account':
      return changed({ ...user, roles: { ...user.roles, [command.account]: 'owner' } });
    case 'set_operator':
      return operating(user, command.isOperator);
    case 'join':
      return joined(user, facts, command);
    case 'reset_user':
      return reset(user, command);
    case 'accept_link':
      return accepted(user, facts, command);
    case 'accept_link_by_identity':
      return acceptedByIdentity(user, facts, command);
    case 'sign_in':
      return triedByAnybody(user, command, command.verified, () =>
        withSignIn(without(user, command.replaces), command.signIn, command.now),
      );
    case 'give_code':
      return codeGiven(user, command);
    case 'confirm':
      return confirmed(user, command);
    case 'add_passkey':
      return withPasskey(user, command);
    case 'remove_passkey':
      return withoutPasskey(user, command);
    case 'sign_in_by_passkey': {
      const used = withPasskeyUsed(user, command);
      return used === null
        ? refuse('not_found', BAD_PASSKEY)
        : changed(
            withSignIn(without(used, command.replaces), command.signIn, command.now, { isWhole: true }),
          );
    }
    case 'confirm_by_passkey':
      return confirmedByPasskey(user, command);
    case 'link_identity':
      return withIdentity(user, facts, command);
    case 'unlink_identity':
      return withoutIdentity(user);
    case 'sign_in_by_identity':
      return signedInByIdentity(user, command);
    case 'confirm_by_identity':
      return confirmedByIdentity(user, command);
    case 'see_sign_in':
      return openSignIn(user, command.signIn, command.now) === undefined
        ? refuse('not_found', SIGNED_OUT)
        : changed(withChanged(user, command.signIn, { seenAt: command.now, address: command.address }));
    case 'sign_out':
      return withSignIns(user, ({ id }) => id !== command.signIn);
    case 'sign_out_others':
      return withSignIns(user, ({ id }) => id === command.signIn);
    case 'change_password':
      return triedBy(user, command, () => ({
        ...user,
        password: command.password,
        link: null,
        failures: NO_FAILURES,
        signIns: user.signIns.filter(({ id }) => id === command.signIn),
      }));
    case 'set_first_password':
      return withFirstPassword(user, command);
    case 'set_totp': {
      const totp = usedTotp({ secret: command.secret, lastStep: 0 }, command.code, command.now);
      if (totp === null) return wrongCode;
      return changed({ ...user, totp, recoveryCodes: command.recoveryCodes.map(hashCode) });
    }
    case 'remove_totp':
      return user.totp === null
        ? { kind: 'unchanged', user }
        : changed({ ...user, totp: null, recoveryCodes: [] });
    case 'replace_recovery_codes':
      if (user.totp === null) return refuse('not_found', NO_SECOND_FACTOR);
      return changed({ ...user, recoveryCodes: command.recoveryCodes.map(hashCode) });
    case 'save_view':
      return withView(user, command);
    case 'remove_view':
      return withoutView(user, command);
    case 'choose_columns':
      return withColumns(user, command);
    case 'rename_user':
      return emailTaken(user, facts) ?? renamed(user, command);
  }
}

const noSuchUser = refuse('not_found', 'There is no such user.');
const noSuchMember = refuse('not_found', NO_SUCH_MEMBER);
const wrongCode = refuseFields([{ pointer: '/code', detail: 'is not the current code' }]);

/** The sign-ins that stay; where all do, nobody is signed out. */
function withSignIns(user: User, stays: (signIn: SignIn) => boolean): UserDecision {
  const signIns = user.signIns.filter(stays);
  return signIns.length === user.signIns.length ? { kind: 'unchanged', user } : changed({ ...user, signIns });
}

/**
 * An invitation is its link: by that somebody proves that they were meant, and not by an e-mail address, which everybody can claim. Who
 * is a user already opens it signed in, and joins.
 */
function invited(
  { byEmail, count, oldInvitations, members }: UserFacts,
  { id, name, email, account, role, isOperator, link, now }: CommandOf<'invite_user'>,
): UserDecision | Refusal {
  if (byEmail !== null && roleOn(byEmail, account) !== undefined)
    return refuse('user_exists', 'A member of the account has this e-mail address.', [
      { pointer: '/email', detail: 'belongs to a member of the account' },
    ]);
  if (members >= MAX_MEMBERS)
    return refuse('too_many_users', `The account has ${MAX_MEMBERS} members already.`);
  const allExpired = oldInvitations.filter((each) => each.link === null || each.link.until <= now);
  // Without it an account may have no owner left, and so that of one goes last.
  const [expired] = [...allExpired.filter((each) => !ownsAny(each)), ...allExpired.filter(ownsAny)];
  if (count >= MAX_USERS && expired === undefined)
    return refuse('too_many_users', `There are ${MAX_USERS} users already.`);
  const user: User = {
    id,
    createdAt: now,
    name,
    email,
    roles: { [account]: role },
    ...(isOperator && { isOperator }),
    password: null,
    totp: null,
    recoveryCodes: [],
    passkeys: [],
    link,
    failures: NO_FAILURES,
    signIns: [],
    views: [],
  };
  // Nobody comes by it any more: it gives its place.
  return count >= MAX_USERS && expired ? { ...changed(user), used: expired } : changed(user);
}

const ownsAny = ({ roles }: User): boolean => Object.values(roles).includes('owner');

function joined(
  user: User,
  { invitation }: UserFacts,
  { secretHash, now }: CommandOf<'join'>,
): UserDecision | Refusal {
  if (invitation === null || !isInvited(invitation) || !isGood(invitation.link, secretHash, now))
    return refuse('not_found', BAD_LINK);
  const taken = accountsOf(invitation).some((account) => roleOn(user, account) !== undefined);
  if (taken) return refuse('user_exists', 'You are a member of the account already.');
  // A link that an account has asked for must not lead to another one.
  const roles = { ...user.roles, ...invitation.roles };
  const { isOperator = user.isOperator } = invitation;
  const after = { ...user, link: null, roles, ...(isOperator && { isOperator }) };
  return { ...changed(after), used: invitation };
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
  if (role !== null) return kept({ ...user, roles });
  const views = user.views.filter((each) => each.account !== command.account);
  return kept({ ...user, roles, views, columns: withoutColumns(user, command.account) });
}

/**
 * There may be no operator left: the command line on the machine of the service makes another one. A link that an account
 * has asked for must not lead to the installation.
 */
function operating(user: User, wanted: boolean): UserDecision {
  const { isOperator, ...others } = user;
  if ((isOperator === true) === wanted) return { kind: 'unchanged', user };
  return kept(wanted ? { ...others, isOperator: true, link: null } : others);
}

/** Nobody is left as a user who may do nothing. */
function kept(user: User): UserDecision {
  const isGone = Object.keys(user.roles).length === 0 && user.isOperator === undefined;
  return { kind: isGone ? 'gone' : 'change', user };
}

/** The link leads to all that the user may, so that one account has none made for a user of others, or for an operator. */
function reset(user: User, { account, link }: CommandOf<'reset_user'>): UserDecision | Refusal {
  if (account !== null) {
    if (roleOn(user, account) === undefined) return noSuchMember;
    if (isMoreThanMember(user))
      return refuse('member_elsewhere', 'The member has more than the role on this account.');
  }
  return changed({ ...user, link, failures: NO_FAILURES });
}

const renamed = (user: User, { name, email }: Pick<User, 'name' | 'email'>): UserDecision =>
  name === user.name && email === user.email
    ? { kind: 'unchanged', user }
    : changed({ ...user, name, email });

const emailTaken = ({ id }: User, { byEmail }: UserFacts): Refusal | null =>
  byEmail === null || byEmail.id === id
    ? null
    : refuse('user_exists', 'Another user has this e-mail address.', [
        { pointer: '/email', detail: 'belongs to another user' },
      ]);

/**
 * The link is good for one use. Second factors, passkeys and the account at a provider, which may be lost as well, go with
 * it, and all other sign-ins end.
 */
function accepted(
  user: User,
  facts: UserFacts,
  { secretHash, password, name, email, signIn, now }: CommandOf<'accept_link'>,
): UserDecision | Refusal {
  if (!isGood(user.link, secretHash, now)) return refuse('not_found', BAD_LINK);
  const whose = isInvited(user) ? { name, email } : {};
  const { identity: _, ...others } = user;
  const fresh: User = {
    ...others,
    ...whose,
    password,
    totp: null,
    recoveryCodes: [],
    passkeys: [],
    failures: NO_FAILURES,
    signIns: [],
  };
  return emailTaken(user, facts) ?? changed(withSignIn(fresh, signIn, now));
}

/**
 * An invitation alone: whoever has lost the way in sets a password. The account at the provider is of nobody else, and the
 * sign-in is whole, as of when its owner has proved there who they are.
 */
function acceptedByIdentity(
  user: User,
  facts: UserFacts,
  { secretHash, identity, provenAt, name, email, signIn, now }: CommandOf<'accept_link_by_identity'>,
): UserDecision | Refusal {
  if (!isInvited(user) || !isGood(user.link, secretHash, now)) return refuse('not_found', BAD_LINK);
  if (facts.byIdentity !== null) return refuse('user_exists', IDENTITY_TAKEN);
  const taken = emailTaken(user, facts);
  if (taken !== null) return taken;
  const confirmedAt = provenAt === null ? null : Math.min(now, provenAt);
  const fresh = { ...user, name, email, identity: { ...identity, linkedAt: now } };
  return changed(withSignIn(fresh, signIn, now, { isWhole: true, confirmedAt }));
}
