/** A provider event that waits, as the API shows it. */
import type { CheckoutId } from '../checkout/ids.ts';
import { timestamp } from '../checkout/representation.ts';
import type { WaitingEvent } from '../methods/provider-event.ts';

export function representWaitingEvent(
  { id, receivedAt, rail, reference, kind, state, reason, tries, dueAt, ...event }: WaitingEvent,
  checkout: CheckoutId | null,
) {
  return {
    id,
    object: 'provider_event',
    created_at: timestamp(receivedAt),
    rail,
    reference,
    type: kind,
    status: state,
    reason,
    tries,
    next_try_at: dueAt === null ? null : timestamp(dueAt),
    checkout,
    attempt_reference: event.attemptReference,
    payment_reference: event.paymentReference,
  };
}
