/** The overview of an account and mode. */
import type { representOverview } from '../../checkout/overview.ts';
import { MOST_DELIVERIES, MOST_TIMES, MOST_WAITING } from '../../checkout/overview.ts';
import { Type } from '../../lib/json-schema.ts';
import { closed, count, type FieldsOf, kind, nullable, ref } from './answer-fields.ts';

type Part<K extends keyof ReturnType<typeof representOverview>> = () => ReturnType<
  typeof representOverview
>[K];

const ms = (description: string, example: number) =>
  nullable(Type.Integer({ minimum: 0, description, examples: [example] }));

export const overviewResources = {
  Overview: Type.Object(
    {
      object: kind('overview'),
      waiting: ref('Waiting'),
      deliveries: ref('DeliveryCounts'),
      time_to_pay: ref('TimeToPay'),
      currencies: Type.Array(Type.String({ examples: ['EUR'] }), {
        description: 'Currencies of all sessions, in alphabetical order.',
      }),
    } satisfies FieldsOf<typeof representOverview>,
    {
      ...closed,
      description: 'What waits for a person, how webhooks arrive, and how long payers take to pay.',
    },
  ),
  Waiting: Type.Object(
    {
      bank_entries: count('Bank entries with the status `open`.'),
      bank_refunds: count(
        'Pending refunds by bank transfer: they wait for a payment file, or for a statement.',
      ),
      excess: count('Sessions of the last 30 days that are paid in excess, without a refund.'),
      failed_deliveries: count('Webhook deliveries that were given up.'),
      suspended_receivers: count('Receivers that only get probes.'),
      disabled_endpoints: count('Webhook endpoints that are disabled.'),
      provider_events: count(
        'Provider events that matched nothing, or whose rail has not told of the payment.',
      ),
    } satisfies FieldsOf<Part<'waiting'>>,
    {
      ...closed,
      description: `What waits for a person, now. Each number counts up to ${MOST_WAITING}.`,
    },
  ),
  DeliveryCounts: Type.Object(
    {
      delivered: count('Those that arrived.'),
      pending: count('Those that have not arrived yet.'),
      failed: count('Those that were given up.'),
    } satisfies FieldsOf<Part<'deliveries'>>,
    {
      ...closed,
      description: `States of the webhook deliveries that were created in the time, of the newest ${MOST_DELIVERIES}.`,
    },
  ),
  TimeToPay: Type.Object(
    {
      count: count('Sessions of which the times are told.'),
      median_ms: ms('Milliseconds within which half of them were paid; null if there is none.', 42_000),
      p90_ms: ms('Milliseconds within which nine of ten were paid; null if there is none.', 259_000),
    } satisfies FieldsOf<Part<'time_to_pay'>>,
    {
      ...closed,
      description: `Times from the creation of sessions in the currency to the payment of the time that completed them, of the newest ${MOST_TIMES}, rounded down to three digits. They may be some seconds old.`,
    },
  ),
} as const;
