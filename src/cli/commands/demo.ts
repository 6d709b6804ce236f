/**
 * `demo`: a payment from beginning to end, on a server of its own with a database that is thrown away. Everything goes
 * over HTTP, as a shop would do it; each step checks what came back, so that a demo that ends well is also a proof.
 */
import { messageOf } from '../../lib/error-message.ts';
import { plainCommand } from '../declare/access.ts';
import { fields, heading, line, remark, request } from '../demo/print.ts';
import { type Receiver, startReceiver } from '../demo/receiver.ts';
import { call, expectField, type Resource, type Shop, StepFailed, send } from '../demo/shop.ts';

type ToldShop = Shop & { readonly receiver: Receiver };

export const command = plainCommand({
  purpose: 'Show a payment from beginning to end, on a temporary server.',
  examples: [['opentill demo', 'About a second, with a database that is thrown away']],
  run: demo,
});

async function demo(): Promise<void> {
  const { onStage } = await import('../demo/stage.ts');
  const receiver = await startReceiver();
  try {
    await onStage(async ({ url, key, account }) => {
      receiver.secret = account.webhookSecrets.test;
      console.log(`A server for this demo listens on ${url}; the shop receives webhooks on ${receiver.url}.`);
      console.log(`The API key and its secret: KEY=${key}`);
      await tellStory({ url, key, receiver });
    });
  } finally {
    await receiver.close();
  }
}

async function tellStory(shop: ToldShop): Promise<void> {
  heading('Create a session: a payment request with a page of its own');
  const created = await call(shop, 'POST', '/v3/checkout', {
    body: {
      invoice_currency: 'EUR',
      customer_details: { name: 'Ada Lovelace', email: 'ada@example.com', country: 'GB' },
      success_url: 'https://shop.example.com/thanks',
      webhook_url: shop.receiver.url,
      reference_id: 'order-1001',
    },
    shown: ['id', 'amount', 'status', 'payment_status', 'url'],
  });
  const path = `/v3/checkout/${created.id}`;
  remark('It has no amount yet: a draft, until it gets its items.');

  heading('Update it with the items: the amount is their sum, in cents');
  await call(shop, 'PUT', path, {
    body: {
      items: [
        { name: 'Widget', quantity: 2, unit_price: 1250 },
        { name: 'Gadget', quantity: 1, unit_price: 700 },
      ],
      metadata: { order_id: 'A-1001' },
    },
    shown: ['amount', 'transaction_description', 'metadata'],
  });

  heading('Open the page, as the payer does');
  fields({ page: created.url, title: await titleOf(created.url) });
  remark('The page lives as long as this demo. With npm start you can open one and pay by hand.');

  heading('Pay: in test mode a call can take the part of the payer');
  const paid = await call(shop, 'POST', `/v3/test_helpers/checkout/${created.id}/pay`, {
    body: {},
    shown: ['status', 'payment_status', 'amount_paid'],
  });
  expectField(paid, 'payment_status', 'paid');

  heading('The shop is told by webhook, and verifies the signature');
  const event = await arrival(shop, 'checkout.paid', created.id);
  fields({
    type: event.type,
    id: event.id,
    sequence: event.sequence,
    signature: 'genuine (HMAC-SHA256 with the webhook secret of the account)',
    'all so far': shop.receiver.typesOf(created.id).join(', '),
  });

  heading('Fetch the session: it is paid for good');
  const fetched = await call(shop, 'GET', path, {
    shown: ['status', 'payment_status', 'amount', 'amount_paid', 'transaction_documents'],
  });
  expectField(fetched, 'status', 'completed');

  heading('Another session, which the shop expires because the order was cancelled');
  const other = await call(shop, 'POST', '/v3/checkout', {
    body: {
      invoice_currency: 'JPY',
      items: [{ name: 'Tea', quantity: 3, unit_price: 800 }],
      webhook_url: shop.receiver.url,
      reference_id: 'order-1002',
    },
    shown: ['id', 'amount', 'status'],
  });
  console.log();
  const expired = await call(shop, 'POST', `/v3/checkout/${other.id}/expire`, {
    shown: ['status', 'payment_status', 'expires_at'],
  });
  expectField(expired, 'status', 'expired');
  const { type, id } = await arrival(shop, 'checkout.expired', other.id);
  remark(`And the webhook: ${type} ${id}, its signature is genuine.`);

  heading('List the sessions, newest first');
  request('GET', `${shop.url}/v3/checkout`, undefined);
  const sessions = (await send<readonly Resource[]>(shop, 'GET', '/v3/checkout')).data;
  console.log();
  for (const { id, reference_id, status, payment_status } of sessions) {
    line([id, reference_id, status, payment_status].join('  '));
  }
  if (sessions.length !== 2) throw new StepFailed(`the list has ${sessions.length} sessions instead of 2`);

  console.log('\nThat was all. Start a server of your own with npm start; README.md has the next steps.');
}

async function arrival({ receiver }: ToldShop, type: string, checkoutId: string) {
  try {
    return await receiver.next(type, checkoutId);
  } catch (error) {
    throw new StepFailed(messageOf(error));
  }
}

/** The title in the payer's browser. */
async function titleOf(url: string): Promise<string> {
  const response = await fetch(url, { headers: { 'accept-language': 'en' } });
  const title = /<title>([^<]+)<\/title>/.exec(await response.text())?.[1];
  if (!response.ok || title === undefined)
    throw new StepFailed(`${url} was answered with ${response.status}`);
  return title;
}
