/** Rules of making an account beside those that there are, for the API and the command line alike. Pure. */
import { type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import type { Account, NewAccount } from './account.ts';
import { badName } from './account-changes.ts';
import { defaultSettings } from './settings.ts';

/**
 * Maximum number of accounts of an installation: every process keeps all of them in memory. It is well below that of
 * users, because each account that a key makes invites one, and a key must not use up the users of all accounts.
 */
export const MAX_ACCOUNTS = 2_000;

/** Number that the next account gets, and how many there are. */
export type AccountCount = { readonly next: number; readonly count: number };

/** The account as it is stored first, with the defaults for all that it can configure. */
export function decideNewAccount(
  { next, count }: AccountCount,
  { name, webhookSecrets, testClockOffsetMs }: NewAccount,
  now: RealTime,
): Account | Refusal {
  const problems = badName(name);
  if (problems.length > 0) return refuseFields(problems);
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
