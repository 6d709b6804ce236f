/** Commands to make deliveries again. */
import { type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import { type Endpoint, isEndpoint } from '../../webhooks/endpoint.ts';
import { probedAtOnce } from '../../webhooks/health.ts';
import { auditOf, type Decided, type ResendDeliveries, type Resent } from '../command.ts';

export function resendNeeds({ origin: { tenant }, deliveries }: ResendDeliveries): Needs {
  return {
    tenant,
    endpoints: true,
    deliverySubjects: [...new Set(deliveries.map(({ subject }) => subject))],
    receivers: [...new Set(deliveries.map(({ receiver }) => receiver))],
  };
}

export function decideOnResend(
  { origin, deliveries, now, many }: ResendDeliveries,
  { endpoints, receivers: failing }: Loaded,
): Decided<Resent> | Refusal {
  const byId = new Map<string, Endpoint>(endpoints.map((each) => [each.id, each]));
  const isAble = ({ receiver }: Delivery) => !isEndpoint(receiver) || byId.get(receiver)?.disabled === null;
  const able = deliveries.filter(isAble);
  const [first] = able;
  if (many?.endpoint !== undefined && !byId.has(many.endpoint)) {
    return refuseFields([{ pointer: '/endpoint', detail: 'must be the id of a webhook endpoint' }]);
  }
  const isOff = many ? byId.get(many.endpoint ?? '')?.disabled : !first;
  if (isOff) return refuse('endpoint_disabled', 'The webhook endpoint is disabled or was deleted.');
  // Whoever asks for this thinks that the receiver is well again.
  const probed = [...new Set(able.map(({ receiver }) => receiver))].flatMap((id) => {
    const health = failing.get(id);
    return health ? [{ id, health: probedAtOnce(health, now) }] : [];
  });
  const value: Resent = {
    deliveries: able.map((each) => ({ ...each, state: 'pending', dueAt: now })),
    health: new Map(probed.map(({ id, health }) => [id, health])),
    endpoints,
  };
  if (!first) return { value, writes: [] };
  const written = {
    resends: able.map(({ id, receiver, subject }) => ({ id, receiver, subject, at: now })),
    ...(probed.length > 0 ? { receivers: probed } : {}),
    audit: auditOf(origin, first.id, 0, now, 'resend'),
  };
  return { value, writes: [written] };
}
