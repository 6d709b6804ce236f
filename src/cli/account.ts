/** The account and mode that a command is about. */

import type { Account } from '../accounts/account.ts';
import type { Mode } from '../checkout/tenant.ts';
import type { Store } from '../store/store.ts';
import { flag, withDefault } from './declare/parameter.ts';
import { accountNumber } from './declare/values.ts';
import { Failure } from './failure.ts';

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
