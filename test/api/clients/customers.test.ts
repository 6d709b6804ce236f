/** Requests about customers as clients of the public v3 API send them, each with what must come back. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { type Data, succeeded } from '../shop.ts';

const service = await startService({ after });
const { call } = service;

const create = async (body: object): Promise<Data> =>
  succeeded(await call('POST', '/v3/customer', { body }), 201);

const update = async (id: string, body: object): Promise<Data> =>
  succeeded(await call('PUT', `/v3/customer/${id}`, { body }), 200);

suite('a client', () => {
  test('takes all metadata of a customer away and sets as much, in one patch', async () => {
    const keys = (prefix: string, value: string | null) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${prefix}${n}`, value]));
    const { id } = await create({ name: 'Ada', metadata: keys('a', 'x') });
    const changed = await update(id, { metadata: { ...keys('a', null), ...keys('b', 'y') } });
    assert.deepEqual(changed.metadata, keys('b', 'y'));
    const { status, json } = await call('PUT', `/v3/customer/${id}`, {
      body: { metadata: keys('c', 'z') },
    });
    assert.deepEqual([status, json.errors[0].code], [400, 15515]);
  });
});
