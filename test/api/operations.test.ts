/** The service for its operators and their tools: health, metrics, headers, documents, and a graceful end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, suite, test } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { assertRefused, createSession, feed, order, pay, reopened } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const open = { authorization: '' };

suite('health', () => {
  for (const path of ['/livez', '/readyz']) {
    test(`${path} is open to all`, async () => {
      const { status, json } = await call('GET', path, { headers: open });
      assert.deepEqual([status, json], [200, { status: 'ok' }]);
    });
  }
});

test('/metrics has numbers by route, and names nobody', async () => {
  const customer_details = { email: 'metric@example.com' };
  const { id, url } = await createSession(service, { customer_details });
  await pay(service, id);
  await fetch(url);
  await call('GET', `/v3/checkout/${id}`);
  await call('GET', '/nowhere/metric');
  const { status, headers, text } = await call('GET', '/metrics', { headers: open });
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(
    text,
    /http_request_duration_seconds_count\{method="GET",route="\/v3\/checkout\/:id",status="200"\} [1-9]/,
  );
  assert.match(text, /^opentill_webhook_deliveries_pending 0$/m);
  assert.match(text, /^opentill_feed_repairs_total 0$/m);
  assert.match(text, /^opentill_feeds_stuck 0$/m);
  assert.match(text, /^process_cpu_seconds_total /m);
  const token = url.split('/').pop();
  for (const secret of [id, token, service.key.id, service.key.secret, 'metric@', '/nowhere']) {
    assert.equal(text.includes(secret), false, secret);
  }
});

suite('every answer has its security headers', async () => {
  const { id } = await createSession(service);
  const rows = [
    ['GET', '/livez', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/docs', 200],
    ['GET', `/v3/checkout/${id}`, 200],
    ['GET', '/v3/checkout?x=1', 400],
    ['GET', '/v3/checkout/%ff', 400],
    ['GET', '/nowhere', 404],
    ['PATCH', '/v3/checkout', 405],
    ['GET', '/transaction/nobody', 404],
  ] as const;
  for (const [method, path, status] of rows) {
    test(`${method} ${path.slice(0, 20)} ${status}`, async () => {
      const answer = await call(method, path);
      assert.equal(answer.status, status);
      const { headers } = answer;
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      // Public documents may be cached, but are revalidated.
      const isPublic = path === '/docs' || path === '/openapi.json';
      assert.equal(headers.get('cache-control'), isPublic ? 'no-cache' : 'no-store');
      assert.ok(headers.get('referrer-policy'));
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*frame-ancestors 'none'/,
      );
      assert.equal(headers.get('x-powered-by'), null);
      assert.equal(headers.get('server'), null);
      assert.ok(headers.get('x-request-id'));
    });
  }
});

suite('the id of a request', () => {
  const ask = async (given?: string) => {
    const answer = await call('GET', '/v3/nowhere', {
      headers: given === undefined ? {} : { 'x-request-id': given },
    });
    assert.equal(answer.json.request_id, answer.headers.get('x-request-id'));
    return answer.json.request_id;
  };

  test('is its own', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => ask()));
    assert.equal(new Set(ids).size, 50);
    for (const id of ids) assert.match(id, /^req_[\w-]+$/);
  });

  test('is the client’s, if it brings a harmless one', async () => {
    assert.equal(await ask('shop_7.a-b'), 'shop_7.a-b');
    for (const given of ['', 'a b', '<script>', 'x'.repeat(65), 'ä']) assert.match(await ask(given), /^req_/);
  });
});

suite('a stop', () => {
  /** A connection that sends what it is told when it is told. */
  async function connection({ config }: TestService) {
    const socket = connect(config.PORT, '127.0.0.1').setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    return {
      send: (part: string) => new Promise((sent) => socket.write(part, sent)),
      answer: async () => {
        await closed;
        return text;
      },
    };
  }

  test('lets what has begun come to its end, and ends open connections', async (t) => {
    const stopped = await startService(t);
    const body = JSON.stringify(order);
    const head = `Host: x\r\nAuthorization: ${stopped.key.authorization}\r\n`;
    // A fetch by a key that is known is not for the route.
    const { id } = await createSession(stopped);
    const [writer, reader, fetcher, probe] = [
      await connection(stopped),
      await connection(stopped),
      await connection(stopped),
      await connection(stopped),
    ];
    await writer.send(
      `POST /v3/checkout HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    await reader.send(`GET /v3/checkout HTTP/1.1\r\n${head}`);
    await fetcher.send(`GET /v3/checkout/${id} HTTP/1.1\r\n${head}`);
    await probe.send('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    // An answer to a later request says that the service has taken notice of those before it.
    await stopped.call('GET', '/livez');
    const end = stopped.stop();
    const rest = '\r\n';
    await Promise.all([
      writer.send(body.slice(1)),
      ...[reader, fetcher, probe].map(({ send }) => send(rest)),
    ]);
    const answers = await Promise.all([writer, reader, fetcher, probe].map(({ answer }) => answer()));
    await end;
    const statuses = answers.map((answer) => answer.split(' ')[1]);
    assert.deepEqual(statuses, ['201', '200', '200', '503']);
    for (const answer of answers) assert.match(answer, /\r\nconnection: close\r\n/i);
    assert.match(answers[3] ?? '', /"stopping"/);
    await assert.rejects(stopped.call('GET', '/livez'), 'nobody listens any more');

    const again = await reopened(stopped);
    assert.equal((await feed(again)).length, 2, 'what was answered is there');
    await again.stop();
  });

  test('can be asked for twice', async (t) => {
    const stopped = await startService(t);
    await Promise.all([stopped.stop(), stopped.stop()]);
  });

  test('leaves the database to the next one at once', async (t) => {
    const second = await reopened(await startService(t));
    await createSession(second);
    await second.stop();
  });
});

test('routes without a key are limited for each address, and say when to ask again', async (t) => {
  const { call } = await startService(t);
  // All within one moment, however slow the machine is: a whole one, to which allowances are added without a remainder.
  const moment = Math.ceil(performance.now());
  t.mock.method(performance, 'now', () => moment);
  const answers: Array<Awaited<ReturnType<typeof call>>> = [];
  const lane = async () => {
    for (let count = 0; count < 25; count++) answers.push(await call('GET', '/livez'));
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  const refused = answers.filter(({ status }) => status !== 200);
  const passed = answers.length - refused.length;
  assert.ok(passed >= 100, `a burst passes: ${passed}, and then ${refused[0]?.status}`);
  const [first] = refused;
  assert.ok(first);
  assertRefused(first, { status: 429, message: 'API.REQUEST.RATE_LIMITED', errors: [[110]] });
  assert.equal(first.headers.get('retry-after'), '1');
  assert.equal((await call('GET', '/v3/checkout')).status, 200, 'a merchant on the same address goes on');
});
