/** Poison: rows at which a statement or a reader would stop. Whatever else is wrong is named all the same. */
import { BEYOND, COLUMNS, type Damage, event, one, REFUNDS, SUM } from './parts.ts';

const everyPoison: readonly string[] = [
  `UPDATE checkout SET amount_paid = ${BEYOND} WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = '{' WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = 'null' WHERE ${one('checkout')}`,
  `UPDATE checkout SET data = '{"payments":1,"attempts":1}' WHERE ${one('checkout')}`,
  `UPDATE customer SET data = 'null' WHERE ${one('customer')}`,
  `UPDATE dashboard_user SET data = 'null'`,
  `UPDATE event SET body = 'x' WHERE sequence > 1`,
  `UPDATE event SET body = 'null' WHERE sequence > 1`,
  `UPDATE event SET created_at = ${BEYOND} WHERE ${event}`,
  `UPDATE idempotency SET created_at = ${BEYOND}, body = 'x', headers = 'x'`,
  `UPDATE delivery SET created_at = 9223372036854775807`,
  `UPDATE delivery_attempt SET number = 2147483647; UPDATE delivery_attempt SET at = -9223372036854775808`,
  `UPDATE feed_start SET position = 9223372036854775807`,
  `UPDATE account SET settings_test = 'x', test_clock_offset_ms = ${BEYOND}`,
  `UPDATE webhook_endpoint SET data = 'null'`,
  `UPDATE bank_entry SET data = 'null', received_at = ${BEYOND} WHERE state = 'waiting'`,
  `UPDATE bank_file SET data = 'x'`,
  `UPDATE logo SET name = 'x', content = 'x'`,
  `UPDATE payment SET amount = 9223372036854775807 WHERE rail = 'bank'`,
  `UPDATE audit SET at = ${BEYOND}`,
];

/** Takes from a table what keeps wrong types out, as a program that does not know of it would. */
const wronglyTyped = (table: string, sql: string): string => `
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = '${table}';
  UPDATE sqlite_schema SET sql = replace(sql, ', WITHOUT ROWID', ' WITHOUT ROWID') WHERE name = '${table}';
  PRAGMA writable_schema = RESET; ${sql}`;

export const poison = {
  sqlite: [
    ...everyPoison,
    wronglyTyped(
      'checkout',
      `UPDATE checkout SET amount_paid = 'much', due_at = x'00' WHERE ${one('checkout')}`,
    ),
    wronglyTyped('checkout', `UPDATE checkout SET data = x'00' WHERE ${one('checkout')}`),
    wronglyTyped('delivery', `UPDATE delivery SET url = x'00' WHERE url IS NOT NULL`),
    wronglyTyped('event', `UPDATE event SET body = x'00', sequence = 'first' WHERE ${event}`),
    wronglyTyped('payment_attempt', `UPDATE payment_attempt SET rail = x'00' WHERE reference = 'more'`),
  ],
  postgres: [...everyPoison, 'UPDATE feed_end SET position = 9223372036854775807 WHERE live'],
};

/** Damages beside the rules: one row of each further kind. */
export const besides: readonly Damage[] = [
  [
    COLUMNS,
    `UPDATE checkout SET reference_id = 'other' WHERE ${one('checkout', `reference_id = 'order-1'`)}`,
  ],
  [SUM, `UPDATE checkout SET amount_paid = amount_paid - 1 WHERE reference_id = 'other'`],
  [REFUNDS, `UPDATE refund SET state = 'succeeded' WHERE state = 'failed'`],
  [
    'every version of a session has its line in the log of changes',
    `DELETE FROM audit WHERE version = 3 AND subject = (SELECT id FROM checkout WHERE reference_id = 'other')`,
  ],
];
