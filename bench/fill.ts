import { createAccount } from '../src/accounts/account.ts';
import { addApiKey, allPermissions } from '../src/accounts/api-key.ts';
import type { CreateCheckout } from '../src/checkout/commands.ts';
import type { CheckoutId } from '../src/checkout/ids.ts';
import { createSerializer } from '../src/checkout/serializer.ts';
import { defaultPolicy } from '../src/checkout/session.ts';
import { TOKEN_SECRET_LENGTH, tokenOf } from '../src/checkout/token.ts';
import { success } from '../src/http/envelope.ts';
import { newId, randomText } from '../src/lib/id.ts';
import type { Store } from '../src/store/store.ts';
import { createWriter } from '../src/writer/writer.ts';
import { key } from './measure.ts';

/** Sessions in the making at once. */
const CHUNK = 1000;

/** Makes an account with the key and so many sessions, through the same code as the API; closes it and returns their ids. */
export async function fillDatabase(
  store: Store,
  sessions: number,
  webhookUrl = 'https://shop.example.com/webhooks',
): Promise<CheckoutId[]> {
  const start = Date.now() - sessions;
  const account = await createAccount(store, 'bench', start);
  const tenant = { account: account.number, mode: 'test' } as const;
  await addApiKey(store, { ...key, tenant, permissions: allPermissions, name: 'bench', nowMs: start });
  const serializer = createSerializer('https://pay.example.com');
  const execute = createWriter({
    store,
    serializer,
    realNow: Date.now,
    maxBatch: CHUNK,
  });
  const ids: CheckoutId[] = [];
  for (let first = 0; first < sessions; first += CHUNK) {
    const commands = Array.from({ length: Math.min(CHUNK, sessions - first) }, (_, index) =>
      sessionNumber(first + index, start + first + index, tenant, webhookUrl),
    );
    await Promise.all(
      commands.map((command) => {
        const idempotency = { key: command.id, operation: 'POST /v3/checkout', requestHash: command.id };
        const origin = { tenant, actor: 'bench', requestId: '', idempotency };
        return execute({ subject: 'checkout', origin, id: command.id, command }, (checkout) =>
          success('CHECKOUT.CREATE', serializer.checkout(checkout)),
        );
      }),
    );
    ids.push(...commands.map(({ id }) => id));
  }
  await store.close();
  return ids;
}

function sessionNumber(
  number: number,
  now: number,
  tenant: CreateCheckout['tenant'],
  webhookUrl: string,
): CreateCheckout {
  const id = newId('chk', now);
  return {
    type: 'create',
    now,
    id,
    tenant,
    token: tokenOf(tenant, id, randomText(TOKEN_SECRET_LENGTH)),
    currency: 'EUR',
    amount: null,
    items: [{ name: 'Widget', quantity: 1 + (number % 9), unitPrice: 1250 }],
    description: '',
    referenceId: `order-${number}`,
    metadata: { order_id: `A-${number}` },
    payer: {
      customer: '',
      name: 'Ada Lovelace',
      email: `ada${number % 1000}@example.com`,
      country: 'GB',
      phone: null,
      billingDetails: null,
      shippingDetails: null,
    },
    successUrl: 'https://shop.example.com/thanks',
    cancelUrl: 'https://shop.example.com/cart',
    webhookUrl,
    methods: ['card', 'wire_transfer'],
    expiresAt: null,
    policy: defaultPolicy,
  };
}
