import type { DatabaseSync } from 'node:sqlite';
import { emailKey } from '../../checkout/customer.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { keptAnswer } from '../answer-body.ts';
import type { Writes } from '../store.ts';
import { eraser } from './erase.ts';
import { feedEndReader } from './feed-end.ts';
import { liveOf } from './rows.ts';
import { checkoutWriter } from './write-checkouts.ts';
import { deliveryWriter } from './write-deliveries.ts';
import { bankEntryWriter, bankFileWriter, providerEventWriter } from './write-money.ts';

/** Writes the rows of one unit, inside the transaction that `commit.ts` has opened. */
export function writer(database: DatabaseSync) {
  const erase = eraser(database);
  const prepare = (sql: string) => database.prepare(sql);
  const writeCheckout = checkoutWriter(prepare);
  const writeDeliveries = deliveryWriter(prepare);
  const writeProviderEvent = providerEventWriter(prepare);
  const writeBankEntry = bankEntryWriter(prepare);
  const writeBankFile = bankFileWriter(prepare);
  const upsertCustomer = prepare(
    `INSERT INTO customer (account, live, id, email, data) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE SET email = excluded.email, data = excluded.data`,
  );
  const insertEvent = prepare(
    `INSERT INTO event (account, live, position, id, type, subject, sequence, previous, created_at, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const feedEnd = feedEndReader(database);
  const lastEvent = prepare('SELECT last_event FROM checkout WHERE account = ? AND live = ? AND id = ?');
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
    (lastEvent.get(checkout.tenant.account, liveOf(checkout.tenant), checkout.id)?.last_event as number);

  return (tenant: Tenant, writes: Writes): void => {
    const { account } = tenant;
    const live = liveOf(tenant);
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
    // Only the history of a session is a chain.
    let previous = checkout?.before ? lastEventOf(checkout.before) : 0;
    if (writes.events?.length) {
      let position = feedEnd(tenant);
      firstPosition = position + 1;
      for (const { id, type, subject, sequence, createdAt, body } of writes.events) {
        position++;
        insertEvent.run(account, live, position, id, type, subject, sequence, previous, createdAt, body);
        if (checkout) previous = position;
      }
    }
    if (checkout) {
      writeCheckout(checkout.before, checkout.after, previous);
      lastEvents.set(checkout.after, previous);
    }
    writeDeliveries(tenant, writes);
    if (answer) {
      const { key, operation, requestHash, statusCode, headers, body, createdAt } = answer;
      const stored = JSON.stringify(headers);
      const { kept, event: index } = keptAnswer(body, writes.events ?? []);
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
    if (writes.providerEvent) writeProviderEvent(tenant, writes.providerEvent);
    if (writes.bankEntry) writeBankEntry(tenant, writes.bankEntry);
    writeBankFile(tenant, writes);
    if (audit) {
      const { subject, version, at, actor, action, requestId } = audit;
      insertAudit.run(account, live, subject, version, at, actor, action, requestId);
    }
    if (writes.testClockAdvanceMs) advanceClock.run(writes.testClockAdvanceMs, account);
    if (erasedCustomer) erase(tenant, erasedCustomer);
  };
}
