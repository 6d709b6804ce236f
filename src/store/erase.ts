/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty, with all
 * that receivers have answered to those events. Amounts, ids, states and the ledger stay: the merchant's books must
 * still add up. Answers kept for repeated requests go by themselves within their day.
 */
import type { Customer } from '../checkout/customer.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { checksumIn, checksumOf } from './checksum.ts';
import { payerColumnsOf } from './columns.ts';
import { redactEventBody, redactSession } from './redact.ts';
import { owned } from './resources/read.ts';
import { either, isAnyOf, raw, rowsAs, type Sql, sql } from './sql.ts';
import { rowsOf, type Steps } from './steps.ts';
import type { Row } from './tables.ts';

type Session = Pick<Row<'checkout'>, 'id' | 'version' | 'eventCount' | 'data'> & {
  readonly checksum?: number;
};
type Event = { readonly id: string; readonly body: string };

/** Gives the ids of the sessions that it has changed. */
export function* erase(tenant: Tenant, { id: customer }: Customer): Steps<readonly CheckoutId[]> {
  const sessions = yield* rowsOf<Session>(
    sql`SELECT id, version, event_count AS "eventCount", data${checksumIn('checkout')}
        FROM checkout WHERE ${owned(tenant)} AND customer = ${customer}${forUpdate}`,
  );
  yield sql`DELETE FROM customer WHERE ${owned(tenant)} AND id = ${customer}`;
  if (sessions.length === 0) return [];
  const ids = sessions.map(({ id }) => id);
  const events = yield* rowsOf<Event>(
    sql`SELECT id, body FROM event WHERE ${owned(tenant)} AND ${eventsOf(tenant, ids)}`,
  );
  const blankSessions = sessions.map((session) => {
    const { data, payer } = redactSession(session.data);
    const texts = { id: session.id, data, ...payerColumnsOf(payer) };
    return { ...texts, checksum: checksumWithout(session, data) };
  });
  const { checksum, ...texts } = blankSessions[0] ?? {};
  const columns = Object.keys(texts);
  yield sql`UPDATE checkout SET version = version + 1,
      ${raw(
        columns
          .slice(1)
          .map((name) => `${name} = r.${name}`)
          .join(', '),
      )}${either({ sqlite: raw(', checksum = r.checksum') })}
    FROM ${rowsAs('r', `${columns.map((name) => `${name} text`).join(', ')}, checksum bigint`, blankSessions)}
    WHERE ${owned(tenant, 'checkout')} AND checkout.id = r.id`;
  const blankEvents = events
    .map(({ id, body }) => ({ id, before: body, body: redactEventBody(body) }))
    .filter(({ before, body }) => body !== before)
    .map(({ id, body }) => ({ id, body, checksum: checksumOf('event', { id, body }) }));
  yield sql`UPDATE event SET body = r.body${either({ sqlite: raw(', checksum = r.checksum') })}
    FROM ${rowsAs('r', 'id text, body text, checksum bigint', blankEvents)}
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

/** Its ledger stays as it is, and so does what makes the checksum of one that is damaged another. */
function checksumWithout({ checksum = 0, ...before }: Session, data: string): number {
  const after = { ...before, version: before.version + 1, data };
  return (checksum ^ checksumOf('checkout', before) ^ checksumOf('checkout', after)) >>> 0;
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
