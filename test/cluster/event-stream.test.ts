/** Streams of the feed at one process get at once what another process commits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEventSource } from '../api/event-source.ts';
import { createSession, pay } from '../api/shop.ts';
import { postgresDatabase } from '../support/database-postgres.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

/** Far less than the time after which everybody looks without being told. */
const AT_ONCE_MS = 1_000;

test('streams and waits at one process end with commits of another', async (t) => {
  const database = postgresDatabase(await migratedDatabase(t), async () => {});
  const here = await startService(t, { database });
  const there = await startService(t, { database });
  t.after(() => database.remove());
  const { key } = here;
  const headers = { authorization: key.authorization };
  // The listener may not be connected yet when the hints of the first changes are sent.
  const source = await openEventSource({ url: there.url, key }, '?after=0');
  const times: number[] = [];
  for (let position = 1; position <= 20; ) {
    const wait = there.call('GET', `/v3/event?after=${position - 1}&wait=60&limit=100`, { headers });
    const started = performance.now();
    const { id } = await createSession(here);
    const { id: place, data } = await source.nextEvent();
    times.push(performance.now() - started);
    assert.deepEqual([place, data.data.id], [String(position), id]);
    assert.equal((await wait).json.data[0].data.id, id);
    await pay(here, id);
    for (position++; (await source.nextEvent()).event !== 'payin.succeeded'; position++);
    position++;
  }
  source.close();
  const late = times.slice(1).filter((ms) => ms > AT_ONCE_MS);
  assert.deepEqual(late, []);
});
