/** Removal from PostgreSQL while another process holds the rows. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import postgres from 'postgres';
import { tenantName } from '../../src/checkout/tenant.ts';
import { createRounds, type Part, type Round, UNTRIED } from '../../src/lib/rounds.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { end, happen } from './aged.ts';
import { answer, T, tenants, write } from './build.ts';
import { HOST, inOrder } from './deliveries.ts';

const OLD = T - 1;

async function setUp(t: TestContext) {
  const url = await migratedDatabase(t);
  const store = await openPostgresStore(url, { serve: true });
  t.after(() => store.close());
  const sql = postgres(url, { max: 2, fetch_types: false, onnotice: () => {} });
  t.after(() => sql.end());
  return { store, sql, ...(await tenants(store)) };
}

test('a delivery that is just sent again stays, with its attempts', async (t) => {
  const { store, sql, mine } = await setUp(t);
  const { deliveries } = await happen(store, mine, OLD, 3, [HOST]);
  await end(store, mine, deliveries, 'failed');
  const id = deliveries[1]?.id ?? 'whd_none';
  let isDone = false;
  const removed = await sql.begin(async (other) => {
    await other`UPDATE delivery SET state = 'pending', due_at = ${T}, round_start = attempts WHERE id = ${id}`;
    const removing = store.retention.purgeDeliveries(mine, T).finally(() => {
      isDone = true;
    });
    // The removal may wait for the other process, or go on without the row.
    for (let waiting = 0; !isDone && waiting === 0; await nextTurn()) {
      waiting = (await sql`SELECT 1 FROM pg_locks WHERE NOT granted`).length;
    }
    return { removing };
  });
  assert.equal(await removed.removing, 2);
  assert.deepEqual(inOrder((await store.deliveries.list(mine, {}, { limit: 9 })).rows), [id]);
  assert.equal((await store.deliveries.fetch(mine, id))?.state, 'pending');
  assert.equal((await store.deliveries.listAttempts(mine, id)).length, 1);
});

test('events that are old and have no number yet wait for it', async (t) => {
  const { store, sql, mine } = await setUp(t);
  await happen(store, mine, OLD, 2);
  // A process that was killed right after its commit leaves the end like this.
  await sql`UPDATE feed_end SET position = 1 WHERE account = ${mine.account} AND NOT live`;
  await sql`WITH last AS (DELETE FROM feed WHERE position = 2 RETURNING event)
    INSERT INTO feed_waiting (account, live, subject, sequence, event)
    SELECT event.account, event.live, subject, sequence, id FROM event JOIN last ON id = last.event`;
  const first = await store.retention.purgeEvents(mine, T);
  assert.equal(await store.events.end(mine), 2);
  assert.equal(first + (await store.retention.purgeEvents(mine, T)), 2);
  await happen(store, mine, T);
  const { rows } = await store.events.list(mine, {}, 2, 9);
  assert.deepEqual(
    rows.map(({ position }) => position),
    [3],
  );
});

test('stored answers of one tenant that cannot be removed keep those of no other', async (t) => {
  const { store, sql, mine, theirs } = await setUp(t);
  for (const tenant of [mine, theirs])
    await write(store, tenant, { answer: answer('old', { createdAt: OLD }) });
  await sql.unsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.account = ${mine.account} THEN RAISE 'no'; END IF; RETURN OLD; END $$`);
  await sql.unsafe(
    'CREATE TRIGGER refuse BEFORE DELETE ON idempotency FOR EACH ROW EXECUTE FUNCTION refuse()',
  );
  const told: unknown[] = [];
  assert.equal(
    await store.retention.purgeAnswers(
      T,
      createRounds((error) => told.push(error)),
    ),
    1,
  );
  assert.match(told.map(String).join(), new RegExp(`^Error: ${tenantName(mine)}: answers: no$`));
  const left = await sql`SELECT account FROM idempotency`;
  assert.deepEqual(
    left.map(({ account }) => Number(account)),
    [mine.account],
  );
});

test('a tenant that has no turn, as there is enough of others, is not taken for one without trouble', async (t) => {
  const { store, mine, theirs } = await setUp(t);
  await write(store, mine, { answer: answer('one', { createdAt: OLD }) });
  const old = Array.from({ length: 1_000 }, (_, index) => ({
    needs: { tenant: theirs },
    decide: () => [{ answer: answer(`old-${index}`, { createdAt: OLD }) }],
  }));
  await store.commit(old);
  const results = new Map<string, unknown>();
  const mineLast: Round = async (parts) => {
    const isMine = ({ name }: Part) => (name.startsWith(tenantName(mine)) ? 1 : 0);
    for (const part of parts.toSorted((a, b) => isMine(a) - isMine(b)))
      results.set(part.name, await part.run());
    return { succeeded: 0, left: [], isCut: false };
  };
  assert.equal(await store.retention.purgeAnswers(T, mineLast), 1_000);
  assert.deepEqual(
    [theirs, mine].map((tenant) => results.get(`${tenantName(tenant)}: answers`)),
    [1_000, UNTRIED],
  );
});
