/**
 * Fills a database with sessions that the rules have made, written as the service writes them but for what a commit
 * needs besides: answers to repeat, and webhooks where nobody asks for them.
 */
import { createAccount } from '../src/accounts/account.ts';
import { addApiKey, allPermissions } from '../src/accounts/api-key.ts';
import { defaultSettings } from '../src/accounts/settings.ts';
import type { CheckoutCommand, CreateCheckout } from '../src/checkout/commands.ts';
import type { Customer } from '../src/checkout/customer.ts';
import { decide } from '../src/checkout/decide.ts';
import type { CheckoutId } from '../src/checkout/ids.ts';
import { createSerializer } from '../src/checkout/serializer.ts';
import { type Checkout, defaultPolicy } from '../src/checkout/session.ts';
import type { Tenant } from '../src/checkout/tenant.ts';
import { TOKEN_SECRET_LENGTH, tokenOf } from '../src/checkout/token.ts';
import { newId, randomText } from '../src/lib/id.ts';
import type { Store, Writes } from '../src/store/store.ts';
import { writesOfChange } from '../src/writer/handlers/checkout.ts';
import { key } from './requests.ts';

export type Filling = {
  readonly sessions: number;
  readonly webhookUrl?: string;
  /** True if webhooks of the new sessions wait to be sent. */
  readonly delivers?: boolean;
  /** True if some have expired, are paid, partially paid or paid in excess; otherwise all are active. */
  readonly isMixed?: boolean;
  /** Called for each session, in order. */
  readonly onSession?: (id: CheckoutId, token: string) => void;
};

/** Sessions of a commit. */
const CHUNK = 1000;
/** Sessions of a customer. */
const SESSIONS_EACH = 50;
/** Beginnings of e-mail addresses: of a million sessions, a hundred thousand share one. */
const NAMES = ['ada', 'bela', 'cleo', 'dara', 'emil', 'fay', 'gus', 'hana', 'ivo', 'jun'];
const EARLIER_MS = 2 * 86_400_000;
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'USD', 'GBP'];

const context = {
  serializer: createSerializer('https://pay.example.com'),
  settings: defaultSettings,
};

/** Fills any database through its store, and closes that. */
export async function fillDatabase(store: Store, filling: Filling): Promise<void> {
  const tenant = await makeAccount(store);
  for (const writes of fillingWrites(tenant, filling)) {
    await store.commit([{ needs: { tenant }, decide: () => writes }]);
  }
  // A service numbers its events as they come; millions of them would be numbered while something is measured.
  await store.events.end(tenant);
  await store.close();
}

/** Makes an account with the key of the bench. */
export async function makeAccount(store: Store): Promise<Tenant> {
  const start = Date.now();
  const account = await createAccount(store, 'bench', start);
  const tenant = { account: account.number, mode: 'test' } as const;
  await addApiKey(store, { ...key, tenant, permissions: allPermissions, name: 'bench', nowMs: start });
  return tenant;
}

/** Writes of the filling, in commits: customers, then sessions of which each is a millisecond younger than the one before. */
export function* fillingWrites(tenant: Tenant, filling: Filling): Generator<readonly Writes[]> {
  const { sessions, delivers = false, isMixed = false, onSession } = filling;
  // Events of the last day have their webhooks, and `opentill db check` would miss them.
  const start = Date.now() - sessions - (delivers ? 0 : EARLIER_MS);
  const customers = Array.from({ length: Math.ceil(sessions / SESSIONS_EACH) }, (_, index) =>
    customerNumber(index, tenant, start),
  );
  for (let first = 0; first < customers.length; first += CHUNK) {
    yield customers.slice(first, first + CHUNK).map((customer) => ({ customer }));
  }
  for (let first = 0; first < sessions; first += CHUNK) {
    const writes: Writes[] = [];
    for (let number = first; number < Math.min(first + CHUNK, sessions); number++) {
      const now = start + number;
      const command = sessionNumber(number, now, customers[number % customers.length] as Customer, filling);
      let before: Checkout | null = null;
      for (const step of [command, ...(isMixed ? endingNumber(number, now) : [])]) {
        const [after, all]: readonly [Checkout, Writes] = changed(before, step);
        writes.push(delivers ? all : { ...all, deliveries: [] });
        before = after;
      }
      onSession?.(command.id, command.token);
    }
    yield writes;
  }

  function changed(before: Checkout | null, command: CheckoutCommand): readonly [Checkout, Writes] {
    const decision = decide(before, command);
    if (decision.kind !== 'change') throw new Error(`not decided: ${JSON.stringify(decision)}`);
    const origin = { tenant, actor: 'bench', requestId: '', idempotency: null };
    const { now, type } = command;
    return [decision.checkout, writesOfChange(decision, before, [], { origin, now, type }, context)];
  }
}

function customerNumber(number: number, tenant: Tenant, now: number): Customer {
  const name = NAMES[number % NAMES.length] ?? '';
  return {
    id: newId('cus', now),
    tenant,
    createdAt: now,
    name: `${name[0]?.toUpperCase()}${name.slice(1)} Lovelace`,
    email: `${name}${number}@example.com`,
    country: 'GB',
    phone: null,
    billing: [],
    shipping: [],
    referenceId: '',
    metadata: {},
  };
}

function sessionNumber(
  number: number,
  now: number,
  { id: customer, tenant, name, email, country }: Customer,
  { webhookUrl = 'https://shop.example.com/webhooks' }: Filling,
): CreateCheckout {
  const id = newId('chk', now);
  return {
    type: 'create',
    now,
    id,
    tenant,
    token: tokenOf(tenant, id, randomText(TOKEN_SECRET_LENGTH)),
    currency: CURRENCIES[number % CURRENCIES.length] ?? 'EUR',
    amount: null,
    items: [{ name: 'Widget', quantity: 1 + (number % 97), unitPrice: 1250 }],
    description: '',
    referenceId: `order-${number}`,
    metadata: { order_id: `A-${number}`, shop: `shop-${number % 100}` },
    payer: { customer, name, email, country, phone: null, billingDetails: null, shippingDetails: null },
    successUrl: 'https://shop.example.com/thanks',
    cancelUrl: 'https://shop.example.com/cart',
    webhookUrl,
    methods: ['card', 'wire_transfer'],
    expiresAt: null,
    policy: defaultPolicy,
  };
}

/** End of a session: of a hundred, twenty have expired, fifteen are paid, two partially paid and one paid in excess. */
function endingNumber(number: number, now: number): CheckoutCommand[] {
  const place = (number * 37) % 100;
  if (place < 20) return [{ type: 'expire', now, ifVersion: null }];
  const amount = 1250 * (1 + (number % 97));
  if (place < 35) return [paid(amount)];
  if (place < 37) return [paid(amount - 1)];
  return place < 38 ? [paid(amount + 1)] : [];

  function paid(amount: number): CheckoutCommand {
    const reference = `bench-${number}`;
    return {
      type: 'report',
      now,
      rail: 'sandbox',
      reference,
      status: 'succeeded',
      reason: '',
      syncAt: null,
      details: null,
      payment: { reference, amount },
      unknownAttempt: { id: newId('pat', now), method: null },
      refundId: newId('rfd', now),
    };
  }
}
