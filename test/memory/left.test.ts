/** What lives as long as one request is collected with the young objects: slow collections hold up everybody. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { freshPostgres } from '../support/database-postgres.ts';
import type { Left } from './measure.ts';

suite('among old objects', async () => {
  const database = await freshPostgres();
  after(database.remove);
  const worker = new Worker(new URL('measure.ts', import.meta.url), { workerData: { url: database.url } });
  const [left]: [Left] = (await once(worker, 'message')) as [Left];

  for (const [what, bytes, most] of [
    ['a request of the service to itself', left.dispatched, 500],
    ['a stream of what a generator makes', left.generated, 500],
    ['a query', left.query, 2_000],
    ['a statement of a transaction', left.statement, 2_000],
  ] as const) {
    test(`${what} leaves next to nothing`, () => {
      assert.ok(bytes < most, `${bytes} bytes of each`);
    });
  }

  test('what Node.js and Fastify have for it leaves all of itself: once it does not, it can be taken again', () => {
    assert.ok(left.injected > 3_000 && left.readableFrom > 1_000, JSON.stringify(left));
  });
});
