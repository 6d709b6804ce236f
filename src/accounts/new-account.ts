/** Rules of making an account beside those that there are, for the API and the command line alike. Pure. */
import { type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import { type Account, isAccountName, type NewAccount } from './account.ts';
import { noName } from './account-changes.ts';
import { defaultSettings } from './settings.ts';

/** Maximum number of accounts of an installation: every process keeps all of them in memory. */
export const MAX_ACCOUNTS = 10_000;

/** Number that the next account gets, and how many there are. */
export type AccountCount = { readonly next: number; readonly count: number };

/** The account as it is stored first, with the defaults for all that it can configure. */
export function decideNewAccount(
  { next, count }: AccountCount,
  { name, webhookSecrets, testClockOffsetMs }: NewAccount,
  now: RealTime,
): Account | Refusal {
  if (!isAccountName(name)) return refuseFields([noName]);
  if (count >= MAX_ACCOUNTS)
    return refuse('too_many_accounts', `The installation has ${MAX_ACCOUNTS} accounts already.`);
  return {
    number: next,
    name,
    createdAt: now,
    webhookSecrets,
    previousWebhookSecrets: { test: null, live: null },
    testClockOffsetMs,
    settings: { test: defaultSettings, live: defaultSettings },
    railCredentials: { test: {}, live: {} },
    logos: { test: null, live: null },
  };
}
