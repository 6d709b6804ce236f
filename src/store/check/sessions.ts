/** Everything that is kept of a session in one row; what is found by other keys is gathered first, and then looked up. */
import { eventFields } from '../../events/envelope.ts';
import { followingTables } from '../columns.ts';
import type { Dialect } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { joined } from './check.ts';
import { gatheredOf, isYoung } from './session-rules.ts';

/** Several rows as a JSON array of arrays of these columns, as a text. */
export const gatheredAs: Readonly<Record<Dialect, (columns: string) => string>> = {
  // A blob, which no column should have, cannot be in JSON.
  sqlite: (columns) =>
    `json_group_array(json_array(${columns
      .split(', ')
      .map((column) => `CASE typeof(${column}) WHEN 'blob' THEN 'blob' ELSE ${column} END`)
      .join(', ')}))`,
  postgres: (columns) => `json_agg(json_build_array(${columns}))::text`,
};

/**
 * The events with the versions and refunds that their bodies tell of. On SQLite the limit has them taken out before
 * anything is sorted: bodies are many times as large. On PostgreSQL to read every body as JSON would take most of the
 * time of a check; a version stands behind the data, near the end.
 */
const tellingEvents: Readonly<Record<Dialect, () => string>> = {
  sqlite: () => `(
    SELECT account, live, subject, sequence, ${isYoung('event')} AS young,
      CASE WHEN type LIKE 'checkout.%' THEN position END AS whole,
      CASE WHEN json_valid(body) THEN json_extract(body, '$.${eventFields.version}') END AS version,
      CASE WHEN type LIKE 'refund.%' AND json_valid(body) THEN json_extract(body, '$.${eventFields.data}.id') END AS refund
    FROM event LIMIT -1
  )`,
  postgres: () => `(
    SELECT account, live, subject, sequence, young, refund, whole,
      CASE WHEN version ~ '^[0-9]{1,9}$' THEN version::integer END AS version
    FROM (
      SELECT account, live, subject, sequence, ${isYoung('event')} AS young,
        CASE WHEN type LIKE 'checkout.%' THEN sequence END AS whole,
        split_part(split_part(right(body, 80), ',"${eventFields.version}":', -1), ',"${eventFields.sequence}":', 1) AS version,
        CASE WHEN type LIKE 'refund.%' THEN substring(body from '"${eventFields.data}":\\{"id":"(\\w+)"') END AS refund
      FROM event OFFSET 0
    ) AS ending
  )`,
};

/**
 * Bank entries that concern a refund, with the session of the refund. The text of a payer cannot stand for a field: its
 * quotation marks are escaped.
 */
const refundEntries = (dialect: Dialect): string => {
  const concerned =
    dialect === 'sqlite'
      ? `CASE WHEN json_valid(bank_entry.data) THEN json_extract(bank_entry.data, '$.concerns') END`
      : `substring(bank_entry.data from '"concerns":"(rfd_\\w+)"')`;
  return `(
    SELECT refund.account, refund.live, refund.checkout, refund.id AS refund, bank_entry.id AS entry
    FROM bank_entry JOIN ${joined('bank_entry', 'refund', `refund.id = ${concerned}`)}
  )`;
};

/** Something of another table, by the session that it belongs to. */
const gathered = (name: string, table: string, columns: string, session = 'checkout'): string => `
  LEFT JOIN (
    SELECT account, live, ${session} AS owner, ${columns} FROM ${table} AS each GROUP BY account, live, ${session}
  ) AS ${joined('checkout', name, `${name}.owner = checkout.id`)}`;

export function sessions(dialect: Dialect): string {
  const list = gatheredAs[dialect];
  /** The event of the session at a place: SQLite finds it by its position, PostgreSQL by its number. */
  const at = (event: string, place: Readonly<Record<Dialect, string>>) =>
    `${event}.subject = checkout.id AND ${event}.${dialect === 'sqlite' ? 'position' : 'sequence'} = ${place[dialect]}`;
  const refunds =
    dialect === 'sqlite'
      ? 'json_group_array(refund) FILTER (WHERE young AND refund IS NOT NULL)'
      : '(json_agg(refund) FILTER (WHERE young AND refund IS NOT NULL))::text';
  // PostgreSQL has what changes often, or is asked often, in narrow rows of their own.
  const apart =
    dialect === 'sqlite'
      ? ''
      : `LEFT JOIN ${joined('checkout', 'checkout_overview', 'checkout_overview.id = checkout.id')}
         LEFT JOIN ${joined('checkout', 'timer', 'timer.checkout = checkout.id')}`;
  const following = followingTables.map(({ table }) => {
    const columns = gatheredOf(table).map(({ name, type }) =>
      type === 'boolean' && dialect === 'postgres' ? `${name}::integer` : name,
    );
    return gathered(`of_${table}`, table, `${list(columns.join(', '))} AS ${table}_rows`);
  });
  return `
    SELECT ${columnsIn('checkout')}, amount, description, due_at AS "dueAt",
      ${followingTables.map(({ table }) => `${table}_rows`).join(', ')},
      customer.id IS NOT NULL AS customer_known, sent, refund_entries, coalesce(events, 0) AS events, first_sequence, last_sequence,
      coalesce(sequences, 0) AS sequences, coalesce(feed_start.position, 0) AS feed_start,
      coalesce(versions, 0) AS versions, oldest_version, newest_version, coalesce(audited, 0) AS audited,
      coalesce(young_events, 0) AS young_events, young_refunds, newest.body AS newest,
      CASE WHEN whole.id <> newest.id THEN whole.body END AS shown
    FROM checkout ${apart}
    LEFT JOIN ${joined('checkout', 'customer', 'customer.id = checkout.customer')}
    LEFT JOIN ${joined('checkout', 'feed_start')}
    ${following.join('')}
    ${gathered(
      'told',
      tellingEvents[dialect](),
      `count(*) AS events, min(sequence) AS first_sequence, max(sequence) AS last_sequence,
       count(DISTINCT sequence) AS sequences, count(DISTINCT version) AS versions, min(version) AS oldest_version,
       max(version) AS newest_version, max(whole) AS newest_whole, count(*) FILTER (WHERE young) AS young_events, ${refunds} AS young_refunds`,
      'subject',
    )}
    ${gathered('logged', 'audit', 'count(DISTINCT version) AS audited', 'subject')}
    ${gathered(
      'named',
      `(
        SELECT account, live, subject, url, receiver, count(*) FILTER (WHERE ${isYoung('delivery')}) AS young
        FROM delivery WHERE url IS NOT NULL GROUP BY account, live, subject, url, receiver
      )`,
      `${list('url, receiver, young')} AS sent`,
      'subject',
    )}
    ${gathered('settling', refundEntries(dialect), `${list('refund, entry')} AS refund_entries`)}
    LEFT JOIN event AS ${joined('checkout', 'newest', at('newest', { sqlite: 'last_event', postgres: 'event_count' }))}
    LEFT JOIN event AS ${joined('checkout', 'whole', at('whole', { sqlite: 'newest_whole', postgres: 'newest_whole' }))}`;
}
