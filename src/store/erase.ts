/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty, with all
 * that receivers have answered to those events. Amounts, ids, states and the ledger stay: the merchant's books must
 * still add up. Answers kept for repeated requests go by themselves within their day.
 */
import type { Customer } from '../checkout/customer.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { payerColumnsOf } from './columns.ts';
import { redactEventBody, redactSession } from './redact.ts';
import { owned } from './resources/read.ts';
import { either, isAnyOf, raw, rowsAs, type Sql, sql } from './sql.ts';
import { rowsOf, type Steps } from './steps.ts';

type Session = { readonly id: CheckoutId; readonly data: string };
type Event = { readonly id: string; readonly body: string };

/** Gives the ids of the sessions that it has changed. */
export function* erase(tenant: Tenant, { id: customer }: Customer): Steps<readonly CheckoutId[]> {
  const sessions = yield* rowsOf<Session>(
    sql`SELECT id, data FROM checkout WHERE ${owned(tenant)} AND customer = ${customer}${forUpdate}`,
  );
  yield sql`DELETE FROM customer WHERE ${owned(tenant)} AND id = ${customer}`;
  if (sessions.length === 0) return [];
  const ids = sessions.map(({ id }) => id);
  const events = yield* rowsOf<Event>(
    sql`SELECT id, body FROM event WHERE ${owned(tenant)} AND ${eventsOf(tenant, ids)}`,
  );
  const blankSessions = sessions.map((session) => {
    const { data, payer } = redactSession(session.data);
    return { id: session.id, data, ...payerColumnsOf(payer) };
  });
  const columns = Object.keys(blankSessions[0] ?? {});
  yield sql`UPDATE checkout SET version = version + 1,
      ${raw(
        columns
          .slice(1)
          .map((name) => `${name} = r.${name}`)
          .join(', '),
      )}
    FROM ${rowsAs('r', columns.map((name) => `${name} text`).join(', '), blankSessions)}
    WHERE ${owned(tenant, 'checkout')} AND checkout.id = r.id`;
  const blankEvents = events
    .map(({ id, body }) => ({ id, before: body, body: redactEventBody(body) }))
    .filter(({ before, body }) => body !== before);
  yield sql`UPDATE event SET body = r.body FROM ${rowsAs('r', 'id text, body text', blankEvents)}
    WHERE ${owned(tenant, 'event')} AND event.id = r.id`;
  // A receiver may have said again what it was told.
  yield sql`UPDATE delivery_attempt SET answer = ''
    WHERE ${owned(tenant)} AND answer <> '' AND delivery IN (
      SELECT delivery.id FROM delivery
      WHERE ${owned(tenant, 'delivery')} AND ${isAnyOf(
        'delivery.event',
        events.map(({ id }) => id),
      )})`;
  return ids;
}

const forUpdate = either({ postgres: raw(' ORDER BY id FOR UPDATE') });

/** SQLite has no index by session: there each event names the position of the one before it. */
function eventsOf(tenant: Tenant, ids: readonly CheckoutId[]): Sql {
  return either({
    sqlite: sql`position IN (
      WITH RECURSIVE chain (at) AS (
        SELECT last_event FROM checkout WHERE ${owned(tenant, 'checkout')} AND ${isAnyOf('checkout.id', ids)}
        UNION ALL
        SELECT told.previous FROM chain
          JOIN event AS told ON ${owned(tenant, 'told')} AND told.position = chain.at
      )
      SELECT at FROM chain)`,
    postgres: isAnyOf('subject', ids),
  });
}
