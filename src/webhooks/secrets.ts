/** Secrets that sign webhooks, and their rotation with an overlap in which receivers may know either. */

import { randomBytes } from 'node:crypto';
import type { TenantTime } from '../checkout/tenant.ts';

/** Maximum time for which a previous secret signs beside its successor. */
export const MAX_OVERLAP_SECONDS = 7 * 86_400;

/** The previous secret and its end, in the clock of its account and mode. */
export type PreviousSecret = { readonly secret: string; readonly until: TenantTime };

/** A new secret of 256 bits in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Secrets that sign at this time, newest first. */
export function validSecrets(
  secret: string,
  previous: PreviousSecret | null,
  now: TenantTime,
): readonly [string, ...string[]] {
  return previous !== null && previous.until > now ? [secret, previous.secret] : [secret];
}

/** The replaced secret as the previous one, or null if it stops signing immediately. */
export function retired(secret: string, now: TenantTime, overlapMs: number): PreviousSecret | null {
  return overlapMs > 0 ? { secret, until: now + overlapMs } : null;
}
