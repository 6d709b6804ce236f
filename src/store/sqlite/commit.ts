/** The one transaction in which everything of a change is written. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Checkout, Scope } from '../../checkout/session.ts';
import { columnsOf, dataOf, filterableMetadata } from '../columns.ts';
import type { Loaded, Needs, Unit, Writes } from '../store.ts';
import type { CheckoutReader } from './checkouts.ts';
import type { CustomerReader } from './customers.ts';
import { eraser } from './erase.ts';
import { liveOf, type Row } from './rows.ts';
import { inTransaction } from './transaction.ts';

export function committer(
  database: DatabaseSync,
  checkouts: CheckoutReader,
  customers: CustomerReader,
  {
    accountsChanged,
    deliveryFinished,
  }: { accountsChanged: () => void; deliveryFinished: (id: string) => void },
) {
  const load = loader(database, checkouts, customers);
  const write = writer(database, eraser(database));

  return (units: readonly Unit[]): void => {
    // What this transaction has changed already, for the units behind; only a commit makes it known to readers.
    const changed = new Map<string, Checkout>();
    let erased = false;
    let clockMoved = false;
    const finished: string[] = [];
    inTransaction(database, () => {
      for (const { needs, decide } of units) {
        const writes = decide(load(needs, changed));
        if (writes === null) continue;
        write(needs.scope, writes);
        if (writes.checkout) changed.set(writes.checkout.after.id, writes.checkout.after);
        if (writes.erasedCustomer) erased = true;
        if (writes.testClockAdvanceMs) clockMoved = true;
        for (const { id } of writes.deliveryResults ?? []) finished.push(id);
      }
    });
    for (const checkout of changed.values()) checkouts.remember(checkout);
    if (erased) checkouts.forgetAll();
    if (clockMoved) accountsChanged();
    for (const id of finished) deliveryFinished(id);
  };
}

function loader(database: DatabaseSync, checkouts: CheckoutReader, customers: CustomerReader) {
  const ownerOfReference = database.prepare(
    'SELECT checkout FROM payment_attempt WHERE account = ? AND live = ? AND rail = ? AND reference = ?',
  );
  const ownerOfPayment = database.prepare(
    'SELECT checkout FROM payment WHERE account = ? AND live = ? AND rail = ? AND reference = ?',
  );
  const answer = database.prepare(
    `SELECT request_hash, status_code, headers, body FROM idempotency
     WHERE account = ? AND live = ? AND idempotency_key = ? AND operation = ?`,
  );

  return (needs: Needs, changed: ReadonlyMap<string, Checkout>): Loaded => {
    const { scope, rail, idempotency } = needs;
    const live = liveOf(scope);
    let owner: Row | undefined;
    if (rail) {
      const key = [scope.account, live, rail.rail, rail.reference] as const;
      owner = (ownerOfReference.get(...key) ?? ownerOfPayment.get(...key)) as Row | undefined;
    }
    const stored = idempotency
      ? (answer.get(scope.account, live, idempotency.key, idempotency.operation) as Row | undefined)
      : undefined;
    return {
      checkout:
        needs.checkout === undefined
          ? null
          : (changed.get(needs.checkout) ?? checkouts.read(scope, needs.checkout)),
      customer: needs.customer === undefined ? null : customers.read(scope, needs.customer),
      namesake: needs.email === undefined ? null : customers.readByEmail(scope, needs.email),
      ownerOfReference: owner === undefined ? null : (owner.checkout as string),
      answer:
        stored === undefined
          ? null
          : {
              requestHash: stored.request_hash as string,
              statusCode: stored.status_code as number,
              headers: JSON.parse(stored.headers as string),
              body: stored.body as string,
            },
    };
  };
}

function writer(database: DatabaseSync, erase: (scope: Scope, customer: Customer) => void) {
  const prepare = (sql: string) => database.prepare(sql);
  const writeCheckout = checkoutWriter(prepare);
  const upsertCustomer = prepare(
    `INSERT INTO customer (account, live, id, email, data) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE SET email = excluded.email, data = excluded.data`,
  );
  const insertEvent = prepare(
    `INSERT INTO event (account, live, id, position, type, checkout, sequence, created_at, body)
     VALUES (?1, ?2, ?3, 1 + coalesce((SELECT max(position) FROM event WHERE account = ?1 AND live = ?2), 0),
             ?4, ?5, ?6, ?7, ?8)`,
  );
  const insertDelivery = prepare(
    `INSERT INTO delivery (account, live, id, event, checkout, url, state, attempts, due_at)
     VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?)`,
  );
  const finishDelivery = prepare(
    `UPDATE delivery SET state = ?, due_at = ?, last_status = ?, last_error = ?, attempts = attempts + 1
     WHERE account = ? AND live = ? AND id = ?`,
  );
  const insertAnswer = prepare(
    `INSERT INTO idempotency
       (account, live, idempotency_key, operation, request_hash, status_code, headers, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertAudit = prepare(
    `INSERT INTO audit (account, live, subject, version, at, actor, action, request_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const advanceClock = prepare(
    'UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ? WHERE number = ?',
  );

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
    if (checkout) writeCheckout(checkout.before, checkout.after);
    for (const event of writes.events ?? []) {
      const { id, type, sequence, createdAt, body } = event;
      insertEvent.run(account, live, id, type, event.checkout, sequence, createdAt, body);
    }
    for (const delivery of writes.deliveries ?? []) {
      const { id, event, url, dueAt } = delivery;
      insertDelivery.run(account, live, id, event, delivery.checkout, url, dueAt);
    }
    for (const { scope: tenant, id, state, dueAt, httpStatus, error } of writes.deliveryResults ?? []) {
      finishDelivery.run(state, dueAt, httpStatus, error, tenant.account, liveOf(tenant), id);
    }
    if (answer) {
      const { key, operation, requestHash, statusCode, headers, body, createdAt } = answer;
      const stored = JSON.stringify(headers);
      insertAnswer.run(account, live, key, operation, requestHash, statusCode, stored, body, createdAt);
    }
    if (audit) {
      const { subject, version, at, actor, action, requestId } = audit;
      insertAudit.run(account, live, subject, version, at, actor, action, requestId);
    }
    if (writes.testClockAdvanceMs) advanceClock.run(writes.testClockAdvanceMs, account);
    if (erasedCustomer) erase(scope, erasedCustomer);
  };
}

function checkoutWriter(prepare: (sql: string) => StatementSync) {
  const writeRow = checkoutRowWriter(prepare);
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

  return (before: Checkout | null, after: Checkout): void => {
    const { account } = after.scope;
    const live = liveOf(after.scope);
    writeRow(before, after);
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
  };
}

/**
 * Sets only the columns that differ: SQLite writes an index anew whenever a column of it is named in an UPDATE, even
 * with the value it had, and each index is one more page in the log. (Measured: naming all columns halves the rate.)
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

  return (before: Checkout | null, after: Checkout): void => {
    const row = [
      after.version,
      after.eventCount,
      dataOf(after),
      after.scope.account,
      liveOf(after.scope),
      after.id,
    ];
    const columns = Object.entries(columnsOf(after));
    if (before === null) {
      const names = columns.map(([name]) => name);
      const insert = statement(
        'insert',
        () =>
          `INSERT INTO checkout (version, event_count, data, account, live, id, ${names.join(', ')})
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
        `UPDATE checkout SET ${[...names, 'version', 'event_count', 'data'].map((name) => `${name} = ?`).join(', ')}
         WHERE account = ? AND live = ? AND id = ?`,
    );
    update.run(...changed.map(([, value]) => bindable(value)), ...row);
  };
}
