/**
 * Forgetting a person: the customer's record goes, and what sessions and events hold of them becomes empty, with all
 * that receivers have answered to those events. Amounts, ids, states and the ledger stay: the merchant's books must
 * still add up. Answers kept for repeated requests go by themselves within their day.
 */
import type { Customer } from '../checkout/customer.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { checksumIn, checksumOf } from './checksum.ts';
import { payerColumns } from './columns.ts';
import { redactEventBody, redactSession } from './redact.ts';
import { alongChain, newestOf } from './resources/events.ts';
import { owned } from './resources/read.ts';
import { either, isAnyOf, join, nothing, raw, rowsAs, type Sql, sql, type Value } from './sql.ts';
import { rowsOf, type Steps } from './steps.ts';
import type { Row } from './tables.ts';

type Session = Pick<Row<'checkout'>, 'id' | 'version' | 'eventCount' | 'data'> & {
  readonly checksum?: number;
};
type Event = Pick<Row<'event'>, 'id' | 'cause' | 'body'>;

/** Gives the ids of the sessions that it has changed. */
export function* erase(tenant: Tenant, { id: customer }: Customer): Steps<readonly CheckoutId[]> {
  // First of all: who makes a session for them in this moment has ended behind it, or finds nobody.
  yield sql`DELETE FROM customer WHERE ${owned(tenant)} AND id = ${customer}`;
  const theirs = sql`FROM checkout WHERE ${owned(tenant)} AND customer = ${customer}`;
  yield either({ postgres: sql`SELECT 1 ${theirs} ORDER BY id FOR UPDATE` });
  const sessions = yield* rowsOf<Session>(
    sql`SELECT id, version, event_count AS "eventCount", data${checksumIn('checkout')} ${theirs}`,
  );
  if (sessions.length === 0) return [];
  const ids = sessions.map(({ id }) => id);
  const events = yield* rowsOf<Event>(
    sql`SELECT id, cause, body FROM event WHERE ${owned(tenant)} AND ${eventsOf(tenant, ids)}`,
  );
  const blankSessions = sessions.map((session) => {
    const { data, payer } = redactSession(session.data);
    const texts = { id: session.id, data, ...payerColumns(payer), seen: session.version };
    return { ...texts, checksum: checksumWithout(session, data) };
  });
  yield* rewrite(tenant, 'checkout', blankSessions, nextVersion);
  const blankEvents = events
    .map((event) => ({ ...event, before: event.body, body: redactEventBody(event.body) }))
    .filter(({ before, body }) => body !== before)
    .map(({ id, cause, body }) => ({ id, body, checksum: checksumOf('event', { id, cause, body }) }));
  yield* rewrite(tenant, 'event', blankEvents);
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

/** On PostgreSQL only that of the version that was read: another one gets none, which the table refuses. */
const nextVersion = either({
  sqlite: raw('version = version + 1, '),
  postgres: raw(
    'version = CASE WHEN checkout.version = r.seen THEN r.seen + 1 END, revision = checkout.revision + 1, ',
  ),
});

type Rewritten = { readonly id: string; readonly checksum: number; readonly seen?: number };

/**
 * Sets the texts of these rows. One after the other on SQLite, which finds each by its key, and to set many at once would go
 * through all rows of the tenant; at once on PostgreSQL, which has no checksums.
 */
function* rewrite<R extends Rewritten>(
  tenant: Tenant,
  table: 'checkout' | 'event',
  rows: readonly R[],
  also = nothing,
): Steps<void> {
  if (rows.length === 0) return;
  for (const { id, seen, ...row } of rows) {
    const cells = Object.entries(row).map(([name, cell]) => sql`${raw(name)} = ${cell as Value}`);
    yield either({
      sqlite: sql`UPDATE ${raw(table)} SET ${also}${join(cells, ', ')} WHERE ${owned(tenant)} AND id = ${id}`,
    });
  }
  const { id, checksum, seen, ...texts } = rows[0] ?? {};
  const names = Object.keys(texts);
  yield either({
    postgres: sql`UPDATE ${raw(table)} SET ${also}${raw(names.map((name) => `${name} = r.${name}`).join(', '))}
      FROM ${rowsAs('r', `seen integer, ${['id', ...names].map((name) => `${name} text`).join(', ')}`, rows)}
      WHERE ${owned(tenant, table)} AND ${raw(table)}.id = r.id`,
  });
}

/** Checksum of a session with other data. Its ledger stays as it is, and one that is damaged stays damaged. */
function checksumWithout({ checksum = 0, ...before }: Session, data: string): number {
  const after = { ...before, version: before.version + 1, data };
  return (checksum ^ checksumOf('checkout', before) ^ checksumOf('checkout', after)) >>> 0;
}

function eventsOf(tenant: Tenant, ids: readonly CheckoutId[]): Sql {
  return either({
    sqlite: sql`position IN (${alongChain(tenant, newestOf(tenant, ids), null, raw('SELECT at FROM chain'))})`,
    postgres: isAnyOf('subject', ids),
  });
}
