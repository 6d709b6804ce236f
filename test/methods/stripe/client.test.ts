/** The line to Stripe: what it sends is what Stripe's own library would send, and what becomes of calls without an answer. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import type { Mode } from '../../../src/checkout/tenant.ts';
import { API_VERSION, type StripeApi } from '../../../src/methods/stripe/api.ts';
import {
  type Ask,
  alertOf,
  createLine,
  type LineOptions,
  type StripeTrouble,
} from '../../../src/methods/stripe/client.ts';
import { fetchHttp, type StripeHttp, type StripeRequest } from '../../../src/methods/stripe/http.ts';

const HOUR_MS = 3_600_000;
const tenant = { account: 1, mode: 'test' } as const;

function lineOver(http: StripeHttp, options: Partial<LineOptions> = {}) {
  return createLine({
    secretKeyOf: async ({ mode }) => (mode === 'test' ? 'sk_test_x' : null),
    apiUrl: 'https://api.example.com',
    timeoutMs: 300,
    retries: 1,
    concurrency: 1,
    concurrencyInAll: 10,
    http,
    ...options,
  });
}

/** Loses the answer to each call, so that it is made again; `onCall` may let time pass meanwhile. */
function losing(onCall: () => void): { readonly http: StripeHttp; readonly keys: string[] } {
  const keys: string[] = [];
  const http: StripeHttp = async ({ headers }) => {
    keys.push(String(headers['idempotency-key']));
    onCall();
    throw Object.assign(new Error('closed'), { code: 'ECONNRESET' });
  };
  return { http, keys };
}

const refundOver = (http: StripeHttp): Promise<unknown> =>
  lineOver(http)(tenant, (stripe) =>
    stripe.refunds.create({ payment_intent: 'pi_1' }, { idempotencyKey: 'rfd_1' }),
  );

suite('a call whose answer is lost', () => {
  test('is made again with its key', async () => {
    const { http, keys } = losing(() => {});
    await assert.rejects(refundOver(http), { kind: 'unavailable', message: 'closed' });
    assert.deepEqual(keys, ['rfd_1', 'rfd_1']);
  });

  test('is not made again by a process that has stood still for longer than keys are remembered', async (t) => {
    const began = Date.now();
    const { http, keys } = losing(() => t.mock.method(Date, 'now', () => began + 26 * HOUR_MS));
    await assert.rejects(refundOver(http), { kind: 'unavailable' });
    assert.deepEqual(keys, ['rfd_1']);
  });
});

test('calls of one account take nothing from those of another', async () => {
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const ask = lineOver(
    async ({ headers }) => {
      if (headers.authorization === 'Bearer sk_test_1') await hangs;
      return { status: 200, shouldRetry: null, text: '{}' };
    },
    { secretKeyOf: async ({ account }) => `sk_test_${account}` },
  );
  const refundOf = (account: number) =>
    ask({ account, mode: 'test' }, (stripe) => stripe.refunds.retrieve('re_1'));
  const first = refundOf(1);
  await assert.rejects(refundOf(1), { kind: 'unavailable', message: 'too many calls are under way' });
  await refundOf(2);
  resolve();
  await first;
  await refundOf(1);
});

test('calls of all accounts are bounded, and shared out where many are under way', async () => {
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const ask = lineOver(
    async () => {
      await hangs;
      return { status: 200, shouldRetry: null, text: '{}' };
    },
    { concurrency: 3, concurrencyInAll: 6, secretKeyOf: async () => 'sk_test_x' },
  );
  const answerOf = (account: number) =>
    ask({ account, mode: 'test' }, (stripe) => stripe.refunds.retrieve('re_1')).then(
      () => 'answered',
      ({ message }) => message,
    );
  const refused = 'too many calls are under way';
  const answers = [1, 1, 1, 2, 2, 3, 4, 5].map(answerOf);
  resolve();
  assert.deepEqual(await Promise.all(answers), [
    'answered',
    'answered',
    'answered',
    'answered',
    refused,
    'answered',
    'answered',
    refused,
  ]);
  assert.deepEqual(await Promise.all([5, 5, 5].map(answerOf)), Array(3).fill('answered'));
});

test('a call without a key, or whose key cannot be looked up now, is not made', async () => {
  const http: StripeHttp = () => assert.fail('a call was made');
  const asked = (secretKeyOf: LineOptions['secretKeyOf']) =>
    lineOver(http, { secretKeyOf })(tenant, (stripe) => stripe.refunds.retrieve('re_1'));
  await assert.rejects(
    asked(async () => null),
    { kind: 'forbidden', message: /account 1 in test mode$/ },
  );
  const lost = async () => Promise.reject(new Error('the database is away'));
  await assert.rejects(asked(lost), { kind: 'unavailable', message: 'the database is away' });
});

suite('questions after what a key may do', () => {
  const lacking = JSON.stringify({ error: { message: 'It lacks the permission.' } });
  /** Refuses every refund, and never answers what else is asked. */
  const hanging = () => {
    const hung: string[] = [];
    const http: StripeHttp = async ({ url, headers }) => {
      if (url.endsWith('/re_1')) return { status: 403, shouldRetry: null, text: lacking };
      hung.push(String(headers.authorization));
      return new Promise(() => {});
    };
    return { hung, http };
  };
  const forbidden = (ask: Ask, account: number) =>
    assert.rejects(
      ask({ account, mode: 'test' }, (stripe) => stripe.refunds.retrieve('re_1')),
      { kind: 'forbidden' },
    );
  const options: Partial<LineOptions> = {
    secretKeyOf: async ({ account }) => `rk_test_${account}`,
    onAlert: () => assert.fail('nothing is known'),
  };

  test('are asked of one key at a time, and take no place of an account', async () => {
    const { hung, http } = hanging();
    const ask = lineOver(http, options);
    for (const account of [1, 1, 2]) await forbidden(ask, account);
    assert.deepEqual(hung, ['Bearer rk_test_1']);
  });

  test('are not asked while much of the room of all calls is taken', async () => {
    const { hung, http } = hanging();
    const ask = lineOver(http, { ...options, concurrencyInAll: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = ask({ account: 3, mode: 'test' }, async () => promise);
    await forbidden(ask, 1);
    assert.deepEqual(hung, []);
    resolve();
    await slow;
  });

  test('are not asked where nobody would be told', async () => {
    const { hung, http } = hanging();
    const { onAlert: _, ...silent } = options;
    await forbidden(lineOver(http, silent), 1);
    assert.deepEqual(hung, []);
  });
});

suite('what Stripe says of a refused key', () => {
  /** Refuses what is asked of it, but not the questions after what the key may do. */
  const refusing =
    (messageFor: (authorization: string) => string | null): StripeHttp =>
    async ({ headers, url }) => {
      const message = messageFor(String(headers.authorization));
      return message === null || !url.endsWith('/re_1')
        ? { status: 200, shouldRetry: null, text: '{}' }
        : {
            status: 403,
            shouldRetry: null,
            text: JSON.stringify({ error: { type: 'invalid_request_error', message } }),
          };
    };
  const needs = (permission: string) =>
    `Having the '${permission}' permission would allow this request to continue.`;
  const refusalIn = (ask: Ask, account: number, mode: Mode) =>
    ask({ account, mode }, (stripe) => stripe.refunds.retrieve('re_1')).then(
      () => assert.fail('it is answered'),
      (error: StripeTrouble) => error,
    );
  const isToldIn = async (ask: Ask, account = 7, mode: Mode = 'live') =>
    alertOf('att_1', await refusalIn(ask, account, mode)).alert !== undefined;

  test('is told once an hour for each account and mode, with whose key it is', async (t) => {
    let message = needs('rak_charge_read');
    const ask = lineOver(
      refusing(() => message),
      { secretKeyOf: async () => 'rk_x' },
    );
    const first = await refusalIn(ask, 7, 'live');
    assert.equal(first.kind, 'forbidden');
    assert.deepEqual(alertOf('att_1', first), {
      alert: `att_1: Stripe refuses the key of account 7 in live mode: ${message}`,
    });
    assert.deepEqual(
      [await isToldIn(ask), await isToldIn(ask, 7, 'test'), await isToldIn(ask, 8)],
      [false, true, true],
    );
    const since = performance.now();
    t.mock.method(performance, 'now', () => since + HOUR_MS);
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
    message = needs('rak_dispute_read');
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false], 'another permission');
  });

  test('is told once for each kind of call, whatever it is about', async () => {
    const ask = lineOver(
      async () => ({
        status: 403,
        shouldRetry: null,
        text: JSON.stringify({ error: { message: 'It may not do this.' } }),
      }),
      { secretKeyOf: async () => 'rk_x' },
    );
    const isToldOf = (question: (stripe: StripeApi) => Promise<unknown>) =>
      ask(tenant, question).then(
        () => assert.fail('it is answered'),
        (error: StripeTrouble) => alertOf('att_1', error).alert !== undefined,
      );
    assert.equal(await isToldOf((stripe) => stripe.refunds.retrieve('re_1')), true);
    assert.equal(await isToldOf((stripe) => stripe.refunds.retrieve('re_2')), false);
    const made = (key: string) =>
      isToldOf((stripe) => stripe.refunds.create({ payment_intent: key }, { idempotencyKey: key }));
    assert.equal(await made('pi_1'), true);
    assert.equal(await made('pi_2'), false);
    const closed = (id: string) => isToldOf((stripe) => stripe.checkout.sessions.expire(id));
    assert.equal(await closed('cs_test_a1'), true);
    assert.equal(await closed('cs_test_b2'), false);
  });

  test('is told at once of each new key, also of one that comes after a good one', async () => {
    let key = 'sk_test_1';
    const ask = lineOver(
      refusing((authorization) =>
        authorization.endsWith('good') ? null : `Invalid API Key provided: ${authorization.split(' ')[1]}`,
      ),
      { secretKeyOf: async () => key },
    );
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
    key = 'sk_test_2';
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
    key = 'sk_test_good';
    await ask({ account: 7, mode: 'live' }, (stripe) => stripe.refunds.retrieve('re_1'));
    key = 'sk_test_3';
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
  });

  test('does not count as told where nobody was told', async () => {
    const ask = lineOver(
      refusing(() => needs('rak_charge_read')),
      { secretKeyOf: async () => 'rk_x' },
    );
    await refusalIn(ask, 7, 'live');
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
  });

  test('is told whatever becomes of the clock', async (t) => {
    const now = Date.now();
    const clock = t.mock.method(Date, 'now', () => now + 365 * 24 * HOUR_MS);
    const ask = lineOver(
      refusing(() => needs('rak_charge_read')),
      { secretKeyOf: async () => 'rk_x' },
    );
    assert.deepEqual([await isToldIn(ask), await isToldIn(ask)], [true, false]);
    clock.mock.mockImplementation(() => now);
    const since = performance.now();
    t.mock.method(performance, 'now', () => since + HOUR_MS);
    assert.ok(await isToldIn(ask));
  });

  test('is cut to a length that a log can have', async () => {
    const ask = lineOver(
      refusing(() => 'no '.repeat(1_000_000)),
      { secretKeyOf: async () => 'rk_x' },
    );
    const { message } = await refusalIn(ask, 7, 'live');
    assert.ok(message.length < 600, `${message.length} characters`);
  });

  test('is told as seldom where there is no key that could be used', async () => {
    const ask = lineOver(() => assert.fail('a call was made'), { secretKeyOf: async () => null });
    assert.deepEqual(
      [await isToldIn(ask), await isToldIn(ask), await isToldIn(ask, 8), await isToldIn(ask, 7, 'test')],
      [true, false, true, true],
    );
  });
});

suite('an answer', () => {
  const answering = (status: number, body: unknown, shouldRetry: string | null = null) => {
    let calls = 0;
    const http: StripeHttp = async () => {
      calls++;
      return { status, shouldRetry, text: typeof body === 'string' ? body : JSON.stringify(body) };
    };
    return { http, calls: () => calls };
  };
  const error = (type: string, code?: string) => ({ error: { type, code, param: 'amount', message: 'No.' } });

  for (const [status, body, shouldRetry, kind, calls] of [
    [400, error('invalid_request_error', 'charge_already_refunded'), null, 'refused', 1],
    [400, error('idempotency_error'), null, 'key_reused', 1],
    [400, error('invalid_request_error', 'rate_limit'), null, 'unavailable', 1],
    [401, error('invalid_request_error'), null, 'forbidden', 1],
    [402, error('card_error'), null, 'refused', 1],
    [403, error('invalid_request_error'), null, 'forbidden', 1],
    [404, error('invalid_request_error'), null, 'refused', 1],
    [409, error('idempotency_error'), null, 'unavailable', 2],
    [429, error('invalid_request_error'), null, 'unavailable', 1],
    [429, error('invalid_request_error', 'lock_timeout'), 'true', 'unavailable', 2],
    [500, error('api_error'), null, 'unavailable', 2],
    [500, error('api_error'), 'false', 'unavailable', 1],
    [503, '<h1>Sorry</h1>', null, 'unavailable', 2],
    [200, '<h1>Welcome</h1>', null, 'unavailable', 1],
    [200, 'null', null, 'unavailable', 1],
    [302, {}, null, 'unavailable', 1],
  ] as const)
    test(`${status} ${JSON.stringify(body)}${shouldRetry === null ? '' : `, retry: ${shouldRetry}`} is ${kind}`, async () => {
      const { http, calls: made } = answering(status, body, shouldRetry);
      await assert.rejects(refundOver(http), { name: 'StripeTrouble', kind });
      assert.equal(made(), calls);
    });

  test('with an error that says nothing is refused all the same', async () => {
    const body = { error: { type: 'invalid_request_error', code: null, param: null, message: null } };
    await assert.rejects(refundOver(answering(400, body).http), {
      kind: 'refused',
      code: '',
      parameter: '',
      message: 'Stripe answered 400',
    });
  });

  test('with an error says its code, its parameter and its message without keys', async () => {
    const body = { error: { type: 'x', code: 'c', param: 'p', message: "Key 'sk_test_***9x' is wrong" } };
    await assert.rejects(refundOver(answering(400, body).http), {
      kind: 'refused',
      code: 'c',
      parameter: 'p',
      message: "Key 'the key' is wrong",
    });
  });
});

suite('what is sent', () => {
  const session = {
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: 100, product_data: { name: 'Tee & [Ø] 100%' } },
      },
    ],
    adaptive_pricing: { enabled: false },
    metadata: { a: 'b c', d: '' },
    expires_at: 1_800_000_000,
  } as unknown as Stripe.Checkout.SessionCreateParams;
  const keyed = { idempotencyKey: 'pat_1' };
  const list = { payment_intent: 'pi_1', limit: 100 };
  const created = { created: { gte: 1, lte: 2 }, limit: 100, starting_after: 'cs_1' };
  const expand = { expand: ['payment_intent.latest_charge', 'customer'] };
  const calls: ReadonlyArray<readonly [string, (stripe: StripeApi) => unknown, (stripe: Stripe) => unknown]> =
    [
      [
        'a new session',
        (s) => s.checkout.sessions.create(session, keyed),
        (s) => s.checkout.sessions.create(session, keyed),
      ],
      [
        'a session',
        (s) => s.checkout.sessions.retrieve('cs_1', expand),
        (s) => s.checkout.sessions.retrieve('cs_1', expand),
      ],
      ['sessions', (s) => s.checkout.sessions.list(created), (s) => s.checkout.sessions.list(created)],
      [
        'the end of a session',
        (s) => s.checkout.sessions.expire('cs_1'),
        (s) => s.checkout.sessions.expire('cs_1'),
      ],
      [
        'a new refund',
        (s) => s.refunds.create({ ...list, amount: 1 }, keyed),
        (s) => s.refunds.create({ ...list, amount: 1 }, keyed),
      ],
      ['a refund', (s) => s.refunds.retrieve('re_1'), (s) => s.refunds.retrieve('re_1')],
      ['refunds', (s) => s.refunds.list(list), (s) => s.refunds.list(list)],
      ['disputes', (s) => s.disputes.list(list), (s) => s.disputes.list(list)],
    ];

  test('is of the version of the API whose types are used', () => {
    assert.equal(API_VERSION, Stripe.API_VERSION);
  });

  for (const [what, ours, theirs] of calls)
    test(`for ${what} is what the library of Stripe sends`, async () => {
      const sent: StripeRequest[] = [];
      const ask = lineOver(async (request) => {
        sent.push(request);
        return { status: 200, shouldRetry: null, text: '{}' };
      });
      await ask(tenant, async (stripe) => ours(stripe));
      const expected: string[] = [];
      const stop = new Error('enough');
      const library = new Stripe('sk_test_x', {
        maxNetworkRetries: 0,
        httpClient: {
          getClientName: () => 'test',
          makeRequest: async (_host, _port, path, method, headers, body) => {
            const given = headers as Readonly<Record<string, string | number | string[] | undefined>>;
            expected.push(
              method,
              sorted(path.split('?')[1] ?? ''),
              path.split('?')[0] ?? '',
              sorted(body ?? ''),
              String(given.Authorization),
              String(given['Stripe-Version']),
              given['Idempotency-Key'] === 'pat_1' ? 'pat_1' : typeof given['Idempotency-Key'],
            );
            throw stop;
          },
        },
      });
      await assert.rejects(async () => theirs(library));
      const [request] = sent;
      assert.ok(request && sent.length === 1);
      const { pathname, search } = new URL(request.url);
      const key = request.headers['idempotency-key'];
      assert.deepEqual(
        [
          request.method,
          sorted(search.slice(1)),
          pathname,
          sorted(request.body),
          request.headers.authorization,
          request.headers['stripe-version'],
          key === 'pat_1' ? key : typeof key,
        ],
        expected,
      );
    });

  /** Names and values, whatever is written in percents and in which order. */
  function sorted(form: string): string {
    return JSON.stringify([...new URLSearchParams(form)].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
});

suite('the network', () => {
  async function serverThat(t: TestContext, answer: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
  const request = { method: 'GET', headers: {}, body: '', timeoutMs: 300 } as const;

  test('brings an answer whole, with what Stripe thinks of another try', async (t) => {
    const url = await serverThat(t, (_request, response) => {
      response.writeHead(500, { 'stripe-should-retry': 'false' }).end('{"ø":1}');
    });
    assert.deepEqual(await fetchHttp({ ...request, timeoutMs: 10_000, url }), {
      status: 500,
      shouldRetry: 'false',
      text: '{"ø":1}',
    });
  });

  test('gives up on an answer that does not end, is too long, or leads elsewhere', async (t) => {
    const slow = await serverThat(t, (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    await assert.rejects(fetchHttp({ ...request, url: slow }), /no complete answer within 300 ms/);
    const long = await serverThat(t, (_request, response) => void response.end(Buffer.alloc(2 ** 23 + 1)));
    await assert.rejects(fetchHttp({ ...request, timeoutMs: 10_000, url: long }), /more than 8388608 bytes/);
    const away = await serverThat(t, (_request, response) => {
      response.writeHead(302, { location: slow }).end();
    });
    await assert.rejects(fetchHttp({ ...request, timeoutMs: 10_000, url: away }), {
      cause: new Error('unexpected redirect'),
    });
  });
});
