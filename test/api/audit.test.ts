/** The log of changes over the API: who made which change, and what a key sees of it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { numbersOf } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { IBAN } from './bank.ts';
import { createSession, type Data, pay, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;

async function list(query = '', headers: Record<string, string> = {}): Promise<Data> {
  const { status, json } = await call('GET', `/v3/audit${query}`, { headers });
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

const account = { currency: 'EUR', holder: { name: 'Test Shop', country: 'DE' }, iban: IBAN };

test('a change is the newest entry, with who made it and by which request', async () => {
  const answer = await call('PUT', '/v3/receiving_account/eur', { body: account });
  succeeded(answer, 201);
  const [newest] = (await list('?limit=1')).data;
  assert.deepEqual(newest, {
    id: newest.id,
    object: 'audit_entry',
    created_at: newest.created_at,
    actor: service.key.id,
    action: 'set_receiving_account',
    subject: 'eur',
    version: 0,
    request_id: answer.headers.get('x-request-id'),
  });
  assert.match(newest.created_at, /^\d{4}-\d\d-\d\dT/);
});

test('what payers and time change is there, and nothing that refuses or changes nothing', async () => {
  const { id } = await createSession(service, { customer_details: { name: 'Zebulon Canary' } });
  await pay(service, id);
  await call('PUT', '/v3/receiving_account/eur', { body: { iban: 'DE00' } });
  await call('PUT', '/v3/receiving_account/eur', { body: {} });
  const { data } = await list('?limit=100');
  const own = data.filter(({ subject }: Data) => subject === id);
  assert.equal(own.at(-1).action, 'create');
  assert.deepEqual(
    own.map(({ version }: Data) => version),
    Array.from({ length: own.length }, (_, index) => own.length - index),
  );
  const times = data.map(({ created_at }: Data) => created_at);
  assert.deepEqual(times, times.toSorted().toReversed());
  assert.equal(data.filter(({ action }: Data) => action === 'set_receiving_account').length, 1);
  assert.ok(!JSON.stringify(data).includes('Zebulon'));
});

test('pages go on where the last one ended, in both directions', async () => {
  for (let count = 0; count < 4; count++) await createSession(service);
  const all: string[] = (await list('?limit=100')).data.map(({ id }: Data) => id);
  assert.ok(all.length >= 4);
  const first = await list('?limit=2');
  assert.deepEqual([first.has_more, first.next_cursor], [true, all[1]]);
  const second = await list(`?limit=2&after=${first.next_cursor}`);
  assert.deepEqual(
    second.data.map(({ id }: Data) => id),
    all.slice(2, 4),
  );
  const back = await list(`?limit=1&before=${all[3]}`);
  assert.deepEqual(
    back.data.map(({ id }: Data) => id),
    [all[2]],
  );
  const last = await list(`?after=${all.at(-1)}`);
  assert.deepEqual([last.data, last.has_more, last.next_cursor], [[], false, null]);
  for (const query of ['?after=evt_1', '?actors=payer', '?limit=0', '?created_at[lt]=yesterday'])
    assert.equal((await call('GET', `/v3/audit${query}`)).status, 400, query);
});

test('is filtered by what a person asks for: which thing, by whom, what, and when', async () => {
  const { id } = await createSession(service);
  await pay(service, id);
  succeeded(await call('PUT', '/v3/receiving_account/eur', { body: { bank_name: 'Bank' } }));
  const { data: all } = await list('?limit=100');
  const of = (fits: (entry: Data) => boolean) => all.filter(fits).map((entry: Data) => entry.id);
  const found = async (query: string) => {
    const { data, has_more, next_cursor } = await list(`?limit=100&${query}`);
    assert.deepEqual([has_more, next_cursor], [false, null]);
    return data.map((entry: Data) => entry.id);
  };
  for (const [query, fits] of [
    [`subject=${id}`, ({ subject }) => subject === id],
    ['subject=eur', ({ subject }) => subject === 'eur'],
    [`actor=${service.key.id}`, ({ actor }) => actor === service.key.id],
    ['action=set_receiving_account', ({ action }) => action === 'set_receiving_account'],
    [`subject=${id}&action=create`, ({ subject, action }) => subject === id && action === 'create'],
    [`created_at[lt]=${all[1].created_at}`, ({ created_at }) => created_at < all[1].created_at],
    [`created_at[gte]=${all[1].created_at}`, ({ created_at }) => created_at >= all[1].created_at],
    ['actor=nobody', () => false],
  ] as ReadonlyArray<[string, (entry: Data) => boolean]>) {
    assert.deepEqual(await found(query), of(fits), query);
  }
  const [newest] = of(({ subject }) => subject === id);
  const page = await list(`?subject=${id}&limit=1`);
  assert.deepEqual([page.data[0].id, page.has_more, page.next_cursor], [newest, true, newest]);
});

test('a key sees the changes of its own account and mode alone', async () => {
  const live = await service.createKey({ mode: 'live', permissions: ['manage'] });
  const neighbour = await createAccount(service.service.store, 'Neighbour', Date.now());
  const theirs = await service.createKey({ account: neighbour.number, permissions: ['manage'] });
  const before = (await list('', { authorization: live.authorization })).data.length;
  for (const [{ authorization, id }, seen] of [
    [live, before],
    [theirs, 0],
  ] as const) {
    const body = { policy: { late: 'hold' } };
    succeeded(await call('PUT', '/v3/account_settings', { body, headers: { authorization } }));
    const { data } = await list('', { authorization });
    assert.equal(data.length, seen + 1);
    assert.deepEqual([data[0].actor, data[0].action], [id, 'change_settings']);
  }
  const actors = new Set((await list('?limit=100')).data.map(({ actor }: Data) => actor));
  assert.ok(!actors.has(live.id) && !actors.has(theirs.id));
});

test('a filtered page looks at 5,000 entries, and the next one goes on behind them', async () => {
  const { authorization } = await service.createKey({ mode: 'live', permissions: ['manage'] });
  const own = (query: string) => list(query, { authorization });
  const body = { policy: { excess: 'refund' } };
  const answer = await call('PUT', '/v3/account_settings', { body, headers: { authorization } });
  succeeded(answer);
  const { database } = service;
  const id = database.kind === 'sqlite' ? [] : ["'aud_z' || lpad(number::text, 25, '0')"];
  const checksum = database.kind === 'sqlite' ? ['0'] : [];
  const values = [...id, "'x'", '0', 'at', "'time'", "'filler'", "''", ...checksum].join(', ');
  await database.query(`
    INSERT INTO audit SELECT account, live, ${values} FROM audit, ${numbersOf(database, 1, 5001)}
    WHERE request_id = '${answer.headers.get('x-request-id')}'`);
  const first = await own('?action=change_settings&subject=account');
  assert.deepEqual([first.data, first.has_more], [[], true]);
  const { data } = await own(`?action=change_settings&limit=1&after=${first.next_cursor}`);
  assert.equal(data[0].request_id, answer.headers.get('x-request-id'));
  const back = await own(`?action=change_settings&before=${data[0].id}`);
  assert.deepEqual([back.data, back.has_more], [[], true]);
  assert.deepEqual((await own(`?action=change_settings&before=${back.next_cursor}`)).has_more, false);
});
