/** Requests about webhook endpoints and deliveries. */

import { eventSelectors } from '../../events/types.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { MAX_OVERLAP_SECONDS } from '../../webhooks/secrets.ts';
import { pageQuery } from './checkout.ts';
import { address, closed, givenSessionId, idText, text, timestamp, titled } from './fields.ts';

/** Above the number of types; `*` selects them all. */
const MAX_EVENTS = 50;
export const DEFAULT_OVERLAP_SECONDS = 86_400;

const url = address('Receiver of the events.');

const settings = {
  events: Type.Optional(
    Type.Array(closed([...eventSelectors], 'An event type, all of a kind, or all.'), {
      minItems: 1,
      maxItems: MAX_EVENTS,
      title: 'EventSelection',
      description:
        'Events to send: `*` for all, `checkout.*` for all of a kind, or single types. Default: all.',
      examples: [['checkout.*', 'payin.succeeded']],
    }),
  ),
  description: Type.Optional(
    titled('EndpointDescription', text(250, 'Your description of the endpoint.', 'Order system')),
  ),
  status: Type.Optional(
    titled(
      'EndpointStatus',
      closed(['enabled', 'disabled'], 'A disabled endpoint receives nothing. Default: `enabled`.'),
    ),
  ),
};

export const createEndpointBody = Type.Object(
  { url, ...settings },
  {
    additionalProperties: false,
    examples: [
      {
        url: 'https://shop.example.com/webhooks/opentill',
        events: ['checkout.*'],
        description: 'Order system',
      },
    ],
  },
);

export const updateEndpointBody = Type.Object(
  { url: Type.Optional(url), ...settings },
  { additionalProperties: false, examples: [{ events: ['checkout.paid'], status: 'enabled' }] },
);
export type EndpointBody = Static<typeof updateEndpointBody>;

export const rotateSecretBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_SECONDS,
        default: DEFAULT_OVERLAP_SECONDS,
        description: 'Seconds for which the previous secret also signs.',
        examples: [DEFAULT_OVERLAP_SECONDS],
      }),
    ),
  },
  { additionalProperties: false, examples: [{ overlap_seconds: DEFAULT_OVERLAP_SECONDS }] },
);

const filters = {
  ...pageQuery('whd'),
  checkout: Type.Optional(idText('chk', 'Only deliveries about this session.')),
  event: Type.Optional(idText('evt', 'Only deliveries of this event.')),
  status: Type.Optional(closed(['pending', 'delivered', 'failed'], 'Only deliveries with this status.')),
  'created_at[gte]': Type.Optional(timestamp('Only deliveries created at this time or later.')),
  'created_at[lt]': Type.Optional(timestamp('Only deliveries created before this time.')),
};

export const endpointDeliveriesQuery = Type.Object(filters, { additionalProperties: false });

export const deliveriesQuery = Type.Object(
  { ...filters, endpoint: Type.Optional(idText('whe', 'Only deliveries to this endpoint.')) },
  { additionalProperties: false },
);
export type DeliveriesQuery = Static<typeof deliveriesQuery>;

export const resendFailedBody = Type.Object(
  {
    since: timestamp('Only deliveries created at this time or later.'),
    endpoint: Type.Optional(idText('whe', 'Only deliveries to this endpoint.')),
    checkout: Type.Optional(givenSessionId('Only deliveries about this session.')),
    after: Type.Optional(idText('whd', '`next_cursor` of the previous answer.')),
  },
  { additionalProperties: false, examples: [{ since: '2030-01-31T12:00:00Z' }] },
);
