/** Deliveries that merchants send again: one, or all that have failed. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startService, type TestService } from '../support/service.ts';
import { createEndpoint, deliveries, resendFailed, settled, updateEndpoint } from './endpoint.ts';
import { startReceiver } from './receiver.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  succeeded,
  until,
  WELL_FORMED_ID,
  writesNothing,
} from './shop.ts';

const DAY = 86_400;

const fetchDelivery = async ({ call }: TestService, id: string): Promise<Data> =>
  succeeded(await call('GET', `/v3/webhook_delivery/${id}`));
const resend = ({ call }: TestService, id: string, headers = {}) =>
  call('POST', `/v3/webhook_delivery/${id}/resend`, { headers });

suite('a delivery that is made again', () => {
  test('has the same bytes, and all tries of a new one', async (t) => {
    const service = await startService(t);
    let status = 500;
    const receiver = await startReceiver(t, () => status);
    await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await advance(service, 30 * DAY);
    const [{ id }] = await deliveries(service);
    assert.deepEqual(
      [(await fetchDelivery(service, id)).status, (await fetchDelivery(service, id)).attempts],
      ['failed', 12],
    );
    const again = succeeded(await resend(service, id));
    assert.deepEqual([again.id, again.status, again.attempts], [id, 'pending', 12]);
    await receiver.received(13);
    await advance(service, 30 * DAY);
    const { attempts, attempt_log } = await fetchDelivery(service, id);
    assert.deepEqual([attempts, attempt_log.length, attempt_log.at(-1).number], [24, 24, 24]);
    status = 200;
    await resend(service, id);
    await settled(service);
    assert.deepEqual(
      [(await fetchDelivery(service, id)).status, receiver.deliveries.length],
      ['delivered', 25],
    );
    assert.equal(new Set(receiver.deliveries.map(({ text }) => text)).size, 1);
  });

  test('may have arrived before', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t);
    await createSession(service, { webhook_url: receiver.url });
    await settled(service);
    const [{ id }] = await deliveries(service);
    const headers = { 'idempotency-key': 'resend-1' };
    const first = await resend(service, id, headers);
    await settled(service);
    const repeated = await resend(service, id, headers);
    assert.equal(repeated.text, first.text);
    await settled(service);
    const [one, two, ...more] = receiver.deliveries;
    assert.equal(one?.text, two?.text);
    assert.deepEqual(more, []);
  });

  test('is shown without a next attempt while an earlier one is pending', async (t) => {
    const service = await startService(t);
    let status = 200;
    const receiver = await startReceiver(t, () => status);
    const { id: session } = await createSession(service, { webhook_url: receiver.url });
    await settled(service);
    await service.call('POST', `/v3/checkout/${session}/expire`);
    await settled(service);
    status = 500;
    const [later, earlier] = (await deliveries(service)).map(({ id }) => id);
    const isDue: boolean[] = [];
    for (const id of [earlier, later]) {
      const answered = succeeded(await resend(service, id));
      isDue.push(answered.next_attempt_at !== null);
      assert.equal(
        answered.next_attempt_at === null,
        (await fetchDelivery(service, id)).next_attempt_at === null,
      );
    }
    assert.deepEqual(isDue, [true, false]);
  });

  test('goes nowhere while its endpoint is disabled', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t);
    const { id: endpoint } = await createEndpoint(service, { url: receiver.url });
    await createSession(service);
    await settled(service);
    await updateEndpoint(service, endpoint, { status: 'disabled' });
    const [{ id }] = await deliveries(service);
    const answer = await writesNothing(service, () => resend(service, id));
    const message = 'WEBHOOK_DELIVERY.RESEND.ENDPOINT_DISABLED';
    assertRefused(answer, { status: 409, message, errors: [[19041]] });
  });
});

suite('all failed deliveries', () => {
  test('since a time are made again, each once', async (t) => {
    const service = await startService(t);
    let status = 410;
    const receiver = await startReceiver(t, () => status);
    await createSession(service, { webhook_url: receiver.url });
    await settled(service);
    const since = await advance(service, 60);
    await createSession(service, { webhook_url: receiver.url });
    const { id } = await createSession(service, { webhook_url: receiver.url });
    await service.call('POST', `/v3/checkout/${id}/expire`);
    await settled(service);
    assert.equal(receiver.deliveries.length, 5);
    status = 200;
    const body = { since };
    const headers = { 'idempotency-key': 'failed-1' };
    const ask = () => service.call('POST', '/v3/webhook_delivery/resend', { body, headers });
    const first = await ask();
    assert.equal(first.json.message, 'WEBHOOK_DELIVERY.RESEND_FAILED.SUCCESS');
    assert.deepEqual(succeeded(first), { object: 'resend', resent: 4, has_more: false, next_cursor: null });
    await settled(service);
    const again = receiver.deliveries.slice(5);
    assert.equal(new Set(again.map(({ text }) => text)).size, 4);
    assert.deepEqual(
      again.filter(({ event }) => event.data.id === id).map(({ event }) => event.sequence),
      [1, 2, 3],
    );
    // A repetition of the request does nothing; another one finds what is left.
    const repeated = await ask();
    assert.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [first.text, 'true']);
    assert.equal((await resendFailed(service, { since })).resent, 0);
    assert.equal((await resendFailed(service)).resent, 1);
  });

  test('of one endpoint are made again, and no others', async (t) => {
    const service = await startService(t);
    const receivers = [await startReceiver(t, () => 404), await startReceiver(t, () => 404)];
    const ids: string[] = [];
    for (const { url } of receivers) ids.push((await createEndpoint(service, { url })).id);
    await createSession(service);
    for (const receiver of receivers) await receiver.received(1);
    await until(async () => (await deliveries(service)).every(({ attempts }) => attempts === 1));
    // Disabling the endpoints ends pending deliveries, so that they begin anew.
    for (const id of ids) await updateEndpoint(service, id, { status: 'disabled' });
    await advance(service, DAY);
    for (const id of ids) await updateEndpoint(service, id, { status: 'enabled' });
    const [first = '', second = ''] = ids;
    assert.equal((await resendFailed(service, { endpoint: first })).resent, 1);
    await updateEndpoint(service, first, { status: 'disabled' });
    const ask = (endpoint: string) =>
      service.call('POST', '/v3/webhook_delivery/resend', {
        body: { since: '2000-01-01T00:00:00Z', endpoint },
      });
    const message = 'WEBHOOK_DELIVERY.RESEND_FAILED';
    assertRefused(await ask(first), {
      status: 409,
      message: `${message}.ENDPOINT_DISABLED`,
      errors: [[19041]],
    });
    assertRefused(await ask(`whe_${WELL_FORMED_ID}`), {
      status: 400,
      message: `${message}.FIELD_INVALID`,
      errors: [[15502, '/endpoint']],
    });
    assert.equal(succeeded(await ask(second)).resent, 1);
  });

  test('are made again 500 at a time, without those that cannot be', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 410);
    const { id } = await createEndpoint(service, {
      url: 'http://127.0.0.1:1/',
      events: ['checkout.created'],
    });
    const create = async () => {
      for (let each = 0; each < 51; each++) await createSession(service, { webhook_url: receiver.url });
    };
    await Promise.all(Array.from({ length: 10 }, create));
    await updateEndpoint(service, id, { status: 'disabled' });
    await advance(service, DAY);
    assert.equal(receiver.deliveries.length, 510);
    const ofEndpoint = await deliveries(service, `&endpoint=${id}`);
    const first = await resendFailed(service);
    assert.deepEqual([first.resent, first.has_more], [500, true]);
    await settled(service);
    // Resent deliveries have failed again; yet the requests come to an end.
    const { next_cursor: after } = first;
    const last = await resendFailed(service, { after });
    assert.deepEqual(last, { object: 'resend', resent: 10, has_more: false, next_cursor: null });
    await receiver.received(1020);
    await settled(service);
    // As many as one request makes again are all that there are.
    const [tenth] = await service.database.query(
      `SELECT id FROM delivery WHERE receiver <> '${id}' ORDER BY id LIMIT 1 OFFSET 9`,
    );
    const whole = await resendFailed(service, { after: tenth?.id });
    assert.deepEqual(whole, { object: 'resend', resent: 500, has_more: false, next_cursor: null });
    await receiver.received(1520);
    assert.equal(new Set(receiver.deliveries.map(({ event }) => event.id)).size, 510);
    await settled(service);
    assert.deepEqual(await deliveries(service, `&endpoint=${id}`), ofEndpoint);
  });

  test('are made again for one session alone', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 410);
    const [one] = await Promise.all([1, 2].map(() => createSession(service, { webhook_url: receiver.url })));
    await receiver.received(2);
    await settled(service);
    assert.equal((await resendFailed(service, { checkout: one?.id })).resent, 1);
    await receiver.received(3);
    assert.equal(receiver.deliveries.at(-1)?.event.data.id, one?.id);
    assert.equal((await resendFailed(service, { checkout: `chk_${WELL_FORMED_ID}` })).resent, 0);
  });

  test('are looked for a bounded number at a time among those that cannot be', async (t) => {
    const service = await startService(t);
    const receiver = await startReceiver(t, () => 410);
    const off = await createEndpoint(service, { url: 'http://127.0.0.1:1/', events: ['checkout.created'] });
    await createSession(service);
    await updateEndpoint(service, off.id, { status: 'disabled' });
    await advance(service, DAY);
    await settled(service);
    const [{ id } = {}] = await deliveries(service, '&status=failed');
    // The new rows share one millisecond, before any delivery made from now on.
    await service.database.query(
      `INSERT INTO delivery (account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts,
         round_start, due_at, tried_at, last_status, last_error)
       WITH digit (each) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)), number (each) AS (
         SELECT ones.each + 10 * tens.each + 100 * hundreds.each + 1000 * thousands.each
         FROM digit AS ones, digit AS tens, digit AS hundreds, digit AS thousands WHERE thousands.each < 6
       )
       SELECT account, live, substr(id, 1, 14) || CAST(1000000000000000 + each AS text), event, subject, sequence,
         receiver, url, created_at, state, attempts, round_start, due_at, tried_at, last_status, last_error
       FROM delivery, number WHERE id = ?`,
      id,
    );
    await createSession(service, { webhook_url: receiver.url });
    await receiver.received(1);
    await settled(service);
    const { next_cursor: after, ...first } = await resendFailed(service);
    assert.deepEqual(first, { object: 'resend', resent: 0, has_more: true });
    const last = await resendFailed(service, { after });
    assert.deepEqual(last, { object: 'resend', resent: 1, has_more: false, next_cursor: null });
    await receiver.received(2);
    const { id: endpoint } = await createEndpoint(service, { url: receiver.url });
    const ofEndpoint = await resendFailed(service, { endpoint });
    assert.deepEqual([ofEndpoint.resent, ofEndpoint.has_more, ofEndpoint.next_cursor], [0, true, after]);
  });

  test('need a time since when', async (t) => {
    const service = await startService(t);
    for (const body of [{}, { since: 'today' }, { since: '' }, { since: 1 }, { since: null }]) {
      const answer = await service.call('POST', '/v3/webhook_delivery/resend', { body });
      assertRefused(answer, {
        status: 400,
        message: 'WEBHOOK_DELIVERY.RESEND_FAILED.FIELD_INVALID',
        errors: [[15502, '/since']],
      });
    }
  });
});
