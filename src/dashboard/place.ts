/** Place: the account and mode that a screen of the dashboard is about, and what the visitor may do there. */
import type { Account } from '../accounts/account.ts';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { type Rights, type Role, rightsOf } from '../users/roles.ts';
import { accountsOf, roleOn, type User } from '../users/user.ts';
import type { DashboardDependencies } from './dependencies.ts';
import type { Visitor } from './visitor.ts';

export type Place = {
  readonly account: Account;
  readonly mode: Mode;
  readonly tenant: Tenant;
  readonly role: Role;
  /** True if the role allows this operation of the API. */
  readonly may: (operation: string) => boolean;
  readonly rights: Rights;
  /** Accounts that the visitor has a role on, in order: the first of them, and this one. */
  readonly accounts: readonly Account[];
  /** True where there are more. */
  readonly hasMoreAccounts: boolean;
};

/** Accounts that each screen lists. */
const LISTED = 50;

/** The path of a screen: `/dashboard/1/live/sessions`. */
export const pathIn = ({ account, mode }: Tenant, screen: string): string =>
  `/dashboard/${account}/${mode}/${screen}`;

/** The same below `/dashboard`, as an outcome leads to it. */
export const wayIn = (tenant: Tenant, screen: string): string =>
  pathIn(tenant, screen).slice('/dashboard'.length);

/** The place that the path names; null where the visitor has no role, as if there were no such account. */
export async function placeOf(
  { store, mayDo }: Pick<DashboardDependencies, 'store' | 'mayDo'>,
  { user }: Visitor,
  params: { readonly account?: string; readonly mode?: string },
): Promise<Place | null> {
  const number = /^[1-9]\d{0,14}$/.test(params.account ?? '') ? Number(params.account) : 0;
  const mode = params.mode === 'test' || params.mode === 'live' ? params.mode : null;
  const role = roleOn(user, number);
  if (role === undefined || mode === null) return null;
  const own = accountsOf(user);
  const listed = own.filter((each, index) => index < LISTED || each === number);
  const accounts = await accountsAt(store, listed);
  const account = accounts.find((each) => each.number === number);
  if (account === undefined) return null;
  const rights = rightsOf(role);
  return {
    account,
    mode,
    tenant: { account: number, mode },
    role,
    may: (operation) => mayDo(rights, operation),
    rights,
    accounts,
    hasMoreAccounts: listed.length < own.length,
  };
}

/** Names of the accounts that the user has a role on: of the first of them. */
export async function accountNamesOf(store: DashboardDependencies['store'], user: User): Promise<string[]> {
  const accounts = await accountsAt(store, accountsOf(user).slice(0, LISTED));
  return accounts.map(({ name }) => name);
}

/** The accounts with these numbers, as far as they are there. */
export async function accountsAt(
  { accounts }: DashboardDependencies['store'],
  numbers: readonly number[],
): Promise<Account[]> {
  const found = await Promise.all(numbers.map((each) => accounts.fetch(each)));
  return found.filter((each): each is Account => each !== null);
}
