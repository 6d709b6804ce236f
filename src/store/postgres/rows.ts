/** Rows of the PostgreSQL tables as the store's types. */

import type { Account } from '../../accounts/account.ts';
import type { ApiKey, Permission } from '../../accounts/api-key.ts';
import { settingsFrom } from '../../accounts/settings.ts';
import type { Customer } from '../../checkout/customer.ts';
import type { Checkout, Payment } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { Notice, NoticeState } from '../../methods/provider-event.ts';
import type { Delivery, DeliveryState } from '../../webhooks/delivery.ts';
import type { Endpoint } from '../../webhooks/endpoint.ts';
import type { Health } from '../../webhooks/health.ts';
import type { PreviousSecret } from '../../webhooks/secrets.ts';
import { checkoutFrom } from '../columns.ts';

/** The first two columns of every tenant's table. */
export function tenantColumns({ account, mode }: Tenant): readonly [account: number, live: boolean] {
  return [account, mode === 'live'];
}

export function tenantOf(account: number, live: boolean): Tenant {
  return { account, mode: live ? 'live' : 'test' };
}

/** Text values as a literal of an array, for parameters of type text[]. */
export function textArray(values: Iterable<string>): string {
  const quoted = [...values].map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join()}}`;
}

export type CheckoutRow = {
  readonly id: string;
  readonly version: number;
  readonly event_count: number;
  readonly data: string;
  /** JSON, or null where there are none. */
  readonly payments: string | null;
};

/** The ledger of a row of the table `checkout` as JSON; account and live are $1 and $2. */
export const paymentsJson = `CASE WHEN checkout.amount_paid > 0 THEN (
    SELECT json_agg(json_build_array(rail, reference, attempt, amount, booked_at, late) ORDER BY line)::text
    FROM payment
    WHERE payment.account = $1 AND payment.live = $2 AND payment.checkout = checkout.id
  ) END`;

type PaymentLine = [
  rail: string,
  reference: string,
  attempt: string,
  amount: number,
  at: number,
  late: boolean,
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
      late,
    }),
  );
  return checkoutFrom({ ...row, eventCount: row.event_count }, tenant, payments);
}

export function customerFrom(row: { readonly data: string }): Customer {
  return JSON.parse(row.data);
}

export type EventColumns = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
  readonly created_at: number;
  readonly body: string;
};

export const eventColumns =
  'event.id, event.type, event.subject, event.sequence, event.created_at, event.body';

export function eventFrom({ id, type, subject, sequence, created_at, body }: EventColumns): EventRow {
  return { id, type, subject, sequence, createdAt: created_at, body };
}

export type AccountColumns = {
  readonly number: number;
  readonly name: string;
  readonly webhook_secret_test: string;
  readonly webhook_secret_live: string;
  readonly previous_webhook_secret_test: string | null;
  readonly previous_webhook_secret_test_until: number | null;
  readonly previous_webhook_secret_live: string | null;
  readonly previous_webhook_secret_live_until: number | null;
  readonly test_clock_offset_ms: number;
  /** JSON, or null for the defaults. */
  readonly settings_test: string | null;
  readonly settings_live: string | null;
};

export function accountFrom(row: AccountColumns): Account {
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

function previousSecret(secret: string | null, until: number | null): PreviousSecret | null {
  return secret === null || until === null ? null : { secret, until };
}

export type ApiKeyColumns = {
  readonly id: string;
  readonly account: number;
  readonly live: boolean;
  readonly secret_hash: string;
  readonly permissions: string;
  readonly name: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
};

export function apiKeyFrom(row: ApiKeyColumns): ApiKey {
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

export type EndpointColumns = {
  readonly id: string;
  readonly version: number;
  readonly event_count: number;
  readonly data: string;
};

export function endpointFrom(tenant: Tenant, row: EndpointColumns): Endpoint {
  const { id, version, event_count: eventCount, data } = row;
  return { ...JSON.parse(data), id, tenant, version, eventCount };
}

export type HealthColumns = {
  readonly id: string;
  readonly failures: number;
  readonly failing_since: number;
  readonly probes: number;
  readonly probe_at: number | null;
  readonly announced: boolean;
  readonly last_error: string;
};

export function healthFrom(row: HealthColumns): Health {
  return {
    failures: row.failures,
    failingSince: row.failing_since,
    probes: row.probes,
    probeAt: row.probe_at,
    announced: row.announced,
    lastError: row.last_error,
  };
}

export type DeliveryColumns = {
  readonly id: string;
  readonly created_at: number;
  readonly event: string;
  readonly type: string;
  readonly subject: string;
  readonly receiver: string;
  readonly url: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly tried_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
};

export function deliveryFrom(row: DeliveryColumns): Delivery {
  return {
    id: row.id,
    createdAt: row.created_at,
    event: row.event,
    eventType: row.type,
    subject: row.subject,
    receiver: row.receiver,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at,
    triedAt: row.tried_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

export type NoticeColumns = {
  readonly id: string;
  readonly rail: string;
  readonly reference: string;
  readonly received_at: number;
  readonly state: NoticeState;
  readonly due_at: number | null;
  readonly tries: number;
  /** JSON. */
  readonly data: string;
};

export const noticeColumns =
  'notice.id, notice.rail, notice.reference, received_at, notice.state, notice.due_at, tries, notice.data';

export function noticeFrom(row: NoticeColumns): Notice {
  return {
    id: row.id,
    rail: row.rail,
    reference: row.reference,
    receivedAt: row.received_at,
    state: row.state,
    dueAt: row.due_at,
    tries: row.tries,
    data: JSON.parse(row.data),
  };
}
