/** Orders about an endpoint. */
import type { Refusal } from '../../checkout/refusals.ts';
import type { Loaded, Needs, Writes } from '../../store/store.ts';
import { decideEndpoint, type Endpoint, type EndpointCommand } from '../../webhooks/endpoint.ts';
import { type Health, healthStatusOf, probedAtOnce } from '../../webhooks/health.ts';
import { representEndpoint } from '../../webhooks/representation.ts';
import { answerOf, auditOf, type ChangeEndpoint, type Decided } from '../command.ts';

export function endpointNeeds({ origin: { tenant }, id }: ChangeEndpoint): Needs {
  return { tenant, endpoints: true, lockedEndpoints: [id], receivers: [id] };
}

export function decideOnEndpoint(
  { origin, id, command, now, reply }: ChangeEndpoint,
  loaded: Loaded,
): Decided | Refusal {
  const { tenant } = origin;
  const decision = decideEndpoint(loaded.endpoints, { id, tenant, now }, command);
  if (decision.kind === 'refusal') return decision;
  const { kind, endpoint } = decision;
  const before = loaded.endpoints.find((each) => each.id === id) ?? null;
  const failing = loaded.receivers.get(id) ?? null;
  const audit = auditOf(origin, id, endpoint.version, now, command.type);
  if (kind === 'deleted') {
    const data = JSON.stringify({ id, object: 'webhook_endpoint', deleted: true });
    const writes = { endpoints: [{ before, after: null }], ...stirred(id, failing, null, now), audit };
    return { writes, answer: answerOf(reply, data), committed: waiting(tenant) };
  }
  const isTriedAnew = before !== null && triesAnew(before, endpoint, command);
  const health = isTriedAnew ? healthAnew(endpoint, failing, now) : failing;
  // A secret is shown when it is made, and never again.
  const shown = command.type === 'create_endpoint' || command.type === 'rotate_secret';
  const presented = representEndpoint(endpoint, health, now);
  const data = JSON.stringify(shown ? { ...presented, secret: endpoint.secret } : presented);
  const writes: Writes = {
    ...(kind === 'changed' ? { endpoints: [{ before, after: endpoint }], audit } : {}),
    ...(isTriedAnew ? stirred(id, failing, health, now) : {}),
  };
  return { writes, answer: answerOf(reply, data), committed: isTriedAnew ? waiting(tenant) : null };
}

/** At another address, or switched on (even if it was on already), it is to be tried at once; switched off, never. */
function triesAnew(before: Endpoint, after: Endpoint, command: EndpointCommand): boolean {
  const isSwitchedOn = command.type === 'update_endpoint' && command.settings.enabled === true;
  return isSwitchedOn || before.url !== after.url || before.disabled !== after.disabled;
}

/** Its troubles may be over: if it was suspended, a probe will tell, and with it whoever was told of the suspension. */
function healthAnew({ disabled }: Endpoint, failing: Health | null, now: number): Health | null {
  const isSuspended = healthStatusOf(failing) === 'suspended';
  return disabled === null && isSuspended && failing ? probedAtOnce(failing, now) : null;
}

/** What was put off for it goes out, or comes to its end. */
function stirred(
  id: string,
  before: Health | null,
  after: Health | null,
  now: number,
): Pick<Writes, 'receivers' | 'dueNow'> {
  return {
    ...(before === null ? {} : { receivers: [{ id, health: after }] }),
    dueNow: [{ receiver: id, at: now }],
  };
}

/** What waits for it may go out, or come to its end. */
function waiting(tenant: ChangeEndpoint['origin']['tenant']): Decided['committed'] {
  return { tenant, checkouts: [], events: 0, deliveries: 1 };
}
