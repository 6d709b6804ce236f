/** The rows of a whole batch, each table's in one statement. */

import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { keptAnswer } from '../answer-body.ts';
import type { Writes } from '../store.ts';
import type { Changes } from './changes.ts';
import type { Sql } from './connection.ts';
import { countUp } from './directory.ts';
import { insert, type Row, some, sorted } from './statements.ts';
import { checkoutStatements } from './write-checkouts.ts';
import { deliveryStatements } from './write-deliveries.ts';
import { moneyStatements } from './write-money.ts';

/**
 * The statements that write the batch. Tables and rows come in the same order in every batch, so that two batches that
 * meet at a unique key wait for each other in one direction only.
 */
export function writeStatements(
  sql: Sql,
  tenant: Tenant,
  all: readonly Writes[],
  changes: Changes,
): PromiseLike<unknown>[] {
  const customers = new Map(
    all.flatMap(({ customer }) => (customer ? [[customer.id, customer] as const] : [])),
  );
  const events = all.flatMap((writes) => writes.events ?? []);
  const clockMs = all.reduce((sum, { testClockAdvanceMs = 0 }) => sum + testClockAdvanceMs, 0);

  return [
    ...some(sorted([...customers.values()].map(customerRow), 'email'), (rows) =>
      insert(
        sql,
        tenant,
        'customer',
        rows,
        'ON CONFLICT (account, live, id) DO UPDATE SET email = excluded.email, data = excluded.data',
      ),
    ),
    ...checkoutStatements(sql, tenant, changes),
    ...moneyStatements(sql, tenant, all, changes),
    ...some(
      events.map(({ createdAt, ...event }) => ({ ...event, created_at: createdAt })),
      (rows) => insert(sql, tenant, 'event', rows),
    ),
    ...some(
      events.map(({ id, subject, sequence }) => ({ event: id, subject, sequence })),
      (rows) => insert(sql, tenant, 'feed_waiting', rows),
    ),
    ...deliveryStatements(sql, tenant, all),
    ...some(sorted(all.flatMap(answerRows), 'idempotency_key'), (rows) =>
      insert(sql, tenant, 'idempotency', rows),
    ),
    ...some(all.flatMap(auditRows), (rows) => insert(sql, tenant, 'audit', rows)),
    ...(clockMs > 0
      ? [
          sql`UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ${clockMs}
              WHERE number = ${tenant.account}`,
          countUp(sql),
        ]
      : []),
  ];
}

function customerRow(customer: Customer): Row {
  return { id: customer.id, email: emailKey(customer.email) || null, data: JSON.stringify(customer) };
}

function answerRows({ answer, events = [] }: Writes): Row[] {
  if (!answer) return [];
  const { key, operation, requestHash, statusCode, headers, body, createdAt } = answer;
  const { kept, event: index } = keptAnswer(body, events);
  return [
    {
      idempotency_key: key,
      operation,
      request_hash: requestHash,
      status_code: statusCode,
      headers: JSON.stringify(headers),
      body: kept,
      event: events[index]?.id ?? null,
      created_at: createdAt,
    },
  ];
}

function auditRows({ audit }: Writes): Row[] {
  if (!audit) return [];
  const { requestId, ...rest } = audit;
  return [{ ...rest, request_id: requestId }];
}
