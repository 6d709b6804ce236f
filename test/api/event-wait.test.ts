/** Pages of the feed that wait for what happens next. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { type CallOptions, startService, type TestService } from '../support/service.ts';
import { assertRefused, createSession, type Data, feed, pay, succeeded, until } from './shop.ts';

const service = await startService({ after });
const { call } = service;

/** The current end of the feed. */
async function end({ call }: TestService = service): Promise<string> {
  return (await call('GET', '/v3/event?after=latest')).json.next_cursor;
}

/** Asks, and resolves when the request has had the time to come to where it waits. */
async function waiting(path: string, { call }: TestService = service, options: CallOptions = {}) {
  const answer = call('GET', path, options);
  // Requests of this process are read in the order in which they are sent, and a page needs a few turns.
  for (let i = 0; i < 3; i++) await call('GET', '/v3/event?limit=1');
  return { answer };
}

test('every page has a cursor, also one of an empty feed, and `latest` is where it ends', async (t) => {
  const fresh = await startService(t);
  const empty = await fresh.call('GET', '/v3/event');
  assert.deepEqual([empty.json.data, empty.json.has_more, empty.json.next_cursor], [[], false, '0']);
  await createSession(fresh);
  await createSession(fresh);
  const latest = await fresh.call('GET', '/v3/event?after=latest&limit=1');
  assert.deepEqual([latest.json.data, latest.json.has_more, latest.json.next_cursor], [[], false, '2']);
  const none = await fresh.call('GET', '/v3/event?type=checkout.expired');
  assert.deepEqual(
    [none.json.data, none.json.next_cursor],
    [[], '2'],
    'the cursor is behind what is not wanted',
  );
  const first = await fresh.call('GET', '/v3/event?type=checkout.created&limit=1');
  assert.deepEqual([first.json.has_more, first.json.next_cursor], [true, '1']);
});

test('an answer comes at once where there is something', async () => {
  const cursor = await end();
  const { id } = await createSession(service);
  const events = succeeded(await call('GET', `/v3/event?after=${cursor}&wait=60`));
  assert.deepEqual(
    events.map(({ type, data }: Data) => [type, data.id]),
    [['checkout.created', id]],
  );
});

test('an answer comes with what happens next', async () => {
  const cursor = await end();
  const { answer } = await waiting(`/v3/event?after=${cursor}&wait=60`);
  const started = performance.now();
  const { id } = await createSession(service);
  const { json } = await answer;
  assert.ok(performance.now() - started < 1_500, 'before anybody looks without being told');
  assert.equal(json.data[0].data.id, id);
  assert.equal(json.next_cursor, String(Number(cursor) + 1));
});

test('an answer comes when the time is over, with the same cursor', async () => {
  const cursor = await end();
  const started = performance.now();
  const { json } = await call('GET', `/v3/event?after=${cursor}&wait=1`);
  const took = performance.now() - started;
  assert.deepEqual([json.data, json.has_more, json.next_cursor], [[], false, cursor]);
  assert.ok(took > 950 && took < 10_000, `${took} ms`);
});

test('only what is wanted ends a wait, and the cursor passes the rest', async () => {
  const cursor = await end();
  const { answer } = await waiting(`/v3/event?after=${cursor}&wait=60&type=checkout.paid`);
  const { answer: late } = await waiting(`/v3/event?after=${cursor}&wait=1&type=checkout.expired`);
  const { id } = await createSession(service);
  await pay(service, id);
  const { json } = await answer;
  assert.deepEqual(
    json.data.map(({ type, data }: Data) => [type, data.id]),
    [['checkout.paid', id]],
  );
  const nothing = (await late).json;
  assert.deepEqual(nothing.data, []);
  assert.equal(nothing.next_cursor, await end());
});

test('a reader that waits gets every event once, in order', async () => {
  const cursor = await end();
  const making = (async () => {
    for (let i = 0; i < 100; i++) await createSession(service);
  })();
  const followers = Array.from({ length: 5 }, async (_, index) => {
    const seen: string[] = [];
    for (let after = cursor; seen.length < 100; ) {
      const { json } = await call('GET', `/v3/event?after=${after}&wait=60&limit=${index + 1}`);
      seen.push(...json.data.map(({ id }: Data) => id));
      after = json.next_cursor;
    }
    return seen;
  });
  const seen = await Promise.all(followers);
  await making;
  const expected = (await feed(service, cursor)).map(({ id }) => id);
  for (const each of seen) assert.deepEqual(each, expected);
});

test('nobody hears of events of others', async () => {
  const live = await service.createKey({ mode: 'live' });
  const other = await createAccount(service.service.store, 'Other', Date.now());
  const foreign = await service.createKey({ account: other.number });
  const waits = await Promise.all(
    [live, foreign].map(({ authorization }) =>
      waiting('/v3/event?wait=1', service, { headers: { authorization } }),
    ),
  );
  await createSession(service);
  for (const { answer } of waits) {
    const { json } = await answer;
    assert.deepEqual([json.data, json.next_cursor], [[], '0']);
  }
});

test('HEAD does not wait', async () => {
  for (const accept of ['application/json', 'text/event-stream']) {
    const answer = await call('HEAD', '/v3/event?after=latest&wait=60', { headers: { accept } });
    assert.deepEqual([answer.status, answer.text], [200, '']);
    assert.equal(answer.headers.get('content-type'), `${accept}; charset=utf-8`);
  }
});

test('an invalid wait or cursor is refused', async () => {
  const rows = ['wait=61', 'wait=-1', 'wait=1.5', 'wait=soon', 'after=newest', 'after=-1'];
  for (const query of rows) {
    const pointer = `/${query.split('=')[0]}`;
    assertRefused(await call('GET', `/v3/event?${query}`), {
      status: 400,
      message: 'EVENT.LIST.BAD_QUERY',
      errors: [[104, pointer]],
    });
  }
});

test('a key has so many waits at once and no more, and who goes away makes room', async () => {
  const cursor = await end();
  const { authorization } = await service.createKey();
  const headers = { authorization };
  const leaving = new AbortController();
  const answers: Promise<unknown>[] = [];
  const come = () =>
    answers.push(
      fetch(`${service.url}/v3/event?after=${cursor}&wait=60`, { headers, signal: leaving.signal }),
    );
  for (let count = 0; count < 100; count++) come();
  // One request too many is refused at once. If another one was refused, a new one takes its place.
  const refused = await until(async () => {
    const answer = await call('GET', `/v3/event?after=${cursor}&wait=1`, { headers });
    if (answer.status === 200) come();
    return answer.status === 429 && answer;
  });
  assert.equal(refused.headers.get('retry-after'), '15');
  assertRefused(refused, { status: 429, message: 'EVENT.LIST.RATE_LIMITED', errors: [[110]] });
  assert.equal((await call('GET', '/v3/event', { headers })).status, 200, 'without a wait');
  const { answer } = await waiting(`/v3/event?after=${cursor}&wait=60`);
  leaving.abort();
  await Promise.allSettled(answers);
  await until(async () => {
    const { status } = await call('GET', `/v3/event?after=${cursor}&wait=1`, { headers });
    return status === 200;
  });
  await createSession(service);
  assert.equal((await answer).json.data.length, 1, 'other keys are not concerned');
});

test('the end of the service ends waits at once', async (t) => {
  const other = await startService(t);
  await createSession(other);
  const cursor = await end(other);
  const { answer } = await waiting(`/v3/event?after=${cursor}&wait=60`, other);
  const started = performance.now();
  await other.stop();
  assert.ok(performance.now() - started < 5_000);
  const { status, json, headers } = await answer;
  assert.deepEqual([status, json.data, json.next_cursor], [200, [], cursor]);
  assert.equal(headers.get('connection'), 'close');
});

test('types can be asked for by their kind, all of them by *, and none that does not exist', async () => {
  const { id } = await createSession(service);
  await pay(service, id);
  const typesWith = async (type: string) => {
    const events = await feed(service, '0', `&type=${type}`);
    return new Set(events.map(({ type }: Data) => type.split('.')[0]));
  };
  assert.deepEqual(await typesWith('checkout.*'), new Set(['checkout']));
  assert.deepEqual(await typesWith('payin.*,checkout.paid'), new Set(['payin', 'checkout']));
  assert.deepEqual(await typesWith('*'), new Set(['checkout', 'payment_attempt', 'payin']));
  assertRefused(await call('GET', '/v3/event?type=checkout.payed,checkout.paid'), {
    status: 400,
    message: 'EVENT.LIST.BAD_QUERY',
    errors: [[104, '/type']],
  });
});

test('a cursor beyond the end is refused: it is of another database', async () => {
  const beyond = Number(await end()) + 1;
  for (const query of [`after=${beyond}`, `after=${beyond}&wait=60`, `after=${beyond}&type=checkout.paid`]) {
    assertRefused(await call('GET', `/v3/event?${query}`), {
      status: 400,
      message: 'EVENT.LIST.BAD_QUERY',
      errors: [[104, '/after']],
    });
  }
  const headers = { accept: 'text/event-stream', 'last-event-id': String(beyond) };
  assert.equal((await call('GET', '/v3/event', { headers })).status, 400);
});
