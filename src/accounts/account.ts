/** Accounts: merchants, each with its own data, apart from all others. */
import type { Mode, TenantTime } from '../checkout/tenant.ts';
import type { RealTime } from '../lib/time.ts';
import type { CredentialsByRail } from '../methods/credentials.ts';
import { newWebhookSecret, type PreviousSecret } from '../webhooks/secrets.ts';
import type { AccountSettings } from './settings.ts';

export type Account = {
  readonly number: number;
  readonly name: string;
  readonly createdAt: RealTime;
  /** The secrets (`whsec_…`) that sign deliveries to a session's own `webhook_url`. */
  readonly webhookSecrets: Readonly<Record<Mode, string>>;
  /** The previous secrets, as long as they sign beside the current ones. */
  readonly previousWebhookSecrets: Readonly<Record<Mode, PreviousSecret | null>>;
  /** Lead of the account's test clock over real time. */
  readonly testClockOffsetMs: number;
  /** Settings of the account for each mode. */
  readonly settings: Readonly<Record<Mode, AccountSettings>>;
  /** The account's own credentials at its rails, sealed. */
  readonly railCredentials: Readonly<Record<Mode, CredentialsByRail>>;
  /** Name of the logo for each mode, or null; the image is stored beside the account. */
  readonly logos: Readonly<Record<Mode, string | null>>;
};

export type NewAccount = Pick<Account, 'name' | 'webhookSecrets' | 'testClockOffsetMs'>;

type AccountStore = {
  readonly accounts: {
    create(account: NewAccount, nowMs: RealTime): Promise<Account>;
    createFirst(account: NewAccount, nowMs: RealTime): Promise<Account | null>;
  };
};

/** Creates an account with its webhook secrets. */
export function createAccount(store: AccountStore, name: string, nowMs: RealTime): Promise<Account> {
  return store.accounts.create(newAccount(name), nowMs);
}

/** Creates the first account of a database; null if there is one already. */
export function createFirstAccount(
  store: AccountStore,
  name: string,
  nowMs: RealTime,
): Promise<Account | null> {
  return store.accounts.createFirst(newAccount(name), nowMs);
}

export function newAccount(name: string): NewAccount {
  const webhookSecrets = { test: newWebhookSecret(), live: newWebhookSecret() };
  return { name, webhookSecrets, testClockOffsetMs: 0 };
}

/** Time of a tenant whose clock is this far ahead of real time: the only way from one clock to the other. */
export function tenantTime(realNow: RealTime, offsetMs: number): TenantTime {
  return realNow + offsetMs;
}

/** Time of a tenant now: only test data has a clock of its own. Without an account it is real time. */
export function tenantNow(
  account: Pick<Account, 'testClockOffsetMs'> | null | undefined,
  mode: Mode,
  realNow: RealTime,
): TenantTime {
  return tenantTime(realNow, mode === 'live' ? 0 : (account?.testClockOffsetMs ?? 0));
}
