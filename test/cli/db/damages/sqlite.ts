/** Damages of what SQLite alone has: checksums of rows, events that point to each other. */
import { COLUMNS, type Damage, DUE, event, ofEndpoint, paid } from './parts.ts';

const POSITIONS = 'positions of events have no gap, and begin behind those that are gone';
const WRITTEN = 'every row is the one that was written';
const MISSING = 'no account and no API key is missing';

export const sqliteDamages: readonly Damage[] = [
  ...[
    'account.name',
    'account.webhook_secret_live',
    'account.settings_test',
    'api_key.secret_hash',
    'api_key.name',
    'checkout.data',
    'payment.reference',
    'event.body',
    'idempotency.request_hash',
    'bank_entry.data',
    'bank_file.content',
    'logo.content',
    'provider_event.body',
    'customer.data',
    'dashboard_user.data',
    'webhook_endpoint.data',
    'audit.actor',
  ].map((each): Damage => {
    const [table, column] = each.split('.');
    return [
      WRITTEN,
      `UPDATE ${table} SET ${column} = ${column} || ' ' WHERE rowid = (SELECT max(rowid) FROM ${table})`,
    ];
  }),
  [WRITTEN, `UPDATE request_log SET actor = 'ak_test_other' WHERE status >= 400`],
  [WRITTEN, 'UPDATE account SET previous_webhook_secret_test_until = 1'],
  [WRITTEN, `UPDATE event SET cause = 'asked' WHERE ${event}`],
  [WRITTEN, 'UPDATE api_key SET live = 1 - live'],
  [WRITTEN, 'UPDATE api_key SET revoked_at = 1'],
  [MISSING, 'DELETE FROM api_key'],
  [MISSING, 'DELETE FROM account'],
  [
    'the file is whole, and its indexes agree with its tables',
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'reference_id', 'status') WHERE name = 'checkout_reference'`,
  ],
  ['everything that is referred to exists', 'UPDATE api_key SET account = 99'],
  [
    POSITIONS,
    'UPDATE event SET position = position + 100 WHERE position = (SELECT max(position) FROM event)',
  ],
  [POSITIONS, 'DELETE FROM feed_start'],
  [POSITIONS, 'UPDATE feed_start SET position = position - 1'],
  ['every session points to its newest event', `UPDATE checkout SET last_event = 1 WHERE last_event > 1`],
  ['every session points to its newest event', `UPDATE checkout SET last_event = 3 WHERE last_event <= 2`],
  ['every event points to the one before it', 'UPDATE event SET previous = 1 WHERE sequence = 3'],
  ['every event points to the one before it', `UPDATE event SET previous = 1 WHERE ${ofEndpoint('subject')}`],
  [
    'every event points to the one before it',
    `UPDATE event SET previous = 0 WHERE sequence = 2 AND subject = (SELECT min(id) FROM checkout)`,
  ],
  [
    'every event points to the one before it',
    `UPDATE event SET sequence = 5 - sequence WHERE sequence IN (2, 3)
       AND subject = (SELECT min(subject) FROM event WHERE sequence = 1)`,
  ],
  [
    'every stored answer has its event',
    'UPDATE idempotency SET event = 9999 WHERE event = (SELECT min(event) FROM idempotency)',
  ],
  [COLUMNS, `UPDATE checkout SET amount = amount + 1 WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET description = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET partially_paid = 1 - partially_paid WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET paid_in_excess = 1 - paid_in_excess WHERE ${paid}`],
  [DUE, 'UPDATE checkout SET due_at = due_at + 1'],
  [DUE, `UPDATE checkout SET due_at = 1 WHERE ${paid}`],
];
