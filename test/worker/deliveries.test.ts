/** Slots for deliveries, shared when there are more deliveries than slots. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { createRounds } from '../../src/lib/rounds.ts';
import { hashOfBody } from '../../src/store/redact.ts';
import type { Store, TenantClock } from '../../src/store/store.ts';
import type { ClaimedDelivery, DeliveryClaim, DeliveryResult } from '../../src/webhooks/delivery.ts';
import { createDeliveryPool } from '../../src/worker/deliveries.ts';
import { T } from '../store/build.ts';
import { delivered } from './delivered.ts';

const SLOTS = 64;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A place with as many deliveries as anybody wants, each to a receiver of its own. */
function placeOf(account: number): TenantClock {
  return { tenant: { account, mode: 'live' }, now: T };
}

function claimedIn(tenant: Tenant, { realNow, leaseMs }: DeliveryClaim): ClaimedDelivery {
  const subject = newId('chk', T);
  const event = {
    id: newId('evt', T),
    type: 'checkout.created',
    subject,
    sequence: 1,
    createdAt: T,
    cause: null,
    body: '{}',
  };
  return {
    tenant,
    id: newId('whd', T),
    receiver: `https://${subject}.example`,
    url: `https://${subject}.example/hook`,
    endpoint: null,
    attempts: 0,
    round: 0,
    dueAt: T,
    lease: realNow + leaseMs,
    failing: false,
    event,
  };
}

/** A pool, and what is under way in it: the accounts, in the order in which they came. */
function setUp({ standsStillMs = 0, result = delivered } = {}) {
  let realNow = T;
  const underWay: number[] = [];
  const ends: Array<() => void> = [];
  const store = {
    accounts: {
      fetch: async () => ({
        webhookSecrets: { test: 'whsec_aGVsbG8', live: 'whsec_aGVsbG8' },
        previousWebhookSecrets: { test: null, live: null },
        settings: { test: defaultSettings, live: defaultSettings },
      }),
    },
    work: {
      async claimDeliveries(tenant: Tenant, claim: DeliveryClaim) {
        const { limit } = claim;
        underWay.push(...Array<number>(limit).fill(tenant.account));
        const claimed = Array.from({ length: limit }, () => claimedIn(tenant, claim));
        realNow = T + standsStillMs;
        return claimed;
      },
    },
  } as unknown as Store;
  const freed: number[] = [];
  const written: DeliveryResult[] = [];
  const onError = (error: unknown) => assert.fail(String(error));
  const pool = createDeliveryPool(
    {
      store,
      async execute(command) {
        if ('results' in command) written.push(...command.results);
        return { result: { kind: 'unchanged', value: null }, committed: null } as never;
      },
      send: () => new Promise((resolve) => ends.push(() => resolve(result))),
      realNow: () => realNow,
      leaseNow: () => realNow,
      onSent: () => {},
    },
    {
      slots: SLOTS,
      onFree: ({ account }) => freed.push(account),
      round: createRounds(onError),
      onError,
    },
  );
  const count = (account: number) => underWay.filter((each) => each === account).length;
  return { pool, count, ends, freed, written };
}

test('deliveries claimed before the process stood still are left to the process that has them now', async () => {
  const { pool, count, ends } = setUp({ standsStillMs: 30_000 });
  await pool.drain(placeOf(1));
  assert.equal(count(1), SLOTS);
  assert.equal(ends.length, 0);
});

test('what is under way is waited for', async () => {
  const { pool, ends, written } = setUp();
  await pool.fill([placeOf(1)]);
  await nextTurn();
  const settled = pool.settle().then(() => written.length);
  await nextTurn();
  assert.equal(written.length, 0);
  for (const end of ends) end();
  assert.equal(await settled, SLOTS / 4);
});

test('an answer is kept with the hash of what it may repeat, and the lack of one without', async () => {
  for (const [answer, hash] of [
    ['', ''],
    ['ok', hashOfBody('{}')],
  ] as const) {
    const { pool, ends, written } = setUp({ result: { ...delivered, answer } });
    await pool.fill([placeOf(1)]);
    await nextTurn();
    for (const end of ends) end();
    await pool.settle();
    assert.deepEqual(written[0]?.attempt, { durationMs: 1, bodyHash: hash, answer });
  }
});

suite('the slots for deliveries', () => {
  test('are never all for one tenant, whatever it has to send', async () => {
    const { pool, count, ends } = setUp();
    for (let round = 0; round < 10; round++) await pool.fill([placeOf(1)]);
    assert.equal(count(1), SLOTS / 2);
    assert.ok(pool.hasRoom());
    await pool.fill([placeOf(1), placeOf(2)]);
    assert.equal(count(1), SLOTS / 2);
    assert.equal(count(2), SLOTS / 4);
    await nextTurn();
    for (const end of ends) end();
    await pool.settle();
  });

  test('go to those first who have the fewest', async () => {
    const { pool, count, ends } = setUp();
    const all = [1, 2, 3, 4].map(placeOf);
    for (let round = 0; round < 10; round++) await pool.fill(all);
    assert.deepEqual([1, 2, 3, 4].map(count), Array(4).fill(SLOTS / 4));
    assert.ok(!pool.hasRoom());
    const { more } = await pool.fill([placeOf(5)]);
    assert.deepEqual(more, [placeOf(5)], 'who has none is not forgotten');
    await nextTurn();
    ends.shift()?.();
    await nextTurn();
    await pool.fill([...all, placeOf(5)]);
    assert.equal(count(5), 1);
    await nextTurn();
    for (const end of ends) end();
    await pool.settle();
  });
});
