import type { DatabaseSync } from 'node:sqlite';
import { emailKey } from '../../checkout/customer.ts';
import type { Checkout, Scope } from '../../checkout/session.ts';
import { beforeData, eventWithDataOf } from '../answer-body.ts';
import type { Writes } from '../store.ts';
import { eraser } from './erase.ts';
import { liveOf } from './rows.ts';
import { checkoutWriter } from './write-checkout.ts';

/** Writes the rows of one unit, inside the transaction that `commit.ts` has opened. */
export function writer(database: DatabaseSync) {
  const erase = eraser(database);
  const prepare = (sql: string) => database.prepare(sql);
  const writeCheckout = checkoutWriter(prepare);
  const upsertCustomer = prepare(
    `INSERT INTO customer (account, live, id, email, data) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE SET email = excluded.email, data = excluded.data`,
  );
  const insertEvent = prepare(
    `INSERT INTO event (account, live, position, id, type, checkout, sequence, previous, created_at, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const lastPosition = prepare(
    'SELECT coalesce(max(position), 0) AS position FROM event WHERE account = ? AND live = ?',
  );
  const lastEvent = prepare('SELECT last_event FROM checkout WHERE account = ? AND live = ? AND id = ?');
  const insertDelivery = prepare(
    `INSERT INTO delivery (account, live, id, event, checkout, url, state, attempts, due_at)
     VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?)`,
  );
  // What has been brought to its end stays there, unless it was given up and has arrived after all.
  const finishDelivery = prepare(
    `UPDATE delivery SET state = ?, due_at = ?, last_status = ?, last_error = ?, attempts = attempts + 1
     WHERE account = ? AND live = ? AND id = ? AND (state = 'pending' OR ? = 'delivered')`,
  );
  const insertAnswer = prepare(
    `INSERT INTO idempotency
       (account, live, idempotency_key, operation, request_hash, status_code, headers, body, event, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAudit = prepare(
    `INSERT INTO audit (account, live, subject, version, at, actor, action, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const advanceClock = prepare(
    'UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ? WHERE number = ?',
  );

  // By the very session that was written: one from a transaction that came to nothing is never asked about.
  const lastEvents = new WeakMap<Checkout, number>();
  const lastEventOf = (checkout: Checkout): number =>
    lastEvents.get(checkout) ??
    (lastEvent.get(checkout.scope.account, liveOf(checkout.scope), checkout.id)?.last_event as number);

  return (scope: Scope, writes: Writes): void => {
    const { account } = scope;
    const live = liveOf(scope);
    const { checkout, customer, erasedCustomer, answer, audit } = writes;
    if (customer) {
      upsertCustomer.run(
        account,
        live,
        customer.id,
        emailKey(customer.email) || null,
        JSON.stringify(customer),
      );
    }
    let firstPosition = 0;
    if (checkout) {
      const { before, after } = checkout;
      let previous = before === null ? 0 : lastEventOf(before);
      if (writes.events?.length) {
        let position = lastPosition.get(account, live)?.position as number;
        firstPosition = position + 1;
        for (const { id, type, sequence, createdAt, body } of writes.events) {
          position++;
          insertEvent.run(account, live, position, id, type, after.id, sequence, previous, createdAt, body);
          previous = position;
        }
      }
      writeCheckout(before, after, previous);
      lastEvents.set(after, previous);
    }
    for (const delivery of writes.deliveries ?? []) {
      const { id, event, url, dueAt } = delivery;
      insertDelivery.run(account, live, id, event, delivery.checkout, url, dueAt);
    }
    for (const { id, state, dueAt, httpStatus, error } of writes.deliveryResults ?? []) {
      finishDelivery.run(state, dueAt, httpStatus, error, account, live, id, state);
    }
    if (answer) {
      const { key, operation, requestHash, statusCode, headers, body, createdAt } = answer;
      const stored = JSON.stringify(headers);
      const index = eventWithDataOf(body, writes.events ?? []);
      const kept = index < 0 ? body : beforeData(body);
      const event = index < 0 ? null : firstPosition + index;
      insertAnswer.run(
        account,
        live,
        key,
        operation,
        requestHash,
        statusCode,
        stored,
        kept,
        event,
        createdAt,
      );
    }
    if (audit) {
      const { subject, version, at, actor, action, requestId } = audit;
      insertAudit.run(account, live, subject, version, at, actor, action, requestId);
    }
    if (writes.testClockAdvanceMs) advanceClock.run(writes.testClockAdvanceMs, account);
    if (erasedCustomer) erase(scope, erasedCustomer);
  };
}
