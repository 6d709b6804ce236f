/** What is written beside sessions about money: refunds, awaited transfers, provider events, bank entries and bank files. */

import type { BankFile } from '../../banking/bank-file.ts';
import type { BankEntry } from '../../banking/entry.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { type AwaitedRow, awaitedTransfers, refundRows } from '../columns.ts';
import type { Writes } from '../store.ts';
import type { Changes } from './changes.ts';
import type { Sql } from './connection.ts';
import { insert, onRows, type Row, some, sorted, update } from './statements.ts';

type Change = { readonly before: Checkout | null; readonly after: Checkout };

export function moneyStatements(
  sql: Sql,
  tenant: Tenant,
  all: readonly Writes[],
  changes: Changes,
): PromiseLike<unknown>[] {
  const changed = [...changes.values()];
  // Of one that changed more than once, only its last state is written.
  const events = new Map(
    all.flatMap(({ providerEvent }) => (providerEvent ? [[providerEvent.id, providerEvent] as const] : [])),
  );
  const entries = new Map(
    all.flatMap(({ bankEntry }) => (bankEntry ? [[bankEntry.id, bankEntry] as const] : [])),
  );
  return [
    ...some(changed.flatMap(changedRefunds), (rows) =>
      insert(
        sql,
        tenant,
        'refund',
        rows,
        'ON CONFLICT (account, live, id) DO UPDATE SET state = excluded.state',
      ),
    ),
    ...some(changed.flatMap(endedTransfers), (rows) => deleteAwaited(sql, tenant, rows)),
    ...some(changed.flatMap(newTransfers), (rows) => insert(sql, tenant, 'awaited', rows)),
    ...some(sorted([...events.values()].map(providerEventRow), 'reference'), (rows) =>
      insert(
        sql,
        tenant,
        'provider_event',
        rows,
        `ON CONFLICT (account, live, id) DO UPDATE
         SET state = excluded.state, due_at = excluded.due_at, tries = excluded.tries`,
      ),
    ),
    ...some(sorted([...entries.values()].map(bankEntryRow), 'reference'), (rows) =>
      insert(
        sql,
        tenant,
        'bank_entry',
        rows,
        `ON CONFLICT (account, live, id) DO UPDATE
         SET state = excluded.state, due_at = excluded.due_at, tries = excluded.tries, data = excluded.data`,
      ),
    ),
    ...some(
      sorted(
        all.flatMap(({ bankFile }) => (bankFile ? [bankFileRow(bankFile)] : [])),
        'hash',
      ),
      (rows) => insert(sql, tenant, 'bank_file', rows),
    ),
    ...some(
      sorted(
        all.flatMap(({ ingestedFile }) => (ingestedFile ? [bankFileRow(ingestedFile)] : [])),
        'hash',
      ),
      (rows) => update(sql, tenant, 'bank_file', rows),
    ),
  ];
}

/** Nothing of a refund's row changes but its state. */
function changedRefunds({ before, after }: Change): Row[] {
  if (before?.refunds === after.refunds) return [];
  const known = new Map(before?.refunds.map(({ id, status }) => [id, status]));
  return refundRows(after).filter(({ id, state }) => known.get(id) !== state);
}

function newTransfers({ before, after }: Change): Row[] {
  return transfersBeyond(after, before);
}

function endedTransfers({ before, after }: Change): Row[] {
  return before === null ? [] : transfersBeyond(before, after);
}

/** What the one waits for, and the other does not. */
function transfersBeyond(one: Checkout, other: Checkout | null): Row[] {
  const keyOf = ({ currency, amount, attempt }: AwaitedRow) => `${currency} ${amount} ${attempt}`;
  const known = new Set(other ? awaitedTransfers(other).map(keyOf) : []);
  return awaitedTransfers(one).filter((transfer) => !known.has(keyOf(transfer)));
}

function deleteAwaited(sql: Sql, tenant: Tenant, rows: readonly Row[]) {
  return onRows(
    sql,
    tenant,
    rows,
    'currency text, amount bigint, attempt text',
    (r) => `DELETE FROM awaited USING ${r}
            WHERE awaited.account = $1 AND awaited.live = $2 AND awaited.currency = r.currency
              AND awaited.amount = r.amount AND awaited.attempt = r.attempt`,
  );
}

function providerEventRow(event: ProviderEvent): Row {
  const { receivedAt, dueAt, attemptReference, paymentReference, ...same } = event;
  return {
    ...same,
    received_at: receivedAt,
    due_at: dueAt,
    attempt_reference: attemptReference,
    payment_reference: paymentReference,
  };
}

function bankEntryRow({ id, reference, receivedAt, state, dueAt, tries, ...content }: BankEntry): Row {
  const data = JSON.stringify(content);
  return { id, reference, received_at: receivedAt, state, due_at: dueAt, tries, data };
}

function bankFileRow({ createdAt, data, ...file }: BankFile): Row {
  return { ...file, created_at: createdAt, data: JSON.stringify(data) };
}
