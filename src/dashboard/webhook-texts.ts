/** Endpoints and deliveries in words. */
import { type Html, html } from '../lib/html.ts';
import type { representDelivery, representEndpoint } from '../webhooks/representation.ts';
import { timeIn } from './texts.ts';

export type Endpoint = ReturnType<typeof representEndpoint>;
export type Delivery = ReturnType<typeof representDelivery>;

export const stateOf = (text: string, kind: 'good' | 'warn' | 'bad'): Html =>
  html`<span class="state ${kind}">${text}</span>`;

/** An endpoint in a word: enabled and well, failing, suspended by the circuit breaker, or disabled. */
export function endpointState({ status, disabled_reason: reason, health }: Endpoint): Html {
  if (status === 'disabled')
    return stateOf(reason === 'gone' ? 'disabled: it answered 410' : 'disabled', 'warn');
  if (health.status === 'healthy') return stateOf('healthy', 'good');
  return stateOf(health.status, health.status === 'suspended' ? 'bad' : 'warn');
}

export const deliveryState = ({ status }: Pick<Delivery, 'status'>): Html =>
  stateOf(status, status === 'failed' ? 'bad' : status === 'pending' ? 'warn' : 'good');

/** Number of attempts, and what came of the last one. */
export const attemptsOf = ({ attempts, last_error: error, next_attempt_at: next }: Delivery): Html =>
  html`${attempts}${error !== '' && html`, ${error}`}${next !== null && html`, next ${timeIn(next)}`}`;
