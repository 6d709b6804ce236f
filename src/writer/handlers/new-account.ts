/** The command that makes an account: with its owner in the same commit, so that none is ever without a way in. */
import { tenantTime } from '../../accounts/account.ts';
import { decideNewAccount } from '../../accounts/new-account.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { decideUser } from '../../users/user-changes.ts';
import type { UserCommand } from '../../users/user-commands.ts';
import { auditOf, type Decided, type MakeAccount, type Value } from '../command.ts';
import { outOfTime, placesFor } from './user.ts';

export function newAccountNeeds({ origin: { tenant }, owner }: MakeAccount): Needs {
  const ofOwner: Partial<Needs> = 'user' in owner ? { users: [owner.user] } : placesFor;
  return { tenant, nextAccount: ['all'], ...ofOwner };
}

export function decideOnNewAccount(
  { origin, account: given, owner, now }: MakeAccount,
  { nextAccount, users, userCount, oldInvitations }: Loaded,
): Decided<Value<'new_account'>> | Refusal {
  const counted = nextAccount.get('all');
  if (counted === undefined) throw new Error('the accounts were not counted');
  const account = decideNewAccount(counted, given, now);
  if (isRefusal(account)) return account;
  const { number } = account;
  const before = 'user' in owner ? (users.get(owner.user) ?? null) : null;
  const command: UserCommand =
    'user' in owner
      ? { type: 'own_account', account: number, now }
      : {
          type: 'invite_user',
          account: number,
          role: 'owner',
          id: owner.invited,
          link: owner.link,
          name: '',
          email: '',
          now,
        };
  const facts = {
    ...{ byEmail: null, byIdentity: null, invitation: null, owners: [], members: 0 },
    count: userCount.get('all') ?? 0,
    oldInvitations: oldInvitations.get('all') ?? [],
  };
  const decision = decideUser(before, facts, command);
  if (isRefusal(decision)) return decision;
  const at = tenantTime(now, 0);
  const line = (subject: string, action: string) => auditOf(origin, subject, 0, at, action);
  const ofUser = line(decision.user.id, command.type);
  const accountAudits = [line('account', 'create_account'), ofUser].map((audit) => ({
    account: number,
    audit,
  }));
  return {
    value: { account, owner: decision.user },
    writes: [
      ...(decision.used === undefined ? [] : [outOfTime(decision.used, origin, at)]),
      { user: { before, after: decision.user }, audit: ofUser },
      { newAccount: account, accountAudits, audit: line(String(number), 'create_account') },
    ],
  };
}
