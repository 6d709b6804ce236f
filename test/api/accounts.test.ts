/** Accounts of the installation over the API, and who may have them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { readLinkToken } from '../../src/users/links.ts';
import { installation, type UserId } from '../../src/users/user.ts';
import { startService } from '../support/service.ts';
import { inviteUser } from '../support/users.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { database, url: publicUrl } = service;
const { store } = service.service;
const operator = await service.createKey({ mode: 'live', permissions: ['accounts'] });
const manager = await service.createKey({ mode: 'live', permissions: ['manage'] });

type Options = { readonly body?: unknown; readonly headers?: Record<string, string> };
const callAs =
  ({ authorization }: { readonly authorization: string }) =>
  (method: string, path: string, { body, headers }: Options = {}) =>
    service.call(method, `/v3${path}`, {
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
const call = callAs(operator);
const make = async (name: string, headers: Record<string, string> = {}): Promise<Data> =>
  succeeded(await call('POST', '/account', { body: { name }, headers }), 201);

suite('creating an account', () => {
  test('gives a link for its owner and the secrets of webhooks, once', async () => {
    const headers = { 'idempotency-key': 'account-1' };
    const answer = await call('POST', '/account', { body: { name: 'Other' }, headers });
    const { id, owner, owner_url: url, webhook_secrets: secrets, ...rest } = succeeded(answer, 201);
    assert.equal(answer.headers.get('location'), `/v3/account/${id}`);
    assert.deepEqual(Object.keys(rest), ['object', 'created_at', 'name']);
    assert.deepEqual([rest.object, rest.name], ['account', 'Other']);
    const stored = await store.accounts.fetch(Number(id));
    assert.deepEqual(stored?.webhookSecrets, secrets);
    const base = `${publicUrl}/dashboard/link/`;
    assert.ok(url.startsWith(base), url);
    const link = readLinkToken(url.slice(base.length));
    const user = await store.dashboardUsers.fetch(owner as UserId);
    assert.deepEqual([link?.id, link?.hash], [user?.id, user?.link?.hash]);
    assert.deepEqual(user?.roles, { [id]: 'owner' });
    assert.equal(user?.isOperator, undefined);

    const again = await writesNothing(service, () =>
      call('POST', '/account', { body: { name: 'Other' }, headers }),
    );
    assert.deepEqual(succeeded(again, 201), {
      ...{ id, ...rest, owner, owner_url: null },
      webhook_secrets: { test: null, live: null },
    });
    const kept = JSON.stringify(await database.query('SELECT body FROM idempotency WHERE account = 0'));
    assert.ok(kept.includes('Other'));
    for (const secret of [secrets.test, secrets.live, url.split('.').at(-1)])
      assert.ok(!kept.includes(secret));
  });

  test('is refused for a name that nobody can read', async () => {
    const names = ['', '   ', ' x', 'x'.repeat(251), 'a\u202eb', 'a\u200bb', 'a\u001bb', 7];
    for (const body of [{}, ...names.map((name) => ({ name }))]) {
      const answer = await writesNothing(service, () => call('POST', '/account', { body }));
      assert.equal(answer.status, 400);
      assert.equal(answer.json.errors[0].remarks, '/name');
    }
  });

  test('gives each its own number, though many are made at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `At once ${index}`);
    const all = await Promise.all(names.map((name) => make(name)));
    assert.equal(new Set(all.map(({ id }) => id)).size, names.length);
    for (const { id, name } of all) assert.equal((await store.accounts.fetch(Number(id)))?.name, name);
  });

  test('keeps idempotency keys of two callers apart', async () => {
    const neighbour = await createAccount(store, 'Neighbour', Date.now());
    const other = await service.createKey({
      account: neighbour.number,
      mode: 'live',
      permissions: ['accounts'],
    });
    const headers = { 'idempotency-key': 'the same' };
    const mine = await make('Mine', headers);
    const hers = succeeded(await callAs(other)('POST', '/account', { body: { name: 'Hers' }, headers }), 201);
    assert.notEqual(mine.id, hers.id);
  });
});

suite('accounts', () => {
  test('are listed page by page, newest first, and each is found', async () => {
    for (let count = 0; count < 3; count++) await make(`Listed ${count}`);
    const numbers = (await store.accounts.list()).map(({ number }) => String(number)).toReversed();
    const found: string[] = [];
    for (let next = ''; ; ) {
      const { json } = await call('GET', `/account?limit=2${next}`);
      found.push(...json.data.map(({ id }: Data) => id));
      if (!json.has_more) break;
      next = `&after=${json.next_cursor}`;
    }
    assert.deepEqual(found, numbers);
    const { json } = await call('GET', `/account?limit=2&before=${numbers[4]}`);
    assert.deepEqual(
      json.data.map(({ id }: Data) => id),
      numbers.slice(2, 4),
    );
    assert.equal(json.has_more, true);
    const one = succeeded(await call('GET', `/account/${numbers[0]}`));
    assert.deepEqual(Object.keys(one), ['id', 'object', 'created_at', 'name']);
    for (const id of ['999', '0', '01', '-1', '1.0', 'x', '9'.repeat(20)])
      assert.equal((await call('GET', `/account/${id}`)).status, 404, id);
  });

  test('are renamed, with a line in their own logs', async () => {
    const { id } = await make('Before');
    const renamed = succeeded(await call('PUT', `/account/${id}`, { body: { name: 'Behind' } }));
    assert.deepEqual([renamed.id, renamed.name], [id, 'Behind']);
    assert.equal((await store.accounts.fetch(Number(id)))?.name, 'Behind');
    const { rows } = await store.audit.list({ account: Number(id), mode: 'live' }, {}, { limit: 1 });
    assert.deepEqual(
      rows.map(({ actor, action }) => [actor, action]),
      [[operator.id, 'rename_account']],
    );
    await writesNothing(service, () => call('PUT', `/account/${id}`, { body: { name: 'Behind' } }));
    const blank = await writesNothing(service, () => call('PUT', `/account/${id}`, { body: { name: ' ' } }));
    assert.deepEqual([blank.status, blank.json.errors[0].remarks], [400, '/name']);
    assert.equal((await call('PUT', '/account/999', { body: { name: 'X' } })).status, 404);
  });
});

suite('the permission for all accounts', () => {
  test('is given by no key to another one, whatever it may do itself', async () => {
    const all = await service.createKey({ mode: 'live' });
    for (const key of [manager, all]) {
      const body = { permissions: ['read', 'accounts'] };
      const answer = await writesNothing(service, () => callAs(key)('POST', '/api_key', { body }));
      assert.equal(answer.status, 400);
      assert.equal(answer.json.errors[0].remarks, '/permissions/1');
    }
  });

  test('is good for nothing of an account', async () => {
    for (const path of [
      '/checkout',
      '/member',
      '/api_key',
      '/account_settings',
      '/audit',
      '/rail_credentials',
    ])
      assert.equal((await call('GET', path)).status, 403, path);
  });

  test('is not had by keys that manage', async () => {
    for (const path of ['/account', '/account/1', '/installation_audit'])
      assert.equal((await callAs(manager)('GET', path)).status, 403, path);
  });
});

suite('the log of the installation', () => {
  test('has what concerns no single account, and filters it', async () => {
    const { id, owner } = await make('Logged');
    const bySubject = async (subject: string): Promise<Data[]> =>
      succeeded(await call('GET', `/installation_audit?subject=${subject}`));
    assert.deepEqual(
      (await bySubject(id)).map(({ actor, action }) => [actor, action]),
      [[operator.id, 'create_account']],
    );
    assert.deepEqual(
      (await bySubject(owner)).map(({ action }) => action),
      ['invite_user'],
    );
    const lines: Data[] = succeeded(await call('GET', '/installation_audit?limit=1'));
    assert.equal(lines.length, 1);
    const { rows } = await store.audit.list(installation, {}, { limit: 1 });
    assert.equal(lines[0].id, rows[0]?.id);
    assert.equal((await call('GET', '/installation_audit?created_at[lt]=soon')).status, 400);
  });

  test('leaves to an account what it did about its own members, and tells it of no other', async () => {
    const other = await make('Elsewhere');
    const member = await inviteUser(store, { account: service.account.number, role: 'support', email: '' });
    await inviteUser(store, { account: Number(other.id), role: 'support', email: '' });
    const lines: Data[] = succeeded(await callAs(manager)('GET', '/audit?action=invite_user'));
    assert.deepEqual(
      lines.map(({ subject }) => subject),
      [member.id],
    );
  });
});

test('an account cannot send itself a link of an operator', async () => {
  const { number: account } = service.account;
  const user = await inviteUser(store, { account, role: 'support', email: '', isOperator: true });
  const answer = await writesNothing(service, () => callAs(manager)('POST', `/member/${user.id}/reset`));
  assertRefused(answer, { status: 409, message: 'MEMBER.RESET.MEMBER_ELSEWHERE', errors: [[19047]] });
});
