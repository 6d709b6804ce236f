/** Two processes on one PostgreSQL whose clocks differ: leases are held and judged by the clock of the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../api/receiver.ts';
import { createSession } from '../api/shop.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { startService } from '../support/service.ts';

/** Much more than a lease has. */
const APART_MS = 10 * 60_000;

test('what a process has in its hands is left alone by one whose clock is ten minutes ahead', {
  timeout: 30_000,
}, async (t) => {
  const database = await freshPostgres();
  const answered = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, async () => {
    await answered.promise;
    return 200;
  });
  const right = await startService(t, { database });
  const ahead = await startService(t, { database, realNow: () => Date.now() + APART_MS });
  t.after(() => database.remove());
  const { authorization } = right.key;
  const told: string[] = [];
  for (const service of [right, ahead]) {
    const { id } = await createSession(service, { webhook_url: receiver.url }, { authorization });
    told.push(id);
    await receiver.received(told.length);
  }
  // A claim takes all that is due of the tenant: whoever has sent the second one has looked at the first.
  assert.deepEqual(
    receiver.deliveries.map(({ event }) => event.data.id),
    told,
  );
  answered.resolve();
});
