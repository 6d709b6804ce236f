/** Rows of the SQLite tables as the store's types. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Customer } from '../../checkout/customer.ts';
import type { Payment, Scope } from '../../checkout/session.ts';
import type { Account, ApiKey, EventRow, KeyScope } from '../store.ts';

export type Row = Record<string, SQLOutputValue>;

/** The `live` column of a scope. */
export function liveOf(scope: Scope): 0 | 1 {
  return scope.mode === 'live' ? 1 : 0;
}

export function scopeFrom(row: Row): Scope {
  return { account: row.account as number, mode: row.live === 1 ? 'live' : 'test' };
}

export function paymentFrom(row: Row): Payment {
  return {
    rail: row.rail as string,
    reference: row.reference as string,
    attempt: row.attempt as string,
    amount: row.amount as number,
    bookedAt: row.booked_at as number,
    late: row.late === 1,
  };
}

export function customerFrom(row: Row): Customer {
  return JSON.parse(row.data as string);
}

export function eventFrom(row: Row): EventRow {
  return {
    id: row.id as string,
    type: row.type as string,
    checkout: row.checkout as string,
    sequence: row.sequence as number,
    createdAt: row.created_at as number,
    body: row.body as string,
  };
}

export function accountFrom(row: Row): Account {
  return {
    number: row.number as number,
    name: row.name as string,
    webhookSecrets: { test: row.webhook_secret_test as string, live: row.webhook_secret_live as string },
    testClockOffsetMs: row.test_clock_offset_ms as number,
  };
}

export function apiKeyFrom(row: Row): ApiKey {
  return {
    id: row.id as string,
    scope: scopeFrom(row),
    secretHash: row.secret_hash as string,
    scopes: (row.scopes as string).split(' ') as KeyScope[],
    name: row.name as string,
    createdAt: row.created_at as number,
    revokedAt: row.revoked_at as number | null,
  };
}
