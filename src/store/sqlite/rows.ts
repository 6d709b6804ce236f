/** Rows of the SQLite tables as the store's types. */
import type { SQLOutputValue } from 'node:sqlite';
import type { Account } from '../../accounts/account.ts';
import type { ApiKey, Permission } from '../../accounts/api-key.ts';
import { settingsFrom } from '../../accounts/settings.ts';
import type { BankFile, BankFileKind } from '../../banking/bank-file.ts';
import type { Customer } from '../../checkout/customer.ts';
import type { Payment } from '../../checkout/session.ts';
import type { Mode, Tenant } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { Notice, NoticeState } from '../../methods/provider-event.ts';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../../webhooks/delivery.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';

export type Row = Record<string, SQLOutputValue>;

/** The `live` column of a tenant. */
export function liveOf(tenant: Tenant): 0 | 1 {
  return tenant.mode === 'live' ? 1 : 0;
}

export function tenantFrom(row: Row): Tenant {
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
    subject: row.subject as string,
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
    previousWebhookSecrets: { test: previousSecret(row, 'test'), live: previousSecret(row, 'live') },
    testClockOffsetMs: row.test_clock_offset_ms as number,
    settings: {
      test: settingsFrom(row.settings_test as string | null),
      live: settingsFrom(row.settings_live as string | null),
    },
  };
}

function previousSecret(row: Row, mode: Mode): PreviousSecret | null {
  const secret = row[`previous_webhook_secret_${mode}`] as string | null;
  return secret === null ? null : { secret, until: row[`previous_webhook_secret_${mode}_until`] as number };
}

export function apiKeyFrom(row: Row): ApiKey {
  return {
    id: row.id as string,
    tenant: tenantFrom(row),
    secretHash: row.secret_hash as string,
    permissions: (row.permissions as string).split(' ') as Permission[],
    name: row.name as string,
    createdAt: row.created_at as number,
    revokedAt: row.revoked_at as number | null,
  };
}

export function endpointFrom(tenant: Tenant, row: Row): Endpoint {
  const { id, version, event_count: eventCount, data } = row;
  return { ...JSON.parse(data as string), id, tenant, version, eventCount };
}

export function healthFrom(row: Row): Health {
  return {
    failures: row.failures as number,
    failingSince: row.failing_since as number,
    probes: row.probes as number,
    probeAt: row.probe_at as number | null,
    announced: row.announced === 1,
    lastError: row.last_error as string,
  };
}

export function noticeFrom(row: Row): Notice {
  return {
    id: row.id as string,
    rail: row.rail as string,
    reference: row.reference as string,
    receivedAt: row.received_at as number,
    state: row.state as NoticeState,
    dueAt: row.due_at as number | null,
    tries: row.tries as number,
    data: JSON.parse(row.data as string),
  };
}

export function bankFileFrom(row: Row): BankFile {
  return {
    id: row.id as string,
    kind: row.kind as BankFileKind,
    createdAt: row.created_at as number,
    hash: row.hash as string,
    data: JSON.parse(row.data as string),
    content: row.content as string,
  };
}

export function deliveryFrom(row: Row): Delivery {
  return {
    id: row.id as string,
    createdAt: row.created_at as number,
    event: row.event as string,
    eventType: row.type as string,
    subject: row.subject as string,
    receiver: row.receiver as string,
    url: row.url as string | null,
    state: row.state as DeliveryState,
    attempts: row.attempts as number,
    dueAt: row.due_at as number | null,
    triedAt: row.tried_at as number | null,
    lastStatus: row.last_status as number | null,
    lastError: row.last_error as string | null,
  };
}

export function attemptFrom(row: Row): DeliveryAttempt {
  return {
    number: row.number as number,
    at: row.at as number,
    durationMs: row.duration_ms as number,
    status: row.status as number | null,
    error: row.error as string | null,
    answer: row.answer as string,
  };
}
