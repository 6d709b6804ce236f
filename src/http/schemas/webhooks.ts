/** What the operations of webhook endpoints and deliveries accept. */
import Type, { type Static } from 'typebox';
import { eventSelectors } from '../../events/types.ts';
import { MAX_OVERLAP_SECONDS } from '../../webhooks/secrets.ts';
import { pageQuery } from './checkout.ts';
import { address, closed, text, timestamp } from './fields.ts';

/** There are fewer types than this; who wants all of them says `*`. */
const MAX_EVENTS = 50;
export const DEFAULT_OVERLAP_SECONDS = 86_400;

const url = address('Where events are sent.');

const settings = {
  events: Type.Optional(
    Type.Array(closed([...eventSelectors], 'A type of events, all of a kind, or all.'), {
      minItems: 1,
      maxItems: MAX_EVENTS,
      description: 'What it wants: `*` for everything, `checkout.*` for all of a kind, or types.',
      examples: [['checkout.*', 'payin.succeeded']],
    }),
  ),
  description: Type.Optional(text(250, 'Anything that helps you to tell it from others.', 'Order system')),
  status: Type.Optional(closed(['enabled', 'disabled'], 'Whether it gets events.')),
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
        description: 'How long the secret before it signs as well.',
        examples: [DEFAULT_OVERLAP_SECONDS],
      }),
    ),
  },
  { additionalProperties: false, examples: [{ overlap_seconds: DEFAULT_OVERLAP_SECONDS }] },
);

const idText = (prefix: string, description: string) =>
  Type.String({
    pattern: `^${prefix}_[0-9a-z]{20,40}$`,
    description,
    examples: [`${prefix}_01k9zq4tn30000x5r7m2c9w1he`],
  });

const filters = {
  ...pageQuery('whd'),
  checkout: Type.Optional(idText('chk', 'Only about this session.')),
  event: Type.Optional(idText('evt', 'Only of this event.')),
  status: Type.Optional(closed(['pending', 'delivered', 'failed'], 'How it stands.')),
  'created_at[gte]': Type.Optional(timestamp('Created at this time or later.')),
  'created_at[lt]': Type.Optional(timestamp('Created before this time.')),
};

export const endpointDeliveriesQuery = Type.Object(filters, { additionalProperties: false });

export const deliveriesQuery = Type.Object(
  { ...filters, endpoint: Type.Optional(idText('whe', 'Only to this endpoint.')) },
  { additionalProperties: false },
);
export type DeliveriesQuery = Static<typeof deliveriesQuery>;

export const resendFailedBody = Type.Object(
  {
    since: timestamp('Those that were created at this time or later.'),
    endpoint: Type.Optional(idText('whe', 'Only to this endpoint.')),
    after: Type.Optional(idText('whd', 'The `next_cursor` of the request before: only those behind it.')),
  },
  { additionalProperties: false, examples: [{ since: '2030-01-31T12:00:00Z' }] },
);
