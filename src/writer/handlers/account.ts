/** Commands about an account. */
import { changedAccount, subjectOf } from '../../accounts/account-changes.ts';
import { refusalByCondition } from '../../accounts/tags.ts';
import { isRefusal, type Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { auditOf, type ChangeAccount, type Decided, type Value } from '../command.ts';

export function accountNeeds({ origin: { tenant } }: ChangeAccount): Needs {
  return { tenant, accounts: [tenant.account] };
}

export function decideOnAccount(
  { origin, command, now, condition }: ChangeAccount,
  loaded: Loaded,
): Decided<Value<'account'>> | Refusal {
  const { account: number, mode } = origin.tenant;
  const before = loaded.accounts.get(String(number));
  if (before === undefined) throw new Error(`there is no account ${number}`);
  const after =
    refusalByCondition(before, mode, { command, condition }) ??
    changedAccount(before, { mode, now }, command);
  if (isRefusal(after)) return after;
  const value = { before, after };
  if (after === before) return { value, writes: [] };
  const audit = auditOf(origin, subjectOf(command), 0, now, command.type);
  return { value, writes: [{ account: value, ...logoWrites(command), audit }] };
}

function logoWrites(command: ChangeAccount['command']): Pick<Writes, 'logo'> {
  if (command.type === 'set_logo') return { logo: { after: command.logo } };
  return command.type === 'remove_logo' ? { logo: { after: null } } : {};
}
