/** Members of an account over the API: what a key with `manage` makes of people, and of their links. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newId } from '../../src/lib/id.ts';
import { LINK_MS, readLinkToken } from '../../src/users/links.ts';
import { installation, MAX_MEMBERS, type User, type UserId } from '../../src/users/user.ts';
import { contentsOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { database, url: publicUrl } = service;
const { store } = service.service;
const neighbour = await store.accounts.create(
  { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
  Date.now(),
);
const keys = {
  own: await service.createKey({ mode: 'live' }),
  other: await service.createKey({ mode: 'live' }),
  neighbour: await service.createKey({ account: neighbour.number, mode: 'live' }),
};

type Options = { readonly body?: object; readonly headers?: Record<string, string> };

const callAs =
  ({ authorization }: { readonly authorization: string }) =>
  (method: string, path = '', { body, headers }: Options = {}) =>
    service.call(method, `/v3/member${path}`, {
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
const call = callAs(keys.own);
const callOfNeighbour = callAs(keys.neighbour);

const invite = async (body: object, headers: Record<string, string> = {}, as = call): Promise<Data> =>
  succeeded(await as('POST', '', { body, headers }), 201);

/** The user and the hash of the secret that a link names. */
function readLink(url: string) {
  const base = `${publicUrl}/dashboard/link/`;
  assert.ok(url.startsWith(base), url);
  return readLinkToken(url.slice(base.length));
}

async function stored(id: string): Promise<User> {
  const user = await store.dashboardUsers.fetch(id as UserId);
  assert.ok(user);
  return user;
}

/** Chooses a password, and signs in. */
async function accept({ url }: Data, email: string): Promise<User> {
  const { id, hash } = readLink(url) ?? assert.fail(url);
  const browser = {
    id: newId('sgn', Date.now()),
    secretHash: hash,
    formToken: hash,
    address: '192.0.2.7',
    browser: 'Firefox',
  };
  const accepted = { secretHash: hash, name: 'Ada Lovelace', email, password: '$argon2id$', signIn: browser };
  return (await changeUser(store, id, { type: 'accept_link', ...accepted, now: Date.now() })).user;
}

/** Takes the role of an invitation, as who is signed in does by its link. */
async function joinOf(id: UserId, { url }: { readonly url: string }): Promise<void> {
  const named = readLink(url) ?? assert.fail(url);
  const join = { type: 'join', invitation: named.id, secretHash: named.hash, now: Date.now() } as const;
  await changeUser(store, id, join);
}

let count = 0;
const address = () => `member${++count}@example.com`;

suite('an invitation', () => {
  test('gives a link for three days, which only its answer shows', async () => {
    const body = { role: 'support', name: 'Ada', email: 'Ada@Example.com' };
    const answer = await call('POST', '', { body });
    const { url, ...member } = succeeded(answer, 201);
    const { id, created_at } = member;
    assert.deepEqual(member, {
      id,
      object: 'member',
      created_at,
      name: 'Ada',
      email: 'ada@example.com',
      role: 'support',
      status: 'invited',
      has_second_factor: false,
      last_seen_at: null,
      link_expires_at: new Date(Date.parse(created_at) + LINK_MS).toISOString(),
    });
    assert.equal(answer.headers.get('location'), `/v3/member/${id}`);
    assert.deepEqual(readLink(url), { id, hash: (await stored(id)).link?.hash });
    assert.deepEqual(succeeded(await call('GET', `/${id}`)), member);
    const secret = url.split('.').at(-1);
    for (const [table, rows] of await contentsOf(database)) assert.ok(!rows.includes(secret), table);
  });

  test('is answered again without the link', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const body = { role: 'finance' };
    const { url, ...member } = await invite(body, headers);
    const again = await call('POST', '', { body, headers });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(succeeded(again, 201), { ...member, url: null });
    const secret = url.split('.').at(-1);
    for (const [table, rows] of await contentsOf(database)) assert.ok(!rows.includes(secret), table);
    assertRefused(await call('POST', '', { body: { role: 'owner' }, headers }), {
      status: 422,
      message: 'MEMBER.INVITE.KEY_REUSED',
      errors: [[19031]],
    });
  });

  test('does not meet one of another account under the same key', async () => {
    const headers = { 'idempotency-key': 'order-2' };
    const own = await invite({ role: 'support' }, headers);
    const foreign = await invite({ role: 'owner' }, headers, callOfNeighbour);
    assert.notEqual(foreign.id, own.id);
    const longest = { 'idempotency-key': 'x'.repeat(255) };
    const { id } = await invite({ role: 'support' }, longest);
    assert.equal((await invite({ role: 'support' }, longest)).id, id);
  });

  test('gives nothing to whoever has its address: who signs in already joins by the link', async () => {
    const email = address();
    const known = await accept(await invite({ role: 'owner' }, {}, callOfNeighbour), email);
    const body = { role: 'support', name: 'Somebody', email };
    const { id, url, status } = await invite(body);
    assert.notEqual(id, known.id);
    assert.equal(status, 'invited');
    assert.deepEqual(await stored(known.id), known);
    await joinOf(known.id, { url });
    const { roles } = await stored(known.id);
    assert.deepEqual(roles, { ...known.roles, [service.account.number]: 'support' });
    assert.equal((await call('GET', `/${id}`)).status, 404);
    const member = succeeded(await call('GET', `/${known.id}`));
    assert.deepEqual(
      [member.role, member.status, JSON.stringify(member).includes('owner')],
      ['support', 'active', false],
    );
    assertRefused(await writesNothing(service, () => call('POST', '', { body })), {
      status: 409,
      message: 'MEMBER.INVITE.USER_EXISTS',
      errors: [[19044, '/email']],
    });
  });

  test('is refused with all mistakes at once', async () => {
    const body = { role: 'admin', name: 'a\nb', email: 'ada', password: 'x' };
    const answer = await writesNothing(service, () => call('POST', '', { body }));
    const errors = ['/email', '/name', '/password', '/role'].map((pointer) => [15502, pointer] as const);
    assertRefused(answer, { status: 400, message: 'MEMBER.INVITE.FIELD_INVALID', errors });
    for (const wrong of [
      {},
      { role: 'owner', name: 'x'.repeat(101) },
      { role: 'owner', email: `${'x'.repeat(251)}@a.b` },
    ])
      assert.equal((await call('POST', '', { body: wrong })).status, 400);
  });
});

suite('the list', () => {
  test('has the members of the account alone, the newest first, in pages', async () => {
    const account = await store.accounts.create(
      { name: 'Listed', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      Date.now(),
    );
    const test = callAs(await service.createKey({ account: account.number }));
    assert.deepEqual(succeeded(await test('GET')), []);
    const live = callAs(await service.createKey({ account: account.number, mode: 'live' }));
    const ids: string[] = [];
    for (const role of ['owner', 'finance', 'support']) ids.unshift((await invite({ role }, {}, live)).id);
    const { json } = await test('GET', '?limit=2');
    assert.deepEqual(
      json.data.map(({ id }: Data) => id),
      ids.slice(0, 2),
    );
    assert.deepEqual([json.has_more, json.next_cursor], [true, ids[1]]);
    const rest = (await live('GET', `?after=${json.next_cursor}`)).json;
    assert.deepEqual([rest.data.map(({ id }: Data) => id), rest.has_more], [ids.slice(2), false]);
    assert.equal((await live('GET', '?role=owner')).status, 400);
  });
});

suite('a role', () => {
  test('can be changed, and is that of this account', async () => {
    const email = address();
    const { id } = await accept(await invite({ role: 'finance' }, {}, callOfNeighbour), email);
    await joinOf(id, await invite({ role: 'support' }));
    const updated = succeeded(await call('PUT', `/${id}`, { body: { role: 'read_only' } }));
    assert.equal(updated.role, 'read_only');
    assert.equal(succeeded(await callOfNeighbour('GET', `/${id}`)).role, 'finance');
    const again = await writesNothing(service, () => call('PUT', `/${id}`, { body: { role: 'read_only' } }));
    assert.deepEqual(succeeded(again), updated);
    const wrong = await call('PUT', `/${id}`, { body: { role: 'admin', name: 'x' } });
    const errors = ['/name', '/role'].map((pointer) => [15502, pointer] as const);
    assertRefused(wrong, { status: 400, message: 'MEMBER.UPDATE.FIELD_INVALID', errors });
  });

  test('goes with the member; a user without any is gone, and the address is free again', async () => {
    const email = address();
    const { id } = await accept(await invite({ role: 'support' }), email);
    await joinOf(id, await invite({ role: 'finance' }, {}, callOfNeighbour));
    assert.deepEqual(succeeded(await call('DELETE', `/${id}`)), { id, object: 'member', deleted: true });
    assert.equal((await call('GET', `/${id}`)).status, 404);
    assert.equal((await stored(id)).email, email);
    succeeded(await callOfNeighbour('DELETE', `/${id}`));
    assert.equal(await store.dashboardUsers.fetch(id), null);
    const { status, url } = await invite({ role: 'support', email });
    assert.equal(status, 'invited');
    assert.ok(url);
  });

  test('of an owner can be taken while another one stays', async () => {
    const { id } = await accept(await invite({ role: 'owner' }), address());
    // Whoever was only invited as an owner is none yet.
    await invite({ role: 'owner' });
    const alone = await writesNothing(service, () => call('DELETE', `/${id}`));
    assertRefused(alone, { status: 409, message: 'MEMBER.DELETE.LAST_OWNER', errors: [[19046]] });
    const other = await accept(await invite({ role: 'owner' }), address());
    succeeded(await call('DELETE', `/${id}`));
    const demoted = await writesNothing(service, () =>
      call('PUT', `/${other.id}`, { body: { role: 'read_only' } }),
    );
    assertRefused(demoted, { status: 409, message: 'MEMBER.UPDATE.LAST_OWNER', errors: [[19046]] });
  });

  test('of the last owner stays, though two keys take it from both owners at once', async () => {
    for (let round = 0; round < 5; round++) {
      const account = await store.accounts.create(
        { name: 'Owned', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
        Date.now(),
      );
      const created = () => service.createKey({ account: account.number, mode: 'live' });
      const [one, other] = [callAs(await created()), callAs(await created())];
      const owner = async () => accept(await invite({ role: 'owner' }, {}, one), address());
      const [ada, bob] = [await owner(), await owner()];
      const answers = await Promise.all([
        one('DELETE', `/${ada.id}`),
        other('PUT', `/${bob.id}`, { body: { role: 'support' } }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      const refused = answers.find(({ status }) => status === 409) ?? assert.fail();
      assert.match(refused.json.message, /^MEMBER\.(UPDATE|DELETE)\.LAST_OWNER$/);
      assert.equal(refused.json.errors[0].code, 19046);
      const left: Data[] = succeeded(await one('GET'));
      assert.equal(left.filter(({ role }) => role === 'owner').length, 1);
    }
  });
});

suite('a reset', () => {
  test('makes a link in the place of the one before', async () => {
    const first = await invite({ role: 'support' });
    const headers = { 'idempotency-key': 'reset-1' };
    const answer = await call('POST', `/${first.id}/reset`, { headers });
    const { url, ...member } = succeeded(answer);
    assert.deepEqual(readLink(url), { id: first.id, hash: (await stored(first.id)).link?.hash });
    assert.notEqual(url, first.url);
    const again = await call('POST', `/${first.id}/reset`, { headers });
    assert.deepEqual(succeeded(again), { ...member, url: null });
    const user = await accept({ url }, address());
    const { status, last_seen_at, link_expires_at } = succeeded(await call('GET', `/${user.id}`));
    assert.deepEqual([status, link_expires_at], ['active', null]);
    assert.equal(last_seen_at, new Date(user.signIns[0]?.seenAt ?? 0).toISOString());
  });

  test('leaves the password as it is until the link is used', async () => {
    const user = await accept(await invite({ role: 'support' }), address());
    const member = succeeded(await call('POST', `/${user.id}/reset`));
    assert.equal(member.status, 'active');
    const { link: _, ...after } = await stored(user.id);
    const { link: __, ...before } = user;
    assert.deepEqual(after, before);
  });

  test('is not made for somebody who works for another account as well, nor by one that they do not work for', async () => {
    const email = address();
    const { id } = await accept(await invite({ role: 'owner' }, {}, callOfNeighbour), email);
    const foreign = await writesNothing(service, () => call('POST', `/${id}/reset`));
    assertRefused(foreign, { status: 404, message: 'MEMBER.RESET.NOT_FOUND', errors: [[105]] });
    await joinOf(id, await invite({ role: 'support' }));
    for (const as of [call, callOfNeighbour]) {
      const answer = await writesNothing(service, () => as('POST', `/${id}/reset`));
      assertRefused(answer, { status: 409, message: 'MEMBER.RESET.MEMBER_ELSEWHERE', errors: [[19047]] });
    }
  });
});

test('each change is on record with the key that made it', async () => {
  const { id } = await invite({ role: 'support' }, { 'x-request-id': 'members-1' });
  await call('PUT', `/${id}`, { body: { role: 'finance' } });
  await call('POST', `/${id}/reset`);
  await callAs(keys.other)('DELETE', `/${id}`);
  const lines = await database.query('SELECT action, actor, account FROM audit WHERE subject = ?', id);
  for (const place of [installation.account, service.account.number]) {
    const done = lines
      .filter(({ account }) => Number(account) === place)
      .map(({ action, actor }) => `${action} ${actor}`);
    assert.deepEqual(done.sort(), [
      `invite_user ${keys.own.id}`,
      `remove_role ${keys.other.id}`,
      `reset_user ${keys.own.id}`,
      `set_role ${keys.own.id}`,
    ]);
  }
});

test('an account has so many members at most, and takes none from others by that', async () => {
  const { id } = await store.accounts
    .create(
      { name: 'Crowd', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      Date.now(),
    )
    .then(({ number }) => ({ id: number }));
  const crowd = callAs(await service.createKey({ account: id, mode: 'live' }));
  await Promise.all(Array.from({ length: MAX_MEMBERS }, () => invite({ role: 'support' }, {}, crowd)));
  const answer = await writesNothing(service, () => crowd('POST', '', { body: { role: 'support' } }));
  assertRefused(answer, { status: 409, message: 'MEMBER.INVITE.TOO_MANY_USERS', errors: [[19045]] });
  await invite({ role: 'support' });
});
