/**
 * Retention: removal by the worker, and deliveries that nobody has taken for as long as the log goes back.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import { createRounds, type Round } from '../../src/lib/rounds.ts';
import type { Store } from '../../src/store/store.ts';
import type { Delivery } from '../../src/webhooks/delivery.ts';
import { removeOld } from '../../src/worker/retention.ts';
import { end, happen } from '../store/aged.ts';
import { answer, load, T, write } from '../store/build.ts';
import { openWriter } from '../store/commands.ts';
import { claim, ELSEWHERE, finish, HOST, HOUR, inOrder, tryAgain } from '../store/deliveries.ts';

const DAY = 24 * HOUR;
const LOG_DAYS = 30;
/** The time of the removal. */
const NOW = T + 40 * DAY;
/** The youngest that is too old, and the oldest that is not. */
const OLD = NOW - LOG_DAYS * DAY - 1;
const YOUNG = OLD + 1;

async function setUp(t: TestContext) {
  const writer = await openWriter(t);
  const { store, execute, mine } = writer;
  const errors: unknown[] = [];
  const round = createRounds((error) => errors.push(error));
  const runRetention = (given: { store?: Store; eventDays?: number; now?: number } = {}) =>
    removeOld({
      store: given.store ?? store,
      execute,
      round,
      realNow: () => given.now ?? NOW,
      deliveryDays: LOG_DAYS,
      eventDays: given.eventDays ?? 0,
    });
  /** Rounds that found something, until one finds nothing. */
  async function removeAll(given?: Parameters<typeof runRetention>[0]): Promise<number> {
    for (let rounds = 0; rounds < 20; rounds++) if (!(await runRetention(given))) return rounds;
    throw new Error('it goes on for ever');
  }
  const left = async (tenant: Tenant = mine) =>
    (await store.deliveries.list(tenant, {}, { limit: 1000 })).rows.toReversed();
  return { ...writer, errors, runRetention, removeAll, left };
}

suite('deliveries that are older than the log', () => {
  test('are given up without an attempt, and then removed', async (t) => {
    const { store, mine, runRetention, left } = await setUp(t);
    const { session, deliveries: waiting } = await happen(store, mine, OLD, 2, [HOST]);
    const [tried] = await claim(store, mine, OLD);
    assert.equal(tried?.id, waiting[0]?.id);
    if (tried) await finish(store, mine, tryAgain(tried, NOW + DAY));
    const { session: later, deliveries: young } = await happen(store, session, YOUNG, 2, [HOST]);
    const { deliveries: elsewhere } = await happen(store, later, OLD, 1, [ELSEWHERE]);
    const seen: Delivery[] = [];
    const looking: Store = {
      ...store,
      retention: {
        ...store.retention,
        async purgeDeliveries(tenant, before) {
          if (tenant.mode === mine.mode && tenant.account === mine.account) seen.push(...(await left()));
          return store.retention.purgeDeliveries(tenant, before);
        },
      },
    };
    assert.equal(await runRetention({ store: looking }), true);
    const ended = [...waiting, ...elsewhere];
    for (const { id } of ended) {
      const found = seen.find((each) => each.id === id);
      const made = id === tried?.id ? 1 : 0;
      assert.deepEqual(
        [found?.state, found?.lastError, found?.dueAt, found?.attempts, found?.lastStatus],
        ['failed', 'given up', null, made, made ? 503 : null],
      );
      assert.equal(await store.deliveries.fetch(mine, id), null);
      assert.deepEqual(await store.deliveries.listAttempts(mine, id), []);
    }
    assert.deepEqual(inOrder(await left()), inOrder(young));
    // The ordering key goes on with those that are young enough, one after the other.
    assert.deepEqual(inOrder(await claim(store, mine, NOW)), [young[0]?.id]);
    assert.equal(await runRetention(), false);
    assert.deepEqual(await store.receivers.listFailing(mine), new Map(), 'nobody failed by this');
  });

  test('come to their end a bounded number at a time, and there is an end', async (t) => {
    const { store, mine, theirs, runRetention, removeAll, left } = await setUp(t);
    const { deliveries: long } = await happen(store, mine, OLD, 600, [HOST]);
    await happen(store, theirs, OLD, 10, [HOST, ELSEWHERE]);
    const { deliveries: young } = await happen(store, mine, YOUNG, 1, [HOST]);
    assert.equal(await runRetention(), true);
    assert.ok((await left()).length >= 600 - 250);
    assert.deepEqual(inOrder(await claim(store, mine, NOW)).sort(), [long[250]?.id, young[0]?.id].sort());
    assert.ok((await removeAll()) >= 2);
    assert.deepEqual(inOrder(await left()), inOrder(young));
    assert.deepEqual(await left(theirs), []);
  });

  test('that arrive after all while they are given up are nobody’s any more', async (t) => {
    const { store, come, mine, removeAll, due, left } = await setUp(t);
    await happen(store, mine, OLD, 1, [HOST]);
    const out = await due(HOST, NOW);
    await removeAll();
    const attempt = { durationMs: 1, bodyHash: '', answer: '' };
    const { id, receiver, event, lease, round } = out;
    const late = { id, receiver, subject: event.subject, lease, round, failing: false, at: NOW } as const;
    await come({ ...late, state: 'delivered', dueAt: null, httpStatus: 200, error: null, attempt });
    assert.deepEqual(await left(), []);
    assert.deepEqual(await store.deliveries.listAttempts(mine, id), []);
  });
});

test('requests are kept for a week, in real time, of those who ask no more as well', async (t) => {
  const { store, mine, theirs, removeAll } = await setUp(t);
  const add = (tenant: Tenant, at: number) =>
    store.requestLog.add([
      {
        tenant,
        entry: {
          ...{
            id: newId('rql', at),
            at,
            requestId: `at ${at}`,
            actor: 'ak_test_1',
            method: 'GET',
            path: '/v3/checkout',
          },
          ...{ operation: 'CHECKOUT.LIST', subject: null, status: 400, errors: [], durationMs: 1 },
          ...{ idempotency: 'none', leftOut: 0 },
        },
      },
    ]);
  await write(store, mine, { clockMove: { at: T, advanceMs: 300 * DAY } });
  for (const tenant of [mine, theirs])
    for (const at of [NOW - 7 * DAY - 1, NOW - 7 * DAY]) await add(tenant, at);
  assert.ok((await removeAll()) > 0);
  for (const tenant of [mine, theirs]) {
    const { rows } = await store.requestLog.list(tenant, {}, { limit: 10 });
    assert.deepEqual(
      rows.map(({ at }) => at),
      [NOW - 7 * DAY],
    );
  }
});

test('trouble with the log of requests of one keeps nothing else, and is told', async (t) => {
  const { store, mine, theirs, runRetention, errors, left } = await setUp(t);
  const { deliveries } = await happen(store, mine, OLD, 1, [HOST]);
  await end(store, mine, deliveries);
  const trouble = new Error('too many wait');
  const purged: Tenant[] = [];
  const broken: Store = {
    ...store,
    requestLog: {
      ...store.requestLog,
      listTenants: async () => [mine, theirs],
      trim: async () => assert.fail('it would wait behind lists'),
      async purge(tenant) {
        if (tenant === mine) throw trouble;
        purged.push(tenant);
        return 0;
      },
    },
  };
  assert.equal(await runRetention({ store: broken }), true);
  const told = errors.map((error) => [String(error), (error as Error).cause]);
  const [about] = told;
  assert.deepEqual(told, [[`Error: ${tenantName(mine)}: requests: too many wait`, trouble]], String(about));
  assert.deepEqual(purged, [theirs]);
  assert.deepEqual(await left(), []);
});

/** Old deliveries and events of two tenants, and a store that fails in one of its parts. */
async function troubled(t: TestContext) {
  const made = await setUp(t);
  const { store, execute, mine, theirs, errors, left } = made;
  for (const tenant of [mine, theirs]) {
    const { session, deliveries } = await happen(store, tenant, OLD, 1, [HOST]);
    await end(store, tenant, deliveries);
    await happen(store, session, OLD, 1, [ELSEWHERE]);
  }
  const isMine = (tenant: Tenant) => tenantName(tenant) === tenantName(mine);
  const trouble = new Error('no');
  const failing =
    <A extends [Tenant, ...unknown[]], R>(run: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (isMine(given[0])) throw trouble;
      return run(...given);
    };
  /** Tenants with trouble come first. */
  const listTenants: Store['retention']['listTenants'] = async (...given) => {
    const found = await store.retention.listTenants(...given);
    return [
      ...found.filter(({ tenant }) => isMine(tenant)),
      ...found.filter(({ tenant }) => !isMine(tenant)),
    ];
  };
  async function remove(change: Partial<Store['retention']>, more: Partial<Store> = {}, run = execute) {
    const retention = { ...store.retention, listTenants, ...change };
    await removeOld({
      store: { ...store, retention, ...more },
      execute: run,
      round: createRounds((error) => errors.push(error)),
      realNow: () => NOW,
      deliveryDays: LOG_DAYS,
      eventDays: LOG_DAYS,
    });
    const events = async (tenant: Tenant) => (await store.events.list(tenant, {}, 0, 10)).rows.length;
    return {
      mine: [(await left(mine)).length, await events(mine)],
      theirs: [(await left(theirs)).length, await events(theirs)],
      told: errors.map((error) => (error as Error).message),
    };
  }
  return { ...made, remove, failing, trouble, isMine };
}

suite('trouble of one tenant keeps nothing of the others', () => {
  const gone = [0, 0];

  test('when its deliveries cannot be given up: its own that have ended go as well', async (t) => {
    const { remove, execute, mine, trouble, isMine } = await troubled(t);
    const run: typeof execute = async (command, serialize) => {
      if (isMine(command.origin.tenant)) throw trouble;
      return execute(command, serialize);
    };
    const done = await remove({}, {}, run);
    assert.deepEqual([done.mine, done.theirs], [[1, 1], gone]);
    assert.deepEqual(done.told, [`${tenantName(mine)}: given up: no`]);
  });

  test('when its deliveries cannot be removed', async (t) => {
    const { store, remove, failing, mine } = await troubled(t);
    const done = await remove({ purgeDeliveries: failing(store.retention.purgeDeliveries) });
    assert.deepEqual([done.mine, done.theirs], [[2, 2], gone]);
    assert.deepEqual(done.told, [`${tenantName(mine)}: removed: no`]);
  });

  test('when its events cannot be removed', async (t) => {
    const { store, remove, failing, mine } = await troubled(t);
    const done = await remove({ purgeEvents: failing(store.retention.purgeEvents) });
    assert.deepEqual([done.mine, done.theirs], [[0, 2], gone]);
    assert.deepEqual(done.told, [`${tenantName(mine)}: events: no`]);
  });

  test('and trouble of one kind nothing of the other kinds', async (t) => {
    const { remove, trouble } = await troubled(t);
    const done = await remove({
      async purgeAnswers() {
        throw trouble;
      },
    });
    assert.deepEqual([done.mine, done.theirs, done.told], [gone, gone, ['answers: no']]);
  });

  test('and what a round did not come to is removed at once in the next one', async (t) => {
    const { store, execute, mine, left } = await troubled(t);
    let isCut = true;
    const round: Round = async () => ({ succeeded: 0, left: [], isCut });
    const ages = { deliveryDays: LOG_DAYS, eventDays: 0 };
    const look = () => removeOld({ store, execute, round, realNow: () => NOW, ...ages });
    assert.equal(await look(), true);
    isCut = false;
    assert.equal(await look(), false);
    assert.equal((await left(mine)).length, 2);
  });

  test('and trouble of all is told together', async (t) => {
    const { store, remove, trouble } = await troubled(t);
    const failsAll = async () => {
      throw trouble;
    };
    const purges = { purgeAnswers: failsAll, listTenants: failsAll };
    const requestLog = { ...store.requestLog, listTenants: failsAll };
    const { told } = await remove(purges, { requestLog });
    assert.deepEqual(told, ['answers, deliveries, events, requests: no']);
  });
});

test('events stay for ever, unless they are to be kept for so many days', async (t) => {
  const { store, mine, removeAll } = await setUp(t);
  const { deliveries } = await happen(store, mine, NOW - 400 * DAY, 1, [HOST]);
  await happen(store, mine, NOW - 90 * DAY - 1);
  await happen(store, mine, NOW - 90 * DAY);
  await end(store, mine, deliveries);
  assert.ok((await removeAll()) > 0);
  assert.equal((await store.events.list(mine, {}, 0, 10)).rows.length, 3);
  assert.ok((await removeAll({ eventDays: 90 })) > 0);
  const { rows } = await store.events.list(mine, {}, 0, 10);
  assert.deepEqual(
    rows.map(({ position }) => position),
    [3],
  );
  assert.equal(await removeAll({ eventDays: 90 }), 0);
});

test('an event that waits for its receiver keeps those behind it until it is given up', async (t) => {
  const { store, mine, removeAll } = await setUp(t);
  await happen(store, mine, NOW - 50 * DAY);
  await happen(store, mine, NOW - 31 * DAY, 1, [HOST]);
  await happen(store, mine, NOW - 20 * DAY);
  await removeAll({ eventDays: 31, now: NOW - DAY - 1 });
  assert.equal((await store.events.list(mine, {}, 0, 10)).rows.length, 2);
  await removeAll({ eventDays: 31, now: NOW + DAY });
  assert.equal((await store.events.list(mine, {}, 0, 10)).rows.length, 1);
});

test('ages are in real time, wherever the clock of test data is', async (t) => {
  const { store, mine, removeAll, left } = await setUp(t);
  const { deliveries: old } = await happen(store, mine, T, 1, [HOST]);
  await write(store, mine, { clockMove: { at: T, advanceMs: 365 * DAY } });
  const { deliveries: moved } = await happen(store, mine, T + 366 * DAY, 1, [HOST]);
  const { deliveries: waiting } = await happen(store, mine, T + 366 * DAY + 1, 1, [ELSEWHERE]);
  await write(store, mine, { clockMove: { at: T + 20 * DAY, advanceMs: 365 * DAY } });
  const { deliveries: young } = await happen(store, mine, T + 750 * DAY, 1, [HOST]);
  await write(store, mine, { answer: answer('k', { createdAt: T }) });
  await end(store, mine, [...old, ...moved, ...young]);
  const idempotency = { key: 'k', operation: 'POST /v3/checkout', requestHash: 'hash' };
  const answered = async () => (await load(store, { tenant: mine, answers: [idempotency] })).answers.size > 0;

  const positions = async () =>
    (await store.events.list(mine, {}, 0, 10)).rows.map(({ position }) => position);

  // A day later by the clock on the wall nothing is old.
  assert.equal(await removeAll({ now: T + DAY, eventDays: 31 }), 0);
  assert.deepEqual([(await left()).length, await answered()], [4, true]);
  // Rows made a day after the first move are no older than that, although the clock was moved once more
  // since.
  assert.ok((await removeAll({ now: T + 31 * DAY, eventDays: 31 })) > 0);
  assert.deepEqual(inOrder(await left()), inOrder([...moved, ...waiting, ...young]));
  assert.deepEqual(await positions(), [2, 3, 4]);
  // The same rows are no younger either, and in nobody's way.
  assert.ok((await removeAll({ now: T + 40 * DAY, eventDays: 31 })) > 0);
  assert.deepEqual([inOrder(await left()), await answered()], [inOrder(young), false]);
  assert.deepEqual(await positions(), [4]);
});
