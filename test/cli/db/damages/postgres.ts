/** Damages of what PostgreSQL alone has: the feed, timers, the overview. */
import { COLUMNS, type Damage, DUE, event, paid } from './parts.ts';

const OWED = 'what a session is owed, and was paid beyond its amount, is what it says itself';
const FEED = 'positions of the feed have no gap, from those that are gone to its end';
const first = 'position = (SELECT min(position) FROM feed)';
const last = 'position = (SELECT max(position) FROM feed)';

export const postgresDamages: readonly Damage[] = [
  [
    'indexes are whole and agree with their tables',
    `CREATE EXTENSION amcheck;
     CREATE FUNCTION half(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 2';
     CREATE INDEX halves ON payment (half(amount));
     CREATE OR REPLACE FUNCTION half(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT $1 / 3'`,
  ],
  [FEED, `UPDATE feed SET position = position + 100 WHERE ${last}`],
  [FEED, `UPDATE feed_end SET position = position + 1 WHERE position > 0`],
  [FEED, 'DELETE FROM feed_end WHERE position = 0'],
  [FEED, 'DELETE FROM feed_start'],
  [FEED, 'UPDATE feed_start SET position = position - 1'],
  ['every event is in the feed or waits for it', `DELETE FROM feed WHERE ${last}`],
  [
    'every event is in the feed or waits for it',
    `INSERT INTO feed_waiting SELECT account, live, subject, sequence, id FROM event WHERE ${event}`,
  ],
  [
    'no event is in the feed or waits for it twice',
    `INSERT INTO feed SELECT account, live, position + 100, event FROM feed WHERE ${first}`,
  ],
  ['the feed has only events that exist', `UPDATE feed SET event = 'evt_none' WHERE ${last}`],
  [
    'what waits for the feed is an event that exists',
    `INSERT INTO feed_waiting VALUES (1, false, 'chk_none', 1, 'evt_none')`,
  ],
  [
    'the events of a subject are in the feed in their order',
    `UPDATE event SET sequence = -sequence; UPDATE event SET sequence = 100 + sequence`,
  ],
  [
    'the events of a subject are in the feed in their order',
    `WITH first AS (DELETE FROM feed WHERE ${first} RETURNING *)
     INSERT INTO feed_waiting SELECT first.account, first.live, subject, sequence, id
     FROM first JOIN event ON event.id = first.event`,
  ],
  [
    'the sessions of the overview exist',
    `INSERT INTO checkout_overview VALUES (1, false, 'chk_none', 1, NULL, 'EUR', 0, 0)`,
  ],
  ['the sessions that are due exist', `INSERT INTO timer VALUES (1, false, 'chk_none', 1, NULL)`],
  [
    'the payments of a session are numbered without a gap',
    'UPDATE payment SET line = line + 1 WHERE line > 1',
  ],
  [
    'a delivery that has ended is in nobody’s hands',
    `UPDATE delivery SET leased_until = 1 WHERE state = 'delivered'`,
  ],
  ['deliveries of every account and mode can be claimed', 'DELETE FROM delivery_claim WHERE live'],
  ['every stored answer has its event', `UPDATE idempotency SET event = 'evt_none' WHERE event IS NOT NULL`],
  [COLUMNS, `UPDATE checkout_overview SET amount = amount + 1`],
  [OWED, 'UPDATE checkout_overview SET amount_open = amount_open + 1'],
  [OWED, 'UPDATE checkout_overview SET amount_excess = amount_excess + 1'],
  [OWED, `UPDATE checkout_overview SET currency = 'XTS'`],
  [COLUMNS, `UPDATE checkout_overview SET description = 'other'`],
  [COLUMNS, 'DELETE FROM checkout_overview'],
  [COLUMNS, `UPDATE checkout SET partially_paid = NOT partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = NOT paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE timer SET due_at = due_at + 1'],
  [DUE, 'DELETE FROM timer'],
];
