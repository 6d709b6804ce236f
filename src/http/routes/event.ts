/** Events: the feed of an account and mode, and the timeline of a session. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { timestamp } from '../../checkout/representation.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type EventEnvelope, parseEvent } from '../../events/envelope.ts';
import type { EventRow } from '../../events/event.ts';
import type { Outline } from '../../events/outline.ts';
import { eventSelectors, typesOf } from '../../events/types.ts';
import { Type } from '../../lib/json-schema.ts';
import { EVENT_STREAM_TYPE } from '../../lib/server-sent-events.ts';
import { wantsEventStream } from '../accept.ts';
import { JSON_TYPE, notFound, principalOf } from '../answer.ts';
import type { Api } from '../api.ts';
import { createConnectionLimit } from '../connection-limit.ts';
import type { Dependencies } from '../dependencies.ts';
import { envelope, listBytes, listEnvelope } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { createEventFeed, type FeedQuery } from '../event-feed.ts';
import { createEventStreams } from '../event-stream.ts';
import { evidenceOfAll, type representEvidence } from '../evidence.ts';
import { schemaProblems } from '../input.ts';
import { DEFAULT_LIMIT } from '../list.ts';
import { operation } from '../operation.ts';
import { sendJson } from '../pieces.ts';
import { idOf, pageQuery } from '../schemas/checkout.ts';
import { NO_SUCH_SESSION } from './checkout.ts';

const tag = 'Events';
const params = idOf('evt', 'event');
const sessionParams = idOf('chk', 'session');
/** Page size of a stream: there may be a thousand streams, and events may be long. */
const STREAM_PAGE = 20;
/** Time for which a connection may be silent beyond a wait. */
const SILENCE_MS = 60_000;
const COMMA = Buffer.from(',');

const { after, limit } = pageQuery('evt');

const MAX_WAIT_SECONDS = 60;

const feedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: '^([0-9]{1,15}|latest)$',
        description:
          '`next_cursor` of the previous page, or `latest` for events from now on. Default: the oldest event.',
        examples: ['42'],
      }),
    ),
    limit,
    type: Type.Optional(
      Type.String({
        pattern: '^(\\*|[a-z_]+\\.(\\*|[a-z_]+))(,(\\*|[a-z_]+\\.(\\*|[a-z_]+))){0,30}$',
        description: 'Only these types, separated by commas; `checkout.*` selects all of a kind, `*` all.',
        examples: ['checkout.paid,checkout.expired'],
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        default: 0,
        description: 'Seconds to wait for an event if the page would be empty.',
      }),
    ),
  },
  { additionalProperties: false },
);

const timelineQuery = Type.Object({ after, limit }, { additionalProperties: false });

const feedDescription = `Oldest first. Repeat the request with \`after\` set to \`next_cursor\`: a reader that does so misses no event and sees none twice. Every page has a cursor, even an empty one. A page can have fewer events than \`limit\` while \`has_more\` is true: it ends after about a megabyte, and with \`type\`, for which a request searches a limited part of the feed, it may even be empty.

With \`wait\`, the service answers as soon as there is an event. With \`Accept: text/event-stream\`, it sends new events as a stream. At most 100 requests of a key can wait or stream at the same time.`;

const stream = {
  description:
    'An endless stream of server-sent events: `id` is the cursor, `event` the type, `data` the event. It starts after `Last-Event-ID`, otherwise after `after`, and ignores `limit` and `wait`. An id without data is only a cursor.',
  example:
    'retry: 3000\nid: 41\n\nid: 42\nevent: checkout.created\ndata: {"type":"checkout.created", …}\n\n:\nid: 42\n\n',
};

export function eventRoutes(api: Api, { store, live }: Dependencies): void {
  const feed = createEventFeed({ store, live });
  const room = createConnectionLimit();
  const streams = createEventStreams(feed, { store, pieces: api.pieces }, room);
  api.addHook('preClose', async () => {
    room.close();
    feed.close();
  });

  /** A wait may keep the connection silent for longer than its usual time-out. */
  async function waited(request: FastifyRequest, reply: FastifyReply, query: FeedQuery, waitMs: number) {
    const { signal, leave } = room.enter(principalOf(request).keyId, reply.raw);
    request.raw.setTimeout(waitMs + SILENCE_MS);
    try {
      return await feed.next(query, waitMs, signal);
    } finally {
      leave();
    }
  }

  /** Refuses a cursor of another database, or from before a restore: the reader would miss the next events. */
  async function refuseBeyondEnd(tenant: Tenant, after: number): Promise<void> {
    if (after === 0 || after <= (await store.events.end(tenant))) return;
    throw fieldsError([{ pointer: '/after', detail: 'is after the end of the feed' }], 'bad_query');
  }

  api.get(
    '/event',
    operation(
      {
        operation: 'EVENT.LIST',
        tag,
        permission: 'read',
        summary: 'Follow the events',
        description: feedDescription,
        lists: 'Event',
        errors: ['cursor_expired'],
        eventStream: stream,
      },
      { querystring: feedQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { limit = DEFAULT_LIMIT, type, wait = 0 } = request.query;
      const { tenant } = principalOf(request);
      const isStream = wantsEventStream(request.headers.accept);
      const after = (isStream ? lastEventId(request) : undefined) ?? request.query.after ?? '0';
      const waitMs = request.method === 'HEAD' ? 0 : wait * 1000;
      const query: FeedQuery = {
        tenant,
        types: type === undefined ? undefined : wantedTypes(type),
        after: after === 'latest' ? await store.events.end(tenant) : Number(after),
        limit: isStream ? STREAM_PAGE : limit,
        hundredths: request.loose !== null,
      };
      if (isStream || waitMs > 0) await refuseBeyondEnd(tenant, query.after);
      if (isStream) {
        // A HEAD request has no use for a stream.
        if (request.method === 'HEAD') return reply.type(EVENT_STREAM_TYPE).send('');
        return streams.answer(request, reply, query);
      }
      const page = await (waitMs > 0 ? waited(request, reply, query, waitMs) : feed.page(query));
      if (page.rows.length === 0 && waitMs === 0) await refuseBeyondEnd(tenant, query.after);
      const rows = page.rows.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json]));
      return sendJson(request, reply, listBytes('EVENT.LIST', rows, page.hasMore, page.position.toString()));
    },
  );

  api.get(
    '/event/:id',
    operation(
      {
        operation: 'EVENT.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch an event',
        answers: 'Event',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const event = await store.events.fetch(principalOf(request).tenant, request.params.id);
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
        permission: 'read',
        summary: 'List the history of a session',
        description: 'Newest first.',
        lists: 'TimelineEntry',
      },
      { params: sessionParams, querystring: timelineQuery },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const { tenant } = principalOf(request);
      const { id } = request.params;
      const { after, limit = DEFAULT_LIMIT } = request.query;
      const checkout = await store.checkouts.fetch(tenant, id);
      if (checkout === null) throw notFound(NO_SUCH_SESSION);
      const { rows, hasMore } = await store.events.timeline(tenant, id, after ?? null, limit);
      const cursor = hasMore ? (rows.at(-1)?.id ?? null) : null;
      const told = rows.map((row) => ({ row, outline: parseEvent<Outline>(row.body) }));
      const evidence = await evidenceOfAll(
        store,
        tenant,
        checkout,
        told.map(({ row: { type, createdAt, cause }, outline: { data } }) => ({
          ...data,
          type,
          createdAt,
          cause,
        })),
      );
      const entries = told.map(({ row, outline }, index) =>
        JSON.stringify(representTimelineEntry(row, outline, evidence[index] ?? [])),
      );
      return reply.type(JSON_TYPE).send(listEnvelope('CHECKOUT.TIMELINE', entries, hasMore, cursor));
    },
  );
}

/** The last id that a reconnecting client has read. */
function lastEventId(request: FastifyRequest): string | undefined {
  const header = String(request.headers['last-event-id'] ?? '');
  if (header === '') return undefined;
  if (/^[0-9]{1,15}$/.test(header)) return header;
  throw fieldsError(
    [{ pointer: '/Last-Event-ID', detail: 'must be an id that this stream has sent' }],
    'bad_query',
  );
}

function wantedTypes(text: string): readonly string[] | undefined {
  const selectors = text.split(',');
  const unknown = selectors.filter((each) => !eventSelectors.includes(each));
  if (unknown.length === 0) return typesOf(selectors);
  throw fieldsError(
    [{ pointer: '/type', detail: `names unknown types: ${unknown.join(', ')}` }],
    'bad_query',
  );
}

export function representTimelineEntry(
  { id, type, createdAt, sequence, cause }: EventRow,
  { version, data }: EventEnvelope<Outline>,
  evidence: ReadonlyArray<ReturnType<typeof representEvidence>>,
) {
  return {
    event: id,
    object: 'timeline_entry',
    type,
    description: inWords(type, data),
    created_at: timestamp(createdAt),
    version,
    sequence,
    cause,
    evidence,
  };
}

function inWords(type: string, { id, kind, reference, payment_method_details }: Outline): string {
  const [resource = '', what = ''] = type.split('.');
  const words = what.replaceAll('_', ' ');
  switch (resource) {
    case 'checkout':
      return `The session was ${words}.`;
    case 'payin':
      return `The payin is now: ${words}.`;
    case 'refund':
      return `Refund ${id} is now: ${words}.`;
    case 'reversal':
      return `The ${kind} ${reference} is now: ${words}.`;
    default: {
      const attempt = `Payment attempt ${id} (${payment_method_details?.type})`;
      return what === 'created' ? `${attempt} was started.` : `${attempt} is now: ${words}.`;
    }
  }
}
