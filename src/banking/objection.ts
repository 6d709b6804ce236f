/** Reasons of an account to be asked before money is booked for a session. Pure. */
import type { Checkout } from '../checkout/session.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { EntryContent, EntryProblem } from './entry.ts';

/**
 * Problem that stops the money from being booked for this session automatically, or null. A person may still book it.
 */
export function objection(checkout: Checkout, entry: EntryContent, now: TenantTime): EntryProblem | null {
  if (checkout.currency !== entry.currency) return 'other_currency';
  return isHeld(checkout, entry, now) ? 'held_late' : null;
}

/** Time by which a day begins before that of UTC: in Kiribati, UTC+14, and nowhere earlier. */
const EARLIEST_DAY_MS = 14 * 3_600_000;

/**
 * True if the account wants to be asked about money that came after the deadline, grace included. A statement may be
 * read long after the money came, and states only the day of wherever the bank is: money that may have come in time
 * counts as in time.
 */
function isHeld({ lifecycle, policy }: Checkout, { bookedOn }: EntryContent, now: TenantTime): boolean {
  if (lifecycle.state !== 'expired' || policy.late === 'accept') return false;
  const cameAt = Math.min(now, Date.parse(`${bookedOn}T00:00:00Z`) - EARLIEST_DAY_MS);
  return cameAt > lifecycle.at + (policy.graceMinutes[BANK] ?? 0) * 60_000;
}
