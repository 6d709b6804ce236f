/** Commands about a user of the dashboard. */
import { tenantTime } from '../../accounts/account.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { refusalByMember } from '../../users/tags.ts';
import { accountsOf, identityKey, isInvited, type User, type UserId } from '../../users/user.ts';
import { decideUser } from '../../users/user-changes.ts';
import type { UserCommand, UserDecision } from '../../users/user-commands.ts';
import { auditOf, type ChangeUser, type Decided, type Origin, ownOrigin } from '../command.ts';

/** Facts about the room for another user. */
export const placesFor = { userCount: ['all'], oldInvitations: ['all'] } as const satisfies Partial<Needs>;

export function userNeeds({ origin: { tenant }, id, command }: ChangeUser): Needs {
  const email = emailOf(command);
  return {
    tenant,
    users: command.type === 'join' ? [id, command.invitation] : [id],
    ...(email === '' ? {} : { usersByEmail: [email] }),
    ...(bringsIdentity(command) ? { usersByIdentity: [identityKey(command.identity)] } : {}),
    ...(command.type === 'invite_user' ? { ...placesFor, memberCounts: [command.account] } : {}),
    ...(takesRole(command) ? { accountOwners: [command.account] } : {}),
  };
}

export function decideOnUser(
  { origin, id, command, condition }: ChangeUser,
  { users, usersByEmail, usersByIdentity, userCount, oldInvitations, memberCounts, accountOwners }: Loaded,
): Decided<UserDecision> | Refusal {
  const byEmail = usersByEmail.get(emailOf(command)) ?? null;
  const facts = {
    byEmail,
    byIdentity: bringsIdentity(command) ? (usersByIdentity.get(identityKey(command.identity)) ?? null) : null,
    invitation: command.type === 'join' ? (users.get(command.invitation) ?? null) : null,
    count: userCount.get('all') ?? 0,
    oldInvitations: oldInvitations.get('all') ?? [],
    members: command.type === 'invite_user' ? (memberCounts.get(String(command.account)) ?? 0) : 0,
    owners: takesRole(command) ? (accountOwners.get(String(command.account)) ?? []) : [],
  };
  const before = users.get(id) ?? null;
  const value = refusalByMember(before, command, condition) ?? decideUser(before, facts, command);
  if (isRefusal(value)) return value;
  const { kind, user, used } = value;
  if (kind === 'unchanged' || kind === 'paused') return { value, writes: [] };
  const after = kind === 'gone' ? null : user;
  // The installation has no clock of its own.
  const at = tenantTime(command.now, 0);
  const audit = (id: UserId) =>
    auditOf(origin, id, 0, at, kind === 'failed' ? 'sign_in_failed' : actionOf(command));
  const change: Writes = { user: { before, after } };
  const concerned = accountsConcerned(command, before, value);
  const accountAudits = concerned.map((account) => ({ account, audit: audit(user.id) }));
  if (ofNoInterest.has(command.type)) return { value, writes: [change] };
  const ended =
    used === undefined
      ? []
      : [
          command.type === 'invite_user'
            ? outOfTime(used, origin, at)
            : { ...gone(used), audit: audit(used.id) },
        ];
  // An invitation makes somebody an operator at last when it is taken, which says nothing of that.
  const risen =
    command.type !== 'set_operator' && !isOperating(before) && isOperating(after)
      ? [{ audit: auditOf(origin, user.id, 0, at, MADE_OPERATOR) }]
      : [];
  return { value, writes: [...ended, { ...change, accountAudits, audit: audit(user.id) }, ...risen] };
}

/** Changes that nobody asks about later, and of which anybody could fill the log: a look at a page, and one's own lists. */
const ofNoInterest: ReadonlySet<UserCommand['type']> = new Set([
  'see_sign_in',
  'save_view',
  'remove_view',
  'choose_columns',
]);

const gone = (user: User): Pick<Writes, 'user'> => ({ user: { before: user, after: null } });

/**
 * End of an invitation that has expired. Whoever needed its place may be of another account: the logs of those that it was
 * for say neither who that was nor what id their request had.
 */
export function outOfTime(user: User, origin: Origin, at: TenantTime): Writes {
  const lineOf = (by: Origin) => auditOf(by, user.id, 0, at, 'invitation_expired');
  const audit = lineOf(ownOrigin(origin.tenant, 'time'));
  const accountAudits = accountsOf(user).map((account) => ({ account, audit }));
  return { ...gone(user), audit: lineOf(origin), accountAudits };
}

const MADE_OPERATOR = 'make_operator';

/** Action for the log: to become an operator and to be one no longer are two things. */
function actionOf(command: UserCommand): string {
  if (command.type !== 'set_operator') return command.type;
  return command.isOperator ? MADE_OPERATOR : 'unmake_operator';
}

/** An operator who is only invited operates nothing yet. */
const isOperating = (user: User | null): boolean => user?.isOperator === true && !isInvited(user);

/**
 * Accounts whose logs have the change as well: those whose members it changes. What a user does about their own sign-in is
 * no matter of theirs.
 */
function accountsConcerned(
  command: UserCommand,
  before: User | null,
  { user, used }: UserDecision,
): readonly number[] {
  switch (command.type) {
    case 'invite_user':
    case 'set_role':
    case 'remove_role':
      return [command.account];
    case 'reset_user':
      return command.account === null ? accountsOf(user) : [command.account];
    case 'join':
      return used === undefined ? [] : accountsOf(used);
    case 'accept_link':
    case 'accept_link_by_identity':
      return before !== null && isInvited(before) ? accountsOf(user) : [];
    default:
      return [];
  }
}

/** The e-mail address that the user is to have; empty if the command gives none. */
function emailOf(command: ChangeUser['command']): string {
  return 'email' in command ? command.email : '';
}

/** Commands that make an identity the user's. */
function bringsIdentity(
  command: UserCommand,
): command is Extract<UserCommand, { readonly type: 'link_identity' | 'accept_link_by_identity' }> {
  return command.type === 'link_identity' || command.type === 'accept_link_by_identity';
}

/** Commands that may leave an account without an owner. */
function takesRole(
  command: UserCommand,
): command is Extract<UserCommand, { readonly type: 'set_role' | 'remove_role' }> {
  return command.type === 'set_role' || command.type === 'remove_role';
}
