/** The rows of a whole batch, each table's in one statement. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type CheckoutChange, checkoutRow, followingOnPostgres } from '../columns.ts';
import { rowChangesOf } from '../resources/all.ts';
import { answerRow, replacedAnswer } from '../resources/answers.ts';
import { moveClock } from '../resources/clocks.ts';
import { accountChanged, changeAccount, changesAccount, changesDirectory } from '../resources/directory.ts';
import { owned } from '../resources/read.ts';
import { isAnyOf, type Sql as Statement, sql as statement } from '../sql.ts';
import type { Writes } from '../store.ts';
import { type AnyRow, columnsOf } from '../tables.ts';
import { deliveryWrites } from '../write-deliveries.ts';
import type { Sql } from './connection.ts';
import { accountInserts, countUp } from './directory.ts';
import { send, waiting } from './run.ts';
import { type Seen, type Statements, seenKey, sorted, statementsOn } from './statements.ts';

/** Sessions of a batch: each as it was before the first change, and as it is after the last. */
export function changesOf(all: readonly Writes[]): CheckoutChange[] {
  const changes = new Map<string, CheckoutChange>();
  for (const { checkout } of all) {
    if (!checkout) continue;
    const { before, after } = checkout;
    const earlier = changes.get(after.id);
    changes.set(after.id, { before: earlier ? earlier.before : before, after });
  }
  return [...changes.values()];
}

/**
 * The statements that write the batch. Tables and rows come in the same order in every batch, so that two batches that
 * meet at a unique key wait for each other in one direction only.
 */
export function writeStatements(
  sql: Sql,
  tenant: Tenant,
  all: readonly Writes[],
  { changes, seen, inShards }: { changes: readonly CheckoutChange[]; seen: Seen; inShards: boolean },
): PromiseLike<unknown>[] {
  const on = statementsOn(sql, tenant, inShards);
  const events = all.flatMap((writes) => writes.events ?? []);
  const newAccounts = all.flatMap(({ newAccount }) => newAccount ?? []);
  const clockMoves = all.flatMap(({ clockMove }) => clockMove ?? []);

  const payers = inShards ? payersOf(changes, all, seen) : [];
  return [
    ...keepPayers(tenant, payers).map((each) => waiting(sql, each)),
    ...checkoutStatements(on, changes, seen),
    ...refuseWithoutPayer(tenant, payers).map((each) => waiting(sql, each)),
    ...rowChangesOf(all, changes, followingOnPostgres).flatMap((each) => on.change(each, seen)),
    ...on.insert('event', events),
    ...on.insert(
      'feed_waiting',
      events.map(({ id, subject, sequence }) => ({ event: id, subject, sequence })),
    ),
    ...deliveryWrites(all).flatMap(([statement, rows]) => on.run(statement, rows)),
    ...all
      .flatMap(({ answer }) => (answer ? replacedAnswer(tenant, answer) : []))
      .map((each) => send(sql, each)),
    ...on.insert('idempotency', sorted(all.flatMap(answerRows), 'idempotencyKey')),
    ...clockMoves.flatMap((move) => moveClock(tenant.account, move)).map((each) => send(sql, each)),
    ...all.flatMap(({ account }) => (account ? [send(sql, changeAccount(account))] : [])),
    ...newAccounts.flatMap((each) => accountInserts(sql, each)),
    ...all
      .flatMap(({ accountAudits = [] }) => accountAudits)
      .flatMap(({ account, audit }) => {
        const its = statementsOn(sql, { account, mode: 'live' }, inShards);
        return rowChangesOf([{ audit }], [], followingOnPostgres).flatMap((each) => its.change(each, seen));
      }),
    ...(all.some(changesDirectory) ? [countUp(sql)] : []),
    ...(all.some(changesAccount) ? [waiting(sql, accountChanged(tenant.account))] : []),
    ...newAccounts.map(({ number }) => waiting(sql, accountChanged(number))),
  ];
}

const checkoutFields = columnsOf('checkout').map(({ field }) => field);

/** Revision of the row of a session that is written. */
export const nextRevision = (seen: Seen, { id }: Checkout): number =>
  (seen.get(seenKey('checkout', id)) ?? 0) + 1;

function checkoutStatements(
  on: Statements,
  changes: readonly CheckoutChange[],
  seen: Seen,
): PromiseLike<unknown>[] {
  const created = changes.filter(({ before }) => before === null);
  const changed = changes.filter(({ before }) => before !== null);
  const rowOf = (after: Checkout) => ({ ...checkoutRow(after), revision: nextRevision(seen, after) });
  return [
    ...on.insert(
      'checkout',
      created.map(({ after }) => rowOf(after)),
    ),
    ...on.replace(
      'checkout',
      changed.map(({ after }) => ({ ...rowOf(after), seen: nextRevision(seen, after) - 1 })),
      checkoutFields,
    ),
  ];
}

type Payer = { readonly checkout: CheckoutId; readonly customer: Checkout['payer']['customer'] };

/** The new sessions that are for a customer who was read and is not written anyway. */
function payersOf(changes: readonly CheckoutChange[], all: readonly Writes[], seen: Seen): Payer[] {
  const written = new Set<string | undefined>(all.map(({ customer }) => customer?.id));
  return changes
    .filter(({ before }) => before === null)
    .map(({ after }) => ({ checkout: after.id, customer: after.payer.customer }))
    .filter(({ customer }) => seen.has(seenKey('customer', customer)) && !written.has(customer));
}

/**
 * Where the lock of a customer may be lost, in shards, the row is written: an erasure waits for the session then, and
 * redacts it. Where the erasure was first there is no row, and the session gets no version, which the table refuses.
 */
function keepPayers(tenant: Tenant, payers: readonly Payer[]): Statement[] {
  if (payers.length === 0) return [];
  const customers = [...new Set(payers.map(({ customer }) => customer))].sort();
  return [
    statement`UPDATE customer SET revision = revision + 1 WHERE ${owned(tenant)} AND ${isAnyOf('id', customers)}`,
  ];
}

function refuseWithoutPayer(tenant: Tenant, payers: readonly Payer[]): Statement[] {
  if (payers.length === 0) return [];
  const checkouts = payers.map(({ checkout }) => checkout);
  return [
    statement`UPDATE checkout SET version = NULL
      WHERE ${owned(tenant)} AND ${isAnyOf('id', checkouts)} AND NOT EXISTS (
        SELECT 1 FROM customer WHERE ${owned(tenant, 'customer')} AND customer.id = checkout.customer)`,
  ];
}

function answerRows({ answer, events = [] }: Writes): AnyRow[] {
  return answer ? [answerRow(answer, events, (index) => events[index]?.id)] : [];
}
