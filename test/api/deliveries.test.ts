/** Deliveries as merchants look at them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint, deliveries, path, settled } from './endpoint.ts';
import { startReceiver } from './receiver.ts';
import { advance, createSession, type Data, feed, pay, succeeded, until, WELL_FORMED_ID } from './shop.ts';

const DAY = 86_400;

const fetchDelivery = async ({ call }: TestService, id: string): Promise<Data> =>
  succeeded(await call('GET', `/v3/webhook_delivery/${id}`));

suite('list', async () => {
  const service = await startService({ after });
  const good = await startReceiver({ after });
  const bad = await startReceiver({ after }, () => 410);
  const endpoint = await createEndpoint(service, { url: good.url, events: ['checkout.created', 'payin.*'] });
  const sessions: Data[] = [];
  for (const webhook_url of ['', bad.url]) sessions.push(await createSession(service, { webhook_url }));
  const [first, second] = sessions;
  await settled(service);
  await advance(service, 600);
  await pay(service, first.id);
  await settled(service);
  const events = await feed(service);
  const all = await deliveries(service);
  const idsOf = (rows: readonly Data[]) => rows.map(({ id }) => id);
  const where = (fits: (row: Data) => boolean) => idsOf(all.filter(fits));

  test('shows every delivery, the newest first', () => {
    assert.deepEqual(all.map(({ event_type }) => event_type).toSorted(), [
      'checkout.created',
      'checkout.created',
      'checkout.created',
      'payin.succeeded',
    ]);
    assert.deepEqual(idsOf(all), idsOf(all).toSorted().toReversed());
    const [newest] = all;
    const event = events.find(({ type }) => type === 'payin.succeeded');
    const { id, last_attempt_at, ...rest } = newest;
    assert.match(id, /^whd_[0-9a-z]{26}$/);
    assert.ok(Date.parse(last_attempt_at) >= Date.parse(event.created_at));
    assert.deepEqual(rest, {
      object: 'webhook_delivery',
      created_at: event.created_at,
      event: event.id,
      event_type: 'payin.succeeded',
      checkout: first.id,
      endpoint: endpoint.id,
      url: good.url,
      status: 'delivered',
      receiver_status: 'healthy',
      attempts: 1,
      next_attempt_at: null,
      last_http_status: 200,
      last_error: '',
    });
    const failed = all.find(({ status }) => status === 'failed');
    assert.deepEqual(
      [failed.endpoint, failed.url, failed.checkout, failed.last_http_status, failed.last_error],
      ['', bad.url, second.id, 410, 'status 410'],
    );
  });

  test('filters by each field, and by several', async () => {
    const [, , third] = all;
    const time = encodeURIComponent(all[0].created_at);
    const rows: ReadonlyArray<readonly [query: string, expected: string[]]> = [
      [`endpoint=${endpoint.id}`, where((row) => row.endpoint === endpoint.id)],
      [`checkout=${first.id}`, where((row) => row.checkout === first.id)],
      [`event=${third.event}`, where((row) => row.event === third.event)],
      ['status=failed', where((row) => row.status === 'failed')],
      ['status=delivered', where((row) => row.status === 'delivered')],
      ['status=pending', []],
      [`created_at[gte]=${time}`, idsOf(all.slice(0, 1))],
      [`created_at[lt]=${time}`, idsOf(all.slice(1))],
      [
        `checkout=${second.id}&endpoint=${endpoint.id}&status=delivered`,
        where((row) => row.checkout === second.id && row.endpoint === endpoint.id),
      ],
      [`endpoint=whe_${WELL_FORMED_ID}`, []],
      [`checkout=chk_${WELL_FORMED_ID}`, []],
      [`event=evt_${WELL_FORMED_ID}`, []],
    ];
    for (const [query, expected] of rows) {
      assert.deepEqual(idsOf(await deliveries(service, `&${query}`)), expected, query);
    }
    const path = `/v3/webhook_endpoint/${endpoint.id}/deliveries`;
    const { json } = await service.call('GET', `${path}?status=delivered`);
    assert.equal(json.message, 'WEBHOOK_ENDPOINT.DELIVERIES.SUCCESS');
    assert.deepEqual(
      idsOf(json.data),
      where((row) => row.endpoint === endpoint.id),
    );
  });

  test('goes through all of them page by page', async () => {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { json } = await service.call('GET', `/v3/webhook_delivery?limit=3${after}`);
      seen.push(...idsOf(json.data));
      if (!json.has_more) break;
      after = `&after=${json.next_cursor}`;
    }
    assert.deepEqual(seen, idsOf(all));
    const back = (await service.call('GET', `/v3/webhook_delivery?limit=2&before=${seen[3]}`)).json;
    assert.deepEqual([idsOf(back.data), back.has_more], [seen.slice(1, 3), true]);
  });

  test('refuses what it does not know', async () => {
    const wrong = [
      'url=x',
      'endpoint=chk_1',
      'endpoint=x',
      'checkout=x',
      'event=x',
      'status=lost',
      'created_at[gte]=today',
      'created_at=2030-01-31T12:00:00Z',
      'limit=101',
      `after=whd_${WELL_FORMED_ID}&before=whd_${WELL_FORMED_ID}`,
    ];
    for (const query of wrong) {
      const answer = await service.call('GET', `/v3/webhook_delivery?${query}`);
      assert.deepEqual([answer.status, answer.json.errors[0].code], [400, 104], query);
    }
    const own = await service.call('GET', `${path}/${endpoint.id}/deliveries?endpoint=${endpoint.id}`);
    assert.equal(own.status, 400);
  });
});

suite('the log of a delivery', () => {
  test('has every try, with the beginning of each answer', async (t) => {
    const service = await startService(t);
    const long = `${'é'.repeat(500)}<b>${'x'.repeat(5000)}`;
    const receiver = await startReceiver(t, (_delivery, count) =>
      count === 1 ? { status: 500, body: long } : { status: 200, body: 'thanks' },
    );
    await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await advance(service, DAY);
    const [{ id, ...listed }] = await deliveries(service);
    const { attempt_log: log, ...delivery } = await fetchDelivery(service, id);
    assert.deepEqual(delivery, { id, ...listed });
    assert.equal(delivery.attempts, 2);
    assert.deepEqual(
      log.map(({ number, http_status, error }: Data) => [number, http_status, error]),
      [
        [1, 500, 'status 500'],
        [2, 200, ''],
      ],
    );
    assert.equal(log[1].answer, 'thanks');
    assert.ok(Buffer.byteLength(log[0].answer) <= 1024);
    assert.ok(Buffer.byteLength(log[0].answer) > 1000);
    assert.ok(long.startsWith(log[0].answer));
    for (const { duration_ms } of log) assert.ok(duration_ms >= 0 && duration_ms < 60_000);
    assert.ok(Date.parse(log[0].created_at) < Date.parse(log[1].created_at));
    assert.equal(log[1].created_at, delivery.last_attempt_at);
  });

  test('is never markup, whatever a receiver says', async (t) => {
    const service = await startService(t);
    const body = '<script>alert("&lt;")</script>\u2028\u0000é';
    const receiver = await startReceiver(t, () => ({ status: 200, body }));
    await createSession(service, { webhook_url: `${receiver.url}?a=1&b=<2>` });
    await settled(service);
    const [{ id }] = await deliveries(service);
    const answer = await service.call('GET', `/v3/webhook_delivery/${id}`);
    assert.doesNotMatch(answer.text, /[<>&]/);
    assert.match(answer.text, /\\u003cscript\\u003e/);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.json.data.attempt_log[0].answer, /^<script>alert\("&lt;"\)<\/script>/);
  });

  test('of a receiver that is not there says so', async (t) => {
    const service = await startService(t);
    await createSession(service, { webhook_url: 'http://127.0.0.1:1/hook' });
    await until(async () => (await deliveries(service))[0].attempts > 0);
    const [{ id }] = await deliveries(service);
    const { attempt_log: log, ...delivery } = await fetchDelivery(service, id);
    assert.deepEqual([delivery.status, delivery.last_http_status], ['pending', null]);
    assert.notEqual(delivery.last_error, '');
    assert.ok(Date.parse(delivery.next_attempt_at) > Date.parse(delivery.last_attempt_at));
    assert.deepEqual(
      [log.length, log[0].http_status, log[0].error, log[0].answer],
      [1, null, delivery.last_error, ''],
    );
  });
});
