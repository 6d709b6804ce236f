/** Requests that are wrong before anybody looks into their fields: paths, methods, headers, bytes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, suite, test } from 'node:test';
import { type CallOptions, startService } from '../support/service.ts';
import { assertRefused, createSession, type Refused, WELL_FORMED_ID, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const { id } = await createSession(service);
const unknown = `chk_${WELL_FORMED_ID}`;
const json = { 'content-type': 'application/json' };
const EUR = { invoice_currency: 'EUR' };

type Row = readonly [what: string, method: string, path: string, options: CallOptions, refused: Refused];

const badJson: Refused = { status: 400, message: 'CHECKOUT.CREATE.BAD_JSON', errors: [[100]] };
const bad = (operation: string, reason: string, status: number, code: number, remarks = ''): Refused => ({
  status,
  message: `${operation}.${reason}`,
  errors: [[code, remarks]],
});
const badQuery = (operation: string, name: string) => bad(operation, 'BAD_QUERY', 400, 104, `/${name}`);
const notFound = (operation: string) => bad(operation, 'NOT_FOUND', 404, 105);
const badKey = bad('CHECKOUT.CREATE', 'FIELD_INVALID', 400, 15502, '/Idempotency-Key');
const mediaType = bad('CHECKOUT.CREATE', 'UNSUPPORTED_MEDIA_TYPE', 415, 117);
const notAcceptable = bad('CHECKOUT.FETCH', 'NOT_ACCEPTABLE', 406, 115);
const stale = (operation: string) => bad(operation, 'VERSION_STALE', 412, 19030);
const post = (body: unknown, headers = {}): CallOptions => ({ body, headers });

const rows: readonly Row[] = [
  ['half a body', 'POST', '/v3/checkout', post('{"invoice_currency":"EUR"'), badJson],
  ['a body of no JSON', 'POST', '/v3/checkout', post('invoice_currency=EUR'), badJson],
  ['a body with a comment', 'POST', '/v3/checkout', post('{} // x'), badJson],
  ['an empty body', 'POST', '/v3/checkout', { headers: json }, badJson],
  ['a byte order mark', 'POST', '/v3/checkout', post('\ufeff{"invoice_currency":"EUR"}'), badJson],
  ['a body as text', 'POST', '/v3/checkout', post(EUR, { 'content-type': 'text/plain' }), mediaType],
  [
    'a form',
    'POST',
    '/v3/checkout',
    post('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    mediaType,
  ],
  [
    'a type that contains the word',
    'POST',
    '/v3/checkout',
    post(EUR, { 'content-type': 'application/jsonx' }),
    mediaType,
  ],
  [
    'a body of an expiry',
    'POST',
    `/v3/checkout/${id}/expire`,
    post({ reason: 'x' }),
    bad('CHECKOUT.EXPIRE', 'FIELD_INVALID', 400, 15502, '/reason'),
  ],
  [
    'a list for an expiry',
    'POST',
    `/v3/checkout/${id}/expire`,
    post([]),
    bad('CHECKOUT.EXPIRE', 'FIELD_INVALID', 400, 15502),
  ],
  [
    'a word for an expiry',
    'POST',
    `/v3/checkout/${id}/expire`,
    post('expire'),
    bad('CHECKOUT.EXPIRE', 'BAD_JSON', 400, 100),
  ],
  [
    'a form for an expiry',
    'POST',
    `/v3/checkout/${id}/expire`,
    post('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    bad('CHECKOUT.EXPIRE', 'BAD_JSON', 400, 100),
  ],
  [
    'a large body',
    'POST',
    '/v3/checkout',
    post({ ...EUR, metadata: { a: 'x'.repeat(262_144) } }),
    bad('CHECKOUT.CREATE', 'TOO_LARGE', 413, 116),
  ],
  [
    'a long idempotency key',
    'POST',
    '/v3/checkout',
    post(EUR, { 'idempotency-key': 'x'.repeat(256) }),
    badKey,
  ],
  ['an empty idempotency key', 'POST', '/v3/checkout', post(EUR, { 'idempotency-key': '' }), badKey],
  ['an empty quoted idempotency key', 'POST', '/v3/checkout', post(EUR, { 'idempotency-key': '""' }), badKey],
  [
    'an idempotency key of other scripts',
    'POST',
    '/v3/checkout',
    post(EUR, { 'idempotency-key': '\u00e9' }),
    badKey,
  ],
  [
    'a stale If-Match on update',
    'PUT',
    `/v3/checkout/${id}`,
    post({ metadata: { a: 1 } }, { 'if-match': '"7"' }),
    stale('CHECKOUT.UPDATE'),
  ],
  [
    'a stale If-Match on expire',
    'POST',
    `/v3/checkout/${id}/expire`,
    post(undefined, { 'if-match': '"0"' }),
    stale('CHECKOUT.EXPIRE'),
  ],
  [
    'a weak If-Match',
    'PUT',
    `/v3/checkout/${id}`,
    post({ metadata: { a: 1 } }, { 'if-match': 'W/"1"' }),
    stale('CHECKOUT.UPDATE'),
  ],
  [
    'an If-Match of nothing known',
    'PUT',
    `/v3/checkout/${id}`,
    post({}, { 'if-match': 'latest' }),
    stale('CHECKOUT.UPDATE'),
  ],
  ['an unknown path', 'GET', '/v3/checkouts', {}, notFound('API.REQUEST')],
  ['an unknown path outside of the API', 'GET', '/v2/checkout', {}, notFound('API.REQUEST')],
  ['an unknown id', 'GET', `/v3/checkout/${unknown}`, {}, notFound('CHECKOUT.FETCH')],
  ['an update of an unknown id', 'PUT', `/v3/checkout/${unknown}`, post({}), notFound('CHECKOUT.UPDATE')],
  ['an expiry of an unknown id', 'POST', `/v3/checkout/${unknown}/expire`, {}, notFound('CHECKOUT.EXPIRE')],
  [
    'the timeline of an unknown id',
    'GET',
    `/v3/checkout/${unknown}/timeline`,
    {},
    notFound('CHECKOUT.TIMELINE'),
  ],
  ['an unknown payin', 'GET', `/v3/payin/${unknown}`, {}, notFound('PAYIN.FETCH')],
  [
    'an unknown attempt',
    'GET',
    `/v3/payment_attempt/pat_${WELL_FORMED_ID}`,
    {},
    notFound('PAYMENT_ATTEMPT.FETCH'),
  ],
  ['an unknown customer', 'GET', `/v3/customer/cus_${WELL_FORMED_ID}`, {}, notFound('CUSTOMER.FETCH')],
  ['an unknown event', 'GET', `/v3/event/evt_${WELL_FORMED_ID}`, {}, notFound('EVENT.FETCH')],
  [
    'a payment of an unknown id',
    'POST',
    `/v3/test_helpers/checkout/${unknown}/pay`,
    {},
    notFound('TEST_HELPER.PAY'),
  ],
  ['an id of another kind', 'GET', `/v3/checkout/evt_${WELL_FORMED_ID}`, {}, notFound('CHECKOUT.FETCH')],
  ['an id in capitals', 'GET', `/v3/checkout/${unknown.toUpperCase()}`, {}, notFound('CHECKOUT.FETCH')],
  ['a short id', 'PUT', '/v3/checkout/chk_1', post({}), notFound('CHECKOUT.UPDATE')],
  ['an id with an escape', 'POST', `/v3/checkout/${unknown}%00/expire`, {}, notFound('CHECKOUT.EXPIRE')],
  ['an id with a quote', 'GET', `/v3/checkout/${unknown}'--`, {}, notFound('CHECKOUT.FETCH')],
  ['a path that is no UTF-8', 'GET', '/v3/checkout/%ff', {}, bad('API.REQUEST', 'BAD_PATH', 400, 103)],
  [
    'a long part of a path',
    'GET',
    `/v3/checkout/${'a'.repeat(300)}`,
    {},
    bad('API.REQUEST', 'BAD_PATH', 400, 103),
  ],
  [
    'an unknown parameter of a list',
    'GET',
    '/v3/checkout?statsu=active',
    {},
    badQuery('CHECKOUT.LIST', 'statsu'),
  ],
  ['an unknown parameter of events', 'GET', '/v3/event?before=1', {}, badQuery('EVENT.LIST', 'before')],
  ['a limit of 0', 'GET', '/v3/checkout?limit=0', {}, badQuery('CHECKOUT.LIST', 'limit')],
  ['a limit of 101', 'GET', '/v3/customer?limit=101', {}, badQuery('CUSTOMER.LIST', 'limit')],
  ['a limit that is no number', 'GET', '/v3/event?limit=ten', {}, badQuery('EVENT.LIST', 'limit')],
  [
    'a parameter twice',
    'GET',
    '/v3/checkout?status=active&status=expired',
    {},
    badQuery('CHECKOUT.LIST', 'status'),
  ],
  ['an unknown status', 'GET', '/v3/checkout?status=open', {}, badQuery('CHECKOUT.LIST', 'status')],
  [
    'a time without a zone',
    'GET',
    '/v3/checkout?created_at[gte]=2030-01-31T00:00:00',
    {},
    badQuery('CHECKOUT.LIST', 'created_at[gte]'),
  ],
  [
    'methods for no currency',
    'GET',
    '/v3/metadata/collect',
    {},
    badQuery('METADATA.COLLECT', 'invoice_currency'),
  ],
  [
    'an answer in XML',
    'GET',
    `/v3/checkout/${id}`,
    { headers: { accept: 'application/xml' } },
    notAcceptable,
  ],
  [
    'an answer in anything but JSON',
    'GET',
    `/v3/checkout/${id}`,
    { headers: { accept: 'text/html, application/json;q=0' } },
    notAcceptable,
  ],
  [
    'a fraction of a second',
    'POST',
    '/v3/test_helpers/clock/advance',
    post({ seconds: 0.5 }),
    bad('TEST_HELPER.ADVANCE_CLOCK', 'FIELD_INVALID', 400, 15502, '/seconds'),
  ],
  [
    'an unknown outcome',
    'POST',
    `/v3/test_helpers/checkout/${id}/pay`,
    post({ outcome: 'paid' }),
    bad('TEST_HELPER.PAY', 'FIELD_INVALID', 400, 15502, '/outcome'),
  ],
  [
    'a method that the session lacks',
    'POST',
    `/v3/test_helpers/checkout/${id}/pay`,
    post({ method: 'pix_brl', outcome: 'processing' }),
    bad('TEST_HELPER.PAY', 'FIELD_INVALID', 400, 15502, '/method'),
  ],
];

for (const [what, method, path, options, refused] of rows) {
  test(`${what} is refused`, async () => {
    assertRefused(await writesNothing(service, () => call(method, path, options)), refused);
  });
}

test('bytes that are not UTF-8 are refused', async () => {
  const { url, key } = service;
  const body = Buffer.concat([
    Buffer.from('{"invoice_currency":"EUR","reference_id":"'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ]);
  const headers = { ...json, authorization: key.authorization };
  const response = await fetch(`${url}/v3/checkout`, { method: 'POST', headers, body });
  assert.deepEqual(
    [response.status, ((await response.json()) as { message: string }).message],
    [400, 'CHECKOUT.CREATE.BAD_JSON'],
  );
});

test('a body without a content type is refused', async () => {
  const { status, text } = await raw(
    `POST /v3/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: ${service.key.authorization}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  );
  assert.equal(status, 415);
  assert.match(text, /CHECKOUT\.CREATE\.UNSUPPORTED_MEDIA_TYPE/);
});

for (const type of ['/', 'text/plain', ';;;', 'multipart/form-data']) {
  test(`an operation without a body does not look at its type, ${type}`, async () => {
    for (const body of [undefined, '', '{}', 'null']) {
      const session = await createSession(service);
      const options = { body, headers: { 'content-type': type } };
      const { status, text } = await call('POST', `/v3/checkout/${session.id}/expire`, options);
      assert.equal(status, 200, text);
    }
  });
}

test('an expectation that nobody knows is ignored, and takes its turn', async () => {
  const head = `Host: x\r\nAuthorization: ${service.key.authorization}\r\n`;
  const { status, text } = await raw(
    `GET /v3/checkout/${id} HTTP/1.1\r\n${head}Expect: a miracle\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(status, 200);
  assert.match(text, /CHECKOUT\.FETCH\.SUCCESS/);
});

for (const coding of ['identity', 'gzip', 'chunked, identity']) {
  test(`a body whose end nobody knows (${coding}) has one answer, and the connection ends`, async () => {
    // The type alone would be refused at once.
    const head = `Host: x\r\nAuthorization: ${service.key.authorization}\r\nContent-Type: ;;;\r\n`;
    const { status, all } = await raw(
      `POST /v3/checkout HTTP/1.1\r\n${head}Transfer-Encoding: ${coding}\r\n\r\n`,
    );
    assert.equal(status, 400);
    assert.equal(all.match(/^HTTP/gm)?.length, 1, all);
    assert.match(all, /API\.REQUEST\.BAD_PATH/);
  });
}

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset=UTF-8',
]) {
  test(`a body of ${type} is read`, async () => {
    assert.equal((await call('POST', '/v3/checkout', post(EUR, { 'content-type': type }))).status, 201);
  });
}

for (const accept of [
  '*/*',
  'application/*',
  'application/json',
  'text/html, */*;q=0.1',
  'application/problem+json',
]) {
  test(`an answer for ${accept} is given`, async () => {
    assert.equal((await call('GET', `/v3/checkout/${id}`, { headers: { accept } })).status, 200);
  });
}

suite('a method that a path does not have', () => {
  const paths = [
    ['/v3/checkout', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    [`/v3/checkout/${id}`, 'GET, HEAD, PUT', ['POST', 'PATCH', 'DELETE']],
    [`/v3/checkout/${id}/expire`, 'POST', ['GET', 'HEAD', 'PUT', 'DELETE']],
    [`/v3/customer/cus_${WELL_FORMED_ID}`, 'DELETE, GET, HEAD, PUT', ['POST', 'PATCH']],
    ['/v3/event', 'GET, HEAD', ['POST', 'DELETE']],
    ['/v3/test_helpers/clock/advance', 'POST', ['GET']],
  ] as const;
  for (const [path, allow, methods] of paths) {
    for (const method of methods) {
      test(`${method} ${path.slice(0, 20)} answers 405 with those it has`, async () => {
        const answer = await writesNothing(service, () => call(method, path));
        assert.equal(answer.headers.get('allow'), allow);
        if (method === 'HEAD') assert.equal(answer.status, 405);
        else assertRefused(answer, bad('API.REQUEST', 'METHOD_NOT_ALLOWED', 405, 114));
      });
    }
  }
});

test('a failure as a problem document has the same facts', async () => {
  const headers = { accept: 'application/problem+json', 'x-request-id': 'shop-7' };
  const body = { invoice_currency: 'EUX', metadata: [] };
  const { status, headers: got, json: problem } = await call('POST', '/v3/checkout', { body, headers });
  assert.equal(status, 400);
  assert.equal(got.get('content-type'), 'application/problem+json; charset=utf-8');
  const { detail, title, errors, ...rest } = problem;
  assert.deepEqual(rest, {
    type: `${service.url}/docs/errors#field_invalid`,
    status: 400,
    instance: 'urn:opentill:request:shop-7',
    code: 15502,
    message: 'CHECKOUT.CREATE.FIELD_INVALID',
    request_id: 'shop-7',
  });
  assert.ok(title.length > 0 && detail.length > 0);
  assert.deepEqual(
    errors.map(({ code, pointer }: { code: number; pointer: string }) => [code, pointer]),
    [
      [15502, '/invoice_currency'],
      [15515, '/metadata'],
    ],
  );
});

suite('on a bare socket', () => {
  const rows = [
    ['no HTTP at all', 'EHLO shop.example.com\r\n\r\n', 400, 'API.REQUEST.BAD_PATH'],
    ['an unknown method', 'PAY /v3/checkout HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'API.REQUEST.BAD_PATH'],
    [
      'two lengths',
      'POST /v3/checkout HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
      'API.REQUEST.BAD_PATH',
    ],
    [
      'a length and chunks',
      'POST /v3/checkout HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'API.REQUEST.BAD_PATH',
    ],
    [
      'a header of 64 KiB',
      `GET /v3/checkout HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`,
      431,
      'API.REQUEST.TOO_LARGE',
    ],
  ] as const;
  for (const [what, request, status, message] of rows) {
    test(`${what} gets a readable answer`, async () => {
      const answer = await writesNothing(service, () => raw(request));
      assert.equal(answer.status, status);
      const envelope = JSON.parse(answer.text);
      assert.deepEqual([envelope.status, envelope.message], ['error', message]);
      assert.match(envelope.request_id, /^req_/);
    });
  }
});

suite('a request that comes too late', () => {
  const half = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{';
  const problem = 'application/problem+json';
  const rows = [
    ['without the end of its head', '', 'application/json; charset=utf-8'],
    ['without its body', half, 'application/json; charset=utf-8'],
    ['without the rest of its body', `Accept: ${problem}\r\n${half}`, `${problem}; charset=utf-8`],
  ] as const;
  for (const [what, rest, type] of rows) {
    test(`${what} answers 408 as ${type}, and the connection ends`, async (t) => {
      const connections = { headMs: 50, requestMs: 50, lookMs: 10, lingerMs: 50 };
      const quick = await startService(t, { connections });
      const head = `POST /v3/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: ${quick.key.authorization}\r\n`;
      const { status, text, all } = await raw(head + rest, quick);
      assert.equal(status, 408);
      assert.equal(all.match(/^HTTP/gm)?.length, 1, all);
      assert.match(all, /^Connection: close\r$/m);
      assert.ok(all.includes(`Content-Type: ${type}`));
      const { message, errors, code = errors[0].code } = JSON.parse(text);
      assert.deepEqual([message, code], ['API.REQUEST.REQUEST_TIMEOUT', 118]);
    });
  }
});

/** Writes these bytes and reads until the other side closes. */
async function raw(
  request: string,
  { config } = service,
): Promise<{ status: number; text: string; all: string }> {
  const socket = connect(config.PORT, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(request);
  await once(socket, 'close');
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), text, all: answer };
}
