/** Records beside sessions: payins, histories, customers, the feed of events, and payment methods. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { contentsOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  feed,
  fetchSession,
  order,
  pay,
  succeeded,
  writesNothing,
} from './shop.ts';

const service = await startService({ after });
const { call } = service;

suite('a payin', () => {
  test('has the id of its session and its facts', async () => {
    const { id } = await createSession(service, order);
    const session = await pay(service, id, { amount: 1000 });
    const answer = await call('GET', `/v3/payin/${id}`);
    assert.equal(answer.json.message, 'PAYIN.FETCH.SUCCESS');
    const { object, checkout, status, status_description, ...facts } = succeeded(answer);
    const { client_token, amount_refunded, refunds, reversals, ...shared } = facts;
    assert.deepEqual([client_token, amount_refunded, refunds, reversals], [session.token, 0, [], []]);
    assert.deepEqual([object, checkout, status], ['payin', id, 'requires_payment_method']);
    assert.equal(status_description, session.payment_status_description);
    for (const [name, value] of Object.entries(shared)) assert.deepEqual(value, session[name], name);
    for (const name of ['amount', 'amount_paid', 'payment_attempts', 'customer_details', 'metadata']) {
      assert.ok(name in shared, name);
    }
  });

  test('of an expired session is cancelled', async () => {
    const { id } = await createSession(service);
    await call('POST', `/v3/checkout/${id}/expire`);
    assert.equal(succeeded(await call('GET', `/v3/payin/${id}`)).status, 'cancelled');
  });
});

suite('a timeline', () => {
  test('tells the history in words, newest first, page by page', async () => {
    const { id } = await createSession(service);
    await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { a: 1 } } });
    await createSession(service);
    await pay(service, id);
    const whole = await call('GET', `/v3/checkout/${id}/timeline`);
    assert.equal(whole.json.message, 'CHECKOUT.TIMELINE.SUCCESS');
    const lines = succeeded(whole);
    assert.deepEqual(
      lines.map(({ sequence, version, type }: Data) => [sequence, version, type]),
      [
        [6, 3, 'payin.succeeded'],
        [5, 3, 'checkout.paid'],
        [4, 3, 'payment_attempt.succeeded'],
        [3, 3, 'payment_attempt.created'],
        [2, 2, 'checkout.updated'],
        [1, 1, 'checkout.created'],
      ],
    );
    assert.equal(lines.at(-1).description, 'The session was created.');
    for (const line of lines) {
      assert.equal(line.object, 'timeline_entry');
      const event = succeeded(await call('GET', `/v3/event/${line.event}`));
      assert.deepEqual([event.type, event.created_at], [line.type, line.created_at]);
    }
    const paged: Data[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json }: Data = await call(
        'GET',
        `/v3/checkout/${id}/timeline?limit=4${cursor && `&after=${cursor}`}`,
      );
      paged.push(...json.data);
      cursor = json.next_cursor;
    }
    assert.deepEqual(paged, lines);
  });
});

suite('the methods that payers can choose from', () => {
  const rows = [
    [
      'invoice_currency=EUR',
      ['card', 'ideal_eur', 'bancontact_eur', 'local_bank_transfer_eur', 'wire_transfer'],
    ],
    [
      'invoice_currency=eur&customer_country=nl',
      ['card', 'ideal_eur', 'local_bank_transfer_eur', 'wire_transfer'],
    ],
    [
      'invoice_currency=SGD&customer_country=SG',
      ['card', 'paynow_sgd', 'local_bank_transfer_sgd', 'wire_transfer'],
    ],
    ['invoice_currency=USD&amount=2500', ['card', 'local_bank_transfer_usd', 'wire_transfer']],
  ] as const;
  for (const [query, types] of rows) {
    test(`for ${query}`, async () => {
      const answer = await call('GET', `/v3/metadata/collect?${query}`);
      assert.equal(answer.json.message, 'METADATA.COLLECT.SUCCESS');
      const data = succeeded(answer);
      assert.deepEqual(
        data.payment_methods.map(({ type }: Data) => type),
        types,
      );
      assert.equal(data.amount, query.includes('amount') ? 2500 : null);
    });
  }

  test('in live mode are none as long as there is no rail for it', async () => {
    const { authorization } = await service.createKey({ mode: 'live' });
    const answer = await call('GET', '/v3/metadata/collect?invoice_currency=USD', {
      headers: { authorization },
    });
    assert.deepEqual(succeeded(answer).payment_methods, []);
  });
});

suite('a customer', () => {
  const body = {
    name: 'Ada Lovelace',
    email: 'Countess@Example.com',
    country: 'gb',
    phone: { calling_code: '44', number: '2079460000' },
    reference_id: 'customer-42',
    metadata: { vip: true, since: 2020 },
  };

  test('is created, fetched, changed and erased', async () => {
    const created = await call('POST', '/v3/customer', { body });
    const data = succeeded(created, 201);
    const path = `/v3/customer/${data.id}`;
    assert.equal(created.json.message, 'CUSTOMER.CREATE.SUCCESS');
    assert.equal(created.headers.get('location'), path);
    const { id, object, created_at, ...rest } = data;
    assert.match(id, /^cus_[0-9a-z]{20,}$/);
    assert.match(created_at, /Z$/);
    assert.deepEqual([object, rest], ['customer', { ...body, country: 'GB', billing: [], shipping: [] }]);
    const fetched = await call('GET', path);
    assert.deepEqual([fetched.json.message, fetched.json.data], ['CUSTOMER.FETCH.SUCCESS', data]);

    const change = { name: 'Ada King', metadata: { vip: null, title: 'Countess' } };
    const updated = await call('PUT', path, { body: change });
    assert.equal(updated.json.message, 'CUSTOMER.UPDATE.SUCCESS');
    const expected = { ...data, name: 'Ada King', metadata: { since: 2020, title: 'Countess' } };
    assert.deepEqual(updated.json.data, expected);
    assert.deepEqual(
      (await writesNothing(service, () => call('PUT', path, { body: {} }))).json.data,
      expected,
    );

    const erased = await call('DELETE', path);
    assert.equal(erased.json.message, 'CUSTOMER.DELETE.SUCCESS');
    assert.deepEqual(erased.json.data, { id, object: 'customer', deleted: true });
    for (const method of ['GET', 'DELETE'] as const) assert.equal((await call(method, path)).status, 404);
    assert.equal((await call('POST', '/v3/customer', { body })).status, 201, 'the address is free again');
  });

  test('has an e-mail address of its own', async () => {
    const one = succeeded(await call('POST', '/v3/customer', { body: { email: 'one@example.com' } }), 201);
    const two = succeeded(await call('POST', '/v3/customer', { body: { email: 'two@example.com' } }), 201);
    const taken = { body: { email: 'ONE@example.com' } };
    for (const [method, path, operation] of [
      ['POST', '/v3/customer', 'CREATE'],
      ['PUT', `/v3/customer/${two.id}`, 'UPDATE'],
    ] as const) {
      const answer = await writesNothing(service, () => call(method, path, taken));
      assertRefused(answer, {
        status: 409,
        message: `CUSTOMER.${operation}.CUSTOMER_EXISTS`,
        errors: [[19025, '/email']],
      });
    }
    assert.equal((await call('PUT', `/v3/customer/${one.id}`, taken)).status, 200);
    const { json } = await call('GET', '/v3/customer?email=two@EXAMPLE.com');
    assert.equal(json.message, 'CUSTOMER.LIST.SUCCESS');
    assert.deepEqual(
      json.data.map(({ id }: Data) => id),
      [two.id],
    );
  });

  test('that changes leaves sessions as they were', async () => {
    const session = await createSession(service, {
      customer_details: { name: 'Before', email: 'then@example.com' },
    });
    const { customer } = session.customer_details;
    await call('PUT', `/v3/customer/${customer}`, { body: { name: 'Later' } });
    assert.deepEqual(await fetchSession(service, session.id), session);
    const next = await createSession(service, { customer });
    assert.equal(next.customer_details.name, 'Later');
  });

  test('that is refused names all its mistakes', async () => {
    const bad = { email: 'ada', country: 'XX', metadata: [], mail: 'x', phone: { number: 1 } };
    const answer = await writesNothing(service, () => call('POST', '/v3/customer', { body: bad }));
    assertRefused(answer, {
      status: 400,
      message: `CUSTOMER.CREATE.${answer.json.errors[0].code === 15515 ? 'BAD_METADATA' : 'FIELD_INVALID'}`,
      errors: [
        [15502, '/mail'],
        [15502, '/email'],
        [15502, '/country'],
        [15502, '/phone/number'],
        [15515, '/metadata'],
      ],
    });
  });
});

test('erasing a customer leaves the books, and nothing of the person', async () => {
  const canary = 'zebulon';
  const contact = { name: canary, address: { line1: canary }, phone: { number: canary } };
  const customer_details = {
    name: canary,
    email: `${canary}@example.com`,
    country: 'IS',
    phone: { calling_code: '354', number: canary },
  };
  const fields = { customer_details, billing_details: contact, shipping_details: contact };
  const [paid, active] = [await createSession(service, fields), await createSession(service, fields)];
  await pay(service, paid.id, { amount: 3000, payment_id: 'kept' });
  const before = await call('GET', `/v3/checkout/${paid.id}`);
  const events = await feed(service);
  const { customer } = paid.customer_details;
  succeeded(await call('DELETE', `/v3/customer/${customer}`));

  const after = await call('GET', `/v3/checkout/${paid.id}`, {
    headers: { 'if-none-match': before.headers.get('etag') ?? '' },
  });
  const blank = {
    customer,
    name: '',
    email: '',
    country: '',
    phone: null,
    billing_details: null,
    shipping_details: null,
  };
  const addresses = { billing_details: null, shipping_details: null };
  assert.deepEqual(succeeded(after), { ...before.json.data, ...addresses, customer_details: blank });
  const left = await feed(service);
  assert.deepEqual(
    left.map(({ id, type, sequence }) => [id, type, sequence]),
    events.map(({ id, type, sequence }) => [id, type, sequence]),
  );
  assert.deepEqual(
    left.map(({ data }) => data.amount_paid),
    events.map(({ data }) => data.amount_paid),
  );
  assert.equal(JSON.stringify(left).includes(canary), false);
  assert.deepEqual((await call('GET', `/v3/checkout?q=${canary}`)).json.data, []);

  // Later changes bring nothing back.
  await call('PUT', `/v3/checkout/${active.id}`, { body: { items: order.items } });
  const updated = await pay(service, active.id);
  assert.deepEqual([updated.customer_details, updated.amount_paid], [blank, 3200]);
  for (const [table, rows] of await contentsOf(service.database)) {
    assert.equal(rows.includes(canary), false, `${table} still knows the person`);
  }
});

suite('the feed of events', () => {
  test('is followed without a gap while events come in', async () => {
    const before = await feed(service);
    const seen: Data[] = [];
    let writing = true;
    const written = Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const { id } = await createSession(service);
        await (n % 2 === 0 ? pay(service, id) : call('POST', `/v3/checkout/${id}/expire`));
      }),
    ).then(() => {
      writing = false;
    });
    const start = (await call('GET', '/v3/event?limit=100')).json;
    let cursor = start.next_cursor;
    for (let last = false, end = false; !end; ) {
      const { json }: Data = await call('GET', `/v3/event?limit=7&after=${cursor}`);
      seen.push(...json.data);
      cursor = json.next_cursor;
      // One more round follows the answer to the last write.
      end = last && !json.has_more;
      last = !writing;
    }
    await written;
    const all = await feed(service);
    assert.deepEqual([...start.data, ...seen], all);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    // 60 creations, 30 payments with four events, 30 expiries with two.
    assert.equal(all.length - before.length, 60 + 30 * 4 + 30 * 2);
    const end = (await call('GET', `/v3/event?after=${cursor}`)).json;
    assert.deepEqual([end.data, end.has_more, end.next_cursor], [[], false, cursor]);
  });

  test('shows only the types that are asked for', async () => {
    const all = await feed(service);
    for (const types of [['checkout.paid'], ['checkout.paid', 'checkout.expired'], ['payin.processing']]) {
      const expected = all.filter(({ type }) => types.includes(type));
      assert.deepEqual(await feed(service, '0', `&type=${types.join()}`), expected);
    }
  });

  test('has the time of the test clock', async () => {
    const clock = await advance(service, 86_400);
    const { id } = await createSession(service);
    const event = (await feed(service)).at(-1);
    assert.equal(event.data.id, id);
    assert.ok(event.created_at >= clock);
  });
});
