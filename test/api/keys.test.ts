/**
 * Access of API keys as far as the database decides: data of others, and keys that another process changes.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hashSecret } from '../../src/accounts/api-key.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { configureAccount } from '../support/configure.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { startService } from '../support/service.ts';
import { createSession } from './shop.ts';

const service = await startService({ after });
const { call } = service;

const { store } = service.service;

/** A key of an account that nobody else has. */
async function neighbour() {
  const { webhookSecrets } = service.account;
  const made = { name: 'Neighbour', webhookSecrets, testClockOffsetMs: 0 };
  const { number: account } = await store.accounts.create(made, Date.now());
  return { account, ...(await service.createKey({ account })) };
}

const listAs = (authorization: string) => call('GET', '/v3/checkout', { headers: { authorization } });

test('cursors and filters with ids of another account find nothing', async () => {
  const session = await createSession(service, { customer_details: { email: 'ada@example.com' } });
  const { authorization } = await neighbour();
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
  const ask = async () => (await listAs(authorization)).status;
  while (performance.now() < deadline) if ((await ask()) === expected) break;
  return ask();
}

test('a revocation by another process counts from the next request on, or within a second', async () => {
  const { id, authorization, secret } = await service.createKey();
  const bearer = `Bearer ${secret}`;
  for (const header of [authorization, bearer]) assert.equal((await listAs(header)).status, 200);
  assert.equal(await beside((store) => revokeKey(store, id)), true);
  for (const header of [authorization, bearer]) assert.equal(await listedInTime(header, 401), 401);
});

test('a key that another process makes works at once, or within a second', async () => {
  const authorization = `Basic ${btoa('ak_test_beside:sk_test_beside')}`;
  assert.equal((await listAs(authorization)).status, 401);
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

test('what one account does to its clock and its keys costs the keys of others no look-up', async (t) => {
  const { id, authorization } = await neighbour();
  const lookups = t.mock.method(store.apiKeys, 'fetch');
  const looksAt = (key: string) =>
    lookups.mock.calls.filter(({ arguments: [asked] }) => asked === key).length;
  for (let round = 0; round < 50; round++) {
    const moved = await call('POST', '/v3/test_helpers/clock/advance', { body: { seconds: 1 } });
    assert.equal(moved.status, 200);
    if (round % 10 === 0) await revokeKey(store, (await service.createKey()).id);
    assert.equal((await listAs(authorization)).status, 200);
  }
  // One more is for a machine on which this process stood still for a second: it believes nothing then.
  assert.ok(looksAt(id) <= 2, `${looksAt(id)} look-ups`);
});

test('a key is revoked at once where it is done, and another key of its account stays', async () => {
  const [revoked, other] = [await service.createKey(), await service.createKey()];
  for (const { authorization } of [revoked, other]) assert.equal((await listAs(authorization)).status, 200);
  await revokeKey(store, revoked.id);
  assert.equal((await listAs(revoked.authorization)).status, 401);
  assert.equal((await listAs(other.authorization)).status, 200);
});

test('a key that is revoked while it is looked up is remembered by nobody', async (t) => {
  const { id, authorization } = await service.createKey();
  const fetch = store.apiKeys.fetch.bind(store.apiKeys);
  const [found, revoked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const looked = t.mock.method(store.apiKeys, 'fetch', async (asked: string) => {
    const key = await fetch(asked);
    if (asked === id) found.resolve();
    if (asked === id) await revoked.promise;
    return key;
  });
  const first = listAs(authorization);
  await found.promise;
  looked.mock.restore();
  await revokeKey(store, id);
  // Somebody else has the revocation noticed before the answer to the look-up is there.
  assert.equal((await listAs(service.key.authorization)).status, 200);
  revoked.resolve();
  await first;
  assert.equal((await listAs(authorization)).status, 401);
});

test('the ways of its account count for a remembered key from the next request on', async () => {
  const { account, authorization } = await neighbour();
  const create = () =>
    call('POST', '/v3/checkout', {
      body: { invoice_currency: 'EUR', amount: 100, unheard_of: 1 },
      headers: { authorization },
    });
  assert.equal((await create()).status, 400);
  await configureAccount(store, { account, mode: 'test' }, { ...defaultSettings, compatibility: 'v3' });
  assert.equal((await create()).status, 201);
  await configureAccount(store, { account, mode: 'test' }, defaultSettings);
  assert.equal((await create()).status, 400);
});
