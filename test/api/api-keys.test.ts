/** API keys over the API: what a key with `manage` makes of others, and of itself. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { usualPermissions } from '../../src/accounts/api-key.ts';
import { MAX_API_KEYS } from '../../src/accounts/key-changes.ts';
import { contentsOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { assertRefused, createSession, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call, database } = service;

const basic = ({ id, secret }: Data) => `Basic ${btoa(`${id}:${secret}`)}`;
const body = { permissions: ['read'], name: 'Till 2' };

async function create(fields: object = body, headers: Record<string, string> = {}): Promise<Data> {
  return succeeded(await call('POST', '/v3/api_key', { body: fields, headers }), 201);
}

const revoke = (id: string, headers: Record<string, string> = {}) =>
  call('POST', `/v3/api_key/${id}/revoke`, { headers });

const auditOf = (subject: string) =>
  database.query(
    'SELECT action, actor, request_id, version FROM audit WHERE subject = ? ORDER BY action',
    subject,
  );

suite('a new key', () => {
  test('does what it was made for, in the account and mode of its maker', async () => {
    const session = await createSession(service);
    const answer = await call('POST', '/v3/api_key', { body });
    const { secret, ...shown } = succeeded(answer, 201);
    assert.match(secret, /^sk_test_[0-9a-z]{47}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      object: 'api_key',
      created_at: shown.created_at,
      name: 'Till 2',
      permissions: ['read'],
      status: 'active',
      revoked_at: null,
      is_caller: false,
    });
    assert.equal(answer.headers.get('location'), `/v3/api_key/${shown.id}`);
    const headers = { authorization: basic({ id: shown.id, secret }) };
    assert.equal(succeeded(await call('GET', `/v3/checkout/${session.id}`, { headers })).id, session.id);
    assert.equal((await call('POST', '/v3/checkout', { body: {}, headers })).status, 403);
    assert.equal((await call('GET', '/v3/api_key', { headers })).status, 403);
    assert.deepEqual(succeeded(await call('GET', `/v3/api_key/${shown.id}`)), shown);
  });

  test('of live mode is made by one of live mode', async () => {
    const { authorization } = await service.createKey({ mode: 'live', permissions: ['manage'] });
    const { id, secret } = await create(body, { authorization });
    assert.match(`${id} ${secret}`, /^ak_live_\w+ sk_live_\w+$/);
    assert.equal((await call('GET', `/v3/api_key/${id}`)).status, 404);
  });

  test('may manage if that was named, and no key does otherwise', async () => {
    const { id, secret } = await create({ permissions: ['manage'] });
    const headers = { authorization: basic({ id, secret }) };
    assert.equal(succeeded(await call('GET', `/v3/api_key/${id}`, { headers })).is_caller, true);
    assert.ok(!usualPermissions.includes('manage'));
  });

  test('is refused with all mistakes at once', async () => {
    const wrong = { permissions: ['read', 'admin'], name: 'a\nb', mode: 'live' };
    const answer = await writesNothing(service, () => call('POST', '/v3/api_key', { body: wrong }));
    const errors = ['/mode', '/name', '/permissions/1'].map((pointer) => [15502, pointer] as const);
    assertRefused(answer, { status: 400, message: 'API_KEY.CREATE.FIELD_INVALID', errors });
    for (const permissions of [undefined, [], ['read', 'read'], 'read'])
      assert.equal((await call('POST', '/v3/api_key', { body: { permissions } })).status, 400);
    assert.equal(
      (await call('POST', '/v3/api_key', { body: { ...body, name: 'x'.repeat(101) } })).status,
      400,
    );
  });
});

suite('the secret', () => {
  test('is shown once, and kept nowhere', async () => {
    const headers = { 'idempotency-key': 'till-3' };
    const { id, secret } = await create(body, headers);
    const again = await call('POST', '/v3/api_key', { body, headers });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    const repeated = succeeded(again, 201);
    assert.deepEqual([repeated.id, repeated.secret], [id, null]);
    for (const path of ['/v3/api_key', `/v3/api_key/${id}`])
      assert.ok(!(await call('GET', path)).text.includes('"secret"'));
    for (const [table, rows] of await contentsOf(database)) assert.ok(!rows.includes(secret), table);
    assertRefused(await call('POST', '/v3/api_key', { body: { ...body, name: 'Other' }, headers }), {
      status: 422,
      message: 'API_KEY.CREATE.KEY_REUSED',
      errors: [[19031]],
    });
  });

  test('is in one of many answers to the same request', async () => {
    const headers = { 'idempotency-key': 'till-4' };
    const made = await Promise.all(Array.from({ length: 20 }, () => create(body, headers)));
    assert.equal(new Set(made.map(({ id }) => id)).size, 1);
    const [shown, ...others] = made.flatMap(({ secret }) => secret ?? []);
    assert.equal(others.length, 0);
    const authorization = basic({ id: made[0].id, secret: shown });
    assert.equal((await call('GET', '/v3/checkout', { headers: { authorization } })).status, 200);
  });
});

suite('a key that is revoked', () => {
  test('opens nothing from the next request on, and stays in the list', async () => {
    const made = await create();
    const headers = { authorization: basic(made) };
    assert.equal((await call('GET', '/v3/checkout', { headers })).status, 200);
    const { secret: _, ...before } = made;
    const { remaining_manage_keys: remaining, ...revoked } = succeeded(await revoke(made.id));
    assert.ok(remaining >= 1);
    assert.deepEqual(revoked, { ...before, status: 'revoked', revoked_at: revoked.revoked_at });
    assert.match(revoked.revoked_at, /^\d{4}-\d\d-\d\dT/);
    assert.equal((await call('GET', '/v3/checkout', { headers })).status, 401);
    assert.deepEqual(succeeded(await call('GET', '/v3/api_key?limit=1'))[0], revoked);
  });

  test('stays as it was revoked first', async () => {
    const { id } = await create();
    const first = succeeded(await revoke(id));
    assert.deepEqual(succeeded(await revoke(id)), first);
    assert.equal((await auditOf(id)).length, 2);
  });

  test('may be the one that asks, which is told, with how many are left to manage', async (t) => {
    const alone = await startService(t);
    const { authorization, id } = alone.key;
    const second = succeeded(
      await alone.call('POST', '/v3/api_key', { body: { permissions: ['manage'] } }),
      201,
    );
    const own = succeeded(await alone.call('POST', `/v3/api_key/${id}/revoke`));
    assert.deepEqual([own.is_caller, own.remaining_manage_keys], [true, 1]);
    assert.equal((await alone.call('GET', '/v3/api_key', { headers: { authorization } })).status, 401);
    const headers = { authorization: basic(second) };
    const last = succeeded(await alone.call('POST', `/v3/api_key/${second.id}/revoke`, { headers }));
    assert.deepEqual([last.is_caller, last.remaining_manage_keys], [true, 0]);
  });

  test('can have a form that the operator has given it', async () => {
    const id = 'ak_test_Boot-1';
    const tenant = { account: service.account.number, mode: 'test' } as const;
    const key = { tenant, secretHash: 'f'.repeat(64), permissions: ['read'], name: '' } as const;
    await service.service.store.apiKeys.add({ ...key, id, createdAt: 0, revokedAt: null });
    assert.equal(succeeded(await call('GET', `/v3/api_key/${id}`)).id, id);
    assert.equal(succeeded(await revoke(id)).status, 'revoked');
  });
});

test('each change is on record with who made it and by which request', async () => {
  const headers = { 'x-request-id': 'unused' };
  const made = await call('POST', '/v3/api_key', { body, headers });
  const { id } = succeeded(made, 201);
  const revoked = await revoke(id);
  const line = (action: string, { headers: sent }: typeof made) => ({
    action,
    actor: service.key.id,
    request_id: sent.get('x-request-id'),
    version: 0,
  });
  assert.deepEqual(
    (await auditOf(id)).map((row) => ({ ...row })),
    [line('create_api_key', made), line('revoke_api_key', revoked)],
  );
});

test('an account and mode have a bounded number of active keys', async (t) => {
  const full = await startService(t);
  const make = () => full.call('POST', '/v3/api_key', { body });
  const made = await Promise.all(Array.from({ length: MAX_API_KEYS + 3 }, make));
  const created = made.filter(({ status }) => status === 201);
  // One is the key that asks.
  assert.equal(created.length, MAX_API_KEYS - 1);
  const refused = made.find(({ status }) => status !== 201) ?? (await make());
  assertRefused(refused, { status: 409, message: 'API_KEY.CREATE.TOO_MANY_API_KEYS', errors: [[19042]] });
  const live = await full.createKey({ mode: 'live' });
  const ofLive = await full.call('POST', '/v3/api_key', {
    body,
    headers: { authorization: live.authorization },
  });
  assert.equal(ofLive.status, 201);
  succeeded(await full.call('POST', `/v3/api_key/${created[0]?.json.data.id}/revoke`));
  succeeded(await make(), 201);
});

test('the list comes in pages, the newest first, in both directions', async (t) => {
  const alone = await startService(t);
  const made = [alone.key.id];
  for (let count = 0; count < 6; count++)
    made.unshift(succeeded(await alone.call('POST', '/v3/api_key', { body }), 201).id);
  const list = async (query: string) => {
    const { json } = await alone.call('GET', `/v3/api_key?${query}`);
    return { ids: json.data.map(({ id }: Data) => id), more: json.has_more, next: json.next_cursor };
  };
  const whole = (await list('limit=100')).ids;
  assert.deepEqual([...whole].sort(), [...made].sort());
  assert.equal(whole.at(-1), alone.key.id);
  const first = await list('limit=3');
  assert.deepEqual(first, { ids: whole.slice(0, 3), more: true, next: whole[2] });
  assert.deepEqual((await list(`limit=10&after=${first.next}`)).ids, whole.slice(3));
  assert.deepEqual(await list(`limit=2&before=${whole[4]}`), {
    ids: whole.slice(2, 4),
    more: true,
    next: whole[2],
  });
  assert.deepEqual((await list('after=ak_test_unknown')).ids, []);
  assert.equal((await alone.call('GET', '/v3/api_key?after=whe_1')).status, 400);
});
