/** The account and mode that a command is about. */

import { type Account, tenantNow } from '../accounts/account.ts';
import type { AccountCommand } from '../accounts/account-changes.ts';
import { isRefusal, type Refusal } from '../checkout/refusals.ts';
import type { Mode, Tenant, TenantTime } from '../checkout/tenant.ts';
import type { AccountChange, Store } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { flag, withDefault } from './declare/parameter.ts';
import { accountNumber } from './declare/values.ts';
import { Failure } from './failure.ts';
import type { Database } from './with-store.ts';

/** Account option of commands that mostly concern the first account. */
export const accountOption = withDefault(accountNumber, '1', 'Number of the account.');
export const liveOption = flag('Use live mode instead of test mode.');

export function modeOf(live: boolean): Mode {
  return live ? 'live' : 'test';
}

export async function accountOf(store: Store, number: number): Promise<Account> {
  const account = await store.accounts.fetch(number);
  if (account === null) throw noSuchAccount(number);
  return account;
}

export function noSuchAccount(number: number): Failure {
  return new Failure(`there is no account ${number}; opentill accounts list shows the accounts`);
}

/**
 * Changes an account by the rules that the API keeps to as well; `now` is when, in the clock of the mode. Throws what
 * `failure` makes of a refusal.
 */
export async function changeAccount(
  { store, execute }: Database,
  tenant: Tenant,
  command: AccountCommand,
  failure: (refusal: Refusal) => Error = ({ detail }) => new Failure(detail),
): Promise<AccountChange & { readonly now: TenantTime }> {
  const now = tenantNow(await accountOf(store, tenant.account), tenant.mode, Date.now());
  const { result } = await execute({
    subject: 'account',
    origin: ownOrigin(tenant, 'operator'),
    command,
    now,
  });
  if (isRefusal(result)) throw failure(result);
  if (result.kind === 'replay') throw new Error('no command repeats what an operator does');
  return { ...result.value, now };
}
