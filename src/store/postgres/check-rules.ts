/** What must hold in a PostgreSQL database, and how sessions and customers are read to be looked at one by one. */
import { eventFields } from '../../events/envelope.ts';
import { commonRules, type SqlRule } from '../check/check.ts';
import { moneyRules, notices } from '../check/money-rules.ts';
import { isYoung } from '../check/session-rules.ts';
import { webhookRules } from '../check/webhook-rules.ts';

/** `what` of another table that belongs to the row of the table. */
const join = (table: string, other: string, what: string) =>
  `${other} ON ${other}.account = ${table}.account AND ${other}.live = ${table}.live AND ${what}`;

const places = `
  SELECT number AS account, live FROM account CROSS JOIN (VALUES (true), (false)) AS mode (live)`;

export const rules: readonly SqlRule[] = [
  ...commonRules,
  ...webhookRules,
  ...moneyRules,
  {
    rule: 'positions of the feed have no gap, from those that are gone to its end',
    sql: `
      SELECT place.account, place.live FROM (${places}) AS place
      LEFT JOIN ${join('place', 'feed_start', 'true')}
      LEFT JOIN ${join('place', 'feed_end', 'true')}
      LEFT JOIN (
        SELECT account, live, count(*) AS entries, min(position) AS first, max(position) AS last
        FROM feed GROUP BY account, live
      ) AS ${join('place', 'filled', 'true')}
      WHERE feed_end.position IS DISTINCT FROM coalesce(last, feed_start.position, 0)
        OR coalesce(entries, 0) <> feed_end.position - coalesce(feed_start.position, 0)
        OR first <> 1 + coalesce(feed_start.position, 0) OR feed_start.position < 1`,
  },
  {
    rule: 'every event is in the feed or waits for it',
    sql: `
      SELECT event.id FROM event
      LEFT JOIN ${join('event', 'feed', 'feed.event = event.id')}
      LEFT JOIN ${join('event', 'feed_waiting', 'feed_waiting.event = event.id')}
      WHERE (feed.position IS NULL) = (feed_waiting.event IS NULL)`,
  },
  {
    rule: 'no event is in the feed or waits for it twice',
    sql: `
      SELECT event AS id FROM feed GROUP BY account, live, event HAVING count(*) > 1
      UNION SELECT event FROM feed_waiting GROUP BY account, live, event HAVING count(*) > 1`,
  },
  {
    rule: 'the feed has only events that exist',
    sql: `SELECT feed.event AS id FROM feed LEFT JOIN ${join('feed', 'event', 'event.id = feed.event')}
          WHERE event.id IS NULL`,
  },
  {
    rule: 'what waits for the feed is an event that exists',
    sql: `
      SELECT feed_waiting.event AS id FROM feed_waiting
      LEFT JOIN ${join('feed_waiting', 'event', 'event.id = feed_waiting.event')}
      WHERE event.id IS NULL OR event.subject <> feed_waiting.subject
        OR event.sequence <> feed_waiting.sequence`,
  },
  {
    rule: 'the events of a subject are in the feed in their order',
    sql: `
      SELECT id FROM (
        SELECT id, place, lag(place) OVER (PARTITION BY account, live, subject ORDER BY sequence) AS place_before
        FROM (
          -- What waits comes behind all that is in the feed already.
          SELECT event.account, event.live, subject, sequence, id, coalesce(position, ${2n ** 63n - 1n}) AS place
          FROM event LEFT JOIN ${join('event', 'feed', 'feed.event = event.id')}
        ) AS placed
      ) AS compared WHERE place_before > place`,
  },
  {
    rule: 'the sessions of the overview exist',
    sql: `
      SELECT checkout_overview.id FROM checkout_overview
      LEFT JOIN ${join('checkout_overview', 'checkout', 'checkout.id = checkout_overview.id')}
      WHERE checkout.id IS NULL`,
  },
  {
    rule: 'the sessions that are due exist',
    sql: `
      SELECT timer.checkout AS id FROM timer LEFT JOIN ${join('timer', 'checkout', 'checkout.id = timer.checkout')}
      WHERE checkout.id IS NULL`,
  },
  {
    rule: 'the payments of a session are numbered without a gap',
    sql: `SELECT checkout AS id FROM payment GROUP BY account, live, checkout
          HAVING count(*) <> max(line) OR min(line) <> 1`,
  },
  {
    rule: 'a delivery that has ended is in nobody’s hands',
    sql: `SELECT id FROM delivery WHERE leased_until IS NOT NULL AND due_at IS NULL`,
  },
  {
    rule: 'deliveries of every account and mode can be claimed',
    sql: `
      SELECT place.account, place.live FROM (${places}) AS place
      LEFT JOIN ${join('place', 'delivery_claim', 'true')} WHERE delivery_claim.account IS NULL`,
  },
  {
    rule: 'every stored answer has its event',
    sql: `
      SELECT idempotency.event AS id FROM idempotency
      LEFT JOIN ${join('idempotency', 'event', 'event.id = idempotency.event')}
      WHERE idempotency.event IS NOT NULL AND event.id IS NULL`,
  },
  {
    rule: 'no event tells of somebody who was erased',
    sql: `
      SELECT event.id FROM checkout
      LEFT JOIN ${join('checkout', 'customer', 'customer.id = checkout.customer')}
      JOIN ${join('checkout', 'event', 'event.subject = checkout.id')}
      WHERE checkout.customer IS NOT NULL AND customer.id IS NULL
        AND concat(body::json #>> '{${eventFields.data},customer_details,name}',
          body::json #>> '{${eventFields.data},customer_details,email}') <> ''`,
  },
];

export const noticesWithLedger = notices((columns) => `json_agg(json_build_array(${columns}))::text`);

export const customers = 'SELECT id, email, data FROM customer';

/** Something of another table, gathered by the session it belongs to. */
const gathered = (name: string, table: string, columns: string, session = 'checkout') => `
  LEFT JOIN (
    SELECT account, live, ${session} AS owner, ${columns} FROM ${table} GROUP BY account, live, ${session}
  ) AS ${name} ON ${name}.account = checkout.account AND ${name}.live = checkout.live AND ${name}.owner = checkout.id`;

/**
 * The events with the versions and refunds that their bodies tell of. A version stands behind the data, near the end; to
 * read every body as JSON for it would take most of the time of a check.
 */
const tellingEvents = () => `(
    SELECT account, live, subject, sequence, young, refund,
      CASE WHEN version ~ '^[0-9]{1,9}$' THEN version::integer END AS version
    FROM (
      SELECT account, live, subject, sequence, ${isYoung('created_at')} AS young,
        split_part(split_part(right(body, 80), ',"${eventFields.version}":', -1), ',"${eventFields.sequence}":', 1) AS version,
        CASE WHEN type LIKE 'refund.%' THEN substring(body from '"${eventFields.data}":\\{"id":"(\\w+)"') END AS refund
      FROM event OFFSET 0
    ) AS ending
  ) AS telling`;

/** Everything of a session in one row. */
export const sessions = () => `
  SELECT checkout.*, amount, description, due_at, customer.id IS NOT NULL AS customer_known, payments, attempts, metadata,
    refunds, awaited, sent,
    coalesce(events, 0) AS events, first_sequence, last_sequence, coalesce(sequences, 0) AS sequences,
    coalesce(feed_start.position, 0) AS feed_start, coalesce(versions, 0) AS versions, oldest_version, newest_version,
    coalesce(audited, 0) AS audited, coalesce(young_events, 0) AS young_events, young_refunds
  FROM checkout
  LEFT JOIN ${join('checkout', 'checkout_overview', 'checkout_overview.id = checkout.id')}
  LEFT JOIN ${join('checkout', 'timer', 'timer.checkout = checkout.id')}
  LEFT JOIN ${join('checkout', 'customer', 'customer.id = checkout.customer')}
  LEFT JOIN ${join('checkout', 'feed_start', 'true')}
  ${gathered(
    'ledger',
    'payment',
    'json_agg(json_build_array(rail, reference, attempt, amount, currency))::text AS payments',
  )}
  ${gathered('tried', 'payment_attempt', 'json_agg(json_build_array(id, rail, reference))::text AS attempts')}
  ${gathered('noted', 'checkout_metadata', 'json_agg(json_build_array(name, value))::text AS metadata')}
  ${gathered('refunded', 'refund', 'json_agg(json_build_array(id, rail, state))::text AS refunds')}
  ${gathered('expected', 'awaited', 'json_agg(json_build_array(attempt, currency, amount))::text AS awaited')}
  ${gathered(
    'told',
    tellingEvents(),
    `count(*) AS events, min(sequence) AS first_sequence, max(sequence) AS last_sequence,
     count(DISTINCT sequence) AS sequences, count(DISTINCT version) AS versions, min(version) AS oldest_version,
     max(version) AS newest_version, count(*) FILTER (WHERE young) AS young_events,
     (json_agg(refund) FILTER (WHERE young AND refund IS NOT NULL))::text AS young_refunds`,
    'subject',
  )}
  ${gathered('logged', 'audit', 'count(DISTINCT version) AS audited', 'subject')}
  ${gathered(
    'named',
    `(
      SELECT account, live, subject, url, receiver, count(*) FILTER (WHERE ${isYoung('created_at')}) AS young
      FROM delivery WHERE url IS NOT NULL GROUP BY account, live, subject, url, receiver
    ) AS addressed`,
    'json_agg(json_build_array(url, receiver, young))::text AS sent',
    'subject',
  )}`;
