/** Account and mode that a command is about, where it works on the database or at a server. */
import type { Tenant } from '../checkout/tenant.ts';
import type { Store } from '../store/store.ts';
import { accountOf, modeOf } from './account.ts';
import { flag, optional } from './declare/parameter.ts';
import { accountNumber } from './declare/values.ts';
import { UsageError } from './failure.ts';

/** Account and mode as they were typed. A server knows them by the key of the request. */
export type Place = { readonly account: number | undefined; readonly live: boolean };

export const placeOptions = {
  account: optional(accountNumber, 'Number of the account. Default: 1.'),
  live: flag('Use live mode instead of test mode.'),
};

/** The place in a database. Throws for an account that is not there. */
export async function tenantAt(store: Store, { account = 1, live }: Place): Promise<Tenant> {
  await accountOf(store, account);
  return { account, mode: modeOf(live) };
}

/** Refuses a place that was typed for a server, which would not look at it. */
export function refusePlace({ account, live }: Place): void {
  if (account !== undefined || live)
    throw new UsageError('--account and --live do not go with --url: the API key says both');
}
