/** The requests that are measured. */
import type { Request, Subjects } from './load/job.ts';

export const key = { id: 'ak_test_bench', secret: 'sk_test_bench' };
const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
export const headers = { authorization, 'content-type': 'application/json' };

const items = [
  { name: 'Widget', quantity: '{digits}', unit_price: 1250 },
  { name: 'Gadget', quantity: 1, unit_price: 700 },
];
/** Numbers have no quotes around them. */
const json = (value: object): string => JSON.stringify(value).replaceAll('"{digits}"', '{digits}');
const written = { ...headers, 'idempotency-key': 'bench-{count}' };

export const fetchOf = (subjects: Subjects): Request => ({
  method: 'GET',
  path: '/v3/checkout/{subject}',
  headers: { authorization },
  subjects,
});

export const updateOf = (subjects: Subjects): Request => ({
  method: 'PUT',
  path: '/v3/checkout/{subject}',
  headers: written,
  body: json({ items }),
  subjects,
});

/** `webhookUrl` gets the events of the new sessions. */
export const create = (webhookUrl: string): Request => ({
  method: 'POST',
  path: '/v3/checkout',
  headers: written,
  body: json({
    invoice_currency: 'EUR',
    items,
    customer_details: { name: 'Ada Lovelace', email: 'ada{digits}@example.com', country: 'GB' },
    success_url: 'https://shop.example.com/thanks',
    cancel_url: 'https://shop.example.com/cart',
    webhook_url: webhookUrl,
    reference_id: 'order-{count}',
    metadata: { order_id: 'A-{count}' },
  }),
});

export const pageOf = (subjects: Subjects): Request => ({
  method: 'GET',
  path: '/transaction/{subject}',
  headers: { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br' },
  subjects,
});

export const listOf = (query: string, resource = 'checkout'): Request => ({
  method: 'GET',
  path: `/v3/${resource}?${query}`,
  headers: { authorization },
});
