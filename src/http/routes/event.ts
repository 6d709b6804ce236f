/** What has happened: the feed of an account and mode, and the timeline of a session. */
import Type from 'typebox';
import { timestamp } from '../../checkout/present.ts';
import type { Deps } from '../../deps.ts';
import { envelope, listEnvelope } from '../../presenter.ts';
import type { EventRow } from '../../store/store.ts';
import { JSON_TYPE, notFound, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import { schemaProblems } from '../input.ts';
import { DEFAULT_LIMIT } from '../list.ts';
import { operation } from '../operation.ts';
import { listOf, successOf } from '../schemas/answers.ts';
import { idOf, pageQuery } from '../schemas/checkout.ts';
import { NO_SUCH_SESSION } from './checkout.ts';

const tag = 'Events';

const { after, limit } = pageQuery('evt');

const feedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,15}$',
        description: 'The `next_cursor` of the page before; without it the feed begins at its start.',
        examples: ['42'],
      }),
    ),
    limit,
    type: Type.Optional(
      Type.String({
        pattern: '^[a-z_]+\\.[a-z_]+(,[a-z_]+\\.[a-z_]+){0,20}$',
        description: 'Only these types, separated by commas.',
        examples: ['checkout.paid,checkout.expired'],
      }),
    ),
  },
  { additionalProperties: false },
);

const timelineQuery = Type.Object({ after, limit }, { additionalProperties: false });

export function eventRoutes(api: Api, { store }: Deps): void {
  api.get(
    '/event',
    operation(
      {
        operation: 'EVENT.LIST',
        tag,
        scope: 'read',
        summary: 'Follow the events',
        description:
          'Oldest first. Ask again with `after` set to `next_cursor`: a reader that follows never misses an event and never sees one twice.',
        success: listOf('EVENT.LIST', 'Event'),
      },
      { querystring: feedQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { after, limit = DEFAULT_LIMIT, type } = request.query;
      const { scope } = principalOf(request);
      const filter = type === undefined ? {} : { types: type.split(',') };
      const { rows, hasMore } = await store.events(scope, filter, Number(after ?? 0), limit);
      // The end of the feed has a cursor too: it is where the next events will be.
      const cursor = rows.at(-1)?.position.toString() ?? after ?? null;
      return reply.type(JSON_TYPE).send(
        listEnvelope(
          'EVENT.LIST',
          rows.map(({ body }) => body),
          hasMore,
          cursor,
        ),
      );
    },
  );

  api.get(
    '/event/:id',
    operation(
      {
        operation: 'EVENT.FETCH',
        tag,
        scope: 'read',
        summary: 'Fetch an event',
        success: successOf('EVENT.FETCH', 'Event'),
      },
      { params: idOf('evt', 'event') },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const event = await store.event(principalOf(request).scope, request.params.id);
      if (event === null) throw notFound('There is no such event.');
      return reply.type(JSON_TYPE).send(envelope('EVENT.FETCH', event.body));
    },
  );

  api.get(
    '/checkout/:id/timeline',
    operation(
      {
        operation: 'CHECKOUT.TIMELINE',
        tag,
        scope: 'read',
        summary: 'The history of a session',
        description: 'Newest first.',
        success: listOf('CHECKOUT.TIMELINE', 'TimelineEntry'),
      },
      { params: idOf('chk', 'session'), querystring: timelineQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { scope } = principalOf(request);
      const { id } = request.params;
      const { after, limit = DEFAULT_LIMIT } = request.query;
      if ((await store.checkout(scope, id)) === null) throw notFound(NO_SUCH_SESSION);
      const { rows, hasMore } = await store.timeline(scope, id, after ?? null, limit);
      const cursor = hasMore ? (rows.at(-1)?.id ?? null) : null;
      return reply
        .type(JSON_TYPE)
        .send(listEnvelope('CHECKOUT.TIMELINE', rows.map(timelineEntry), hasMore, cursor));
    },
  );
}

function timelineEntry({ id, type, createdAt, sequence, body }: EventRow): string {
  const { version, data } = JSON.parse(body);
  return JSON.stringify({
    event: id,
    object: 'timeline_entry',
    type,
    description: inWords(type, data),
    created_at: timestamp(createdAt),
    version,
    sequence,
  });
}

function inWords(type: string, data: { id: string; payment_method_details?: { type: string } }): string {
  const [resource = '', what = ''] = type.split('.');
  const words = what.replaceAll('_', ' ');
  if (resource === 'checkout') return `The session was ${words}.`;
  if (resource === 'payin') return `The payin is now: ${words}.`;
  const attempt = `Payment attempt ${data.id} (${data.payment_method_details?.type})`;
  return what === 'created' ? `${attempt} was started.` : `${attempt} is now: ${words}.`;
}
