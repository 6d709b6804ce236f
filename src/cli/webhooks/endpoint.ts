/** Webhook endpoints as commands show and change them. */
import { flag, optional } from '../declare/parameter.ts';
import { idOf, selectors, text } from '../declare/values.ts';
import { printable } from '../printable.ts';

export type Endpoint = {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly status: string;
  readonly disabled_reason: string;
  readonly health: {
    readonly status: string;
    readonly failing_since: string | null;
    readonly last_error: string;
    readonly next_probe_at: string | null;
  };
  readonly previous_secret_expires_at: string | null;
};

export type WithSecret = Endpoint & { readonly secret: string };

export const endpointId = idOf('whe', 'a webhook endpoint');

export const endpointKeys = {
  id: 'Id of the webhook endpoint, `whe_…`.',
  url: 'Address that receives the events.',
  events: 'Events that it receives.',
  description: 'Its description.',
  status: '`enabled` or `disabled`.',
  disabled_reason: 'Reason why it is disabled, or empty.',
  health: 'Health of its deliveries: `status`, `failing_since`, `last_error`, `next_probe_at`.',
  previous_secret_expires_at: 'Time at which the previous secret stops signing, or null.',
} as const;

/** Keys of an endpoint in the answer that makes its secret. */
export const newEndpointKeys = { ...endpointKeys, secret: 'Its secret; it is shown only now.' } as const;

/** Options of `add` and `update`. */
export const endpointOptions = {
  events: optional(
    selectors,
    'Events to send: types such as `checkout.paid`, all of a kind such as `checkout.*`, or `*` for all.',
  ),
  description: optional(text('text'), 'A description of your own.'),
  disable: flag('Disable it: it gets no events.'),
};

export function pathOf(id: string): string {
  return `/webhook_endpoint/${encodeURIComponent(id)}`;
}

export function lineOf({ id, url, events, description, status, disabled_reason, health }: Endpoint): string {
  const reason = disabled_reason === '' ? '' : ` (${disabled_reason})`;
  const columns = [
    id,
    `${status}${reason}${troubleOf(health)}`,
    printable(url),
    events.join(','),
    printable(description),
  ];
  return columns.filter((text) => text !== '').join('  ');
}

function troubleOf({ status, failing_since, next_probe_at, last_error }: Endpoint['health']): string {
  if (status === 'healthy') return '';
  const since = failing_since === null ? '' : ` since ${failing_since}`;
  const probe = next_probe_at === null ? '' : `, next probe ${next_probe_at}`;
  return `, ${status}${since}${probe}: ${printable(last_error)}`;
}
