/** Endpoints on PostgreSQL, of which several processes make some at once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { newId } from '../../src/lib/id.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { MAX_ENDPOINTS } from '../../src/webhooks/endpoint.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { createWriter } from '../../src/writer/writer.ts';
import { createHooks } from '../support/hooks.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { T, tenants } from './build.ts';

const hooks = createHooks();
after(hooks.run);

test('there are never too many endpoints, whoever makes them at the same time', async (t) => {
  const url = await migratedDatabase(hooks);
  const stores = await Promise.all([1, 2].map(() => openPostgresStore(url, { serve: true })));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const [first] = stores;
  assert.ok(first);
  const { mine, theirs } = await tenants(first);
  const serializer = createSerializer('https://pay.example.com');
  const writers = stores.map((store) => createWriter({ store, serializer, realNow: () => T }));
  const make = async (writer: (typeof writers)[number], tenant = mine): Promise<string> => {
    const settings = { url: 'https://shop.example', events: ['*'], description: '', enabled: true };
    const { result } = await writer({
      subject: 'endpoint',
      origin: ownOrigin(tenant, 'time'),
      id: newId('whe', T),
      command: { type: 'create_endpoint', secret: 'whsec_c2VjcmV0', settings },
      now: T,
    });
    return result.kind === 'refusal' ? result.reason : result.kind;
  };
  const [one, other] = writers;
  assert.ok(one && other);
  for (let n = 0; n < 2; n++) assert.equal(await make(other, theirs), 'change');
  const left = 7;
  for (let n = 0; n < MAX_ENDPOINTS - left; n++) assert.equal(await make(one), 'change');
  const all = await Promise.all(
    writers.flatMap((writer) => Array.from({ length: left }, () => make(writer))),
  );
  assert.deepEqual(
    all.toSorted(),
    [...Array(left).fill('change'), ...Array(left).fill('too_many_endpoints')].toSorted(),
  );
  assert.equal((await first.endpoints.list(mine)).length, MAX_ENDPOINTS);
  assert.equal((await first.endpoints.list(theirs)).length, 2);
});
