/** Resources around webhooks: endpoints, and deliveries with their attempts. */
import { Type } from '../../lib/json-schema.ts';
import type {
  representDelivery,
  representDeliveryAttempt,
  representEndpoint,
  representResend,
} from '../../webhooks/representation.ts';
import { closed, createdAt, type FieldsOf, id, kind, nullable, oneOf, text, time } from './answer-fields.ts';
import { titled } from './fields.ts';

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const possiblyEmpty = (description: string, example = '') =>
  Type.String({ description, examples: [example] });

const healthOf = (description: string) =>
  titled('ReceiverHealth', oneOf(['healthy', 'failing', 'suspended'], description));

const health = Type.Object(
  {
    status: healthOf(
      '`suspended`: only single deliveries go out, as probes, until one succeeds; the others wait.',
    ),
    failing_since: nullable(time('Time of the first of the consecutive failures; null while healthy.')),
    consecutive_failures: count('Consecutive failures.', 0),
    last_error: possiblyEmpty('Cause of the last failure, or empty.'),
    next_probe_at: nullable(time('Earliest time of the next probe; null if not suspended.')),
  },
  { ...closed, title: 'EndpointHealth', description: 'Health of the endpoint.' },
);

const endpoint = {
  id: id('whe'),
  object: kind('webhook_endpoint'),
  created_at: createdAt,
  updated_at: time('Time of the last change.'),
  url: text('Receiver of the events.', 'https://shop.example.com/webhooks/opentill'),
  events: Type.Array(Type.String(), {
    description: 'Selected events: `*`, all of a kind such as `checkout.*`, or types.',
    examples: [['checkout.*', 'payin.succeeded']],
  }),
  description: possiblyEmpty('Your description.', 'Order system'),
  status: oneOf(['enabled', 'disabled'], 'A disabled endpoint receives nothing.'),
  disabled_reason: oneOf(
    ['', 'by_merchant', 'gone'],
    '`by_merchant`: disabled through the API; `gone`: the endpoint answered 410. Empty while enabled.',
  ),
  health,
  previous_secret_expires_at: nullable(
    time('Time until which the previous secret also signs; null if there is none.'),
  ),
} satisfies FieldsOf<typeof representEndpoint>;

const delivery = {
  id: id('whd'),
  object: kind('webhook_delivery'),
  created_at: time('Time of creation, together with the event.'),
  event: id('evt'),
  event_type: text('Type of the event.', 'checkout.paid'),
  checkout: possiblyEmpty('Id of the session of the event, or empty.', 'chk_01k9zq4tn30000x5r7m2c9w1he'),
  endpoint: possiblyEmpty(
    'Id of the endpoint; empty for one to the `webhook_url` of the session.',
    'whe_01k9zq4tn30000x5r7m2c9w1he',
  ),
  url: possiblyEmpty(
    'Address of the receiver; empty if the endpoint was deleted.',
    'https://shop.example.com/webhooks/opentill',
  ),
  status: oneOf(['pending', 'delivered', 'failed'], 'Status.'),
  receiver_status: healthOf(
    'Health of the receiver: the endpoint, or the host of the session’s `webhook_url`.',
  ),
  attempts: count('Number of attempts.', 1),
  next_attempt_at: nullable(
    time(
      'Earliest time of the next attempt; null if the delivery has ended, or waits for an earlier one of the same session.',
    ),
  ),
  last_attempt_at: nullable(time('Time of the last attempt.')),
  last_http_status: nullable(Type.Integer({ description: 'Status of the last answer.', examples: [200] })),
  last_error: possiblyEmpty('Cause of the last failure, or empty.'),
} satisfies FieldsOf<typeof representDelivery>;

const attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the attempt.', examples: [1] }),
    created_at: time('Time of the attempt.'),
    duration_ms: count('Duration in milliseconds.', 84),
    http_status: nullable(Type.Integer({ description: 'HTTP status of the answer.', examples: [500] })),
    error: possiblyEmpty('Cause of the failure, or empty.', 'status 500'),
    answer: possiblyEmpty('Beginning of the answer, at most 1 KiB. Untrusted text.', 'Internal Server Error'),
  } satisfies FieldsOf<typeof representDeliveryAttempt>,
  closed,
);

export const webhookResources = {
  WebhookEndpoint: Type.Object(endpoint, {
    ...closed,
    description: 'An address that receives the events of an account and mode.',
  }),
  WebhookEndpointWithSecret: Type.Object(
    {
      ...endpoint,
      secret: text(
        'Signing secret. This is the only answer that shows it.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
    },
    {
      ...closed,
      description: 'An endpoint with its new signing secret.',
    },
  ),
  WebhookDelivery: Type.Object(delivery, {
    ...closed,
    description: 'An event on its way to a receiver.',
  }),
  WebhookDeliveryWithLog: Type.Object(
    { ...delivery, attempt_log: Type.Array(attempt, { description: 'All attempts, oldest first.' }) },
    { ...closed, description: 'A delivery with its attempts.' },
  ),
  Resend: Type.Object(
    {
      object: kind('resend'),
      resent: count('Deliveries that are sent again.', 12),
      has_more: Type.Boolean({ description: 'More deliveries are left.' }),
      next_cursor: nullable(Type.String({ description: 'Value of `after` for the next request.' })),
    } satisfies FieldsOf<typeof representResend>,
    { ...closed, description: 'Result of resending failed deliveries.' },
  ),
} as const;
