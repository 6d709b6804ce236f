/** Events: one schema for each kind of resource that events are about. Receivers get the same bytes as readers. */

import { eventTypes } from '../../events/types.ts';
import { Type } from '../../lib/json-schema.ts';
import type { representEvidence } from '../evidence.ts';
import { closed, type FieldsOf, id, kind, nullable, ref, seldom, text, time } from './answer-fields.ts';
import { titled } from './fields.ts';

type SubjectOf<T> = T extends `${infer Subject}.${string}` ? Subject : never;
type EventSubject = SubjectOf<(typeof eventTypes)[number]>;

const happenedAt = titled('EventTime', time('Time of the event.'));
const version = Type.Integer({
  minimum: 1,
  title: 'EventVersion',
  description: 'Version of the session (or endpoint) after the change: the higher one is newer.',
  examples: [3],
});
const sequence = Type.Integer({
  minimum: 1,
  title: 'EventSequence',
  description: 'Number of the event among those of the session (or endpoint), without gaps.',
  examples: [4],
});

/** Types of the examples: where there is one, of an event whose data is the example of the resource. */
const usualTypes = {
  checkout: 'checkout.paid',
  payment_attempt: 'payment_attempt.succeeded',
  refund: 'refund.succeeded',
  reversal: 'reversal.open',
  payin: 'payin.succeeded',
  webhook_endpoint: 'webhook_endpoint.suspended',
} as const satisfies Record<EventSubject, (typeof eventTypes)[number]>;

const eventOf = (subject: EventSubject, resource: string) =>
  Type.Object(
    {
      type: Type.Enum(
        eventTypes.filter((type) => type.startsWith(`${subject}.`)),
        { type: 'string', description: 'Type of the event.', examples: [usualTypes[subject]] },
      ),
      id: id('evt'),
      object: kind('event'),
      created_at: happenedAt,
      data: ref(resource),
      version,
      sequence,
    },
    { ...closed, description: `An event whose \`data\` is the whole ${resource} right after the change.` },
  );

const eventSchemas = {
  checkout: 'CheckoutEvent',
  payment_attempt: 'PaymentAttemptEvent',
  refund: 'RefundEvent',
  reversal: 'ReversalEvent',
  payin: 'PayinEvent',
  webhook_endpoint: 'WebhookEndpointEvent',
} as const satisfies Record<EventSubject, string>;

/** The name of the schema that describes events of this type. */
export const schemaOfEvent = (type: string) => eventSchemas[type.split('.')[0] as EventSubject];

export const eventResources = {
  Event: Type.Union(Object.values(eventSchemas).map(ref), {
    description: 'A change of a session or an endpoint. Webhook receivers get the same bytes.',
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        eventTypes.map((type) => [type, `#/components/schemas/${schemaOfEvent(type)}`]),
      ),
    },
  }),
  CheckoutEvent: eventOf('checkout', 'Checkout'),
  PaymentAttemptEvent: eventOf('payment_attempt', 'PaymentAttempt'),
  RefundEvent: eventOf('refund', 'Refund'),
  ReversalEvent: eventOf('reversal', 'Reversal'),
  PayinEvent: eventOf('payin', 'Payin'),
  WebhookEndpointEvent: eventOf('webhook_endpoint', 'WebhookEndpoint'),
  TimelineEntry: Type.Object(
    {
      event: id('evt'),
      object: kind('timeline_entry'),
      type: text('Type of the event.', 'checkout.paid'),
      description: text('The event in words.', 'The session was paid.'),
      created_at: happenedAt,
      version: Type.Integer({ minimum: 1, description: 'Version after the event.', examples: [3] }),
      sequence: Type.Integer({ minimum: 1, description: 'Number of the event.', examples: [4] }),
      cause: seldom(
        'Id of the bank entry, or of the event of a provider, that led to the change. `asked`: an answer of the rail did, which was asked for another reason. Null: a request, the payer or the time.',
        'ntc_01k9zq4tn30000x5r7m2c9w1he',
      ),
      evidence: Type.Array(ref('Evidence'), {
        description:
          'What a rail has said of the payments, the refund or the reversal behind it, as far as it is known.',
      }),
    },
    { ...closed, description: 'One event in the history of a session.' },
  ),
  Evidence: Type.Object(
    {
      rail: text('The rail.', 'bank'),
      reference: text(
        'Id of the payment, refund or reversal at the rail; of an attempt that brought nothing, that of the attempt.',
        'ntc_01k9zq4tn30000x5r7m2c9w1he',
      ),
      bank_entry: nullable(id('ntc')),
      statement: nullable(id('bfl')),
      provider_event: seldom(
        'Id, at the provider, of the event that led to the change.',
        'evt_1Q2w3E4r5T6y7U8i',
      ),
    } satisfies FieldsOf<typeof representEvidence>,
    {
      ...closed,
      description: 'What a rail has said of money: the bank entry with its statement, or a provider event.',
    },
  ),
} as const;
