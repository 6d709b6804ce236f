/** Keys of an account at Stripe: their names, and the forms that they have in each mode. */

import type { Mode } from '../../checkout/tenant.ts';
import { signingSecret, stripeKey } from '../../config/values.ts';
import type { CredentialsForm, Secrets } from '../credentials.ts';

/** Name of the rail of cards, in attempts, the ledger and credentials. */
export const STRIPE = 'stripe';

export type StripeKeys = {
  /** `sk_test_…`, `sk_live_…`, or a restricted key `rk_…`. */
  readonly secretKey: string;
  /** Secret of the webhook endpoint at Stripe: `whsec_…`. */
  readonly webhookSecret: string;
};

const checks: Readonly<Record<string, (mode: Mode) => (text: string) => string>> = {
  secret_key: stripeKey,
  webhook_secret: () => signingSecret,
};

export const stripeCredentials: CredentialsForm = {
  fields: Object.keys(checks),
  check: (field, value, mode) => void checks[field]?.(mode)(value),
};

export function stripeKeysOf({ secret_key = '', webhook_secret = '' }: Secrets): StripeKeys {
  return { secretKey: secret_key, webhookSecret: webhook_secret };
}
