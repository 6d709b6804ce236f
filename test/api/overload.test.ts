/** More changes at once than the service can begin: those that have waited for too long are told so, and are not done. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { startService } from '../support/service.ts';
import { order, until } from './shop.ts';

test('a change that has waited for its turn for too long is refused, and a read is not', async (t) => {
  const { call } = await startService(t, { requestLogMs: 1 });
  const read = () => call('GET', '/v3/checkout?limit=40');
  const change = () => call('POST', '/v3/checkout', { body: order });
  const each = (ask: typeof read) => Array.from({ length: 80 }, ask);

  // Behind a start nobody is refused yet.
  for (let made = 0; made < 500; made += 50) await Promise.all(Array.from({ length: 50 }, change));
  // Connections are open then, and what is sent over all of them arrives in one moment.
  await Promise.all(each(read).concat(each(read)));
  const { now } = performance;
  let looks = 0;
  let hasArrived = false;
  const arrive = () => {
    hasArrived = true;
  };
  subscribe('http.server.request.start', arrive);
  t.after(() => unsubscribe('http.server.request.start', arrive));
  // A clock that moves on by 5 ms with each look at it, so that one begins in a turn, and by two seconds in all. What
  // sends the requests looks at it as well, so it stands until they arrive.
  t.mock.method(
    performance,
    'now',
    () => now.call(performance) + 5 * Math.min(hasArrived ? looks++ : 0, 400),
  );
  const [changes, reads] = await Promise.all([Promise.all(each(change)), Promise.all(each(read))]);
  const refused = changes.filter(({ status }) => status === 503);
  const done = changes.filter(({ status }) => status === 201);
  assert.ok(refused.length > 0);
  for (const { headers } of refused) assert.equal(headers.get('retry-after'), '1');
  for (const { status } of reads) assert.equal(status, 200);
  assert.equal(done.length + refused.length, changes.length);
  // The log has them, though nobody has looked for their route; requests alike are fewer than it takes in a minute.
  const told = new Set(refused.map(({ headers }) => headers.get('x-request-id')));
  const logged = async () => (await call('GET', '/v3/request?status=503&limit=100')).json.data;
  await until(async () => (await logged()).length >= told.size);
  for (const { request_id: id, method, path, operation, errors } of await logged()) {
    assert.ok(told.has(id), id);
    assert.deepEqual([method, path, operation, errors[0].code], ['POST', '', 'API.REQUEST', 101]);
  }
  const ids = done.map(({ json }) => json.data.id).sort();
  const newest = (await call('GET', `/v3/checkout?limit=${ids.length}`)).json.data;
  assert.deepEqual(newest.map(({ id }: { id: string }) => id).sort(), ids);
});
