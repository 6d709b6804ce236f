/** Requests about endpoints, as merchants make them. */
import type { TestService } from '../support/service.ts';
import { type Data, succeeded, until } from './shop.ts';

export const path = '/v3/webhook_endpoint';

/** The new endpoint, with its secret. */
export async function createEndpoint({ call }: TestService, fields: object = {}): Promise<Data> {
  const body = { url: 'https://shop.example.com/hook', ...fields };
  return succeeded(await call('POST', path, { body }), 201);
}

export async function fetchEndpoint({ call }: TestService, id: string): Promise<Data> {
  return succeeded(await call('GET', `${path}/${id}`));
}

export async function updateEndpoint({ call }: TestService, id: string, body: object): Promise<Data> {
  return succeeded(await call('PUT', `${path}/${id}`, { body }));
}

/** The newest first. */
export async function deliveries({ call }: TestService, query = ''): Promise<Data[]> {
  return succeeded(await call('GET', `/v3/webhook_delivery?limit=100${query}`));
}

/** All that have failed since the beginning. */
export async function resendFailed({ call }: TestService, fields: object = {}): Promise<Data> {
  const body = { since: '2000-01-01T00:00:00Z', ...fields };
  return succeeded(await call('POST', '/v3/webhook_delivery/resend', { body }));
}

/** Resolves once no delivery is pending. */
export async function settled(service: TestService): Promise<void> {
  await until(async () => (await deliveries(service, '&status=pending')).length === 0);
}
