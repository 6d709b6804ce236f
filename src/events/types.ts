/** Event types, what they mean, and how they are selected. Pure. */
import type { EventType } from '../checkout/events.ts';
import { keysOf } from '../lib/keys.ts';

export type EndpointEventType = `webhook_endpoint.${'suspended' | 'resumed' | 'disabled'}`;

/** Event types in the order of the documentation, and what each means. The type keeps the list complete. */
export const eventMeanings: Readonly<Record<EventType | EndpointEventType, string>> = {
  'checkout.created': 'A session was created.',
  'checkout.updated':
    'Its items or metadata changed; or more money arrived, or the status of an attempt became unknown, and no other event reports that.',
  'checkout.paid': 'The booked payments cover the amount. This happens once and is final.',
  'checkout.expired': 'The session ended unpaid: through the expire operation, or at its `expires_at`.',
  'payment_attempt.created': 'A payer started to pay.',
  'payment_attempt.requires_action': 'The payer has to act, for example confirm the payment.',
  'payment_attempt.processing': 'The rail is moving the money.',
  'payment_attempt.succeeded':
    'The money arrived. If it was less than the amount, `status_description` says so.',
  'payment_attempt.failed': 'The payment failed; `status_description` has the reason.',
  'payment_attempt.cancelled':
    'The attempt was waiting for the payer and was cancelled, for another attempt or because the session ended.',
  'refund.pending': 'A refund was created; the rail has to carry it out.',
  'refund.succeeded': 'The rail returned the money.',
  'refund.failed':
    'The money was not returned, or came back to you; `status_description` has the reason. It can be refunded again.',
  'reversal.open': 'A card holder disputes a payment. The session remains paid.',
  'reversal.lost':
    'The money is gone: the dispute was lost, a bank returned a transfer, or somebody refunded the payment at the provider.',
  'reversal.won': 'The money stays or is back: the dispute was won, or the refund at the provider failed.',
  'payin.requires_payment_method': 'No attempt is in progress; the payer has to choose a method.',
  'payin.requires_action': 'An attempt is waiting for the payer.',
  'payin.processing': 'An attempt is in progress.',
  'payin.succeeded': 'The payments cover the amount.',
  'payin.cancelled': 'The session ended, and no attempt is in progress.',
  'webhook_endpoint.suspended':
    'An endpoint has been failing for a minute or more. Until it succeeds, it receives single deliveries as probes; the others wait.',
  'webhook_endpoint.resumed': 'A suspended endpoint succeeded again, and receives the waiting deliveries.',
  'webhook_endpoint.disabled': 'An endpoint answered 410. It receives nothing until you enable it.',
};

export const eventTypes = keysOf(eventMeanings);

/** Event types selected by these selectors; undefined for all. */
export function typesOf(selectors: readonly string[]): readonly string[] | undefined {
  if (selectors.includes('*')) return undefined;
  return eventTypes.filter(
    (type) => selectors.includes(type) || selectors.includes(`${type.split('.')[0]}.*`),
  );
}

/** Selectors: all types, all of a kind, or one type. */
export const eventSelectors: readonly string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`)),
  ...eventTypes,
];
