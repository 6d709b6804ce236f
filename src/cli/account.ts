/** The account that a command is about, by the number that was typed. */

import type { Account } from '../accounts/account.ts';
import type { Store } from '../store/store.ts';
import { UsageError } from './usage-error.ts';

export const ACCOUNT_NUMBER = /^[1-9]\d{0,14}$/;

export async function accountOf(store: Store, command: string, number = ''): Promise<Account> {
  if (!ACCOUNT_NUMBER.test(number)) throw new UsageError(`${command} takes the number of the account`);
  const account = await store.accounts.fetch(Number(number));
  if (account === null) throw noSuchAccount(number);
  return account;
}

export function noSuchAccount(number: string): UsageError {
  return new UsageError(`there is no account ${number}; opentill accounts list shows which there are`);
}
