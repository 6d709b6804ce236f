/** An account: a merchant, whose data is kept apart from that of all others. */
import type { Mode } from '../checkout/tenant.ts';
import type { PreviousSecret } from '../webhooks/secrets.ts';
import type { AccountSettings } from './settings.ts';

export type Account = {
  readonly number: number;
  readonly name: string;
  /** The secrets (`whsec_…`) that sign deliveries to a session's own `webhook_url`. */
  readonly webhookSecrets: Readonly<Record<Mode, string>>;
  /** Those before them, as long as they sign as well. */
  readonly previousWebhookSecrets: Readonly<Record<Mode, PreviousSecret | null>>;
  /** How far the clock of the account's test data is ahead of real time. */
  readonly testClockOffsetMs: number;
  /** What the account has configured for each mode. */
  readonly settings: Readonly<Record<Mode, AccountSettings>>;
};

export type NewAccount = Omit<Account, 'number' | 'previousWebhookSecrets' | 'settings'>;
