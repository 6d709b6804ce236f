/** The log of requests with two services on one PostgreSQL: each writes what it has answered, and both show all of it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Data, until, WELL_FORMED_ID } from '../api/shop.ts';
import { createClient } from '../support/client.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { startService } from '../support/service.ts';

const database = await freshPostgres();
const one = await startService({ after }, { database, requestLogMs: 1 });
const other = await startService({ after }, { database, requestLogMs: 1 });
after(database.remove);
const clients = [one, other].map(({ url }) => createClient(url));
after(() => {
  for (const client of clients) client.close();
});

const { authorization } = await one.createKey();

const ask = (place: number, path: string, headers: Record<string, string> = {}) =>
  clients[place]?.ask(path, { method: 'GET', headers: { authorization, ...headers } });

const idsAt = async (place: number): Promise<string[]> => {
  const answer = await ask(place, '/v3/request?limit=100&status=404');
  return JSON.parse(answer?.text ?? '').data.map(({ request_id: id }: Data) => id);
};

test('each request is there once, wherever it was answered and wherever the log is asked for', async () => {
  // The other one hears of the key.
  await until(async () => (await ask(1, '/v3/checkout'))?.status === 200);
  const asked = Array.from({ length: 40 }, (_, index) => `req-${index}`);
  await Promise.all(
    asked.map((id, index) => ask(index % 2, `/v3/checkout/chk_${WELL_FORMED_ID}`, { 'x-request-id': id })),
  );
  for (const place of [0, 1]) {
    await until(async () => (await idsAt(place)).length >= asked.length);
    assert.deepEqual((await idsAt(place)).sort(), asked.toSorted());
  }
});

test('what waits is written when a service ends', async () => {
  const ending = await startService({ after }, { database, requestLogMs: 3_600_000 });
  const client = createClient(ending.url);
  const path = `/v3/checkout/chk_${WELL_FORMED_ID}`;
  const headers = { authorization, 'x-request-id': 'the-last-one' };
  assert.equal((await client.ask(path, { method: 'GET', headers })).status, 404);
  client.close();
  assert.ok(!(await idsAt(0)).includes('the-last-one'));
  await ending.stop();
  assert.ok((await idsAt(0)).includes('the-last-one'));
});
