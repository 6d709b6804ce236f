/** What is written beside sessions about money: refunds, awaited transfers, notices of rails and files of banks. */

import type { BankFile } from '../../banking/bank-file.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Notice } from '../../methods/provider-event.ts';
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
  // Of a notice that changed more than once what it is after the last.
  const notices = new Map(all.flatMap(({ notice }) => (notice ? [[notice.id, notice] as const] : [])));
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
    ...some(sorted([...notices.values()].map(noticeRow), 'reference'), (rows) =>
      insert(
        sql,
        tenant,
        'notice',
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

function noticeRow({ receivedAt, dueAt, data, ...notice }: Notice): Row {
  return { ...notice, received_at: receivedAt, due_at: dueAt, data: JSON.stringify(data) };
}

function bankFileRow({ createdAt, data, ...file }: BankFile): Row {
  return { ...file, created_at: createdAt, data: JSON.stringify(data) };
}
