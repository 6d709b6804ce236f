import type { DatabaseSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { keptAnswer } from '../answer-body.ts';
import { checkoutRow, columnsOf } from '../columns.ts';
import { rowChangesOf } from '../reads/all.ts';
import type { Writes } from '../store.ts';
import { eraser } from './erase.ts';
import { feedEndReader } from './feed-end.ts';
import { liveOf } from './rows.ts';
import { rowStatements } from './statements.ts';
import { deliveryWriter } from './write-deliveries.ts';

/** Writes the rows of one unit, inside the transaction that `commit.ts` has opened. */
export function writer(database: DatabaseSync) {
  const erase = eraser(database);
  const rows = rowStatements(database);
  const prepare = (sql: string) => database.prepare(sql);
  const writeDeliveries = deliveryWriter(prepare);
  const feedEnd = feedEndReader(database);
  const lastEvent = prepare('SELECT last_event FROM checkout WHERE account = ? AND live = ? AND id = ?');
  const advanceClock = prepare(
    'UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ? WHERE number = ?',
  );

  // By the very session that was written: one from a transaction that came to nothing is never asked about.
  const lastEvents = new WeakMap<Checkout, number>();
  const lastEventOf = (checkout: Checkout): number =>
    lastEvents.get(checkout) ??
    (lastEvent.get(checkout.tenant.account, liveOf(checkout.tenant), checkout.id)?.last_event as number);

  function writeCheckout(before: Checkout | null, after: Checkout, lastEvent: number): void {
    const row = { ...checkoutRow(after), lastEvent };
    if (before === null) rows.insert(after.tenant, 'checkout', row);
    else rows.update(after.tenant, 'checkout', row, { ...columnsOf(before), id: before.id });
    lastEvents.set(after, lastEvent);
  }

  return (tenant: Tenant, writes: Writes): void => {
    const { checkout, events = [], erasedCustomer, answer } = writes;
    const end = events.length > 0 ? feedEnd(tenant) : 0;
    // Only the history of a session is a chain.
    let previous = checkout?.before ? lastEventOf(checkout.before) : 0;
    for (const [index, event] of events.entries()) {
      const position = end + index + 1;
      rows.insert(tenant, 'event', { ...event, position, previous });
      if (checkout) previous = position;
    }
    if (checkout) writeCheckout(checkout.before, checkout.after, previous);
    for (const change of rowChangesOf([writes], checkout ? [checkout] : [])) rows.change(tenant, change);
    writeDeliveries(tenant, writes);
    if (answer) {
      const { key, headers, body, ...row } = answer;
      const { kept, event: index } = keptAnswer(body, events);
      rows.insert(tenant, 'idempotency', {
        ...row,
        idempotencyKey: key,
        headers: JSON.stringify(headers),
        body: kept,
        event: index < 0 ? null : end + index + 1,
      });
    }
    if (writes.testClockAdvanceMs) advanceClock.run(writes.testClockAdvanceMs, tenant.account);
    if (erasedCustomer) erase(tenant, erasedCustomer);
  };
}
