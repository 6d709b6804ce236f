/** Orders to make deliveries again. */
import { type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import { isEndpoint } from '../../webhooks/endpoint.ts';
import { probedAtOnce } from '../../webhooks/health.ts';
import { representDelivery, representResend } from '../../webhooks/representation.ts';
import { answerOf, auditOf, type Decided, type ResendDeliveries } from '../command.ts';

export function resendNeeds({ origin: { tenant }, deliveries }: ResendDeliveries): Needs {
  return {
    tenant,
    endpoints: true,
    lanes: [...new Set(deliveries.map(({ subject }) => subject))],
    receivers: [...new Set(deliveries.map(({ receiver }) => receiver))],
  };
}

export function decideOnResend(
  order: ResendDeliveries,
  { endpoints, receivers: failing }: Loaded,
): Decided | Refusal {
  const { origin, deliveries, now, reply, many } = order;
  const byId = new Map(endpoints.map((each) => [each.id, each]));
  const isAble = ({ receiver }: Delivery) => !isEndpoint(receiver) || byId.get(receiver)?.disabled === null;
  const able = deliveries.filter(isAble);
  const [first] = able;
  if (many?.endpoint !== undefined && !byId.has(many.endpoint)) {
    return refuseFields([{ pointer: '/endpoint', detail: 'must be the id of a webhook endpoint' }]);
  }
  const isOff = many ? byId.get(many.endpoint ?? '')?.disabled : !first;
  if (isOff) return refuse('endpoint_disabled', 'The webhook endpoint is disabled or was deleted.');
  const resends = able.map(({ id, receiver, subject }) => ({ id, receiver, subject, at: now }));
  // Whoever asks for this thinks that the receiver is well again.
  const probed = [...new Set(resends.map(({ receiver }) => receiver))].flatMap((id) => {
    const health = failing.get(id);
    return health ? [{ id, health: probedAtOnce(health, now) }] : [];
  });
  const data = many
    ? representResend(resends.length, many.nextCursor)
    : first &&
      representDelivery(
        { ...first, state: 'pending', dueAt: now },
        probed[0]?.health ?? null,
        byId.get(first.receiver)?.url,
      );
  return {
    writes: {
      resends,
      ...(probed.length > 0 ? { receivers: probed } : {}),
      ...(first ? { audit: auditOf(origin, first.id, 0, now, 'resend') } : {}),
    },
    answer: answerOf(reply, JSON.stringify(data)),
    committed: { tenant: origin.tenant, checkouts: [], events: 0, deliveries: resends.length },
  };
}
