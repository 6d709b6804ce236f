/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty. Amounts,
 * ids, states and the ledger stay: the merchant's books must still add up. Answers kept for repeated requests go by
 * themselves within their day.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Customer } from '../../checkout/customer.ts';
import type { Scope } from '../../checkout/session.ts';
import { liveOf, type Row } from './rows.ts';

export function eraser(database: DatabaseSync) {
  const deleteCustomer = database.prepare('DELETE FROM customer WHERE account = ? AND live = ? AND id = ?');
  const checkoutsOf = database.prepare(
    'SELECT id FROM checkout WHERE account = ? AND live = ? AND customer = ?',
  );
  const blankCheckout = database.prepare(
    `UPDATE checkout SET version = version + 1, email = NULL,
       data = json_set(data, '$.payer.name', '', '$.payer.email', '', '$.payer.country', '',
                       '$.payer.phone', NULL, '$.payer.billingDetails', NULL, '$.payer.shippingDetails', NULL)
     WHERE account = ? AND live = ? AND id = ?`,
  );
  const blankEvents = database.prepare(
    `UPDATE event SET body = json_set(body, '$.data.customer_details.name', '', '$.data.customer_details.email', '',
       '$.data.customer_details.country', '', '$.data.customer_details.phone', NULL,
       '$.data.customer_details.billing_details', NULL, '$.data.customer_details.shipping_details', NULL)
     WHERE account = ?1 AND live = ?2 AND json_type(body, '$.data.customer_details') = 'object' AND position IN (
       WITH RECURSIVE chain (at) AS (
         SELECT last_event FROM checkout WHERE account = ?1 AND live = ?2 AND id = ?3
         UNION ALL
         SELECT event.previous FROM chain
           JOIN event ON event.account = ?1 AND event.live = ?2 AND event.position = chain.at
       )
       SELECT at FROM chain)`,
  );

  return (scope: Scope, customer: Customer): void => {
    const tenant = [scope.account, liveOf(scope)] as const;
    for (const row of checkoutsOf.all(...tenant, customer.id) as Row[]) {
      blankCheckout.run(...tenant, row.id as string);
      blankEvents.run(...tenant, row.id as string);
    }
    deleteCustomer.run(...tenant, customer.id);
  };
}
