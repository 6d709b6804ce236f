/** Rows of the tables as the domain's types. */

import type { Account } from '../accounts/account.ts';
import type { ApiKey, Permission } from '../accounts/api-key.ts';
import { settingsFrom } from '../accounts/settings.ts';
import type { BankFile, BankFileKind } from '../banking/bank-file.ts';
import type { BankEntry, EntryState } from '../banking/entry.ts';
import type { Customer } from '../checkout/customer.ts';
import type { AttemptId } from '../checkout/ids.ts';
import type { Checkout, Payment } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { EventRow } from '../events/event.ts';
import type { ProviderEvent, ProviderEventState } from '../methods/provider-event.ts';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../webhooks/delivery.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import type { Health } from '../webhooks/health.ts';
import type { PreviousSecret } from '../webhooks/secrets.ts';
import { checkoutFrom } from './columns.ts';
import type { Row } from './tables.ts';

export function tenantOf(account: number, live: boolean): Tenant {
  return { account, mode: live ? 'live' : 'test' };
}

/** A session with its ledger as JSON, or null where there are no payments. */
export type CheckoutRow = Pick<Row<'checkout'>, 'id' | 'version' | 'event_count' | 'data'> & {
  readonly payments: string | null;
};

type PaymentLine = readonly [
  rail: string,
  reference: string,
  attempt: AttemptId,
  amount: number,
  bookedAt: TenantTime,
  late: boolean | 0 | 1,
];

export function checkoutFromRow(tenant: Tenant, row: CheckoutRow): Checkout {
  const lines: readonly PaymentLine[] = row.payments === null ? [] : JSON.parse(row.payments);
  const payments = lines.map(
    ([rail, reference, attempt, amount, bookedAt, late]): Payment => ({
      rail,
      reference,
      attempt,
      amount,
      bookedAt,
      late: Boolean(late),
    }),
  );
  return checkoutFrom({ ...row, eventCount: row.event_count }, tenant, payments);
}

export function customerFrom({ data }: Pick<Row<'customer'>, 'data'>): Customer {
  return JSON.parse(data);
}

export function eventFrom({ id, type, subject, sequence, created_at, body }: Row<'event'>): EventRow {
  return { id, type, subject, sequence, createdAt: created_at, body };
}

export function accountFrom(row: Row<'account'>): Account {
  return {
    number: row.number,
    name: row.name,
    webhookSecrets: { test: row.webhook_secret_test, live: row.webhook_secret_live },
    previousWebhookSecrets: {
      test: previousSecret(row.previous_webhook_secret_test, row.previous_webhook_secret_test_until),
      live: previousSecret(row.previous_webhook_secret_live, row.previous_webhook_secret_live_until),
    },
    testClockOffsetMs: row.test_clock_offset_ms,
    settings: { test: settingsFrom(row.settings_test), live: settingsFrom(row.settings_live) },
  };
}

function previousSecret(secret: string | null, until: TenantTime | null): PreviousSecret | null {
  return secret === null || until === null ? null : { secret, until };
}

export function apiKeyFrom(row: Row<'api_key'>): ApiKey {
  return {
    id: row.id,
    tenant: tenantOf(row.account, row.live),
    secretHash: row.secret_hash,
    permissions: row.permissions.split(' ') as Permission[],
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}

export function endpointFrom(tenant: Tenant, row: Row<'webhook_endpoint'>): Endpoint {
  const { id, version, event_count: eventCount, data } = row;
  return { ...JSON.parse(data), id, tenant, version, eventCount };
}

export function healthFrom(row: Row<'webhook_receiver'>): Health {
  return {
    failures: row.failures,
    failingSince: row.failing_since,
    probes: row.probes,
    probeAt: row.probe_at,
    announced: row.announced,
    lastError: row.last_error,
  };
}

export function providerEventFrom(row: Row<'provider_event'>): ProviderEvent {
  const { id, rail, reference, tries, body } = row;
  return {
    id,
    rail,
    reference,
    receivedAt: row.received_at,
    state: row.state as ProviderEventState,
    dueAt: row.due_at,
    tries,
    attemptReference: row.attempt_reference,
    paymentReference: row.payment_reference,
    body,
  };
}

export function bankEntryFrom(row: Row<'bank_entry'>): BankEntry {
  const { id, reference, received_at: receivedAt, due_at: dueAt, tries } = row;
  const state = row.state as EntryState;
  return { ...JSON.parse(row.data), id, reference, receivedAt, state, dueAt, tries };
}

export function bankFileFrom({ created_at, kind, data, ...row }: Row<'bank_file'>): BankFile {
  const { id, hash, content } = row;
  return { id, kind: kind as BankFileKind, createdAt: created_at, hash, data: JSON.parse(data), content };
}

export type DeliveryColumns = Row<'delivery'> & Pick<Row<'event'>, 'type'>;

export function deliveryFrom(row: DeliveryColumns): Delivery {
  return {
    id: row.id,
    createdAt: row.created_at,
    event: row.event,
    eventType: row.type,
    subject: row.subject,
    receiver: row.receiver,
    url: row.url,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    dueAt: row.due_at,
    triedAt: row.tried_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

export function attemptFrom(row: Row<'delivery_attempt'>): DeliveryAttempt {
  const { number, at, duration_ms: durationMs, status, error, answer } = row;
  return { number, at, durationMs, status, error, answer };
}
