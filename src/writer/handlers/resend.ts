/** Commands to make deliveries again. */
import { type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { type Delivery, NO_SUCH_DELIVERY, type PlacedDelivery } from '../../webhooks/delivery.ts';
import { type Endpoint, isEndpoint } from '../../webhooks/endpoint.ts';
import { probedAtOnce } from '../../webhooks/health.ts';
import { auditOf, type Decided, type ResendDeliveries, type Resent } from '../command.ts';

export function resendNeeds({ origin: { tenant }, deliveries }: ResendDeliveries): Needs {
  return {
    tenant,
    endpoints: true,
    deliveries: deliveries.map(({ id }) => id),
    deliverySubjects: [...new Set(deliveries.map(({ subject }) => subject))],
    receivers: [...new Set(deliveries.map(({ receiver }) => receiver))],
  };
}

export function decideOnResend(
  { origin, deliveries: named, now, many }: ResendDeliveries,
  { deliveries, endpoints, receivers: failing }: Loaded,
): Decided<Resent> | Refusal {
  const byId = new Map<string, Endpoint>(endpoints.map((each) => [each.id, each]));
  const isAble = ({ receiver }: Delivery) => !isEndpoint(receiver) || byId.get(receiver)?.disabled === null;
  const known = named.flatMap(({ id }) => deliveries.get(id) ?? []);
  const able = known.filter(isAble);
  const [first] = able;
  if (!many && known.length < named.length) return refuse('not_found', NO_SUCH_DELIVERY);
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
    deliveries: reopened(able, now),
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

/** Each as it is then: due now, unless an earlier one of its ordering key is pending, or made again with it. */
function reopened(all: readonly PlacedDelivery[], now: TenantTime): Delivery[] {
  const keyOf = ({ receiver, subject }: Delivery) => `${receiver}\n${subject}`;
  const inOrder = all.toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
  // The first of each ordering key: it is set last.
  const heads = new Map(inOrder.toReversed().map((each) => [keyOf(each), each]));
  return all.map((each) => {
    const { sequence: _, isBehind, ...delivery } = each;
    const isHead = !isBehind && heads.get(keyOf(each)) === each;
    return { ...delivery, state: 'pending', dueAt: isHead ? now : null };
  });
}
