/** Public representation of endpoints and deliveries. Pure. */

import { timestamp } from '../checkout/representation.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Delivery, DeliveryAttempt } from './delivery.ts';
import { type Endpoint, isEndpoint } from './endpoint.ts';
import { type Health, healthStatusOf } from './health.ts';

const timestampOrNull = (ms: number | null) => (ms === null ? null : timestamp(ms));

/** Earliest time of a delivery: one that is due may still wait for the probe of a suspended receiver. */
function nextAttemptAt({ dueAt }: Delivery, health: Health | null): number | null {
  return dueAt === null ? null : Math.max(dueAt, health?.probeAt ?? dueAt);
}

/** The endpoint without its secret, which is shown only on creation. `now` is in the clock of its account and mode. */
export function representEndpoint(endpoint: Endpoint, health: Health | null, now: TenantTime) {
  const { previousSecret: previous } = endpoint;
  return {
    id: endpoint.id,
    object: 'webhook_endpoint',
    created_at: timestamp(endpoint.createdAt),
    updated_at: timestamp(endpoint.updatedAt),
    url: endpoint.url,
    events: endpoint.events,
    description: endpoint.description,
    status: endpoint.disabled === null ? 'enabled' : 'disabled',
    disabled_reason: endpoint.disabled ?? '',
    health: {
      status: healthStatusOf(health),
      failing_since: timestampOrNull(health?.failingSince ?? null),
      consecutive_failures: health?.failures ?? 0,
      last_error: health?.lastError ?? '',
      next_probe_at: timestampOrNull(health?.probeAt ?? null),
    },
    previous_secret_expires_at: previous !== null && previous.until > now ? timestamp(previous.until) : null,
  };
}

/** `endpointUrl` is the current address of its endpoint, if any; `health` is that of its receiver. */
export function representDelivery(delivery: Delivery, health: Health | null, endpointUrl = '') {
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    created_at: timestamp(delivery.createdAt),
    event: delivery.event,
    event_type: delivery.eventType,
    checkout: isEndpoint(delivery.subject) ? '' : delivery.subject,
    endpoint: isEndpoint(delivery.receiver) ? delivery.receiver : '',
    url: delivery.url ?? endpointUrl,
    status: delivery.state,
    receiver_status: healthStatusOf(health),
    attempts: delivery.attempts,
    next_attempt_at: timestampOrNull(nextAttemptAt(delivery, health)),
    last_attempt_at: timestampOrNull(delivery.triedAt),
    last_http_status: delivery.lastStatus,
    last_error: delivery.lastError ?? '',
  };
}

export function representDeliveryAttempt(attempt: DeliveryAttempt) {
  return {
    number: attempt.number,
    created_at: timestamp(attempt.at),
    duration_ms: attempt.durationMs,
    http_status: attempt.status,
    error: attempt.error ?? '',
    answer: attempt.answer,
  };
}

/** Result of resending many deliveries; the cursor is where the next page begins. */
export function representResend(resent: number, nextCursor: string | null) {
  return { object: 'resend', resent, has_more: nextCursor !== null, next_cursor: nextCursor };
}
