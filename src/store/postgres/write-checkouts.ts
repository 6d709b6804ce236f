/** What is written of the sessions that a batch has changed. */
import { type Checkout, dueAt } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { columnsOf, dataOf, filterableMetadata } from '../columns.ts';
import type { Changes } from './changes.ts';
import type { Sql } from './connection.ts';
import { insert, onRows, type Row, some, sorted, update } from './statements.ts';

type Change = { readonly before: Checkout | null; readonly after: Checkout };

export function checkoutStatements(sql: Sql, tenant: Tenant, changes: Changes): PromiseLike<unknown>[] {
  const all = [...changes.values()];
  const created = all.filter(({ before }) => before === null);
  const changed = all.filter(({ before }) => before !== null);
  return [
    ...some(created.map(checkoutRow), (rows) => insert(sql, tenant, 'checkout', rows)),
    ...some(changed.map(checkoutRow), (rows) => update(sql, tenant, 'checkout', rows)),
    ...some(created.map(overviewRow), (rows) => insert(sql, tenant, 'checkout_overview', rows)),
    ...some(changed.filter(hasAnotherOverview).map(overviewRow), (rows) =>
      update(sql, tenant, 'checkout_overview', rows),
    ),
    ...some(all.flatMap(removedMetadata), (rows) => deleteMetadata(sql, tenant, rows)),
    ...some(all.flatMap(addedMetadata), (rows) => insert(sql, tenant, 'checkout_metadata', rows)),
    ...some(sorted(all.flatMap(newAttempts), 'reference'), (rows) =>
      insert(sql, tenant, 'payment_attempt', rows),
    ),
    ...some(sorted(all.flatMap(newPayments), 'reference'), (rows) => insert(sql, tenant, 'payment', rows)),
    ...some(all.flatMap(setTimers), (rows) =>
      insert(
        sql,
        tenant,
        'timer',
        rows,
        'ON CONFLICT (account, live, checkout) DO UPDATE SET due_at = excluded.due_at, leased_until = NULL',
      ),
    ),
    ...some(all.flatMap(endedTimers), (rows) => deleteTimers(sql, tenant, rows)),
  ];
}

function checkoutRow({ after }: Change): Row {
  const { amount, description, due_at, ...columns } = columnsOf(after);
  return {
    ...columns,
    id: after.id,
    version: after.version,
    event_count: after.eventCount,
    data: dataOf(after),
  };
}

function overviewRow({ after }: Change): Row {
  const { amount, description } = columnsOf(after);
  return { id: after.id, amount, description };
}

function hasAnotherOverview({ before, after }: Change): boolean {
  return before?.amount !== after.amount || before.description !== after.description;
}

function metadataRows({ id, metadata }: Checkout): Row[] {
  return filterableMetadata(metadata).map(([name, value]) => ({ name, value, checkout: id }));
}

function removedMetadata({ before, after }: Change): Row[] {
  return before === null || before.metadata === after.metadata ? [] : metadataRows(before);
}

function addedMetadata({ before, after }: Change): Row[] {
  return before?.metadata === after.metadata ? [] : metadataRows(after);
}

function deleteMetadata(sql: Sql, tenant: Tenant, rows: readonly Row[]) {
  return onRows(
    sql,
    tenant,
    rows,
    'name text, value text, checkout text',
    (r) => `DELETE FROM checkout_metadata AS m USING ${r}
            WHERE m.account = $1 AND m.live = $2 AND m.name = r.name AND m.value = r.value
              AND m.checkout = r.checkout`,
  );
}

/** Attempts and payments are only ever added, at the end. */
function newAttempts({ before, after }: Change): Row[] {
  return after.attempts
    .slice(before?.attempts.length ?? 0)
    .map(({ id, rail, reference }) => ({ id, rail, reference, checkout: after.id }));
}

function newPayments({ before, after }: Change): Row[] {
  const known = before?.payments.length ?? 0;
  return after.payments.slice(known).map(({ rail, reference, attempt, amount, bookedAt, late }, index) => ({
    rail,
    reference,
    checkout: after.id,
    line: known + index + 1,
    attempt,
    amount,
    currency: after.currency,
    booked_at: bookedAt,
    late,
  }));
}

const dueBefore = ({ before }: Change) => (before === null ? null : dueAt(before));

function setTimers(change: Change): Row[] {
  const due = dueAt(change.after);
  return due === null || due === dueBefore(change) ? [] : [{ checkout: change.after.id, due_at: due }];
}

function endedTimers(change: Change): Row[] {
  return dueAt(change.after) === null && dueBefore(change) !== null ? [{ checkout: change.after.id }] : [];
}

function deleteTimers(sql: Sql, tenant: Tenant, rows: readonly Row[]) {
  return onRows(
    sql,
    tenant,
    rows,
    'checkout text',
    (r) =>
      `DELETE FROM timer USING ${r} WHERE timer.account = $1 AND timer.live = $2 AND timer.checkout = r.checkout`,
  );
}
