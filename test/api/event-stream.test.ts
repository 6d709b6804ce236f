/** The feed as a stream of server-sent events. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { revokeKey } from '../support/revoke-key.ts';
import { startService } from '../support/service.ts';
import { openEventSource } from './event-source.ts';
import { assertRefused, createSession, feed, pay, until } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const accept = 'text/event-stream';

test('a stream begins at the start of the feed, and goes on with what happens', async () => {
  const { id } = await createSession(service);
  await pay(service, id);
  const before = await feed(service);
  const source = await openEventSource(service);
  assert.deepEqual(await source.next(), { retry: '3000', id: '0' });
  assert.equal(source.headers.get('cache-control'), 'no-store');
  assert.equal(source.headers.get('x-accel-buffering'), 'no');
  for (const [index, event] of before.entries()) {
    assert.deepEqual(await source.nextEvent(), { id: String(index + 1), event: event.type, data: event });
  }
  const started = performance.now();
  const next = await createSession(service);
  const { event, data } = await source.nextEvent();
  assert.ok(performance.now() - started < 1_500, 'before anybody looks without being told');
  assert.deepEqual([event, data.data.id], ['checkout.created', next.id]);
  source.close();
});

test('the data of an event are the bytes that receivers get', async () => {
  const source = await openEventSource(service, '?after=latest');
  await createSession(service, { metadata: { note: 'Line\r\nbreak \u2028 ü' } });
  const block = await source.next().then(source.next);
  const { id } = JSON.parse(block?.data ?? '');
  assert.ok((await call('GET', `/v3/event/${id}`)).text.includes(`"data":${block?.data}`));
  source.close();
});

test('a stream begins behind `Last-Event-ID`, else behind `after`', async () => {
  const all = await feed(service);
  const cases = [
    ['?after=2', {}, '2'],
    ['?after=2', { 'last-event-id': '1' }, '1'],
    ['?after=latest', { 'last-event-id': '3' }, '3'],
    ['', { 'last-event-id': '' }, '0'],
  ] as const;
  for (const [query, headers, expected] of cases) {
    const source = await openEventSource(service, query, headers);
    assert.equal((await source.next())?.id, expected);
    const { id, data } = await source.nextEvent();
    assert.equal(id, String(Number(expected) + 1));
    assert.deepEqual(data, all[Number(expected)]);
    source.close();
  }
});

test('`latest` begins with what happens from now on, and says where that is', async () => {
  const before = await feed(service);
  const source = await openEventSource(service, '?after=latest');
  assert.equal((await source.next())?.id, String(before.length));
  const { id } = await createSession(service);
  assert.equal((await source.nextEvent()).data.data.id, id);
  source.close();
});

test('a stream of some types has no others', async () => {
  const source = await openEventSource(service, '?after=latest&type=checkout.paid,checkout.expired');
  for (const outcome of ['succeeded', 'failed', 'succeeded']) {
    const { id } = await createSession(service);
    await pay(service, id, { outcome });
    if (outcome === 'failed') await call('POST', `/v3/checkout/${id}/expire`);
  }
  const types = [await source.nextEvent(), await source.nextEvent(), await source.nextEvent()];
  assert.deepEqual(
    types.map(({ event }) => event),
    ['checkout.paid', 'checkout.expired', 'checkout.paid'],
  );
  source.close();
});

test('a client that is cut off again and again gets a thousand events without a gap or a double', async () => {
  const start = (await feed(service)).length;
  const total = 1_000;
  const making = (async () => {
    for (let made = 0; made < total; made += 20) {
      await Promise.all(Array.from({ length: 20 }, () => createSession(service)));
    }
  })();
  const seen: string[] = [];
  for (let last = String(start); seen.length < total; ) {
    const source = await openEventSource(service, '', { 'last-event-id': last });
    // Each time after another number of them.
    const until = Math.min(total, seen.length + 1 + ((seen.length * 7) % 97));
    while (seen.length < until) {
      const { id, data } = await source.nextEvent();
      assert.equal(id, String(Number(last) + 1));
      last = id;
      seen.push(data.id);
    }
    source.close();
  }
  await making;
  const expected = (await feed(service, String(start))).map(({ id }) => id);
  assert.deepEqual(seen, expected);
});

test('a client that does not read for a while holds up nobody, and misses nothing', async (t) => {
  const other = await startService(t);
  const slow = await openEventSource(other);
  const quick = await openEventSource(other);
  // Events larger than the connection's buffers: most of them have to wait in the database.
  const metadata = { note: 'x'.repeat(16_000) };
  const total = 1_000;
  for (let made = 0; made < total; made += 20) {
    await Promise.all(Array.from({ length: 20 }, () => createSession(other, { metadata })));
    for (let i = 1; i <= 20; i++) assert.equal((await quick.nextEvent()).id, String(made + i));
  }
  for (let position = 1; position <= total; position++) {
    assert.equal((await slow.nextEvent()).id, String(position));
  }
  quick.close();
  slow.close();
});

test('nobody hears of events of others', async () => {
  const live = await service.createKey({ mode: 'live' });
  const other = await startService({ after });
  const sources = await Promise.all([
    openEventSource({ ...service, key: live }, '?after=0'),
    openEventSource(service, '?after=latest'),
  ]);
  const [inLive, inTest] = sources;
  const mine = await createSession(service);
  await createSession(other);
  const theirs = await call('POST', '/v3/checkout', {
    body: { invoice_currency: 'EUR', amount: 1 },
    headers: { authorization: live.authorization },
  });
  assert.equal((await inTest.nextEvent()).data.data.id, mine.id);
  const { id, data } = await inLive.nextEvent();
  assert.deepEqual([id, data.data.id], ['1', theirs.json.data.id]);
  for (const source of sources) source.close();
});

test('a revoked key gets no more events', async () => {
  const key = await service.createKey({ permissions: ['read'] });
  const source = await openEventSource({ ...service, key }, '?after=latest');
  const { id } = await createSession(service);
  assert.equal((await source.nextEvent()).data.data.id, id);
  await revokeKey(service.service.store, key.id);
  await createSession(service);
  assert.equal(await source.next(), null);
});

test('an error before a stream begins is answered as everywhere', async () => {
  const { authorization } = await service.createKey({ permissions: ['write'] });
  const rows = [
    [{ authorization: '' }, '', 401, 'NO_CREDENTIALS', [109]],
    [{ authorization }, '', 403, 'SCOPE_MISSING', [113]],
    [{}, '?after=x', 400, 'BAD_QUERY', [104, '/after']],
    [{ 'last-event-id': 'x' }, '', 400, 'BAD_QUERY', [104, '/Last-Event-ID']],
  ] as const;
  for (const [headers, query, status, reason, error] of rows) {
    const answer = await call('GET', `/v3/event${query}`, { headers: { accept, ...headers } });
    assertRefused(answer, { status, message: `EVENT.LIST.${reason}`, errors: [error] });
  }
  const elsewhere = await call('GET', '/v3/checkout', { headers: { accept } });
  assertRefused(elsewhere, { status: 406, message: 'CHECKOUT.LIST.NOT_ACCEPTABLE', errors: [[115]] });
});

test('only a client that prefers a stream gets one', async () => {
  const rows = [
    ['text/event-stream', true],
    ['Text/Event-Stream; q=0.5, */*;q=0.1', true],
    ['text/event-stream, */*', true],
    ['application/json;q=0.5, text/event-stream', true],
    ['application/json, text/event-stream', false],
    ['application/json, text/event-stream;q=0.9', false],
    ['text/event-stream;q=0, */*', false],
    ['*/*', false],
    ['text/*, application/json', false],
  ] as const;
  for (const [accepted, isStream] of rows) {
    const client = new AbortController();
    const { headers } = await fetch(`${service.url}/v3/event?limit=1`, {
      headers: { authorization: service.key.authorization, accept: accepted },
      signal: client.signal,
    });
    client.abort();
    assert.equal(headers.get('content-type')?.startsWith(accept), isStream, accepted);
  }
});

test('a key has so many streams at once and no more, and a closed one makes room', async () => {
  const key = await service.createKey();
  const open = () => openEventSource({ ...service, key }, '?after=latest');
  const sources = await Promise.all(Array.from({ length: 100 }, open));
  const headers = { accept, authorization: key.authorization };
  const refused = await call('GET', '/v3/event', { headers });
  assert.equal(refused.headers.get('retry-after'), '15');
  assertRefused(refused, { status: 429, message: 'EVENT.LIST.RATE_LIMITED', errors: [[110]] });
  (await openEventSource(service)).close();
  const [first, second, ...rest] = sources;
  second?.close();
  const replaced = await until(() => open().catch(() => null));
  const { id } = await createSession(service);
  for (const source of [first, replaced, ...rest])
    assert.equal((await source?.nextEvent())?.data.data.id, id);
  for (const source of [first, replaced, ...rest]) source?.close();
});

test('the end of the service ends streams at once', async (t) => {
  const other = await startService(t);
  const sources = await Promise.all(Array.from({ length: 20 }, () => openEventSource(other)));
  await createSession(other);
  for (const source of sources) await source.nextEvent();
  const ends = Promise.all(sources.map((source) => source.next()));
  const started = performance.now();
  await other.stop();
  assert.deepEqual(new Set(await ends), new Set([null]));
  assert.ok(performance.now() - started < 5_000);
});
