/** Results of deliveries, and their consequences for the receivers. */
import type { TenantTime } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { EndpointEventType } from '../../events/types.ts';
import type { Audit } from '../../store/resources/audit.ts';
import type { EndpointChange, Loaded, Needs, Writes } from '../../store/store.ts';
import type { DeliveryResult } from '../../webhooks/delivery.ts';
import { type Endpoint, isEndpoint } from '../../webhooks/endpoint.ts';
import { afterFailure, asksForLess, type Health } from '../../webhooks/health.ts';
import { representEndpoint } from '../../webhooks/representation.ts';
import { auditOf, type Decided, type Origin, type RecordDeliveries } from '../command.ts';
import { deliveryRows, eventRows } from '../event-rows.ts';

const GONE = 410;

export function deliveriesNeeds({ origin: { tenant }, results }: RecordDeliveries): Needs {
  const receivers = [...new Set(results.map(({ receiver }) => receiver))];
  // Only these can come to an event of the endpoint.
  const concerned = results.filter(({ state, failing }) => failing || state !== 'delivered');
  const locked = [...new Set(concerned.map(({ receiver }) => receiver).filter(isEndpoint))];
  return {
    tenant,
    endpoints: true,
    deliverySubjects: [...new Set(results.map(({ subject }) => subject))],
    receivers,
    lockedEndpoints: locked,
  };
}

export function decideOnDeliveries({ origin, results }: RecordDeliveries, loaded: Loaded): Decided<null> {
  const { audits, ...writes } = receiversAfter(origin, results, loaded);
  const lines = audits.map((audit) => ({ audit }));
  return { value: null, writes: [{ deliveryResults: results, ...writes }, ...lines] };
}

/** How the log of changes calls what an event tells of. */
const actions = {
  'webhook_endpoint.suspended': 'suspend_endpoint',
  'webhook_endpoint.resumed': 'resume_endpoint',
  'webhook_endpoint.disabled': 'disable_endpoint',
} as const satisfies Record<EndpointEventType, string>;

/** The consequences of the results for those who got the deliveries, one after the other. */
function receiversAfter(
  origin: Origin,
  results: readonly DeliveryResult[],
  loaded: Loaded,
): Writes & { readonly audits: readonly Audit[] } {
  const endpoints = new Map<string, Endpoint>(loaded.endpoints.map((each) => [each.id, each]));
  const health = new Map<string, Health | null>();
  const dueNow = new Map<string, number>();
  const events: EventRow[] = [];
  const audits: Audit[] = [];

  function tell(type: EndpointEventType, before: Endpoint, failing: Health | null, now: TenantTime): void {
    const after = { ...before, version: before.version + 1, eventCount: before.eventCount + 1 };
    endpoints.set(after.id, after);
    const data = JSON.stringify(representEndpoint(after, failing, now));
    events.push(...eventRows(after, [{ type, data }], now));
    audits.push(auditOf(origin, after.id, after.version, now, actions[type]));
  }

  for (const { receiver, state, at, httpStatus, error, attempt, failing } of results) {
    if (attempt === null) continue;
    const known = health.has(receiver) ? health : loaded.receivers;
    const before = known.get(receiver) ?? null;
    const endpoint = endpoints.get(receiver);
    // What was on its way when it was switched off or deleted tells nothing any more.
    if (isEndpoint(receiver) && endpoint?.disabled !== null) continue;
    if (state === 'delivered') {
      // If that was not known when it went out, the endpoint could not be locked; the next one will tell.
      if (before === null || (before.announced && !failing)) continue;
      health.set(receiver, null);
      // Where others arrived meanwhile, what fails by itself must keep to its schedule.
      if (before.announced) dueNow.set(receiver, at);
      if (before.announced && endpoint) tell('webhook_endpoint.resumed', endpoint, null, at);
    } else if (httpStatus === GONE) {
      if (!endpoint) continue;
      if (before !== null) health.set(receiver, null);
      // What waits for it comes to its end.
      dueNow.set(receiver, at);
      tell('webhook_endpoint.disabled', { ...endpoint, disabled: 'gone', updatedAt: at }, null, at);
    } else if (!asksForLess(httpStatus)) {
      const after = afterFailure(before, error ?? '', at);
      health.set(receiver, after);
      if (after.announced && !before?.announced && endpoint)
        tell('webhook_endpoint.suspended', endpoint, after, at);
    }
  }
  const changes = [...endpoints.values()].flatMap((after): EndpointChange[] => {
    const before = loaded.endpoints.find(({ id }) => id === after.id) ?? null;
    return before === after ? [] : [{ before, after }];
  });
  return {
    audits,
    ...(health.size > 0 ? { receivers: [...health].map(([id, value]) => ({ id, health: value })) } : {}),
    ...(dueNow.size > 0 ? { dueNow: [...dueNow].map(([receiver, at]) => ({ receiver, at })) } : {}),
    ...(changes.length > 0 ? { endpoints: changes } : {}),
    ...(events.length > 0 ? { events, deliveries: deliveryRows(events, [...endpoints.values()]) } : {}),
  };
}
