/** For each rule of `db check`, what breaks it: statements on a database that `healthy.ts` has filled. */

type Damage = readonly [rule: string, sql: string];

const one = (table: string, where = '1 = 1', id = 'id') =>
  `${id} = (SELECT min(${id}) FROM ${table} WHERE ${where})`;
const paid = one('checkout', 'amount_paid > 0');
const event = one('event');
const COLUMNS = 'the columns of a session say what it says itself';
const CUSTOMER = 'the customer of a session exists, or was erased and has left nothing in it';
const DELIVERIES = 'every event has one delivery to where its session says, or none if it says nothing';
const DUE = 'a session is due when it says so';
const EVENTS = 'a session has the events that it counts, numbered without a gap';
const VERSIONS = 'events tell of every version of a session';
const nobody = '"name":"","email":""';
const somebody = '"name":"Grace","email":""';

/** The same for every database, once nothing keeps anybody from it. */
const common: readonly Damage[] = [
  [
    'everything belongs to an account that exists',
    `UPDATE customer SET account = 99 WHERE ${one('customer')}`,
  ],
  ['the changes of accounts and keys are counted in one place', 'DELETE FROM directory'],
  [
    'no two customers have the same address',
    `DROP INDEX customer_email;
     INSERT INTO customer SELECT account, live, 'cus_copy', email, data FROM customer WHERE ${one('customer')}`,
  ],
  ['every event belongs to a session', `UPDATE event SET checkout = 'chk_none' WHERE ${event}`],
  ['every payment belongs to a session', `UPDATE payment SET checkout = 'chk_none' WHERE reference = 'more'`],
  [
    'every attempt belongs to a session',
    `UPDATE payment_attempt SET checkout = 'chk_none' WHERE reference = 'more'`,
  ],
  [
    'every entry of metadata to filter by belongs to a session',
    `UPDATE checkout_metadata SET checkout = 'chk_none' WHERE name = 'gift'`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET version = 99 WHERE version = 2`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET subject = 'chk_none' WHERE version = 2`,
  ],
  [
    'the body of every event says what its row says',
    `UPDATE event SET body = replace(body, '"sequence":', '"sequence":9') WHERE ${event}`,
  ],
  [
    'the body of every event says what its row says',
    `UPDATE event SET type = 'checkout.gone' WHERE ${event}`,
  ],
  [
    'every delivery is of an event and of its session',
    `UPDATE delivery SET event = 'evt_none' WHERE ${one('delivery')}`,
  ],
  [
    'every delivery is of an event and of its session',
    `UPDATE delivery SET checkout = 'chk_none' WHERE ${one('delivery')}`,
  ],
  [
    'a delivery is due as long as it is pending',
    `UPDATE delivery SET due_at = NULL WHERE ${one('delivery', `state = 'pending'`)}`,
  ],
  [
    'a delivery is due as long as it is pending',
    `UPDATE delivery SET due_at = 1 WHERE ${one('delivery', `state = 'delivered'`)}`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET email = 'other@example.com' WHERE ${one('customer')}`,
  ],
  [
    'the columns of a customer say what the record says',
    `UPDATE customer SET data = '{' WHERE ${one('customer')}`,
  ],
  ['every session can be read', `UPDATE checkout SET data = '{' WHERE ${paid}`],
  ['every session can be read', `UPDATE checkout SET data = '{}' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET reference_id = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET status = 'expired' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET payment_status = 'unpaid' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET invoice_currency = 'USD' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET email = NULL WHERE ${one('checkout', 'email IS NOT NULL')}`],
  [
    'what is paid is the sum of the ledger',
    `UPDATE checkout SET amount_paid = amount_paid - 1 WHERE ${paid}`,
  ],
  [
    'what is paid is the sum of the ledger',
    `UPDATE payment SET amount = amount + 1 WHERE reference = 'more'`,
  ],
  ['what is paid is the sum of the ledger', `DELETE FROM payment WHERE reference = 'more'`],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"completed"', '"state":"active"') WHERE ${paid}`,
  ],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"active"', '"state":"completed"')`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET currency = 'USD' WHERE reference = 'more'`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET attempt = 'pat_none' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `UPDATE payment_attempt SET reference = 'other' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `DELETE FROM payment_attempt WHERE reference = 'more'`,
  ],
  [
    'the metadata to filter by is that of the session',
    `UPDATE checkout_metadata SET value = 'x' WHERE name = 'gift'`,
  ],
  ['the metadata to filter by is that of the session', `DELETE FROM checkout_metadata WHERE name = 'gift'`],
  [EVENTS, `UPDATE checkout SET event_count = event_count + 1 WHERE ${paid}`],
  [EVENTS, `UPDATE event SET sequence = 99 WHERE ${event}`],
  [EVENTS, `DELETE FROM event WHERE ${event}`],
  [VERSIONS, `UPDATE checkout SET version = version + 1 WHERE ${paid}`],
  [
    VERSIONS,
    `UPDATE event SET body = replace(body, ',"version":1,"seq', ',"version":9,"seq') WHERE ${event}`,
  ],
  ['every version of a session has its line in the log of changes', 'DELETE FROM audit WHERE version = 3'],
  [DELIVERIES, `DELETE FROM delivery WHERE ${one('delivery')}`],
  [DELIVERIES, `UPDATE delivery SET url = 'http://127.0.0.1:1/' WHERE ${one('delivery')}`],
  [
    DELIVERIES,
    `UPDATE delivery SET event = (SELECT max(event) FROM delivery AS other WHERE other.checkout = delivery.checkout)
     WHERE ${one('delivery')}`,
  ],
  [CUSTOMER, `DELETE FROM customer WHERE ${one('customer')}`],
  [CUSTOMER, `UPDATE checkout SET data = replace(data, '${nobody}', '${somebody}')`],
  [
    'no event tells of somebody who was erased',
    `UPDATE event SET body = replace(body, '${nobody}', '${somebody}')`,
  ],
];

const ofSqlite: readonly Damage[] = [
  [
    'the file is whole, and its indexes agree with its tables',
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'reference_id', 'status') WHERE name = 'checkout_reference'`,
  ],
  ['everything that is referred to exists', 'UPDATE api_key SET account = 99'],
  [
    'positions of events have no gap',
    'UPDATE event SET position = position + 100 WHERE position = (SELECT max(position) FROM event)',
  ],
  ['every session points to its newest event', `UPDATE checkout SET last_event = 1 WHERE last_event > 1`],
  ['every event points to the one before it', 'UPDATE event SET previous = 1 WHERE sequence = 3'],
  [
    'every event points to the one before it',
    `UPDATE event SET sequence = 5 - sequence WHERE checkout = (SELECT min(id) FROM checkout) AND sequence IN (2, 3)`,
  ],
  ['every stored answer has its event', 'UPDATE idempotency SET event = 9999 WHERE event = 1'],
  [COLUMNS, `UPDATE checkout SET amount = amount + 1 WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET description = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET partially_paid = 1 - partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = 1 - paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE checkout SET due_at = due_at + 1'],
  [DUE, `UPDATE checkout SET due_at = 1 WHERE ${paid}`],
];

const FEED = 'positions of the feed have no gap, and its end is where the last one is';
const last = 'position = (SELECT max(position) FROM feed)';

const ofPostgres: readonly Damage[] = [
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
  ['every event is in the feed or waits for it', `DELETE FROM feed WHERE ${last}`],
  [
    'every event is in the feed or waits for it',
    `INSERT INTO feed_waiting SELECT account, live, checkout, sequence, id FROM event WHERE ${event}`,
  ],
  [
    'no event is in the feed or waits for it twice',
    'INSERT INTO feed SELECT account, live, position + 100, event FROM feed WHERE position = 1',
  ],
  ['the feed has only events that exist', `UPDATE feed SET event = 'evt_none' WHERE ${last}`],
  [
    'what waits for the feed is an event that exists',
    `INSERT INTO feed_waiting VALUES (1, false, 'chk_none', 1, 'evt_none')`,
  ],
  [
    'the events of a session are in the feed in their order',
    `UPDATE event SET sequence = -sequence; UPDATE event SET sequence = 100 + sequence`,
  ],
  [
    'the events of a session are in the feed in their order',
    `WITH first AS (DELETE FROM feed WHERE position = 1 RETURNING *)
     INSERT INTO feed_waiting SELECT first.account, first.live, checkout, sequence, id
     FROM first JOIN event ON event.id = first.event`,
  ],
  [
    'the sessions of the overview exist',
    `INSERT INTO checkout_overview VALUES (1, false, 'chk_none', 1, NULL)`,
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
  [COLUMNS, `UPDATE checkout_overview SET description = 'other'`],
  [COLUMNS, 'DELETE FROM checkout_overview'],
  [COLUMNS, `UPDATE checkout SET partially_paid = NOT partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = NOT paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE timer SET due_at = due_at + 1'],
  [DUE, 'DELETE FROM timer'],
];

export const damages = {
  sqlite: [...common, ...ofSqlite],
  postgres: [...common, ...ofPostgres],
};
