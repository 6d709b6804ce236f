/** Lists: pages that hold still while sessions come in, and filters that find what they name. */
import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import { startService } from '../support/service.ts';
import { advance, assertRefused, createSession, type Data, fetchSession, pay, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const HOUR = 3600;

/** All sessions a query finds, page by page, with every page checked. */
async function list(
  query: string,
  limit = 100,
  direction: 'after' | 'before' = 'after',
  start = '',
): Promise<Data[]> {
  const found: Data[] = [];
  for (let cursor = start; ; ) {
    const parts = [query, `limit=${limit}`, ...(cursor ? [`${direction}=${cursor}`] : [])].filter(Boolean);
    const answer = await call('GET', `/v3/checkout?${parts.join('&')}`);
    const rows = succeeded(answer);
    const { message, has_more, next_cursor, ...rest } = answer.json;
    assert.deepEqual(Object.keys(rest), ['status', 'data']);
    assert.equal(message, 'CHECKOUT.LIST.SUCCESS');
    assert.ok(rows.length <= limit);
    const ids = rows.map(({ id }: Data) => id);
    assert.deepEqual(ids, ids.toSorted().reverse(), 'newest first');
    assert.equal(next_cursor === null, !has_more);
    if (direction === 'after') found.push(...rows);
    else found.unshift(...rows);
    if (!has_more) return found;
    assert.equal(rows.length, limit);
    cursor = next_cursor;
  }
}

suite('filters', async () => {
  const clocks = [await advance(service, 1)];
  const lady = { name: 'Ada', email: 'ada.l@example.com' };
  await createSession(service, {
    customer_details: lady,
    reference_id: 'order-1',
    metadata: { shop: 'north', gift: true },
  });
  await createSession(service, { invoice_currency: 'USD', amount: 100, metadata: { shop: 'south', n: 5 } });
  const partly = await createSession(service, {
    reference_id: 'order-10',
    transaction_description: '100% Äpfel_1',
  });
  await pay(service, partly.id, { amount: 1 });
  clocks.push(await advance(service, HOUR));
  const excess = await createSession(service, {
    invoice_currency: 'JPY',
    amount: 7,
    metadata: { shop: 'north' },
  });
  await pay(service, excess.id, { amount: 8 });
  const paid = await createSession(service, { customer_details: lady, amount: 100 });
  await pay(service, paid.id);
  const expired = await createSession(service, {
    reference_id: 'Order-2',
    transaction_description: 'Äpfel & Birnen',
  });
  await call('POST', `/v3/checkout/${expired.id}/expire`);
  clocks.push(await advance(service, HOUR));
  const short = await createSession(service, {
    expires_at: new Date(Date.parse(clocks[2] ?? '') + 100_000).toISOString(),
  });
  await advance(service, HOUR);
  const draft = await createSession(service, {
    amount: 0,
    metadata: { shop: 'north-east', deep: { shop: 'north' } },
  });
  const changed = await createSession(service, { amount: 1, metadata: { shop: 'north' } });
  const items = [{ name: 'Apple', quantity: 100, unit_price: 1 }];
  await call('PUT', `/v3/checkout/${changed.id}`, { body: { items, metadata: { shop: 'west' } } });
  const all = await list('');
  const customer = all.find(({ id }) => id === paid.id).customer_details.customer;
  const time = (text: string | undefined) => Date.parse(text ?? '');
  const starts = (text: string, prefix: string) => text.toLowerCase().startsWith(prefix.toLowerCase());

  const rows: ReadonlyArray<readonly [query: string, fits: (session: Data) => boolean]> = [
    ['', () => true],
    ...['active', 'completed', 'expired'].map(
      (name) => [`status=${name}`, ({ status }: Data) => status === name] as const,
    ),
    ...['unpaid', 'paid', 'expired'].map(
      (name) => [`payment_status=${name}`, (each: Data) => each.payment_status === name] as const,
    ),
    ...['active', 'completed', 'expired'].flatMap((status) =>
      ['unpaid', 'paid', 'expired'].map(
        (name) =>
          [
            `status=${status}&payment_status=${name}`,
            (each: Data) => each.status === status && each.payment_status === name,
          ] as const,
      ),
    ),
    ['payment_status=unpaid&paid_in_excess=true', () => false],
    ['partially_paid=true&paid_in_excess=true', () => false],
    ['amount[gte]=101&amount[lte]=100', () => false],
    [`created_at[gte]=${clocks[1]}&created_at[lt]=${clocks[1]}`, () => false],
    ['amount[gte]=0&amount[lte]=0', (each) => each.id === draft.id],
    ['invoice_currency=JPY', (each) => each.invoice_currency === 'JPY'],
    ['invoice_currency=usd', (each) => each.invoice_currency === 'USD'],
    ['reference_id=order-1', (each) => each.reference_id === 'order-1'],
    [`customer=${customer}`, (each) => each.customer_details.customer === customer],
    [`created_at[gte]=${clocks[1]}`, (each) => time(each.created_at) >= time(clocks[1])],
    [`created_at[lt]=${clocks[1]}`, (each) => time(each.created_at) < time(clocks[1])],
    [
      `created_at[gte]=${clocks[1]}&created_at[lt]=${clocks[2]}`,
      (each) => time(each.created_at) >= time(clocks[1]) && time(each.created_at) < time(clocks[2]),
    ],
    [`created_at[gte]=${paid.created_at}`, (each) => each.created_at >= paid.created_at],
    [`created_at[lt]=${paid.created_at}`, (each) => each.created_at < paid.created_at],
    ['created_at[lt]=1960-01-01T00:00:00Z', () => false],
    ['amount[gte]=100', (each) => each.amount >= 100],
    ['amount[lte]=100', (each) => each.amount <= 100],
    ['amount[gte]=100&amount[lte]=100', (each) => each.amount === 100],
    ['amount[lte]=0', (each) => each.id === draft.id],
    ['partially_paid=true', (each) => each.partially_paid],
    ['partially_paid=false', (each) => !each.partially_paid],
    ['paid_in_excess=true', (each) => each.paid_in_excess],
    ['paid_in_excess=false', (each) => !each.paid_in_excess],
    ['metadata[shop]=north', (each) => each.metadata.shop === 'north'],
    ['metadata%5Bshop%5D=west', (each) => each.metadata.shop === 'west'],
    ['metadata[gift]=true', (each) => each.metadata.gift === true],
    ['metadata[n]=5', (each) => each.metadata.n === 5],
    [
      'metadata[shop]=north&metadata[gift]=true',
      (each) => each.metadata.shop === 'north' && each.metadata.gift === true,
    ],
    ['metadata[deep]=north', () => false],
    [
      `metadata[shop]=north&created_at[gte]=${clocks[1]}&created_at[lt]=${clocks[2]}`,
      (each) => each.id === excess.id,
    ],
    ['metadata[shop]=north&paid_in_excess=true', (each) => each.id === excess.id],
    ['metadata[shop]=north&q=order', (each) => each.reference_id === 'order-1'],
    ['partially_paid=true&status=active', (each) => each.id === partly.id],
    ['q=chk_', () => true],
    [`q=order&created_at[lt]=${clocks[1]}`, (each) => each.reference_id.startsWith('order-')],
    ['q=ord&status=active', (each) => each.reference_id.startsWith('ord') && each.status === 'active'],
    [`q=${paid.id}`, (each) => each.id === paid.id],
    [`q=${paid.id.slice(0, 12)}`, (each) => each.id.startsWith(paid.id.slice(0, 12))],
    ['q=order-1', (each) => each.reference_id.startsWith('order-1')],
    ['q=ADA.L@', (each) => starts(each.customer_details.email, 'ada.l@')],
    ['q=100%25', (each) => starts(each.transaction_description, '100%')],
    ['q=%C3%A4PFEL', (each) => starts(each.transaction_description, 'äpfel')],
    ['q=Birnen', () => false],
    ['q=%25', () => false],
    ['q=_rder', () => false],
    ['status=expired&payment_status=expired', (each) => each.id === short.id],
    [
      'status=active&invoice_currency=EUR&metadata[shop]=north&amount[gte]=1',
      (each) => each.reference_id === 'order-1',
    ],
    [
      `status=completed&payment_status=paid&customer=${customer}&q=ada&created_at[gte]=${clocks[1]}`,
      (each) => each.id === paid.id,
    ],
    ['status=completed&partially_paid=true', () => false],
  ];
  for (const [query, fits] of rows) {
    test(query || 'none', async () => {
      const expected = all.filter(fits).map(({ id }) => id);
      for (const limit of [100, 2]) {
        assert.deepEqual(
          (await list(query, limit)).map(({ id }) => id),
          expected,
        );
        // The same list read forwards, from the oldest session.
        const oldest = `chk_${'0'.repeat(26)}`;
        assert.deepEqual(
          (await list(query, limit, 'before', oldest)).map(({ id }) => id),
          expected,
        );
      }
    });
  }
  test('have something to find', () => {
    assert.equal(all.length, 9);
    const found = rows.map(([, fits]) => all.filter(fits).length);
    assert.ok(found.filter((count) => count > 0 && count < 9).length > 25);
  });
});

suite('pages', () => {
  const mark = (run: string) => `metadata[run]=${run}`;
  const make = (run: string) => createSession(service, { metadata: { run } });

  test('towards older sessions show each once while new ones come in', async () => {
    const made: string[] = [];
    for (let n = 0; n < 11; n++) made.unshift((await make('older')).id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json }: Data = await call(
        'GET',
        `/v3/checkout?${mark('older')}&limit=3${cursor && `&after=${cursor}`}`,
      );
      seen.push(...json.data.map(({ id }: Data) => id));
      cursor = json.next_cursor;
      await Promise.all([make('older'), make('older')]);
    }
    assert.deepEqual(seen, made);
  });

  test('towards newer sessions reach those that come in meanwhile', async () => {
    const made: string[] = [];
    for (let n = 0; n < 7; n++) made.push((await make('newer')).id);
    const seen: string[] = [];
    for (let cursor: string | null = made[0] ?? ''; cursor !== null; ) {
      const { json }: Data = await call('GET', `/v3/checkout?${mark('newer')}&limit=2&before=${cursor}`);
      seen.push(...json.data.map(({ id }: Data) => id).reverse());
      cursor = json.next_cursor;
      if (made.length < 10) made.push((await make('newer')).id);
    }
    assert.deepEqual(seen, made.slice(1));
  });

  test('of a list that ends with a full page say that there is no more', async () => {
    for (let n = 0; n < 4; n++) await make('full');
    const { json } = await call('GET', `/v3/checkout?${mark('full')}&limit=4`);
    assert.deepEqual([json.data.length, json.has_more, json.next_cursor], [4, false, null]);
  });

  test('have 20 rows unless told otherwise', async () => {
    await Promise.all(Array.from({ length: 21 }, () => make('default')));
    const { json } = await call('GET', `/v3/checkout?${mark('default')}`);
    assert.deepEqual([json.data.length, json.has_more], [20, true]);
    assert.equal(json.next_cursor, json.data.at(-1).id);
  });

  test('of customers hold still too', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      made.unshift(succeeded(await call('POST', '/v3/customer', { body: { name: `C${n}` } }), 201).id);
    }
    const first = (await call('GET', '/v3/customer?limit=2')).json;
    await call('POST', '/v3/customer', { body: { name: 'New' } });
    const second = (await call('GET', `/v3/customer?limit=2&after=${first.next_cursor}`)).json;
    const ids = [...first.data, ...second.data].map(({ id }: Data) => id);
    assert.deepEqual(ids, made.slice(0, 4));
  });

  const id = `chk_${'0'.repeat(26)}`;
  for (const [query, remarks] of [
    ['after=', null],
    ['after=5', '/after'],
    ['before=chk_', '/before'],
    [`after=${id}'`, '/after'],
    [`after=evt_${'0'.repeat(26)}`, '/after'],
    [`after=${id}&before=${id}`, '/before'],
    ['limit=-1', '/limit'],
    ['limit=1.5', '/limit'],
    ['amount[gte]=x', '/amount[gte]'],
    ['partially_paid=yes', '/partially_paid'],
    ['created_at[gte]=yesterday', '/created_at[gte]'],
    ['metadata[]=x', '/metadata[]'],
    ['q=a%00', '/q'],
    ['metadata[a%00]=x', '/metadata[a\0]'],
  ] as const) {
    test(`with ${query} are ${remarks ? 'refused' : 'given'}`, async () => {
      const answer = await call('GET', `/v3/checkout?${query}`);
      if (remarks === null) assert.equal(answer.status, 200);
      else
        assertRefused(answer, { status: 400, message: 'CHECKOUT.LIST.BAD_QUERY', errors: [[104, remarks]] });
    });
  }
});

test('a list that is asked for again shows each session as it is then', async () => {
  const customer = succeeded(
    await call('POST', '/v3/customer', { body: { name: 'Ada', email: 'ada@example.org' } }),
    201,
  );
  const { id } = await createSession(service, { customer: customer.id });
  const changes = [
    () => call('PUT', `/v3/checkout/${id}`, { body: { metadata: { changed: true } } }),
    () => pay(service, id, { amount: 100 }),
    () => call('DELETE', `/v3/customer/${customer.id}`),
    () => call('POST', `/v3/checkout/${id}/expire`),
  ];
  const seen = new Set<string>();
  for (const change of [async () => {}, ...changes]) {
    await change();
    const session = await fetchSession(service, id);
    for (let asked = 0; asked < 3; asked++) {
      const [newest] = (await call('GET', '/v3/checkout?limit=1')).json.data;
      assert.deepEqual(newest, session);
    }
    seen.add(JSON.stringify(session));
  }
  assert.equal(seen.size, changes.length + 1);
});

test('all mistakes of the question for a list are told at once', async () => {
  const metadata = Array.from({ length: 11 }, (_, index) => `metadata[key${index}]=1`);
  const id = `chk_${'0'.repeat(26)}`;
  const query = [...metadata, 'status=paid', `after=${id}`, `before=${id}`].join('&');
  assertRefused(await call('GET', `/v3/checkout?${query}`), {
    status: 400,
    message: 'CHECKOUT.LIST.BAD_QUERY',
    errors: ['/status', '/before', '/metadata[key10]'].map((remarks) => [104, remarks] as const),
  });
});

test('customers are not looked for by what no address can have', async () => {
  const answer = await call('GET', '/v3/customer?email=a%00@example.com');
  assertRefused(answer, { status: 400, message: 'CUSTOMER.LIST.BAD_QUERY', errors: [[104, '/email']] });
});

suite('filters by metadata', () => {
  const filters = (count: number) =>
    Array.from({ length: count }, (_, n) => `metadata[${n.toString(36)}]=${n % 36}`).join('&');

  test('can be ten', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [n, n]));
    const { id } = await createSession(service, { metadata });
    await createSession(service, { metadata: { ...metadata, 9: 0 } });
    assert.deepEqual(
      (await list(filters(10))).map((each) => each.id),
      [id],
    );
  });

  for (const count of [11, 1000]) {
    test(`are refused if they are ${count}, with the first that is too many`, async () => {
      const answer = await call('GET', `/v3/checkout?${filters(count)}`);
      const errors = [[104, '/metadata[a]']] as const;
      assertRefused(answer, { status: 400, message: 'CHECKOUT.LIST.BAD_QUERY', errors });
    });
  }
});

suite('filters that exclude one another find nothing, and the store is not asked', () => {
  const asked = async (t: TestContext, query: string) => {
    const { mock } = t.mock.method(service.service.store.checkouts, 'listSerialized');
    const found = await list(query);
    return { found: found.length, questions: mock.callCount() };
  };
  for (const query of [
    'status=active&payment_status=paid',
    'status=active&payment_status=expired',
    'status=completed&payment_status=unpaid',
    'status=completed&payment_status=expired',
    'paid_in_excess=true&partially_paid=true',
    'paid_in_excess=true&payment_status=unpaid',
    'paid_in_excess=true&payment_status=expired',
    'amount[gte]=2&amount[lte]=1',
    'created_at[gte]=2030-01-02T00:00:00Z&created_at[lt]=2030-01-01T00:00:00Z',
    'created_at[gte]=2030-01-01T00:00:00Z&created_at[lt]=2030-01-01T00:00:00Z',
  ])
    test(query, async (t) => {
      assert.deepEqual(await asked(t, query), { found: 0, questions: 0 });
    });

  for (const query of [
    'status=active&payment_status=unpaid',
    'status=completed&payment_status=paid',
    ...['unpaid', 'paid', 'expired'].map((status) => `status=expired&payment_status=${status}`),
    'paid_in_excess=true&payment_status=paid',
    'paid_in_excess=true&partially_paid=false',
    'paid_in_excess=false&partially_paid=true',
    'paid_in_excess=false&payment_status=unpaid',
    'amount[gte]=1&amount[lte]=1',
    'created_at[gte]=2030-01-01T00:00:00Z&created_at[lt]=2030-01-01T00:00:00.001Z',
  ])
    test(`but it is asked for ${query}`, async (t) => {
      assert.equal((await asked(t, query)).questions, 1);
    });
});

// The last one: the first page of all sessions is a short one from here on.
test('pages of long sessions end before their limit, and reach all of them in both directions', async () => {
  const description = 'x'.repeat(5000);
  const items = Array.from({ length: 48 }, (_, n) => ({
    name: `Item ${n}`,
    quantity: 1,
    unit_price: 1,
    description,
  }));
  const made: string[] = [];
  for (let n = 0; n < 20; n++)
    made.push((await createSession(service, { items, metadata: { run: 'long' } })).id);
  for (const direction of ['after', 'before'] as const) {
    const seen: string[] = [];
    const lengths: number[] = [];
    for (let cursor: string | null = direction === 'after' ? '' : (made[0] ?? ''); cursor !== null; ) {
      const { json, text }: Data = await call(
        'GET',
        `/v3/checkout?metadata[run]=long&limit=100${cursor && `&${direction}=${cursor}`}`,
      );
      assert.ok(text.length < 1_500_000, `${text.length} characters`);
      lengths.push(json.data.length);
      const ids: string[] = json.data.map(({ id }: Data) => id);
      seen.push(...(direction === 'after' ? ids : ids.reverse()));
      cursor = json.next_cursor;
    }
    assert.deepEqual(seen, direction === 'after' ? made.toReversed() : made.slice(1));
    assert.ok(lengths.length > 3 && lengths.length < 7, `${lengths}`);
  }
});
