/** Endpoints as merchants register, look at, change and delete them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { eventTypes } from '../../src/events/types.ts';
import { startService } from '../support/service.ts';
import { createEndpoint, fetchEndpoint, path, updateEndpoint } from './endpoint.ts';
import { advance, assertRefused, type Data, now, succeeded, WELL_FORMED_ID, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const live = { authorization: (await service.createKey({ mode: 'live' })).authorization };
const url = 'https://shop.example.com/hook';

const list = async (query = '') => (await call('GET', `${path}?${query}`)).json;
const idsOf = ({ data }: Data) => data.map(({ id }: Data) => id);
async function deleteAll() {
  for (const id of idsOf(await list('limit=100'))) succeeded(await call('DELETE', `${path}/${id}`));
}

suite('create', () => {
  test('with an address alone selects everything', async () => {
    const answer = await call('POST', path, { body: { url } });
    const { id, created_at, secret, ...rest } = succeeded(answer, 201);
    assert.equal(answer.headers.get('location'), `${path}/${id}`);
    assert.equal(answer.json.message, 'WEBHOOK_ENDPOINT.CREATE.SUCCESS');
    assert.match(id, /^whe_[0-9a-z]{26}$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.ok(Math.abs(Date.parse(created_at) - (await now(service))) < 60_000);
    assert.deepEqual(rest, {
      object: 'webhook_endpoint',
      updated_at: created_at,
      url,
      events: ['*'],
      description: '',
      status: 'enabled',
      disabled_reason: '',
      health: {
        status: 'healthy',
        failing_since: null,
        consecutive_failures: 0,
        last_error: '',
        next_probe_at: null,
      },
      previous_secret_expires_at: null,
    });
    assert.deepEqual(await fetchEndpoint(service, id), { id, created_at, ...rest }, 'all but the secret');
  });

  test('with everything', async () => {
    const fields = { url, events: ['checkout.*', 'payin.succeeded'], description: 'Order system' };
    const endpoint = await createEndpoint(service, { ...fields, status: 'disabled' });
    const { events, description, status, disabled_reason } = endpoint;
    assert.deepEqual({ url, events, description }, fields);
    assert.deepEqual([status, disabled_reason], ['disabled', 'by_merchant']);
  });

  test('names each type once', async () => {
    const events = ['checkout.paid', '*', 'checkout.paid', 'checkout.*', '*'];
    assert.deepEqual((await createEndpoint(service, { events })).events, [
      'checkout.paid',
      '*',
      'checkout.*',
    ]);
  });

  test('selects every type there is, one by one', async () => {
    assert.deepEqual((await createEndpoint(service, { events: eventTypes })).events, eventTypes);
  });

  test('repeated with its key makes one endpoint, with one secret', async () => {
    await deleteAll();
    const headers = { 'idempotency-key': 'endpoint-1' };
    const first = await call('POST', path, { body: { url }, headers });
    const again = await call('POST', path, { body: { url }, headers });
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.text, first.text);
    assert.equal((await list()).data.length, 1);
  });

  test('allows a hundred endpoints, and no more', async () => {
    await deleteAll();
    const made = await Promise.all(Array.from({ length: 105 }, () => call('POST', path, { body: { url } })));
    assert.equal(made.filter(({ status }) => status === 201).length, 100);
    for (const answer of made.filter(({ status }) => status !== 201)) {
      assertRefused(answer, {
        status: 409,
        message: 'WEBHOOK_ENDPOINT.CREATE.TOO_MANY_ENDPOINTS',
        errors: [[19040]],
      });
    }
    // Endpoints of the other mode are counted separately.
    succeeded(await call('POST', path, { body: { url }, headers: live }), 201);
    await deleteAll();
    await createEndpoint(service);
  });
});

suite('list', () => {
  test('goes through all of them, in both directions', async () => {
    await deleteAll();
    const ids: string[] = [];
    for (let each = 0; each < 5; each++) ids.unshift((await createEndpoint(service)).id);
    const first = await list('limit=2');
    assert.deepEqual([idsOf(first), first.has_more, first.next_cursor], [ids.slice(0, 2), true, ids[1]]);
    const second = await list(`limit=3&after=${first.next_cursor}`);
    assert.deepEqual([idsOf(second), second.has_more, second.next_cursor], [ids.slice(2), false, null]);
    const back = await list(`limit=2&before=${ids[3]}`);
    assert.deepEqual([idsOf(back), back.has_more, back.next_cursor], [ids.slice(1, 3), true, ids[1]]);
    assert.deepEqual(idsOf(await list(`before=${ids[1]}`)), [ids[0]]);
    assert.deepEqual(idsOf(await list(`before=${ids[0]}`)), []);
    const [{ secret, ...shown }] = (await list('limit=1')).data;
    assert.deepEqual([secret, shown], [undefined, await fetchEndpoint(service, ids[0] ?? '')]);
  });

  test('accepts nothing else', async () => {
    for (const query of ['limit=0', 'limit=101', 'status=enabled', 'after=chk_1', `after=a&before=b`]) {
      assert.equal((await call('GET', `${path}?${query}`)).status, 400, query);
    }
  });
});

suite('update', () => {
  test('changes what is given, and nothing else', async () => {
    const { secret, ...before } = await createEndpoint(service, { description: 'a' });
    await advance(service, 60);
    const changed = await updateEndpoint(service, before.id, { url: `${url}/2`, events: ['payin.*'] });
    const { updated_at } = changed;
    assert.deepEqual(changed, { ...before, url: `${url}/2`, events: ['payin.*'], updated_at });
    assert.ok(Date.parse(updated_at) >= Date.parse(before.updated_at) + 60_000);
    assert.deepEqual(await fetchEndpoint(service, before.id), changed);
  });

  test('with the same again changes nothing', async () => {
    const { id, url, events } = await createEndpoint(service, { events: ['payin.*'] });
    await advance(service, 60);
    const before = await fetchEndpoint(service, id);
    const same = { url, events: ['payin.*', ...events], status: 'enabled' };
    const after = await writesNothing(service, () => updateEndpoint(service, id, same));
    assert.deepEqual(after, before);
  });

  test('switches it off and on', async () => {
    const { id } = await createEndpoint(service);
    const off = await updateEndpoint(service, id, { status: 'disabled' });
    assert.deepEqual([off.status, off.disabled_reason], ['disabled', 'by_merchant']);
    const on = await updateEndpoint(service, id, { status: 'enabled' });
    assert.deepEqual([on.status, on.disabled_reason], ['enabled', '']);
  });

  test('repeated with its key changes once', async () => {
    const { id } = await createEndpoint(service);
    const request = { body: { description: 'first' }, headers: { 'idempotency-key': 'update-1' } };
    const first = await call('PUT', `${path}/${id}`, request);
    await updateEndpoint(service, id, { description: 'second' });
    assert.equal((await call('PUT', `${path}/${id}`, request)).text, first.text);
    assert.equal((await fetchEndpoint(service, id)).description, 'second');
  });
});

test('a deleted endpoint is gone', async () => {
  const { id } = await createEndpoint(service);
  assert.deepEqual(succeeded(await call('DELETE', `${path}/${id}`)), {
    id,
    object: 'webhook_endpoint',
    deleted: true,
  });
  const requests = [
    ['GET', '', 'FETCH'],
    ['PUT', '', 'UPDATE'],
    ['DELETE', '', 'DELETE'],
    ['POST', '/rotate_secret', 'ROTATE_SECRET'],
    ['GET', '/deliveries', 'DELIVERIES'],
  ] as const;
  for (const [method, suffix, operation] of requests) {
    const body = method === 'PUT' ? { description: 'a' } : undefined;
    const message = `WEBHOOK_ENDPOINT.${operation}.NOT_FOUND`;
    for (const each of [id, `whe_${WELL_FORMED_ID}`]) {
      const answer = await call(method, `${path}/${each}${suffix}`, { body });
      assertRefused(answer, { status: 404, message, errors: [[105]] });
    }
  }
  assert.equal(idsOf(await list('limit=100')).includes(id), false);
});
