/** Orders about an endpoint. */
import type { Refusal } from '../checkout/refusal.ts';
import type { Loaded, Needs, Writes } from '../store/store.ts';
import { decideEndpoint, type Endpoint } from '../webhooks/endpoint.ts';
import type { Health } from '../webhooks/health.ts';
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
    const writes = { endpoints: [{ before, after: null }], ...healed(id, failing, now), audit };
    return { writes, answer: answerOf(reply, data), committed: waiting(scope) };
  }
  const renewed = kind === 'changed' && before !== null && isRenewed(before, endpoint);
  const health = renewed ? null : failing;
  // A secret is shown when it is made, and never again.
  const shown = command.type === 'create_endpoint' || command.type === 'rotate_secret';
  const presented = presentEndpoint(endpoint, health, now);
  const data = JSON.stringify(shown ? { ...presented, secret: endpoint.secret } : presented);
  const answer = answerOf(reply, data);
  if (kind === 'unchanged') return { writes: {}, answer, committed: null };
  const writes: Writes = {
    endpoints: [{ before, after: endpoint }],
    ...(renewed ? healed(id, failing, now) : {}),
    audit,
  };
  return { writes, answer, committed: renewed ? waiting(scope) : null };
}

/** What is known of how it fares says nothing of another address, and nothing while it is off. */
function isRenewed(before: Endpoint, after: Endpoint): boolean {
  return before.url !== after.url || before.disabled !== after.disabled;
}

function healed(id: string, failing: Health | null, now: number): Pick<Writes, 'receivers' | 'hastened'> {
  return {
    ...(failing === null ? {} : { receivers: [{ id, health: null }] }),
    hastened: [{ receiver: id, at: now }],
  };
}

/** What waits for it may go out, or come to its end. */
function waiting(scope: EndpointOrder['origin']['scope']): Decided['committed'] {
  return { scope, checkouts: [], events: 0, deliveries: 1 };
}
