/**
 * Access of API keys as far as the database decides: data of others, and keys that another process changes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hashSecret } from '../../src/accounts/api-key.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { startService } from '../support/service.ts';
import { createSession } from './shop.ts';

const service = await startService({ after });
const { call } = service;

test('cursors and filters with ids of another account find nothing', async () => {
  const session = await createSession(service, { customer_details: { email: 'ada@example.com' } });
  const neighbour = await service.service.store.accounts.create(
    { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
    Date.now(),
  );
  const { authorization } = await service.createKey({ account: neighbour.number });
  const filters = [
    `customer=${session.customer_details.customer}`,
    `q=${session.id}`,
    `reference_id=${session.reference_id}`,
  ];
  for (const filter of [...filters, `before=${session.id}`]) {
    const { json } = await call('GET', `/v3/checkout?${filter}`, { headers: { authorization } });
    assert.deepEqual(json.data, [], filter);
  }
});

/** The command line works on the database beside a service that runs. */
async function beside<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(service.config, { serve: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The answer to a list, once another process's change of keys has to be known. */
async function listedInTime(authorization: string, expected: number): Promise<number> {
  const deadline = performance.now() + service.database.directoryLagMs;
  const ask = async () => (await call('GET', '/v3/checkout', { headers: { authorization } })).status;
  while (performance.now() < deadline) if ((await ask()) === expected) break;
  return ask();
}

test('a revocation by another process counts from the next request on, or within a second', async () => {
  const { id, authorization, secret } = await service.createKey();
  const bearer = `Bearer ${secret}`;
  const fetchAs = (header: string) => call('GET', '/v3/checkout', { headers: { authorization: header } });
  for (const header of [authorization, bearer]) assert.equal((await fetchAs(header)).status, 200);
  assert.equal(await beside((store) => revokeKey(store, id)), true);
  for (const header of [authorization, bearer]) assert.equal(await listedInTime(header, 401), 401);
});

test('a key that another process makes works at once, or within a second', async () => {
  const authorization = `Basic ${btoa('ak_test_beside:sk_test_beside')}`;
  const headers = { authorization };
  assert.equal((await call('GET', '/v3/checkout', { headers })).status, 401);
  await beside((store) =>
    store.apiKeys.add({
      id: 'ak_test_beside',
      tenant: { account: service.account.number, mode: 'test' },
      secretHash: hashSecret('sk_test_beside'),
      permissions: ['read'],
      name: '',
      createdAt: Date.now(),
      revokedAt: null,
    }),
  );
  assert.equal(await listedInTime(authorization, 200), 200);
});
