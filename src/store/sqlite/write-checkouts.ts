import type { StatementSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import { columnsOf, dataOf, filterableMetadata } from '../columns.ts';
import { liveOf } from './rows.ts';
import { refundWriter } from './write-money.ts';

/** Writes a session's row and the rows that follow from it; `lastEvent` is the position of its newest event. */
export function checkoutWriter(prepare: (sql: string) => StatementSync) {
  const writeRow = checkoutRowWriter(prepare);
  const writeRefunds = refundWriter(prepare);
  const insertMetadata = prepare(
    'INSERT INTO checkout_metadata (account, live, name, value, checkout) VALUES (?, ?, ?, ?, ?)',
  );
  const deleteMetadata = prepare(
    `DELETE FROM checkout_metadata WHERE account = ? AND live = ? AND name = ? AND value = ? AND checkout = ?`,
  );
  const insertAttempt = prepare(
    'INSERT INTO payment_attempt (account, live, id, rail, reference, checkout) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertPayment = prepare(
    `INSERT INTO payment
       (account, live, rail, reference, checkout, attempt, amount, currency, booked_at, late)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return (before: Checkout | null, after: Checkout, lastEvent: number): void => {
    const { account } = after.tenant;
    const live = liveOf(after.tenant);
    writeRow(before, after, lastEvent);
    if (before?.metadata !== after.metadata) {
      for (const [name, value] of before ? filterableMetadata(before.metadata) : []) {
        deleteMetadata.run(account, live, name, value, after.id);
      }
      for (const [name, value] of filterableMetadata(after.metadata)) {
        insertMetadata.run(account, live, name, value, after.id);
      }
    }
    // Attempts and payments are only ever added, at the end.
    for (const { id, rail, reference } of after.attempts.slice(before?.attempts.length ?? 0)) {
      insertAttempt.run(account, live, id, rail, reference, after.id);
    }
    for (const payment of after.payments.slice(before?.payments.length ?? 0)) {
      const { rail, reference, attempt, amount, bookedAt, late } = payment;
      insertPayment.run(
        account,
        live,
        rail,
        reference,
        after.id,
        attempt,
        amount,
        after.currency,
        bookedAt,
        Number(late),
      );
    }
    writeRefunds(before, after);
  };
}

/**
 * Sets only the columns that differ: SQLite writes an index anew whenever a column of it is named in an UPDATE, even
 * with the value it had, and each index is one more page in the log. (Measured: naming all costs a third of the rate.)
 */
function checkoutRowWriter(prepare: (sql: string) => StatementSync) {
  const statements = new Map<string, StatementSync>();
  const statement = (key: string, sql: () => string): StatementSync => {
    const prepared = statements.get(key) ?? prepare(sql());
    statements.set(key, prepared);
    return prepared;
  };
  const bindable = (value: string | number | boolean | null) =>
    typeof value === 'boolean' ? Number(value) : value;

  return (before: Checkout | null, after: Checkout, lastEvent: number): void => {
    const row = [
      after.version,
      after.eventCount,
      lastEvent,
      dataOf(after),
      after.tenant.account,
      liveOf(after.tenant),
      after.id,
    ];
    const columns = Object.entries(columnsOf(after));
    if (before === null) {
      const names = columns.map(([name]) => name);
      const insert = statement(
        'insert',
        () =>
          `INSERT INTO checkout (version, event_count, last_event, data, account, live, id, ${names.join(', ')})
           VALUES (${[...row, ...names].map(() => '?').join(', ')})`,
      );
      insert.run(...row, ...columns.map(([, value]) => bindable(value)));
      return;
    }
    const old: Record<string, unknown> = columnsOf(before);
    const changed = columns.filter(([name, value]) => old[name] !== value);
    const names = changed.map(([name]) => name);
    const update = statement(
      names.join(),
      () =>
        `UPDATE checkout SET ${[...names, 'version', 'event_count', 'last_event', 'data'].map((name) => `${name} = ?`).join(', ')}
         WHERE account = ? AND live = ? AND id = ?`,
    );
    update.run(...changed.map(([, value]) => bindable(value)), ...row);
  };
}
