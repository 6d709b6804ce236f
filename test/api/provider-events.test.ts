/** Provider events that wait, over the API: which they are, what they are about, and nothing of what is in them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import { attempt, providerEvent, session, T, write } from '../store/build.ts';
import { startService } from '../support/service.ts';
import { type Data, until } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const { store } = service.service;
const tenant: Tenant = { account: service.account.number, mode: 'test' };
const open = { state: 'open', dueAt: null, tries: 9, reason: 'no_session' } as const;

const put = async (event: ProviderEvent, on = tenant): Promise<ProviderEvent> => {
  await write(store, on, { providerEvent: event });
  return event;
};

async function list(query = ''): Promise<Data> {
  const { status, json, text } = await call('GET', `/v3/provider_event${query}`);
  assert.equal(status, 200, text);
  return json;
}

test('none wait at first', async () => {
  assert.deepEqual(await list(), {
    status: 'success',
    message: 'PROVIDER_EVENT.LIST.SUCCESS',
    data: [],
    has_more: false,
    next_cursor: null,
  });
});

test('those that are open are listed, with the session whose rail has not answered', async () => {
  const made = session(tenant, { attempts: [attempt('cs_known', { rail: 'stripe' })] });
  await write(store, tenant, { checkout: { before: null, after: made } });
  const body = '{"type":"charge.dispute.created","data":{"email":"zebulon@example.com"}}';
  const known = await put(
    providerEvent('evt_known', { ...open, reason: 'key_refused', attemptReference: 'cs_known', body }),
  );
  const unknown = await put(
    providerEvent('evt_unknown', { ...open, attemptReference: null, paymentReference: 'pi_none' }),
  );
  const { data } = await list();
  assert.deepEqual(data, [
    {
      id: unknown.id,
      object: 'provider_event',
      created_at: new Date(T).toISOString(),
      rail: 'stripe',
      reference: 'evt_unknown',
      type: '',
      status: 'open',
      reason: 'no_session',
      tries: 9,
      next_try_at: null,
      checkout: null,
      attempt_reference: null,
      payment_reference: 'pi_none',
    },
    {
      ...data[1],
      id: known.id,
      type: 'charge.dispute.created',
      reason: 'key_refused',
      checkout: made.id,
      attempt_reference: 'cs_known',
      payment_reference: null,
    },
  ]);
  assert.ok(!JSON.stringify(data).includes('zebulon'));
  const page = await list('?limit=1');
  assert.deepEqual([page.has_more, page.next_cursor], [true, unknown.id]);
  assert.equal((await list(`?limit=1&after=${unknown.id}`)).data[0].id, known.id);
});

test('one is fetched as it is listed, until it has led to a session', async () => {
  const event = await put(providerEvent('evt_one', { ...open, attemptReference: 'cs_known' }));
  const { status, json, text } = await call('GET', `/v3/provider_event/${event.id}`);
  assert.equal(status, 200, text);
  assert.equal(json.message, 'PROVIDER_EVENT.FETCH.SUCCESS');
  assert.match(json.data.checkout, /^chk_/);
  assert.deepEqual(
    json.data,
    (await list()).data.find(({ id }: Data) => id === event.id),
  );
  await put({ ...event, state: 'done', reason: null });
  assert.equal((await call('GET', `/v3/provider_event/${event.id}`)).status, 404);
});

test('those that are looked at again are listed where they are asked for', async () => {
  const dueAt = Date.now() + 3_600_000;
  await put(providerEvent('evt_waiting', { dueAt, tries: 3, reason: 'no_answer' }));
  await put(providerEvent('evt_new', { dueAt }));
  const { data } = await list('?status=waiting');
  const at = new Date(dueAt).toISOString();
  assert.deepEqual(
    data.map(({ reference, status, reason, next_try_at }: Data) => [reference, status, reason, next_try_at]),
    [
      ['evt_new', 'waiting', null, at],
      ['evt_waiting', 'waiting', 'no_answer', at],
    ],
  );
});

test('one that was given up is looked at again at once, and waits for a person again if nothing comes of it', async () => {
  const { id } = await put(providerEvent('evt_again', { ...open, attemptReference: 'cs_nowhere' }));
  const { status, json, text } = await call('POST', `/v3/provider_event/${id}/retry`);
  assert.equal(status, 200, text);
  const { status: state, tries, next_try_at: nextTryAt } = json.data;
  assert.deepEqual([json.message, state, tries], ['PROVIDER_EVENT.RETRY.SUCCESS', 'waiting', 9]);
  assert.ok(Math.abs(Date.parse(nextTryAt) - Date.now()) < 60_000, nextTryAt);
  await until(async () => {
    const found = (await list('?limit=100')).data.find((each: Data) => each.id === id);
    return found?.tries === 10;
  });
  const { data } = (await call('GET', `/v3/audit?subject=${id}`)).json;
  assert.deepEqual(
    data.map(({ action }: Data) => action),
    ['retry'],
  );
});

test('one that has led to a session, or is of somebody else, is not looked at again', async () => {
  const done = await put(providerEvent('evt_done', { state: 'done', dueAt: null, tries: 1 }));
  const foreign = await put(providerEvent('evt_foreign', open), { ...tenant, mode: 'live' });
  for (const { id } of [done, foreign]) {
    const { status, text } = await call('POST', `/v3/provider_event/${id}/retry`);
    assert.equal(status, 404, text);
  }
  assert.deepEqual(
    [
      (await store.providerEvents.list({ ...tenant, mode: 'live' }, { state: 'open' }, { limit: 1 })).rows[0]
        ?.id,
      (await call('GET', `/v3/audit?subject=${done.id}`)).json.data,
    ],
    [foreign.id, []],
  );
});

test('those of other accounts and of the other mode are not there', async () => {
  await put(providerEvent('evt_live', open), { ...tenant, mode: 'live' });
  const references = (await list()).data.map(({ reference }: Data) => reference);
  assert.ok(!references.includes('evt_live'), references);
});

test('another status or cursor is refused', async () => {
  for (const query of ['?status=done', '?after=evt_1', '?rail=stripe'])
    assert.equal((await call('GET', `/v3/provider_event${query}`)).status, 400, query);
});
