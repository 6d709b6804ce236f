/** What the service answers about webhook endpoints and deliveries. */
import Type from 'typebox';
import { closed, id, kind, nullable, oneOf, text, time } from './answer-fields.ts';

const count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const possiblyEmpty = (description: string, example = '') =>
  Type.String({ description, examples: [example] });

const health = Type.Object(
  {
    status: oneOf(
      ['healthy', 'failing', 'suspended'],
      'How deliveries to it fare. `suspended`: only single ones go out, as probes, until one arrives; the others wait.',
    ),
    failing_since: nullable(time('When the first of the failures in a row was; null while it is healthy.')),
    consecutive_failures: count('Failures in a row.', 0),
    last_error: possiblyEmpty('Why the last one failed, or empty.'),
    next_probe_at: nullable(time('When the next probe goes out at the earliest; null if not suspended.')),
  },
  { ...closed, description: 'How deliveries to the endpoint fare.' },
);

const endpoint = {
  id: id('whe'),
  object: kind('webhook_endpoint'),
  created_at: time('When it was created.'),
  updated_at: time('When it was last changed.'),
  url: text('Where events are sent.', 'https://shop.example.com/webhooks/opentill'),
  events: Type.Array(Type.String(), {
    description: 'What it wants: `*`, all of a kind such as `checkout.*`, or types.',
    examples: [['checkout.*', 'payin.succeeded']],
  }),
  description: possiblyEmpty('What the merchant says of it.', 'Order system'),
  status: oneOf(['enabled', 'disabled'], 'Whether it gets events.'),
  disabled_reason: oneOf(
    ['', 'by_merchant', 'gone'],
    'Why it gets none: switched off, or `gone`: it has answered 410. Empty while it is enabled.',
  ),
  health,
  previous_secret_expires_at: nullable(
    time('Until when the secret before the current one signs as well; null if none does.'),
  ),
};

const delivery = {
  id: id('whd'),
  object: kind('webhook_delivery'),
  created_at: time('When it was made, together with the event.'),
  event: id('evt'),
  event_type: text('Type of the event.', 'checkout.paid'),
  checkout: possiblyEmpty(
    'Id of the session that the event is about, or empty.',
    'chk_01k9zq4tn30000x5r7m2c9w1he',
  ),
  endpoint: possiblyEmpty(
    'Id of the endpoint; empty for one to the `webhook_url` of the session.',
    'whe_01k9zq4tn30000x5r7m2c9w1he',
  ),
  url: possiblyEmpty(
    'Where it goes; empty if the endpoint was deleted.',
    'https://shop.example.com/webhooks/opentill',
  ),
  status: oneOf(['pending', 'delivered', 'failed'], 'How it stands.'),
  receiver_status: oneOf(
    ['healthy', 'failing', 'suspended'],
    'How the receiver fares: the endpoint, or the host of the address that the session names.',
  ),
  attempts: count('How often it was tried.', 1),
  next_attempt_at: nullable(
    time(
      'When it is tried next, at the earliest; null if it has ended, or waits for an earlier one of the same session.',
    ),
  ),
  last_attempt_at: nullable(time('When it was last tried.')),
  last_http_status: nullable(Type.Integer({ description: 'What the receiver answered.', examples: [200] })),
  last_error: possiblyEmpty('Why the last try failed, or empty.'),
};

const attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Counts the tries of the delivery.', examples: [1] }),
    created_at: time('When it was made.'),
    duration_ms: count('How long it took, in milliseconds.', 84),
    http_status: nullable(Type.Integer({ description: 'What the receiver answered.', examples: [500] })),
    error: possiblyEmpty('Why it failed, or empty.'),
    answer: possiblyEmpty('The beginning of what the receiver said, at most 1 KiB. It is not to be trusted.'),
  },
  closed,
);

export const webhookResources = {
  WebhookEndpoint: Type.Object(endpoint, {
    ...closed,
    $id: 'WebhookEndpoint',
    description: 'An address that gets the events of an account and mode.',
  }),
  WebhookEndpointWithSecret: Type.Object(
    {
      ...endpoint,
      secret: text(
        'Signs what is sent to it. It is shown this one time.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      ),
    },
    {
      ...closed,
      $id: 'WebhookEndpointWithSecret',
      description: 'An endpoint together with a secret that was just made.',
    },
  ),
  WebhookDelivery: Type.Object(delivery, {
    ...closed,
    $id: 'WebhookDelivery',
    description: 'An event on its way to a receiver.',
  }),
  WebhookDeliveryWithLog: Type.Object(
    { ...delivery, attempt_log: Type.Array(attempt, { description: 'Every try, the first first.' }) },
    { ...closed, $id: 'WebhookDeliveryWithLog', description: 'A delivery together with its tries.' },
  ),
  Resend: Type.Object(
    {
      object: kind('resend'),
      resent: count('How many deliveries are made again.', 12),
      has_more: Type.Boolean({ description: 'There are more; ask again for them.' }),
      next_cursor: nullable(Type.String({ description: 'Where the next ones begin.' })),
    },
    { ...closed, $id: 'Resend', description: 'What came of sending failed deliveries again.' },
  ),
} as const;
