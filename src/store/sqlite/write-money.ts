/** Writes what belongs to money: refunds and awaited transfers of sessions, provider events, bank entries, bank files. */
import type { StatementSync } from 'node:sqlite';
import type { BankEntry } from '../../banking/entry.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { ProviderEvent } from '../../methods/provider-event.ts';
import { type AwaitedRow, awaitedTransfers, refundRows } from '../columns.ts';
import type { Writes } from '../store.ts';
import { liveOf } from './rows.ts';

/** Writes the rows by which a session is found; only those that differ from what they were. */
export function refundWriter(prepare: (sql: string) => StatementSync) {
  const upsertRefund = prepare(
    `INSERT INTO refund (account, live, id, checkout, rail, state) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE SET state = excluded.state`,
  );
  const insertAwaited = prepare(
    'INSERT INTO awaited (account, live, currency, amount, attempt, checkout) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const deleteAwaited = prepare(
    'DELETE FROM awaited WHERE account = ? AND live = ? AND currency = ? AND amount = ? AND attempt = ?',
  );

  return (before: Checkout | null, after: Checkout): void => {
    const tenantKey = [after.tenant.account, liveOf(after.tenant)] as const;
    if (before?.refunds !== after.refunds) {
      const states = new Map(before?.refunds.map(({ id, status }) => [id, status]));
      for (const { id, checkout, rail, state } of refundRows(after)) {
        if (states.get(id) !== state) upsertRefund.run(...tenantKey, id, checkout, rail, state);
      }
    }
    const awaitedBefore = before === null ? [] : awaitedTransfers(before);
    const awaitedAfter = awaitedTransfers(after);
    for (const row of without(awaitedBefore, awaitedAfter)) {
      deleteAwaited.run(...tenantKey, row.currency, row.amount, row.attempt);
    }
    for (const row of without(awaitedAfter, awaitedBefore)) {
      insertAwaited.run(...tenantKey, row.currency, row.amount, row.attempt, row.checkout);
    }
  };
}

function without(rows: readonly AwaitedRow[], others: readonly AwaitedRow[]): readonly AwaitedRow[] {
  const isIn = (row: AwaitedRow) =>
    others.some(
      ({ currency, amount, attempt }) =>
        currency === row.currency && amount === row.amount && attempt === row.attempt,
    );
  return rows.filter((row) => !isIn(row));
}

/** Of a known provider event only what became of it changes. */
export function providerEventWriter(prepare: (sql: string) => StatementSync) {
  const upsert = prepare(
    `INSERT INTO provider_event (account, live, id, rail, reference, received_at, state, due_at, tries,
       attempt_reference, payment_reference, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE
       SET state = excluded.state, due_at = excluded.due_at, tries = excluded.tries`,
  );

  return (tenant: Tenant, event: ProviderEvent): void => {
    const { id, rail, reference, receivedAt, state, dueAt, tries } = event;
    const { attemptReference, paymentReference, body } = event;
    upsert.run(
      ...[tenant.account, liveOf(tenant), id, rail, reference, receivedAt, state, dueAt, tries],
      ...[attemptReference, paymentReference, body],
    );
  };
}

/** The reference of a known bank entry stays as it was. */
export function bankEntryWriter(prepare: (sql: string) => StatementSync) {
  const upsert = prepare(
    `INSERT INTO bank_entry (account, live, id, reference, received_at, state, due_at, tries, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE
       SET state = excluded.state, due_at = excluded.due_at, tries = excluded.tries, data = excluded.data`,
  );

  return (tenant: Tenant, entry: BankEntry): void => {
    const { id, reference, receivedAt, state, dueAt, tries, ...content } = entry;
    const data = JSON.stringify(content);
    upsert.run(tenant.account, liveOf(tenant), id, reference, receivedAt, state, dueAt, tries, data);
  };
}

export function bankFileWriter(prepare: (sql: string) => StatementSync) {
  const insert = prepare(
    `INSERT INTO bank_file (account, live, id, kind, created_at, hash, data, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const complete = prepare(
    'UPDATE bank_file SET kind = ?, created_at = ?, data = ? WHERE account = ? AND live = ? AND id = ?',
  );

  return (tenant: Tenant, { bankFile, ingestedFile }: Pick<Writes, 'bankFile' | 'ingestedFile'>): void => {
    const live = liveOf(tenant);
    if (bankFile) {
      const { id, kind, createdAt, hash, data, content } = bankFile;
      insert.run(tenant.account, live, id, kind, createdAt, hash, JSON.stringify(data), content);
    }
    if (ingestedFile) {
      const { id, kind, createdAt, data } = ingestedFile;
      complete.run(kind, createdAt, JSON.stringify(data), tenant.account, live, id);
    }
  };
}
