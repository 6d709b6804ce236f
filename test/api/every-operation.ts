/** Every operation of the API: who may ask for it, with what, and about what. */
import type { KeyScope } from '../../src/store/store.ts';
import type { TestService } from '../support/service.ts';
import type { Receiver } from './receiver.ts';
import { createSession, type Data, order, pay, succeeded, until } from './shop.ts';

/** Makes what an operation is about; the id in its path comes from here. */
export function subjectsOf(service: TestService, receiver: Receiver) {
  const { call } = service;
  const list = async (path: string): Promise<Data[]> => (await call('GET', path)).json.data;
  return {
    none: async () => '',
    checkout: async () => (await createSession(service)).id,
    attempt: async () => (await pay(service, (await createSession(service)).id)).latest_payment_attempt,
    customer: async () => succeeded(await call('POST', '/v3/customer', { body: { name: 'Ada' } }), 201).id,
    async event() {
      await createSession(service);
      return (await list('/v3/event?limit=1'))[0].id;
    },
    /** One in the place of all that were made before, for there cannot be many. */
    async endpoint() {
      for (const { id } of await list('/v3/webhook_endpoint?limit=100')) {
        await call('DELETE', `/v3/webhook_endpoint/${id}`);
      }
      return succeeded(await call('POST', '/v3/webhook_endpoint', { body: endpoint }), 201).id;
    },
    /** One that has ended, as have all others: none is written about any more. */
    async delivery() {
      const { id } = await createSession(service, { webhook_url: receiver.url });
      await until(async () => (await list('/v3/webhook_delivery?status=pending')).length === 0);
      return (await list(`/v3/webhook_delivery?checkout=${id}`))[0].id;
    },
  } as const satisfies Record<string, () => Promise<string>>;
}

type Subject = keyof ReturnType<typeof subjectsOf>;

export const prefixes: Readonly<Record<Exclude<Subject, 'none'>, string>> = {
  checkout: 'chk',
  attempt: 'pat',
  customer: 'cus',
  event: 'evt',
  endpoint: 'whe',
  delivery: 'whd',
};

const endpoint = { url: 'https://shop.example.com/hook', status: 'disabled' };

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly scope: KeyScope;
  readonly subject: Subject;
  readonly body?: object;
  readonly testOnly?: boolean;
};

export const operations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v3/checkout',
    operation: 'CHECKOUT.CREATE',
    scope: 'write',
    subject: 'none',
    body: order,
  },
  { method: 'GET', path: '/v3/checkout', operation: 'CHECKOUT.LIST', scope: 'read', subject: 'none' },
  {
    method: 'GET',
    path: '/v3/checkout/{id}',
    operation: 'CHECKOUT.FETCH',
    scope: 'read',
    subject: 'checkout',
  },
  {
    method: 'PUT',
    path: '/v3/checkout/{id}',
    operation: 'CHECKOUT.UPDATE',
    scope: 'write',
    subject: 'checkout',
    body: { metadata: { a: 1 } },
  },
  {
    method: 'POST',
    path: '/v3/checkout/{id}/expire',
    operation: 'CHECKOUT.EXPIRE',
    scope: 'write',
    subject: 'checkout',
  },
  {
    method: 'GET',
    path: '/v3/checkout/{id}/timeline',
    operation: 'CHECKOUT.TIMELINE',
    scope: 'read',
    subject: 'checkout',
  },
  { method: 'GET', path: '/v3/payin/{id}', operation: 'PAYIN.FETCH', scope: 'read', subject: 'checkout' },
  {
    method: 'GET',
    path: '/v3/payment_attempt/{id}',
    operation: 'PAYMENT_ATTEMPT.FETCH',
    scope: 'read',
    subject: 'attempt',
  },
  {
    method: 'POST',
    path: '/v3/customer',
    operation: 'CUSTOMER.CREATE',
    scope: 'write',
    subject: 'none',
    body: { name: 'Ada' },
  },
  { method: 'GET', path: '/v3/customer', operation: 'CUSTOMER.LIST', scope: 'read', subject: 'none' },
  {
    method: 'GET',
    path: '/v3/customer/{id}',
    operation: 'CUSTOMER.FETCH',
    scope: 'read',
    subject: 'customer',
  },
  {
    method: 'PUT',
    path: '/v3/customer/{id}',
    operation: 'CUSTOMER.UPDATE',
    scope: 'write',
    subject: 'customer',
    body: { name: 'Grace' },
  },
  {
    method: 'DELETE',
    path: '/v3/customer/{id}',
    operation: 'CUSTOMER.DELETE',
    scope: 'write',
    subject: 'customer',
  },
  { method: 'GET', path: '/v3/event', operation: 'EVENT.LIST', scope: 'read', subject: 'none' },
  { method: 'GET', path: '/v3/event/{id}', operation: 'EVENT.FETCH', scope: 'read', subject: 'event' },
  {
    method: 'GET',
    path: '/v3/metadata/collect',
    operation: 'METADATA.COLLECT',
    scope: 'read',
    subject: 'none',
  },
  {
    method: 'POST',
    path: '/v3/webhook_endpoint',
    operation: 'WEBHOOK_ENDPOINT.CREATE',
    scope: 'webhooks',
    subject: 'none',
    body: endpoint,
  },
  {
    method: 'GET',
    path: '/v3/webhook_endpoint',
    operation: 'WEBHOOK_ENDPOINT.LIST',
    scope: 'webhooks',
    subject: 'none',
  },
  {
    method: 'GET',
    path: '/v3/webhook_endpoint/{id}',
    operation: 'WEBHOOK_ENDPOINT.FETCH',
    scope: 'webhooks',
    subject: 'endpoint',
  },
  {
    method: 'PUT',
    path: '/v3/webhook_endpoint/{id}',
    operation: 'WEBHOOK_ENDPOINT.UPDATE',
    scope: 'webhooks',
    subject: 'endpoint',
    body: { description: 'Order system' },
  },
  {
    method: 'DELETE',
    path: '/v3/webhook_endpoint/{id}',
    operation: 'WEBHOOK_ENDPOINT.DELETE',
    scope: 'webhooks',
    subject: 'endpoint',
  },
  {
    method: 'POST',
    path: '/v3/webhook_endpoint/{id}/rotate_secret',
    operation: 'WEBHOOK_ENDPOINT.ROTATE_SECRET',
    scope: 'webhooks',
    subject: 'endpoint',
  },
  {
    method: 'GET',
    path: '/v3/webhook_endpoint/{id}/deliveries',
    operation: 'WEBHOOK_ENDPOINT.DELIVERIES',
    scope: 'webhooks',
    subject: 'endpoint',
  },
  {
    method: 'GET',
    path: '/v3/webhook_delivery',
    operation: 'WEBHOOK_DELIVERY.LIST',
    scope: 'webhooks',
    subject: 'none',
  },
  {
    method: 'GET',
    path: '/v3/webhook_delivery/{id}',
    operation: 'WEBHOOK_DELIVERY.FETCH',
    scope: 'webhooks',
    subject: 'delivery',
  },
  {
    method: 'POST',
    path: '/v3/webhook_delivery/{id}/resend',
    operation: 'WEBHOOK_DELIVERY.RESEND',
    scope: 'webhooks',
    subject: 'delivery',
  },
  {
    method: 'POST',
    path: '/v3/webhook_delivery/resend',
    operation: 'WEBHOOK_DELIVERY.RESEND_FAILED',
    scope: 'webhooks',
    subject: 'none',
    body: { since: '2030-01-31T12:00:00Z' },
  },
  {
    method: 'POST',
    path: '/v3/test_helpers/checkout/{id}/pay',
    operation: 'TEST_HELPER.PAY',
    scope: 'write',
    subject: 'checkout',
    testOnly: true,
  },
  {
    method: 'POST',
    path: '/v3/test_helpers/clock/advance',
    operation: 'TEST_HELPER.ADVANCE_CLOCK',
    scope: 'write',
    subject: 'none',
    body: { seconds: 1 },
    testOnly: true,
  },
];
