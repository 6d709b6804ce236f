/** Retention of deliveries and events: the days that are set, and the numbers that other settings would remove. */
import type { Problem } from '../../checkout/refusals.ts';
import { eventsOutliveDeliveries, type RetentionDays, retentionDays } from '../../config/retention-days.ts';
import { Type } from '../../lib/json-schema.ts';
import type { RealTime } from '../../lib/time.ts';
import { JSON_TYPE, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope } from '../envelope.ts';
import { queryProblems, refuseQuery, usableFields, withFurther } from '../input.ts';
import { operation } from '../operation.ts';

const days = ({ least, most }: { readonly least: number; readonly most: number }, description: string) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description }));

const query = Type.Object(
  {
    webhook_log_days: days(
      retentionDays.deliveries,
      'Days for which deliveries would be kept. Default: those of the settings.',
    ),
    event_retention_days: days(
      retentionDays.events,
      'Days for which events would be kept, more than deliveries; 0 for ever. Default: those of the settings.',
    ),
  },
  { additionalProperties: false },
);

export function retentionRoutes(api: Api, { store, retention, realNow }: Dependencies): void {
  api.get(
    '/retention',
    operation(
      {
        operation: 'RETENTION.FETCH',
        tag: 'Account',
        permission: 'manage',
        summary: 'Fetch what is kept for how long',
        description:
          'The settings of the service, and the numbers of deliveries and events of the account and mode that would be removed now under them, or under others. Nothing is removed.',
        answers: 'Retention',
      },
      { querystring: query },
    ),
    async (request, reply) => {
      const found = queryProblems(request);
      const { webhook_log_days, event_retention_days } = usableFields(request.query, found);
      const asked = {
        deliveryDays: webhook_log_days ?? retention.deliveryDays,
        eventDays: event_retention_days ?? retention.eventDays,
      };
      refuseQuery(withFurther(found, eventsOutliveDeliveries(asked) ? [] : [tooFew]));
      const { deliveries, events } = await store.retention.count(
        principalOf(request).tenant,
        agesOf(asked, realNow()),
      );
      const data = {
        object: 'retention',
        webhook_log_days: retention.deliveryDays,
        event_retention_days: retention.eventDays,
        removable_deliveries: deliveries,
        removable_events: events,
      };
      return reply.type(JSON_TYPE).send(envelope('RETENTION.FETCH', JSON.stringify(data)));
    },
  );
}

const DAY_MS = 86_400_000;

const agesOf = ({ deliveryDays, eventDays }: RetentionDays, now: RealTime) => ({
  deliveries: now - deliveryDays * DAY_MS,
  events: eventDays === 0 ? null : now - eventDays * DAY_MS,
});

const tooFew: Problem = {
  pointer: '/event_retention_days',
  detail: 'must be 0 or more than webhook_log_days',
};
