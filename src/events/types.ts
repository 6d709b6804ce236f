/** Event types. Pure. */
import type { EventType } from '../checkout/events.ts';
import { keysOf } from '../lib/keys.ts';

export type EndpointEventType = `webhook_endpoint.${'suspended' | 'resumed' | 'disabled'}`;

/** The type keeps the list complete: every event of the rules needs a line here. */
const known: Readonly<Record<EventType | EndpointEventType, true>> = {
  'checkout.created': true,
  'checkout.updated': true,
  'checkout.paid': true,
  'checkout.expired': true,
  'payment_attempt.created': true,
  'payment_attempt.requires_action': true,
  'payment_attempt.processing': true,
  'payment_attempt.succeeded': true,
  'payment_attempt.failed': true,
  'payment_attempt.cancelled': true,
  'refund.pending': true,
  'refund.succeeded': true,
  'refund.failed': true,
  'reversal.open': true,
  'reversal.lost': true,
  'reversal.won': true,
  'payin.requires_payment_method': true,
  'payin.requires_action': true,
  'payin.processing': true,
  'payin.succeeded': true,
  'payin.cancelled': true,
  'webhook_endpoint.suspended': true,
  'webhook_endpoint.resumed': true,
  'webhook_endpoint.disabled': true,
};

/** Event types in the order of the documentation. */
export const eventTypes = keysOf(known);

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
