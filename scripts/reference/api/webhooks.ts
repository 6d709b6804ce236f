/** Webhooks of the API document: a request for each type of event. */
import { eventMeanings, eventTypes } from '../../../src/events/types.ts';
import { schemaOfEvent } from '../../../src/http/schemas/event-answers.ts';
import type { Examples } from './examples.ts';
import { type JsonObject, refTo } from './schemas.ts';

export const WEBHOOK_TAG = 'Webhooks';

const header = (name: string, description: string, example: string): JsonObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
});

const headers = {
  'webhook-id': header(
    'webhook-id',
    'Id of the event; the same in every attempt (Standard Webhooks).',
    'evt_01k9zq4tn30000x5r7m2c9w1he',
  ),
  'webhook-timestamp': header(
    'webhook-timestamp',
    'Time of the attempt, in seconds since 1970.',
    '1896091200',
  ),
  'webhook-signature': header(
    'webhook-signature',
    'Signatures of id, timestamp and body, separated by spaces: one for each valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  signature: header(
    'signature',
    'Base64 of the HMAC-SHA256 of event id, body and `created_at`.',
    'K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
} as const;

export const webhookParameters: JsonObject = headers;

export const webhookResponses: JsonObject = {
  Received: { description: 'The event was received.' },
  Gone: { description: 'Disables the endpoint: it receives no further events.' },
  NotReceived: { description: 'Any other status: the service sends the event again.' },
};

export function webhooks(examples: Examples): JsonObject {
  return Object.fromEntries(
    eventTypes.map((type) => {
      const example = examples.event(type);
      const operation = {
        operationId: `on_${type}`.replace(/[_.](\w)/g, (_match, letter: string) => letter.toUpperCase()),
        tags: [WEBHOOK_TAG],
        summary: type,
        description: eventMeanings[type],
        security: [],
        parameters: Object.keys(headers).map((name) => refTo('parameters', name)),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: refTo('schemas', schemaOfEvent(type)),
              ...(example === undefined ? {} : { example }),
            },
          },
        },
        responses: {
          '2XX': refTo('responses', 'Received'),
          '410': refTo('responses', 'Gone'),
          default: refTo('responses', 'NotReceived'),
        },
      };
      return [type, { post: operation }];
    }),
  );
}
