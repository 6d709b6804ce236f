/**
 * Rules of webhooks: endpoints, receivers, deliveries by their ordering keys, and what came of their attempts.
 * Statements for every database, and rules for endpoints that are looked at one by one.
 */
import type { Endpoint } from '../../webhooks/endpoint.ts';
import { columnsIn, type Row } from '../tables.ts';
import { expect, isEndpoint, isSession, joined, judgeOf, lone, type SqlRule, twice } from './check.ts';

/** Endpoints that are there, or were: a deletion leaves its line in the log of changes, and events and deliveries. */
const everyEndpoint = `(
  SELECT account, live, id FROM webhook_endpoint
  UNION SELECT account, live, subject FROM audit WHERE action = 'delete_endpoint')`;

export const webhookRules: readonly SqlRule[] = [
  {
    rule: 'every event belongs to a session, or to an endpoint that is there or was deleted',
    sql: `
      SELECT event.id FROM event
      LEFT JOIN ${joined('event', 'checkout', 'checkout.id = event.subject')}
      LEFT JOIN ${everyEndpoint} AS ${joined('event', 'known', 'known.id = event.subject')}
      WHERE checkout.id IS NULL AND known.id IS NULL`,
  },
  {
    rule: 'the log of changes tells of no endpoint and no version of one that does not exist',
    sql: `
      SELECT DISTINCT audit.subject AS id FROM audit
      LEFT JOIN webhook_endpoint AS ${joined('audit', 'kept', 'kept.id = audit.subject')}
      LEFT JOIN ${everyEndpoint} AS ${joined('audit', 'known', 'known.id = audit.subject')}
      WHERE ${isEndpoint('audit.subject')} AND (known.id IS NULL OR audit.version > kept.version)`,
  },
  {
    rule: 'every version of an endpoint has its line in the log of changes',
    sql: `
      SELECT kept.id FROM webhook_endpoint AS kept
      LEFT JOIN (
        SELECT account, live, subject, count(DISTINCT version) AS lines FROM audit
        WHERE ${isEndpoint('subject')} GROUP BY account, live, subject
      ) AS ${joined('kept', 'logged', 'logged.subject = kept.id')}
      WHERE coalesce(lines, 0) <> kept.version`,
  },
  {
    rule: 'a receiver is noted because it fails',
    sql: `
      SELECT id FROM webhook_receiver
      WHERE failures <= 0 OR probes < 0
        OR (probe_at IS NULL AND (probes > 0 OR CAST(announced AS integer) = 1))
        OR NOT (${isEndpoint('id')} OR id LIKE '%://%')`,
  },
  {
    rule: 'every delivery is of an event, and has its subject, its number and its time',
    sql: lone(
      'delivery',
      'id',
      'event',
      `event.id = delivery.event AND event.subject = delivery.subject AND event.sequence = delivery.sequence
        AND event.created_at = delivery.created_at`,
    ),
  },
  {
    rule: 'every delivery goes to the address of a session, or to an endpoint that is there or was deleted',
    sql: `
      SELECT delivery.id FROM delivery
      LEFT JOIN ${everyEndpoint} AS ${joined('delivery', 'known', 'known.id = delivery.receiver')}
      WHERE CASE WHEN url IS NULL THEN known.id IS NULL OR delivery.receiver = delivery.subject
        ELSE NOT (${isSession('delivery.subject')}) OR ${isEndpoint('delivery.receiver')} END`,
  },
  { rule: 'no event goes to a receiver twice', sql: twice('delivery', 'event, receiver') },
  {
    rule: 'no event goes to two addresses of its session',
    sql: twice('delivery', 'event', 'url IS NOT NULL'),
  },
  {
    rule: 'of each ordering key the first delivery that is pending is due, and no other',
    sql: `
      SELECT id FROM (
        SELECT id, due_at, row_number() OVER (PARTITION BY account, live, receiver, subject ORDER BY sequence) AS turn
        FROM delivery WHERE state = 'pending'
      ) AS waiting WHERE (turn = 1) <> (due_at IS NOT NULL)
      UNION ALL SELECT id FROM delivery WHERE state <> 'pending' AND due_at IS NOT NULL`,
  },
  {
    rule: 'what has arrived was tried, and nothing was sent again after more attempts than it has had',
    sql: `
      SELECT id FROM delivery
      WHERE (state = 'delivered' AND attempts = 0) OR round_start < 0 OR round_start > attempts`,
  },
  {
    rule: 'a delivery is where its last attempt has left it',
    sql: `
      SELECT delivery.id FROM delivery
      LEFT JOIN delivery_attempt AS ${joined('delivery', 'newest', 'newest.delivery = delivery.id AND newest.number = attempts')}
      WHERE newest.at <> tried_at OR (state = 'failed' AND last_error IS NULL)
        OR (state = 'delivered' AND (last_error IS NOT NULL OR coalesce(last_status, 0) NOT BETWEEN 200 AND 299))`,
  },
  {
    // They are removed together. What is older than the whole log may have been tried before there was one.
    rule: 'the attempts that a delivery counts are in its log, and no others',
    sql: `
      SELECT id FROM delivery
      LEFT JOIN (
        SELECT account, live, delivery, count(*) AS entries, min(number) AS earliest, max(number) AS latest
        FROM delivery_attempt GROUP BY account, live, delivery
      ) AS ${joined('delivery', 'logged', 'logged.delivery = delivery.id')}
      LEFT JOIN (SELECT account, live, min(at) AS began FROM delivery_attempt GROUP BY account, live)
        AS ${joined('delivery', 'log')}
      WHERE (tried_at IS NULL) <> (entries IS NULL) OR (tried_at IS NULL AND attempts > 0 AND created_at >= began)
        OR latest <> attempts OR entries <> CAST(latest AS numeric) - earliest + 1 OR (earliest > 1 AND created_at >= began)`,
  },
  {
    rule: 'every attempt in the log is of a delivery',
    sql: lone('delivery_attempt', 'delivery', 'delivery', 'delivery.id = delivery_attempt.delivery'),
  },
];

/** Events of a session or an endpoint that are kept. The oldest of a feed may be gone. */
export type Told = {
  readonly eventCount: number;
  readonly events: number;
  readonly first_sequence: number | null;
  readonly last_sequence: number | null;
  readonly sequences: number;
  /** Number of events of the whole feed that are gone. */
  readonly feed_start: number;
};

/** True if they are those that it counts, but for the oldest where there are no longer all. */
export function isNumbered({ eventCount, events, sequences, feed_start, ...told }: Told): boolean {
  const gone = eventCount - events;
  if (gone < 0 || gone > feed_start || sequences !== events) return false;
  return events === 0 || (told.first_sequence === gone + 1 && told.last_sequence === eventCount);
}

export type EndpointRow = Told & Row<'webhook_endpoint'>;

/** Endpoints with what is kept of their events, for every database. */
export const endpoints = `
  SELECT ${columnsIn('webhook_endpoint')}, coalesce(events, 0) AS events, first_sequence, last_sequence,
    coalesce(sequences, 0) AS sequences, coalesce(feed_start.position, 0) AS feed_start
  FROM webhook_endpoint
  LEFT JOIN ${joined('webhook_endpoint', 'feed_start')}
  LEFT JOIN (
    SELECT account, live, subject, count(*) AS events, min(sequence) AS first_sequence, max(sequence) AS last_sequence,
      count(DISTINCT sequence) AS sequences
    FROM event WHERE ${isEndpoint('subject')} GROUP BY account, live, subject
  ) AS ${joined('webhook_endpoint', 'told', 'told.subject = webhook_endpoint.id')}`;

export const endpointJudge = () =>
  judgeOf(
    'every endpoint can be read',
    (row: EndpointRow) => {
      expect(isReadable(JSON.parse(row.data)));
      return row;
    },
    {
      'an endpoint has the events that it counts, numbered without a gap': isNumbered,
      // And the first one of none.
      'a version of an endpoint tells of one event at most': ({ eventCount, version }) =>
        eventCount < version,
    },
    ({ id }) => id,
  );

function isReadable({ url, events, secret, disabled, previousSecret, ...times }: Endpoint): boolean {
  return (
    URL.canParse(url) &&
    Array.isArray(events) &&
    events.length > 0 &&
    typeof secret === 'string' &&
    [null, 'by_merchant', 'gone'].includes(disabled) &&
    (previousSecret === null || typeof previousSecret.secret === 'string') &&
    Number.isInteger(times.createdAt) &&
    // It may be the earlier of the two: clocks are set back.
    Number.isInteger(times.updatedAt)
  );
}
