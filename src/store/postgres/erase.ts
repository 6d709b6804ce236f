/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty, with all
 * that receivers have answered to those events. Amounts, ids, states and the ledger stay: the merchant's books must
 * still add up. Answers kept for repeated requests go by themselves within their day.
 */
import type { Customer } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { redactEventBody, redactSessionData } from '../redact.ts';
import { textArray } from '../sql.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';
import { statementsOn } from './statements.ts';

/** Runs inside a transaction; returns the ids of the sessions it has changed. */
export async function erase(sql: Sql, tenant: Tenant, { id }: Customer): Promise<readonly string[]> {
  const [account, live] = tenantColumns(tenant);
  const { onRows } = statementsOn(sql, tenant);
  const [checkouts] = await Promise.all([
    sql<Array<{ id: string; data: string }>>`
      SELECT id, data FROM checkout WHERE account = ${account} AND live = ${live} AND customer = ${id}
      ORDER BY id FOR UPDATE`,
    sql`DELETE FROM customer WHERE account = ${account} AND live = ${live} AND id = ${id}`,
  ]);
  const ids = checkouts.map((row) => row.id);
  const events = await sql<Array<{ id: string; body: string }>>`
    SELECT id, body FROM event
    WHERE account = ${account} AND live = ${live} AND subject = ANY (${textArray(ids)}::text[])`;
  await Promise.all([
    ...onRows(
      checkouts.map((row) => ({ id: row.id, data: redactSessionData(row.data) })),
      'id text, data text',
      (r) => `UPDATE checkout SET version = version + 1, email = NULL, data = r.data FROM ${r}
              WHERE checkout.account = $1 AND checkout.live = $2 AND checkout.id = r.id`,
    ),
    ...onRows(
      events.flatMap(({ id, body }) => {
        const blank = redactEventBody(body);
        return blank === body ? [] : [{ id, body: blank }];
      }),
      'id text, body text',
      (r) => `UPDATE event SET body = r.body FROM ${r}
              WHERE event.account = $1 AND event.live = $2 AND event.id = r.id`,
    ),
    // A receiver may have said again what it was told.
    sql`
      UPDATE delivery_attempt SET answer = ''
      WHERE account = ${account} AND live = ${live} AND answer <> '' AND delivery IN (
        SELECT delivery.id FROM delivery
        WHERE delivery.account = ${account} AND delivery.live = ${live}
          AND delivery.event = ANY (${textArray(events.map((event) => event.id))}::text[]))`,
  ]);
  return ids;
}
