/** Rules about what only PostgreSQL has. */
import { joined, lone, ofNoSession, type SqlRule } from '../check/check.ts';

const tenants = `
  SELECT number AS account, live FROM account CROSS JOIN (VALUES (true), (false)) AS mode (live)`;

export const rules: readonly SqlRule[] = [
  {
    rule: 'positions of the feed have no gap, from those that are gone to its end',
    sql: `
      SELECT tenant.account, tenant.live FROM (${tenants}) AS tenant
      LEFT JOIN ${joined('tenant', 'feed_start')}
      LEFT JOIN ${joined('tenant', 'feed_end')}
      LEFT JOIN (
        SELECT account, live, count(*) AS entries, min(position) AS first, max(position) AS last
        FROM feed GROUP BY account, live
      ) AS ${joined('tenant', 'filled')}
      -- Numeric, since whatever stands there must not overflow.
      WHERE feed_end.position IS DISTINCT FROM coalesce(last, feed_start.position, 0)
        OR coalesce(entries, 0) <> feed_end.position::numeric - coalesce(feed_start.position, 0)
        OR first <> 1::numeric + coalesce(feed_start.position, 0) OR feed_start.position < 1`,
  },
  {
    rule: 'every event is in the feed or waits for it',
    sql: `
      SELECT event.id FROM event
      LEFT JOIN ${joined('event', 'feed', 'feed.event = event.id')}
      LEFT JOIN ${joined('event', 'feed_waiting', 'feed_waiting.event = event.id')}
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
    sql: lone('feed', 'event', 'event', 'event.id = feed.event'),
  },
  {
    rule: 'what waits for the feed is an event that exists',
    sql: lone(
      'feed_waiting',
      'event',
      'event',
      `event.id = feed_waiting.event AND event.subject = feed_waiting.subject
        AND event.sequence = feed_waiting.sequence`,
    ),
  },
  {
    rule: 'the events of a subject are in the feed in their order',
    sql: `
      SELECT id FROM (
        SELECT id, place, lag(place) OVER (PARTITION BY account, live, subject ORDER BY sequence) AS place_before
        FROM (
          -- What waits comes behind all that is in the feed already.
          SELECT event.account, event.live, subject, sequence, id, coalesce(position, ${2n ** 63n - 1n}) AS place
          FROM event LEFT JOIN ${joined('event', 'feed', 'feed.event = event.id')}
        ) AS placed
      ) AS compared WHERE place_before > place`,
  },
  {
    rule: 'the sessions of the overview exist',
    sql: lone('checkout_overview', 'id', 'checkout', 'checkout.id = checkout_overview.id'),
  },
  {
    rule: 'what a session is owed, and was paid beyond its amount, is what it says itself',
    sql: `
      SELECT checkout.id FROM checkout
      JOIN ${joined('checkout', 'checkout_overview', 'checkout_overview.id = checkout.id')}
      WHERE checkout_overview.currency <> checkout.invoice_currency
        OR amount_open <> CASE WHEN status = 'active' THEN greatest(amount - amount_paid, 0) ELSE 0 END
        OR amount_excess <> greatest(amount_paid - amount, 0)`,
  },
  {
    rule: 'the sessions that are due exist',
    sql: ofNoSession('timer', 'checkout'),
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
      SELECT tenant.account, tenant.live FROM (${tenants}) AS tenant
      LEFT JOIN ${joined('tenant', 'delivery_claim')} WHERE delivery_claim.account IS NULL`,
  },
];
