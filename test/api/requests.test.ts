/** The log of requests over the API: what is in it, what is not, and that nothing else is written for it. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { contentsOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { advance, createSession, type Data, pay, succeeded, until, WELL_FORMED_ID } from './shop.ts';

const service = await startService({ after }, { requestLogMs: 1, env: { RATE_LIMIT: '0' } });
const { call, database, key } = service;

let count = 0;
/** An id for a request, by which its entries are found. */
const named = (): Record<string, string> => ({ 'x-request-id': `own-${++count}` });

async function list(query: string, headers: Record<string, string> = {}): Promise<Data> {
  const { status, json } = await call('GET', `/v3/request${query}`, { headers });
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

/** The entries of a request, once there are so many. */
async function entriesOf(headers: Record<string, string>, number = 1, authorization = key.authorization) {
  const data: Data[] = await until(async () => {
    const found = await list(`?request_id=${headers['x-request-id']}`, { authorization });
    return found.data.length >= number && found.data;
  });
  assert.equal(data.length, number);
  return data;
}

/** Waits until whatever was answered before is written, and so is not there if it is not found. */
async function settled(authorization = key.authorization): Promise<void> {
  const headers = { ...named(), authorization };
  await call('POST', '/v3/checkout', { body: {}, headers });
  await entriesOf(headers, 1, authorization);
}

suite('an entry', () => {
  test('of a refusal says which call, why, and in which fields', async () => {
    const headers: Record<string, string> = { ...named(), 'idempotency-key': 'own key' };
    const answer = await call('POST', '/v3/checkout', {
      body: { invoice_currency: 'EURO', items: [{ name: '', quantity: 0, unit_price: 1 }], amonut: 1 },
      headers,
    });
    assert.equal(answer.status, 400);
    const [entry] = await entriesOf(headers);
    const { id, created_at, duration_ms, errors, ...rest } = entry;
    assert.match(id, /^rql_[0-9a-z]{26}$/);
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000, created_at);
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0);
    assert.deepEqual(rest, {
      object: 'request',
      request_id: headers['x-request-id'],
      actor: key.id,
      method: 'POST',
      path: '/v3/checkout',
      operation: 'CHECKOUT.CREATE',
      subject: null,
      status: 400,
      idempotency: 'key',
      left_out: 0,
    });
    const told = answer.json.errors.map(({ code, remarks }: Data) => [code, remarks.replace('amonut', '*')]);
    assert.deepEqual(
      errors.map(({ code, remarks }: Data) => [code, remarks]),
      told,
    );
    for (const { message } of errors) assert.equal(message, 'A field is missing, unknown or invalid.');
  });

  test('of a change has the id of what was made, or of what the path names', async () => {
    const made = named();
    const { id } = await createSession(service, {}, made);
    const [creation] = await entriesOf(made);
    assert.deepEqual([creation.status, creation.subject, creation.errors], [201, id, []]);
    const expired = named();
    succeeded(await call('POST', `/v3/checkout/${id}/expire`, { headers: expired }));
    const [expiry] = await entriesOf(expired);
    assert.deepEqual(
      [expiry.operation, expiry.path, expiry.subject, expiry.idempotency],
      ['CHECKOUT.EXPIRE', '/v3/checkout/{id}/expire', id, 'none'],
    );
    const again = named();
    assert.equal((await call('POST', `/v3/checkout/${id}/expire`, { headers: again })).status, 409);
    const [refusal] = await entriesOf(again);
    assert.deepEqual([refusal.status, refusal.errors[0].code, refusal.errors[0].remarks], [409, 19020, '']);
  });

  test('of a repetition says so', async () => {
    const repeated = { 'idempotency-key': 'again' };
    await createSession(service, {}, repeated);
    const second = { ...repeated, ...named() };
    await createSession(service, {}, second);
    assert.equal((await entriesOf(second))[0].idempotency, 'replayed');
  });

  test('is there for each request with the same id', async () => {
    const headers = named();
    await createSession(service, {}, headers);
    await call('GET', `/v3/checkout/chk_${WELL_FORMED_ID}`, { headers });
    const entries = await entriesOf(headers, 2);
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      ['CHECKOUT.FETCH', 'CHECKOUT.CREATE'],
    );
  });

  test('is by real time, whatever the test clock shows', async () => {
    await advance(service, 90 * 86_400);
    const headers = named();
    await call('POST', '/v3/checkout', { body: {}, headers });
    const [entry] = await entriesOf(headers);
    assert.ok(Date.parse(entry.created_at) < Date.now() + 60_000, entry.created_at);
  });
});

suite('everything that is refused to a known caller has an entry', () => {
  for (const [name, method, path, status, code] of [
    ['a path with an id that nothing has', 'GET', `/v3/checkout/chk_${WELL_FORMED_ID}`, 404, 105],
    ['a query that no list has', 'GET', '/v3/checkout?statuus=active', 400, 104],
    ['a method that the path does not have', 'PATCH', '/v3/checkout', 405, 114],
    ['an operation of operators', 'GET', '/v3/account', 403, 113],
  ] as const)
    test(name, async () => {
      const headers = named();
      assert.equal((await call(method, path, { headers })).status, status);
      const [entry] = await entriesOf(headers);
      assert.deepEqual([entry.status, entry.errors[0].code, entry.method], [status, code, method]);
    });

  test('a body that is no JSON', async () => {
    const headers = { ...named(), 'content-type': 'application/json' };
    assert.equal((await call('POST', '/v3/checkout', { body: '{', headers })).status, 400);
    const [entry] = await entriesOf(headers);
    assert.equal(entry.errors[0].code, 100);
  });
});

suite('there is no entry', () => {
  test('of a read that succeeds, on the quick way or by its route', async () => {
    const { id } = await createSession(service);
    const headers = named();
    for (const path of [
      `/v3/checkout/${id}`,
      `/v3/checkout/${id}?`,
      '/v3/checkout',
      '/v3/metadata/collect?amount=1&invoice_currency=EUR',
    ])
      await call('GET', path, { headers });
    await call('HEAD', '/v3/checkout', { headers });
    await settled();
    await entriesOf(headers, 0);
  });

  test('of somebody who is not known, or of a path that is none', async () => {
    const headers = named();
    const authorization = 'Bearer sk_test_none';
    assert.equal(
      (await call('POST', '/v3/checkout', { body: {}, headers: { ...headers, authorization } })).status,
      401,
    );
    assert.equal((await call('GET', '/v3/chekcout', { headers })).status, 404);
    await settled();
    const rows = await database.query(
      'SELECT * FROM request_log WHERE request_id = ?',
      headers['x-request-id'] ?? '',
    );
    assert.deepEqual(rows, []);
  });

  test('of others: neither of another account nor of the other mode', async () => {
    const account = await createAccount(service.service.store, 'Other', Date.now());
    const others = [
      await service.createKey({ account: account.number }),
      await service.createKey({ mode: 'live' }),
    ];
    const headers = named();
    await call('POST', '/v3/checkout', { body: {}, headers });
    await entriesOf(headers);
    for (const { authorization } of others) {
      await settled(authorization);
      await entriesOf(headers, 0, authorization);
    }
  });
});

suite('an entry has nothing of what the client wrote', () => {
  const canary = 'zebulon_canary';

  test('in paths, queries, bodies, names of fields or headers', async () => {
    const { id } = await createSession(service);
    const ask = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ) => {
      const own = named();
      await call(method, path, {
        headers: { 'user-agent': canary, ...headers, ...own },
        ...(body === undefined ? {} : { body }),
      });
      await entriesOf(own);
    };
    await ask('GET', `/v3/customer/${canary}@example.com`);
    await ask('GET', `/v3/api_key/ak_test_${canary}`);
    await ask('GET', `/v3/receiving_account/${canary}`);
    await ask('GET', `/v3/checkout?${canary}=1&q=${canary}`);
    await ask('POST', '/v3/checkout', {
      [canary]: canary,
      metadata: { [canary]: canary, nested: { [canary]: {} } },
    });
    await ask('POST', '/v3/checkout', {
      invoice_currency: canary,
      customer_details: { email: canary, [canary]: 1 },
    });
    await ask('PUT', `/v3/checkout/${id}`, { metadata: { [canary]: 'x'.repeat(20_000) } });
    await ask('PUT', `/v3/checkout/${id}`, `{"${canary}": `, { 'content-type': 'application/json' });
    await ask('POST', `/v3/checkout/${id}/expire`, undefined, { 'idempotency-key': `${canary}\u00e4` });
    await ask('POST', `/v3/checkout/${id}/expire`, undefined, {
      'idempotency-key': canary,
      'if-match': canary,
    });
    const rows = JSON.stringify(await database.query('SELECT * FROM request_log'));
    assert.ok(!rows.includes(canary), rows.slice(rows.indexOf(canary) - 300, rows.indexOf(canary) + 100));
    assert.ok(!rows.includes(key.secret));
  });

  test('as a key that looks like a number or like a name that requests have', async () => {
    const { id } = await createSession(service);
    const fieldsOf = async (method: string, path: string, body: object) => {
      const headers = named();
      assert.equal((await call(method, path, { body, headers })).status, 400);
      const [{ errors }] = await entriesOf(headers);
      return errors.map(({ remarks }: Data) => remarks);
    };
    const update = (body: object) => fieldsOf('PUT', `/v3/checkout/${id}`, body);
    assert.deepEqual(await update({ metadata: { 4711: '\u0000' } }), ['/metadata/*']);
    assert.deepEqual(await update({ metadata: { email: '\u0000' } }), ['/metadata/*']);
    assert.deepEqual(await update({ 4711: 1 }), ['/*']);
    const [ofItem] = await update({ items: [{ name: 'A', quantity: 0, unit_price: 1 }] });
    assert.equal(ofItem, '/items/0/quantity');
  });

  test('and nothing of a person who is erased', async () => {
    const { customer } = await createSession(service, {
      customer_details: { name: 'Zebulon Canary', email: 'zebulon@example.com', country: 'GB' },
    });
    await call('PUT', `/v3/customer/${customer}`, {
      body: { email: 'zebulon@example.com', country: 'Zebulon' },
    });
    succeeded(await call('DELETE', `/v3/customer/${customer}`));
    await settled();
    for (const [table, rows] of await contentsOf(database)) assert.doesNotMatch(rows, /zebulon/i, table);
  });
});

test('a refusal writes nothing but its entry', async () => {
  const { id } = await createSession(service);
  await pay(service, id);
  await settled();
  // The log of requests is beside all others: see decision 46.
  const others = async () => [...(await contentsOf(database))].filter(([name]) => name !== 'request_log');
  const refuse = async () => {
    for (const [method, path, body] of [
      ['POST', '/v3/checkout', {}],
      ['POST', `/v3/checkout/${id}/expire`, undefined],
      ['PUT', `/v3/checkout/${id}`, { items: [] }],
      ['POST', '/v3/refund', { payin: id, amount: 999_999 }],
      ['GET', `/v3/checkout/chk_${WELL_FORMED_ID}`, undefined],
    ] as const) {
      const { status } = await call(method, path, body === undefined ? {} : { body });
      assert.ok(status >= 400, `${method} ${path}`);
    }
    await settled();
  };
  const before = new Map(await others());
  await refuse();
  const changed = (await others()).filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
  // Those that the service writes by itself, whether anybody asks or not.
  assert.deepEqual(
    changed.filter((name) => !['directory', 'feed', 'feed_end', 'feed_waiting'].includes(name)),
    [],
  );
});

suite('the list', () => {
  test('is in pages, in both directions', async () => {
    for (let made = 0; made < 5; made++) await createSession(service);
    await settled();
    const { data: all } = await list('?limit=5');
    const ids = all.map(({ id }: Data) => id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    const first = await list('?limit=2');
    assert.deepEqual([first.has_more, first.next_cursor], [true, ids[1]]);
    const second = await list(`?limit=2&after=${first.next_cursor}`);
    assert.deepEqual(
      second.data.map(({ id }: Data) => id),
      ids.slice(2, 4),
    );
    const back = await list(`?limit=1&before=${ids[3]}`);
    assert.deepEqual(
      back.data.map(({ id }: Data) => id),
      [ids[2]],
    );
  });

  test('is filtered by status, operation, caller, subject and time', async () => {
    const other = await service.createKey({ permissions: ['write', 'read'] });
    const headers = { ...named(), authorization: other.authorization };
    const { id } = await createSession(service, {}, headers);
    await call('GET', `/v3/checkout/chk_${WELL_FORMED_ID}`, { headers });
    await entriesOf(headers, 2);
    const operationsOf = async (query: string) =>
      (await list(`?actor=${other.id}${query}`)).data.map(({ operation }: Data) => operation);
    const both = ['CHECKOUT.FETCH', 'CHECKOUT.CREATE'];
    assert.deepEqual(await operationsOf(''), both);
    for (const [query, found] of [
      ['&status=404', ['CHECKOUT.FETCH']],
      ['&status=4xx', ['CHECKOUT.FETCH']],
      ['&status=2xx', ['CHECKOUT.CREATE']],
      ['&status=403', []],
      ['&operation=CHECKOUT.CREATE', ['CHECKOUT.CREATE']],
      [`&subject=${id}`, ['CHECKOUT.CREATE']],
      ['&created_at[lt]=2020-01-01T00:00:00Z', []],
      ['&created_at[gte]=2020-01-01T00:00:00Z', both],
    ] as const)
      assert.deepEqual(await operationsOf(query), found, query);
  });

  for (const query of [
    '?after=evt_1',
    '?status=44',
    '?status=6xx',
    '?method=GET',
    '?limit=0',
    '?created_at[lt]=yesterday',
  ])
    test(`refuses ${query}, and says so in its own log`, async () => {
      const headers = named();
      assert.equal((await call('GET', `/v3/request${query}`, { headers })).status, 400);
      assert.equal((await entriesOf(headers))[0].operation, 'REQUEST.LIST');
    });

  test('is for those who may manage the account', async () => {
    const { authorization } = await service.createKey({ permissions: ['read', 'write'] });
    assert.equal((await call('GET', '/v3/request', { headers: { authorization } })).status, 403);
  });

  test('and the log of changes has the changes of a request', async () => {
    const headers = named();
    const { id } = await createSession(service, {}, headers);
    const { json } = await call('GET', `/v3/audit?request_id=${headers['x-request-id']}`);
    assert.deepEqual(
      json.data.map(({ subject, action }: Data) => [subject, action]),
      [[id, 'create']],
    );
  });
});

test('a database that does not take the log makes nothing wait, fail or not ready, and the gap is counted', async () => {
  const lost = async () =>
    Number(
      /opentill_requests_not_logged_total\{reason="failed"\} (\d+)/.exec(
        (await call('GET', '/metrics')).text,
      )?.[1] ?? 0,
    );
  await settled();
  await database.query('ALTER TABLE request_log RENAME TO request_log_gone');
  const headers = named();
  try {
    await createSession(service, {}, headers);
    assert.equal((await call('POST', '/v3/checkout', { body: {} })).status, 400);
    await until(async () => (await lost()) >= 2);
    assert.equal((await call('GET', '/readyz')).status, 200);
  } finally {
    await database.query('ALTER TABLE request_log_gone RENAME TO request_log');
  }
  await settled();
  await entriesOf(headers, 0);
});
