/** Commands about an endpoint. */
import { CHANGED_SINCE } from '../../accounts/tags.ts';
import { isRefusal, type Refusal, refuse } from '../../checkout/refusals.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { isMet } from '../../lib/condition.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { decideEndpoint, type Endpoint, type EndpointCommand } from '../../webhooks/endpoint.ts';
import { type Health, healthStatusOf, probedAtOnce } from '../../webhooks/health.ts';
import { auditOf, type ChangeEndpoint, type Decided, type Value } from '../command.ts';

export function endpointNeeds({ origin: { tenant }, id }: ChangeEndpoint): Needs {
  return { tenant, endpoints: true, lockedEndpoints: [id], receivers: [id] };
}

export function decideOnEndpoint(
  { origin, id, command, now, condition = {} }: ChangeEndpoint,
  loaded: Loaded,
): Decided<Value<'endpoint'>> | Refusal {
  const before = loaded.endpoints.find((each) => each.id === id) ?? null;
  // One that is not there is told of as any other.
  if (before !== null && !isMet(condition, String(before.version)))
    return refuse('version_stale', CHANGED_SINCE);
  const decision = decideEndpoint(loaded.endpoints, { id, tenant: origin.tenant, now }, command);
  if (isRefusal(decision)) return decision;
  const { kind, endpoint } = decision;
  const failing = loaded.receivers.get(id) ?? null;
  const audit = auditOf(origin, id, endpoint.version, now, command.type);
  if (kind === 'deleted') {
    const writes = { endpoints: [{ before, after: null }], ...madeDueNow(id, failing, null, now), audit };
    return { value: { endpoint, health: null }, writes: [writes] };
  }
  const isTriedAnew = before !== null && triesAnew(before, endpoint, command);
  const health = isTriedAnew ? healthAnew(endpoint, failing, now) : failing;
  const value = { endpoint, health };
  if (kind !== 'changed' && !isTriedAnew) return { value, writes: [] };
  const writes: Writes = {
    ...(kind === 'changed' ? { endpoints: [{ before, after: endpoint }], audit } : {}),
    ...(isTriedAnew ? madeDueNow(id, failing, health, now) : {}),
  };
  return { value, writes: [writes] };
}

/** At another address, or switched on (even if it was on already), it is to be tried at once; switched off, never. */
function triesAnew(before: Endpoint, after: Endpoint, command: EndpointCommand): boolean {
  const isSwitchedOn = command.type === 'update_endpoint' && command.settings.enabled === true;
  return isSwitchedOn || before.url !== after.url || before.disabled !== after.disabled;
}

/** Its troubles may be over: if it was suspended, a probe will tell, and with it whoever was told of the suspension. */
function healthAnew({ disabled }: Endpoint, failing: Health | null, now: TenantTime): Health | null {
  const isSuspended = healthStatusOf(failing) === 'suspended';
  return disabled === null && isSuspended && failing ? probedAtOnce(failing, now) : null;
}

/** Its deferred deliveries go out, or come to their end. */
function madeDueNow(
  id: string,
  before: Health | null,
  after: Health | null,
  now: TenantTime,
): Pick<Writes, 'receivers' | 'dueNow'> {
  return {
    ...(before === null ? {} : { receivers: [{ id, health: after }] }),
    dueNow: [{ receiver: id, at: now }],
  };
}
