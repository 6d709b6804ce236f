/** Rows for the suites of the store: sessions, customers and events as the service would make them. */

import { createAccount } from '../../src/accounts/account.ts';
import type { BankFile } from '../../src/banking/bank-file.ts';
import type { BankEntry } from '../../src/banking/entry.ts';
import type { Customer } from '../../src/checkout/customer.ts';
import {
  type Attempt,
  type Checkout,
  defaultPolicy,
  type Payment,
  type Refund,
} from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { eventBody } from '../../src/events/envelope.ts';
import type { EventRow } from '../../src/events/event.ts';
import { newId } from '../../src/lib/id.ts';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import type { Answer, IdempotencyKey, Loaded, Needs, Store, Writes } from '../../src/store/store.ts';
import { entry } from '../banking/build.ts';

/** A database under test. */
export type Opened = {
  readonly store: Store;
  /** Closes the store and opens the same database again, as after a restart. */
  reopen(): Promise<Store>;
  /** A further connection to the same database, as of another process. */
  another(): Promise<Store>;
  /** Closes and removes everything. */
  close(): Promise<void>;
};

export type Open = () => Promise<Opened>;

export const T = Date.UTC(2030, 0, 15, 12);

/** Two accounts; the tenants are the first one's test data, its live data, and the test data of the other. */
export async function tenants(store: Store): Promise<{ mine: Tenant; live: Tenant; theirs: Tenant }> {
  const { number } = await createAccount(store, 'first', T);
  const other = await createAccount(store, 'second', T);
  return {
    mine: { account: number, mode: 'test' },
    live: { account: number, mode: 'live' },
    theirs: { account: other.number, mode: 'test' },
  };
}

export function session(tenant: Tenant, given: Partial<Checkout> = {}): Checkout {
  const createdAt = given.createdAt ?? T;
  return {
    id: newId('chk', createdAt),
    tenant,
    version: 1,
    eventCount: 1,
    createdAt,
    token: 'token',
    currency: 'EUR',
    amount: 1000,
    items: [{ name: 'Widget', quantity: 2, unitPrice: 500 }],
    description: '2 x Widget',
    referenceId: 'order-1',
    metadata: {},
    payer: {
      customer: '',
      name: '',
      email: '',
      country: '',
      phone: null,
      billingDetails: null,
      shippingDetails: null,
    },
    successUrl: '',
    cancelUrl: '',
    webhookUrl: '',
    methods: ['card'],
    expiresAt: null,
    lifecycle: { state: 'active' },
    attempts: [],
    payments: [],
    refunds: [],
    reversals: [],
    fees: [],
    policy: defaultPolicy,
    ...given,
  };
}

export function attempt(reference: string, given: Partial<Attempt> = {}): Attempt {
  return {
    id: newId('pat', T),
    createdAt: T,
    rail: 'sandbox',
    reference,
    method: 'card',
    amount: 1000,
    version: 1,
    status: 'succeeded',
    reason: '',
    syncAt: null,
    traits: {},
    details: {},
    ...given,
  };
}

/** An attempt that stands open until a transfer comes. */
export function standing(reference: string, given: Partial<Attempt> = {}): Attempt {
  return attempt(reference, {
    rail: 'bank',
    method: 'bank_transfer',
    status: 'requires_action',
    traits: { standing: true, graceMs: 60_000 },
    details: { account: 'main' },
    ...given,
  });
}

/** Money that is to go back. */
export function refund(given: Partial<Refund> = {}): Refund {
  const createdAt = given.createdAt ?? T;
  return {
    id: newId('rfd', createdAt),
    createdAt,
    attempt: 'pat_1',
    rail: 'sandbox',
    reference: '',
    amount: 100,
    reason: 'Returned goods.',
    remarks: '',
    metadata: {},
    webhookUrl: '',
    status: 'pending',
    failure: '',
    syncAt: null,
    ...given,
  };
}

export function payment(reference: string, given: Partial<Payment> = {}): Payment {
  return { rail: 'sandbox', reference, attempt: 'pat_1', amount: 1000, bookedAt: T, late: false, ...given };
}

export function customer(tenant: Tenant, given: Partial<Customer> = {}): Customer {
  const createdAt = given.createdAt ?? T;
  return {
    id: newId('cus', createdAt),
    tenant,
    createdAt,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'GB',
    phone: null,
    billing: [],
    shipping: [],
    referenceId: '',
    metadata: {},
    ...given,
  };
}

/** An event of Stripe that nobody has looked at yet. */
export function providerEvent(reference: string, given: Partial<ProviderEvent> = {}): ProviderEvent {
  const receivedAt = given.receivedAt ?? T;
  return {
    id: newId('pev', receivedAt),
    rail: 'stripe',
    reference,
    receivedAt,
    state: 'waiting',
    dueAt: receivedAt,
    tries: 0,
    reason: null,
    attemptReference: 'cs_1',
    paymentReference: null,
    body: `{"id":"${reference}"}`,
    ...given,
  };
}

/** An entry of a statement that nobody has looked at yet. */
export function bankEntry(reference: string, given: Partial<BankEntry> = {}): BankEntry {
  const receivedAt = given.receivedAt ?? T;
  return {
    ...entry({ remittance: 'Invoice 7 ü \u{1f9fe}' }),
    id: newId('ntc', receivedAt),
    reference,
    receivedAt,
    state: 'waiting',
    dueAt: receivedAt,
    tries: 0,
    ...given,
  };
}

/** A statement as it is kept once it was read. */
export function bankFile(hash: string, given: Partial<BankFile> = {}): BankFile {
  const createdAt = given.createdAt ?? T;
  return {
    id: newId('bfl', createdAt),
    kind: 'statement',
    createdAt,
    hash,
    data: { entries: 3 },
    content: '',
    ...given,
  };
}

/** An event of the session as it stands after a change; numbered as its newest. */
export function eventOf(
  checkout: Checkout,
  type = 'checkout.updated',
  given: Partial<EventRow> = {},
): EventRow {
  const id = newId('evt', T);
  const data = {
    id: checkout.id,
    customer_details: {
      name: checkout.payer.name,
      email: checkout.payer.email,
      country: checkout.payer.country,
    },
  };
  const sequence = checkout.eventCount;
  const body = eventBody(type, id, T, JSON.stringify(data), checkout.version, sequence);
  return { id, type, subject: checkout.id, sequence, createdAt: T, cause: null, body, ...given };
}

/** The next version of a session. */
export function changed(before: Checkout, given: Partial<Checkout>): Checkout {
  return { ...before, version: before.version + 1, eventCount: before.eventCount + 1, ...given };
}

/** Commits these writes alone. */
export function write(store: Store, tenant: Tenant, writes: Writes): Promise<void> {
  const { before = null } = writes.checkout ?? {};
  const checkouts = before === null ? [] : [before.id];
  return store.commit([{ needs: { tenant, checkouts }, decide: () => [writes] }]);
}

/** Stores a new session with its first event. */
export async function add(store: Store, checkout: Checkout): Promise<Checkout> {
  await write(store, checkout.tenant, {
    checkout: { before: null, after: checkout },
    events: [eventOf(checkout, 'checkout.created')],
  });
  return checkout;
}

/** Stores the next version of a session with its event. */
export async function change(store: Store, before: Checkout, given: Partial<Checkout>): Promise<Checkout> {
  const after = changed(before, given);
  await write(store, before.tenant, { checkout: { before, after }, events: [eventOf(after)] });
  return after;
}

/** The stored answer of the one key that was asked for. */
export function answerIn({ answers }: Loaded) {
  return [...answers.values()][0] ?? null;
}

export async function load(store: Store, needs: Needs): Promise<Loaded> {
  let loaded: Loaded | undefined;
  await store.commit([
    {
      needs,
      decide(shown) {
        loaded = shown;
        return [];
      },
    },
  ]);
  return loaded as Loaded;
}

export function answer(key: string, given: Partial<Answer & IdempotencyKey & { createdAt: number }> = {}) {
  return {
    key,
    operation: 'POST /v3/checkout',
    requestHash: 'hash',
    statusCode: 201,
    headers: { etag: '"1"', location: '/v3/checkout/chk_1' },
    body: '{"status":"success"}',
    createdAt: T,
    ...given,
  };
}
