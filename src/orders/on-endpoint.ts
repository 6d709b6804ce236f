/** Orders about an endpoint. */
import type { Refusal } from '../checkout/refusal.ts';
import type { Loaded, Needs, Writes } from '../store/store.ts';
import { decideEndpoint, type Endpoint, type EndpointCommand } from '../webhooks/endpoint.ts';
import { type Health, healthStatusOf, probedAtOnce } from '../webhooks/health.ts';
import { presentEndpoint } from '../webhooks/present.ts';
import { answerOf, auditOf, type Decided, type EndpointOrder } from './order.ts';

export function endpointNeeds({ origin: { scope }, id }: EndpointOrder): Needs {
  return { scope, endpoints: true, lockedEndpoints: [id], receivers: [id] };
}

export function decideOnEndpoint(
  { origin, id, command, now, reply }: EndpointOrder,
  loaded: Loaded,
): Decided | Refusal {
  const { scope } = origin;
  const decision = decideEndpoint(loaded.endpoints, { id, scope, now }, command);
  if (decision.kind === 'refusal') return decision;
  const { kind, endpoint } = decision;
  const before = loaded.endpoints.find((each) => each.id === id) ?? null;
  const failing = loaded.receivers.get(id) ?? null;
  const audit = auditOf(origin, id, endpoint.version, now, command.type);
  if (kind === 'deleted') {
    const data = JSON.stringify({ id, object: 'webhook_endpoint', deleted: true });
    const writes = { endpoints: [{ before, after: null }], ...stirred(id, failing, null, now), audit };
    return { writes, answer: answerOf(reply, data), committed: waiting(scope) };
  }
  const isTriedAnew = before !== null && triesAnew(before, endpoint, command);
  const health = isTriedAnew ? healthAnew(endpoint, failing, now) : failing;
  // A secret is shown when it is made, and never again.
  const shown = command.type === 'create_endpoint' || command.type === 'rotate_secret';
  const presented = presentEndpoint(endpoint, health, now);
  const data = JSON.stringify(shown ? { ...presented, secret: endpoint.secret } : presented);
  const writes: Writes = {
    ...(kind === 'changed' ? { endpoints: [{ before, after: endpoint }], audit } : {}),
    ...(isTriedAnew ? stirred(id, failing, health, now) : {}),
  };
  return { writes, answer: answerOf(reply, data), committed: isTriedAnew ? waiting(scope) : null };
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
): Pick<Writes, 'receivers' | 'hastened'> {
  return {
    ...(before === null ? {} : { receivers: [{ id, health: after }] }),
    hastened: [{ receiver: id, at: now }],
  };
}

/** What waits for it may go out, or come to its end. */
function waiting(scope: EndpointOrder['origin']['scope']): Decided['committed'] {
  return { scope, checkouts: [], events: 0, deliveries: 1 };
}
