/** Commands about a user of the dashboard. */
import { tenantTime } from '../../accounts/account.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { accountsOf, identityKey, isInvited, type User, type UserId } from '../../users/user.ts';
import { decideUser } from '../../users/user-changes.ts';
import type { UserCommand, UserDecision } from '../../users/user-commands.ts';
import { auditOf, type ChangeUser, type Decided } from '../command.ts';

export function userNeeds({ origin: { tenant }, id, command }: ChangeUser): Needs {
  const email = emailOf(command);
  return {
    tenant,
    users: command.type === 'join' ? [id, command.invitation] : [id],
    ...(email === '' ? {} : { usersByEmail: [email] }),
    ...(command.type === 'link_identity' ? { usersByIdentity: [identityKey(command.identity)] } : {}),
    ...(command.type === 'invite_user' ? { userCount: ['all'], memberCounts: [command.account] } : {}),
    ...(takesRole(command) ? { accountOwners: [command.account] } : {}),
  };
}

export function decideOnUser(
  { origin, id, command }: ChangeUser,
  { users, usersByEmail, usersByIdentity, userCount, memberCounts, accountOwners }: Loaded,
): Decided<UserDecision> | Refusal {
  const byEmail = usersByEmail.get(emailOf(command)) ?? null;
  const facts = {
    byEmail,
    byIdentity:
      command.type === 'link_identity' ? (usersByIdentity.get(identityKey(command.identity)) ?? null) : null,
    invitation: command.type === 'join' ? (users.get(command.invitation) ?? null) : null,
    count: userCount.get('all') ?? 0,
    members: command.type === 'invite_user' ? (memberCounts.get(String(command.account)) ?? 0) : 0,
    owners: takesRole(command) ? (accountOwners.get(String(command.account)) ?? []) : [],
  };
  const before = users.get(id) ?? null;
  const value = decideUser(before, facts, command);
  if (isRefusal(value)) return value;
  const { kind, user, used } = value;
  if (kind === 'unchanged' || kind === 'paused') return { value, writes: [] };
  const after = kind === 'gone' ? null : user;
  // The installation has no clock of its own.
  const at = tenantTime(command.now, 0);
  const audit = (id: UserId) =>
    auditOf(origin, id, 0, at, kind === 'failed' ? 'sign_in_failed' : command.type);
  const change: Writes = { user: { before, after } };
  const concerned = accountsConcerned(command, before, value);
  const accountAudits = concerned.map((account) => ({ account, audit: audit(user.id) }));
  if (ofNoInterest.has(command.type)) return { value, writes: [change] };
  const ended = used === undefined ? [] : [{ user: { before: used, after: null }, audit: audit(used.id) }];
  // An invitation makes somebody an operator at last when it is taken, which says nothing of that.
  const risen =
    command.type !== 'set_operator' && !isOperating(before) && isOperating(after)
      ? [{ audit: auditOf(origin, user.id, 0, at, 'set_operator') }]
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
      return before !== null && isInvited(before) ? accountsOf(user) : [];
    default:
      return [];
  }
}

/** The e-mail address that the user is to have; empty if the command gives none. */
function emailOf(command: ChangeUser['command']): string {
  return 'email' in command ? command.email : '';
}

/** Commands that may leave an account without an owner. */
function takesRole(
  command: UserCommand,
): command is Extract<UserCommand, { readonly type: 'set_role' | 'remove_role' }> {
  return command.type === 'set_role' || command.type === 'remove_role';
}
