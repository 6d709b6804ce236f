/** Rules about what only SQLite has. */
import type { SqlRule } from '../check/check.ts';

/** Position up to which events of the same feed are gone. */
const startOf = (table: string) =>
  `coalesce((SELECT position FROM feed_start AS start WHERE start.account = ${table}.account AND start.live = ${table}.live), 0)`;

export const rules: readonly SqlRule[] = [
  {
    rule: 'no account and no API key is missing',
    sql: ['account', 'api_key']
      .map(
        (table) =>
          `SELECT '${table}' AS id FROM directory WHERE ${table}s <> (SELECT count(*) FROM ${table})`,
      )
      .join(' UNION '),
  },
  {
    rule: 'positions of events have no gap, and begin behind those that are gone',
    sql: `
      SELECT account, live FROM event GROUP BY account, live
      HAVING min(position) <> 1 + ${startOf('event')} OR max(position) <> count(*) + ${startOf('event')}
      UNION SELECT account, live FROM feed_start WHERE position < 1`,
  },
  {
    rule: 'every session points to its newest event',
    sql: `
      SELECT id FROM checkout LEFT JOIN (
        SELECT account, live, subject, max(position) AS newest FROM event GROUP BY account, live, subject
      ) AS told ON told.account = checkout.account AND told.live = checkout.live AND told.subject = checkout.id
      WHERE last_event <> coalesce(newest, 0)
        AND NOT (newest IS NULL AND last_event BETWEEN 1 AND ${startOf('checkout')})`,
  },
  {
    // The first that is left points to one that is gone; and only sessions have a chain.
    rule: 'every event points to the one before it',
    sql: `
      SELECT id FROM (
        SELECT account, live, id, subject, sequence, position, previous,
          lag(position) OVER (PARTITION BY account, live, subject ORDER BY sequence) AS expected
        FROM event
      ) AS told WHERE previous >= position OR CASE
        WHEN subject NOT LIKE 'chk#_%' ESCAPE '#' OR sequence = 1 THEN previous <> 0
        WHEN expected IS NULL THEN previous NOT BETWEEN 1 AND ${startOf('told')}
        ELSE previous <> expected END`,
  },
];
