/** The fast path of the payer's page: it says what the route says, byte for byte, and counts what the route counts. */
import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { configure } from '../api/bank.ts';
import { createSession } from '../api/shop.ts';
import { scaled } from '../support/scale.ts';
import { startService, type TestService } from '../support/service.ts';
import { answersTo, atRoutes, counted } from './wire.ts';

type Way = 'fast' | 'byRoute';

const END = 'Connection: close';
const MINE = 'X-Request-Id: mine';

const requestOf = (path: string, headers: readonly string[], version = '1.1', method = 'GET') =>
  `${method} ${path} HTTP/${version}\r\nHost: x\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n`;

/** The path of a page on this way, in a language or none: a further parameter, which has no meaning, leads to the route. */
function pathOn(way: Way, url: string, lang: string | null): string {
  const query = `${lang === null ? '' : `lang=${lang}`}${way === 'fast' ? '' : '&'}`;
  return `${new URL(url).pathname}${query === '' ? '' : `?${query}`}`;
}

const withoutOnce = (text: string): string => text.replaceAll(/name="once" value="[0-9a-z]{26}"/g, '');

async function sessionsOf(service: TestService): Promise<string[]> {
  const items = (description: string) => [{ name: 'Käse 🧀', description, quantity: 1, unit_price: 700 }];
  const paid = await createSession(service);
  await service.call('POST', `/v3/test_helpers/checkout/${paid.id}/pay`, { body: {} });
  const urls = await Promise.all([
    createSession(service),
    createSession(service, { items: items('日本') }),
    createSession(service, { items: Array.from({ length: 20 }, () => items('ä'.repeat(4000))[0]) }),
    createSession(service, { items: [] }),
  ]);
  const [usual] = urls;
  return [
    ...[paid, ...urls].map(({ url }) => url),
    `${usual?.url.slice(0, -1)}${usual?.url.endsWith('0') ? '1' : '0'}`,
  ];
}

suite('a page', async () => {
  const service = await startService({ after });
  const urls = await sessionsOf(service);
  const [usual = ''] = urls;
  const [unknown = ''] = urls.slice(-1);

  test('that is usual does not come to its route, and any other does', async () => {
    const path = pathOn('fast', usual, null);
    const fast = [requestOf(path, [MINE]), requestOf(pathOn('fast', usual, 'de'), [MINE, END])];
    assert.equal(await atRoutes(() => answersTo(service, fast)), 0);
    for (const unusual of [
      requestOf(pathOn('byRoute', usual, null), [MINE, END]),
      requestOf(`${path}?choose`, [MINE, END]),
      requestOf(path, [MINE, END], '1.1', 'HEAD'),
      requestOf(pathOn('fast', unknown, null), [MINE, END]),
    ]) {
      assert.equal(await atRoutes(() => answersTo(service, [unusual])), 1, unusual);
    }
  });

  const request = fc.record({
    url: fc.constantFrom(...urls),
    lang: fc.constantFrom(null, 'de', 'ja', 'xx'),
    headers: fc.tuple(
      fc.constantFrom('Accept-Language: fr-CH, de;q=0.5', 'Accept-Language: xx', 'Accept-Language;'),
      fc.constantFrom('If-None-Match: *', 'If-None-Match;', 'If-None-Match;'),
      fc.constantFrom('Content-Length: 0', 'Sec-Fetch-Site: cross-site', 'Expect;', 'Expect;'),
      fc.constantFrom('Connection: close', 'Connection: keep-alive', 'Connection;', 'Connection;'),
    ),
    version: fc.constantFrom('1.1', '1.1', '1.0'),
  });

  test('is the same on both ways, byte for byte', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 4 }), async (requests) => {
        const onWay = (way: Way) => [
          ...requests.map(({ url, lang, headers, version }) => {
            const present = headers.filter((each) => !each.endsWith(';'));
            return requestOf(pathOn(way, url, lang), [...present, MINE], version);
          }),
          requestOf('/transaction/none', [MINE, END]),
        ];
        const fast = withoutOnce(await answersTo(service, onWay('fast')));
        assert.equal(fast, withoutOnce(await answersTo(service, onWay('byRoute'))));
      }),
      { numRuns: scaled(40) },
    );
  });

  test('has a one-time value of its own each time', async () => {
    const path = pathOn('fast', urls[1] ?? '', null);
    const text = await answersTo(service, [requestOf(path, [MINE]), requestOf(path, [MINE, END])]);
    const values = [...text.matchAll(/name="once" value="([0-9a-z]{26})"/g)].map(([, value]) => value);
    assert.equal(new Set(values).size, 2);
  });

  test('that is long comes from its route', async () => {
    const [, , , long = ''] = urls;
    const path = pathOn('fast', long, null);
    let page = '';
    const count = await atRoutes(async () => {
      page = await answersTo(service, [requestOf(path, [MINE, END])]);
    });
    assert.match(page, /^HTTP\/1\.1 200 /);
    assert.ok(page.length > 64 * 1024);
    assert.equal(count, 1);
  });

  test('shows what the account has set by now, although it is kept', async () => {
    const path = pathOn('fast', urls[1] ?? '', null);
    const look = () => answersTo(service, [requestOf(path, [MINE, END])]);
    await look();
    assert.doesNotMatch(await look(), /accent-/);
    await configure(service, { branding: { accentColor: '#e8590c' } });
    for (let time = 1; time <= 2; time++) assert.match(await look(), /accent-e8590c-/);
    await configure(service, { branding: { accentColor: '' } });
    assert.doesNotMatch(await look(), /accent-/);
  });

  test('that cannot be looked for is looked for once, and its route tells of it', async (t: TestContext) => {
    const fetch = t.mock.method(service.service.store.checkouts, 'fetch', async () => {
      throw new StoreUnavailable('the disk is full');
    });
    for (const way of ['fast', 'byRoute'] as const) {
      const text = await answersTo(service, [requestOf(pathOn(way, usual, null), [MINE, END])]);
      assert.match(text, /^HTTP\/1\.1 503 /);
    }
    assert.equal(fetch.mock.callCount(), 2);
  });

  test('counts as the same request on both ways', async () => {
    const added: number[] = [];
    for (const way of ['fast', 'byRoute'] as const) {
      const before = await counted(service, '/transaction/:token');
      for (const url of urls) await answersTo(service, [requestOf(pathOn(way, url, null), [END])]);
      const now = await counted(service, '/transaction/:token');
      added.push(...['200', '404'].map((status) => (now[status] ?? 0) - (before[status] ?? 0)));
    }
    assert.deepEqual(added, [5, 1, 5, 1]);
  });
});

test('a page counts once for the rate of its address, whoever answers it and whoever forwards it', async (t: TestContext) => {
  const limited = await startService(t, { env: { ADDRESS_RATE_LIMIT: '1', TRUST_PROXY: '127.0.0.0/8' } });
  const { url } = await createSession(limited);
  const none = `${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`;
  const clock = Math.ceil(performance.now());
  t.mock.method(performance, 'now', () => clock);
  let client = 0;
  for (const way of ['fast', 'byRoute'] as const) {
    for (const [address, status] of [
      [url, '200'],
      [none, '404'],
    ] as const) {
      const headers = [MINE, `X-Forwarded-For: 203.0.113.9, 198.51.100.${++client}`];
      const one = requestOf(pathOn(way, address, null), headers);
      const last = requestOf(pathOn(way, address, null), [...headers, END]);
      const text = await answersTo(limited, [one, one, one, last]);
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, each]) => each);
      assert.deepEqual(statuses, [status, status, '429', '429'], `${way} ${status}`);
    }
  }
});
