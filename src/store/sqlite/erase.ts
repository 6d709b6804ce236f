/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty, with all
 * that receivers have answered to those events. Amounts, ids, states and the ledger stay: the merchant's books must
 * still add up. Answers kept for repeated requests go by themselves within their day.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Customer } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { redactEventBody, redactSessionData } from '../redact.ts';
import { liveOf, type Row } from './rows.ts';

export function eraser(database: DatabaseSync) {
  const deleteCustomer = database.prepare('DELETE FROM customer WHERE account = ? AND live = ? AND id = ?');
  const checkoutsOf = database.prepare(
    'SELECT id, data FROM checkout WHERE account = ? AND live = ? AND customer = ?',
  );
  const blankCheckout = database.prepare(
    `UPDATE checkout SET version = version + 1, email = NULL, data = ?
     WHERE account = ? AND live = ? AND id = ?`,
  );
  const eventsOf = database.prepare(
    `WITH RECURSIVE chain (at) AS (
       SELECT last_event FROM checkout WHERE account = ?1 AND live = ?2 AND id = ?3
       UNION ALL
       SELECT event.previous FROM chain
         JOIN event ON event.account = ?1 AND event.live = ?2 AND event.position = chain.at
     )
     SELECT position, event.id, body FROM chain JOIN event ON account = ?1 AND live = ?2 AND position = chain.at`,
  );
  const blankEvent = database.prepare(
    'UPDATE event SET body = ? WHERE account = ? AND live = ? AND position = ?',
  );

  // A receiver may have said again what it was told.
  const blankAnswers = database.prepare(
    `UPDATE delivery_attempt SET answer = ''
     WHERE account = ?1 AND live = ?2 AND answer <> '' AND delivery IN (
       SELECT id FROM delivery WHERE delivery.account = ?1 AND delivery.live = ?2 AND delivery.event = ?3)`,
  );

  return (tenant: Tenant, customer: Customer): void => {
    const tenantKey = [tenant.account, liveOf(tenant)] as const;
    for (const { id, data } of checkoutsOf.all(...tenantKey, customer.id) as Row[]) {
      blankCheckout.run(redactSessionData(data as string), ...tenantKey, id as string);
      for (const { position, id: event, body } of eventsOf.all(...tenantKey, id as string) as Row[]) {
        const blank = redactEventBody(body as string);
        if (blank !== body) blankEvent.run(blank, ...tenantKey, position as number);
        blankAnswers.run(...tenantKey, event as string);
      }
    }
    deleteCustomer.run(...tenantKey, customer.id);
  };
}
