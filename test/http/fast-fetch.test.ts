/** The fast path of fetches: it says what the route says, byte for byte, and counts what the route counts. */
import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { createAccount } from '../../src/accounts/account.ts';
import { configure } from '../api/bank.ts';
import { createSession, WELL_FORMED_ID } from '../api/shop.ts';
import { scaled } from '../support/scale.ts';
import { startService } from '../support/service.ts';
import { answersTo, atRoutes, counted } from './wire.ts';

/** Ends of the path: a fetch with an empty query has the same meaning, and is the route's. */
const WAYS = { fast: '', byRoute: '?' } as const;

const fetchOf = (id: string, way: string, headers: readonly string[], version = '1.1') =>
  `GET /v3/checkout/${id}${way} HTTP/${version}\r\nHost: x\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n`;

suite('a fetch', async () => {
  const service = await startService({ after });
  const { service: running, key, createKey } = service;
  const ofOther = await createAccount(running.store, 'Other', Date.now());
  const lenient = await createAccount(running.store, 'Lenient', Date.now());
  await configure(service, { compatibility: 'v3' }, { number: lenient.number });
  const keys = {
    own: key,
    reader: await createKey({ permissions: ['read'] }),
    writer: await createKey({ permissions: ['write'] }),
    foreign: await createKey({ account: ofOther.number }),
    live: await createKey({ mode: 'live' }),
    lenient: await createKey({ account: lenient.number }),
  };
  const ofLenient = await service.call('POST', '/v3/checkout', {
    headers: { authorization: keys.lenient.authorization },
    body: { invoice_currency: 'JPY', amount: 240_000 },
  });
  const items = Array.from({ length: 20 }, () => ({
    name: 'Widget',
    description: 'ä'.repeat(4000),
    quantity: 1,
    unit_price: 1250,
  }));
  const ids = [
    (await createSession(service)).id,
    (await createSession(service, { items: [{ name: 'Käse 🧀', quantity: 1, unit_price: 700 }] })).id,
    (await createSession(service, { items })).id,
    ofLenient.json.data.id,
    `chk_${WELL_FORMED_ID}`,
    'chk_1',
    `cus_${WELL_FORMED_ID}`,
  ];
  const plain = [`Authorization: ${key.authorization}`, 'X-Request-Id: mine'];
  const end = 'Connection: close';

  test('that is usual does not come to its route, and any other does', async () => {
    const [id = ''] = ids;
    const both = [fetchOf(id, WAYS.fast, plain), fetchOf(id, WAYS.fast, [...plain, end])];
    assert.equal(await atRoutes(() => answersTo(service, both)), 0);
    const authorization = `Authorization: ${keys.lenient.authorization}`;
    for (const unusual of [
      fetchOf(ofLenient.json.data.id, WAYS.fast, [authorization, end]),
      fetchOf(id, WAYS.byRoute, [...plain, end]),
      fetchOf(id, WAYS.fast, [...plain, 'If-None-Match: "2"', end]),
      fetchOf(id, WAYS.fast, [...plain, 'Content-Length: 2', end]).concat('{}'),
    ]) {
      assert.equal(await atRoutes(() => answersTo(service, [unusual])), 1, unusual);
    }
  });

  const among = (...headers: readonly string[]) => fc.constantFrom(...headers);
  const request = fc.record({
    id: fc.constantFrom(...ids),
    headers: fc.tuple(
      among(
        ...Object.values(keys).map(({ authorization }) => `Authorization: ${authorization}`),
        `Authorization: Bearer ${key.secret}`,
        `Authorization: Bearer ${key.secret}x`,
        'Authorization;',
      ),
      among('Accept: */*', 'Accept: application/problem+json', 'Accept: text/html', 'Accept;'),
      among('If-None-Match: "1"', 'If-None-Match: "2"', 'If-None-Match;', 'If-None-Match;'),
      among('Compatibility: strict', 'Compatibility;'),
      among('Content-Length: 0', 'Expect: 100-continue', 'Expect;', 'Expect;'),
      among('Connection: close', 'Connection: keep-alive', 'Connection;', 'Connection;'),
    ),
    version: among('1.1', '1.1', '1.0'),
  });

  test('has the same answer on both ways, byte for byte', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 4 }), async (requests) => {
        const onWay = (way: string) => [
          ...requests.map(({ id, headers, version }) => {
            const present = headers.filter((each) => !each.endsWith(';'));
            return fetchOf(id, way, [...present, 'X-Request-Id: mine'], version);
          }),
          fetchOf('chk_1', way, [...plain, end]),
        ];
        const fast = await answersTo(service, onWay(WAYS.fast));
        assert.equal(fast, await answersTo(service, onWay(WAYS.byRoute)));
      }),
      { numRuns: scaled(60) },
    );
  });

  test('counts as the same request on both ways', async () => {
    const added: Record<string, number>[] = [];
    for (const way of Object.values(WAYS)) {
      const before = await counted(service, '/v3/checkout/:id');
      for (const id of ids) await answersTo(service, [fetchOf(id, way, [...plain, end])]);
      await answersTo(service, [fetchOf('chk_1', way, [end])]);
      const all = Object.entries(await counted(service, '/v3/checkout/:id'));
      const more = all.map(([status, count]) => [status, count - (before[status] ?? 0)] as const);
      added.push(Object.fromEntries(more.filter(([, count]) => count > 0)));
    }
    assert.deepEqual(added[0], { 200: 3, 401: 1, 404: 4 });
    assert.deepEqual(added[0], added[1]);
  });
});

test('a fetch counts once for the rate of its key, whoever answers it', async (t: TestContext) => {
  const limited = await startService(t, { env: { RATE_LIMIT: '1' } });
  const { id } = await createSession(limited);
  const clock = Math.ceil(performance.now());
  t.mock.method(performance, 'now', () => clock);
  for (const way of Object.values(WAYS)) {
    const shop = await createAccount(limited.service.store, 'Shop', Date.now());
    for (const most of [2, 2, 0]) {
      const { authorization } = await limited.createKey({ account: shop.number });
      const headers = [`Authorization: ${authorization}`, 'X-Request-Id: mine'];
      const foreign = fetchOf(id, way, headers);
      const text = await answersTo(limited, [
        foreign,
        foreign,
        foreign,
        fetchOf(id, way, [...headers, 'Connection: close']),
      ]);
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
      assert.deepEqual(statuses, [...Array(most).fill('404'), ...Array(4 - most).fill('429')], way);
    }
  }
});
