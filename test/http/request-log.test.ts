/** The log of requests as it is gathered: what is written, when, and what is left out so that nobody has to wait for it. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { RequestEntry } from '../../src/accounts/request-log.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { createRequestLog, type LeftOut } from '../../src/http/request-log.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { NewRequest } from '../../src/store/store.ts';
import { mockTimers } from '../support/timers.ts';

const tenant = (account: number): Tenant => ({ account, mode: 'test' });
const NOW = Date.UTC(2030, 0, 31);
const DAY = 86_400_000;

const entry = (other: Partial<RequestEntry> = {}): Omit<RequestEntry, 'leftOut'> => ({
  id: 'rql_1',
  at: NOW,
  requestId: 'req_1',
  actor: 'ak_test_1',
  method: 'PUT',
  path: '/v3/checkout/{id}',
  operation: 'CHECKOUT.UPDATE',
  subject: null,
  status: 404,
  errors: [],
  durationMs: 1,
  idempotency: 'none',
  ...other,
});

/** A log whose writes end when the test says so; timers are those of the test. */
function setUp(
  t: TestContext,
  { mixed = true, everyMs = 500 }: { mixed?: boolean; everyMs?: number | null } = {},
) {
  const timers = mockTimers(t, ['setTimeout']);
  const written: Array<readonly NewRequest[]> = [];
  const trimmed: Array<readonly [Tenant, number]> = [];
  const leftOut: Partial<Record<LeftOut, number>> = {};
  const errors: unknown[] = [];
  let failure: Error | null = null;
  let isHeld = false;
  /** How many entries each trim removes, as long as that is given; it fails where it is an error. */
  const removes: Array<number | Error> = [];
  let nowMs = 0;
  const log = createRequestLog({
    store: {
      batching: { atOnce: 1, apart: false, mixed },
      requestLog: {
        async list() {
          throw new Error('nobody reads here');
        },
        async add(entries) {
          if (failure !== null) throw failure;
          if (isHeld) await new Promise(() => {});
          written.push(entries);
        },
        listTenants: async () => [],
        async trim(of, before) {
          trimmed.push([of, before]);
          const next = removes.shift() ?? 0;
          if (next instanceof Error) throw next;
          return next;
        },
        async purge() {
          throw new Error('nobody purges here');
        },
      },
    },
    realNow: () => NOW,
    onLeftOut(reason, count) {
      leftOut[reason] = (leftOut[reason] ?? 0) + count;
    },
    onError: (error) => errors.push(error),
    everyMs,
    nowMs: () => nowMs,
  });
  return {
    ...{ log, written, trimmed, removes, leftOut, errors },
    /** Lets the next batch be written. */
    async tick() {
      timers.tick(everyMs ?? 0);
      for (let turns = 0; turns < 20; turns++) await Promise.resolve();
      await new Promise(setImmediate);
    },
    fail(error: Error | null) {
      failure = error;
    },
    /** Writes that begin from now on never end. */
    hold() {
      isHeld = true;
    },
    /** Lets the time of a stop pass. */
    async endOfStop() {
      await new Promise(setImmediate);
      timers.tick(2_000);
    },
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

/** Entries that are not alike. */
const various = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    entry({ actor: `ak_test_${index}`, requestId: `req_${index}` }),
  );

suite('what is noted', () => {
  test('is written together after a pause, and never at once', async (t) => {
    const { log, written, tick } = setUp(t);
    for (const each of various(3)) log.note(tenant(1), each);
    log.note(tenant(2), entry());
    assert.equal(written.length, 0);
    await tick();
    assert.deepEqual(
      written.map((batch) =>
        batch.map(({ tenant: { account }, entry: { requestId } }) => `${account} ${requestId}`),
      ),
      [['1 req_0', '2 req_1', '1 req_1', '1 req_2']],
    );
    await tick();
    assert.equal(written.length, 1, 'nothing is written where there is nothing');
  });

  test('is written for each tenant apart where a batch is of one', async (t) => {
    const { log, written, tick } = setUp(t, { mixed: false });
    for (const account of [1, 2, 1]) log.note(tenant(account), entry({ actor: `of ${account}` }));
    await tick();
    assert.deepEqual(
      written.map((batch) => batch.map((each) => each.tenant.account)),
      [[1, 1], [2]],
    );
  });

  test('is written in bounded batches, with a pause between them, and each tenant has its turn', async (t) => {
    const { log, written, leftOut, tick } = setUp(t);
    for (const each of various(512)) log.note(tenant(1), each);
    log.note(tenant(2), entry());
    await tick();
    assert.equal(written.length, 1);
    assert.equal(written[0]?.length, 256);
    assert.equal(written[0]?.filter((each) => each.tenant.account === 2).length, 1);
    await tick();
    await tick();
    assert.deepEqual(
      written.map(({ length }) => length),
      [256, 256, 1],
    );
    assert.deepEqual(leftOut, {});
  });

  test('is written before the end, and nothing is noted behind it', async (t) => {
    const { log, written, tick } = setUp(t);
    for (const each of various(300)) log.note(tenant(1), each);
    await log.stop();
    assert.deepEqual(
      written.map(({ length }) => length),
      [256, 44],
    );
    log.note(tenant(1), entry());
    await tick();
    assert.equal(written.length, 2);
  });

  test('is nothing where no log is kept', async (t) => {
    const { log, written, leftOut } = setUp(t, { everyMs: null });
    log.note(tenant(1), entry());
    await log.stop();
    assert.deepEqual([written, leftOut], [[], {}]);
  });
});

suite('what is left out', () => {
  test('are requests alike beyond a hundred in a minute, and the next one says how many', async (t) => {
    const { log, written, leftOut, tick, wait } = setUp(t);
    for (let count = 0; count < 150; count++) log.note(tenant(1), entry());
    const others = [{ status: 409 }, { actor: 'ak_test_2' }, { operation: 'CHECKOUT.EXPIRE' }];
    for (const other of others) log.note(tenant(1), entry(other));
    log.note({ account: 1, mode: 'live' }, entry());
    log.note(tenant(2), entry());
    await tick();
    assert.equal(written.flat().length, 105);
    assert.deepEqual(leftOut, { alike: 50 });
    wait(59_999);
    log.note(tenant(1), entry());
    assert.deepEqual(leftOut, { alike: 51 });
    wait(1);
    log.note(tenant(1), entry());
    log.note(tenant(1), entry());
    await tick();
    assert.deepEqual(
      written.at(-1)?.map((each) => each.entry.leftOut),
      [51, 0],
    );
  });

  test('is what does not fit: of one tenant, and of all, where each keeps its part', async (t) => {
    const { log, written, leftOut, tick } = setUp(t);
    for (const each of various(600)) log.note(tenant(1), each);
    assert.deepEqual(leftOut, { full: 88 });
    for (let account = 2; account <= 9; account++)
      for (const each of various(512)) log.note(tenant(account), each);
    assert.deepEqual(leftOut, { full: 88 + 512 });
    log.note(tenant(10), entry());
    for (let batches = 0; batches < 16; batches++) await tick();
    const entries = written.flat();
    assert.equal(entries.length, 4096);
    const of = (account: number) => entries.filter((each) => each.tenant.account === account).length;
    assert.equal(of(10), 1);
    for (let account = 1; account <= 9; account++)
      assert.ok(of(account) >= 454, `${account}: ${of(account)}`);
  });

  test('is what the database does not take: it is counted, told, and not tried again', async (t) => {
    const { log, written, leftOut, errors, tick, fail } = setUp(t, { mixed: false });
    const full = new StoreUnavailable('the disk is full');
    fail(full);
    for (const account of [1, 1, 2]) log.note(tenant(account), entry({ actor: `of ${account}` }));
    await tick();
    assert.deepEqual([written, leftOut, errors], [[], { failed: 3 }, [full, full]]);
    fail(null);
    log.note(tenant(1), entry({ requestId: 'later' }));
    await tick();
    assert.deepEqual(
      written.flat().map((each) => each.entry.requestId),
      ['later'],
    );
  });

  test('is what the database does not take in the end, which ends all the same', async (t) => {
    const { log, leftOut, fail } = setUp(t);
    fail(new StoreUnavailable('gone'));
    for (const each of various(300)) log.note(tenant(1), each);
    await log.stop();
    assert.deepEqual(leftOut, { failed: 300 });
  });
});

suite('a stop', () => {
  test('ends in time where a write does not, and what is left is counted and told', async (t) => {
    const { log, leftOut, errors, hold, endOfStop } = setUp(t, { mixed: false });
    for (const account of [1, 2]) for (const each of various(200)) log.note(tenant(account), each);
    hold();
    const stopped = log.stop();
    await endOfStop();
    await stopped;
    assert.deepEqual(leftOut, { failed: 400 });
    assert.match(String(errors), /stopped before 400 /);
    assert.equal(log.waiting(), 0);
  });

  test('removes nothing old', async (t) => {
    const { log, written, trimmed } = setUp(t);
    for (const each of various(512)) log.note(tenant(1), each);
    await log.stop();
    assert.deepEqual([written.length, trimmed], [2, []]);
  });
});

suite('the oldest', () => {
  async function noted({ log, tick, wait }: ReturnType<typeof setUp>, count: number) {
    wait(60_000);
    for (const each of various(count)) log.note(tenant(1), each);
    while (log.waiting() > 0) await tick();
  }

  test('go until there are none, as far as that is soon, and else with the next entries', async (t) => {
    const set = setUp(t);
    set.removes.push(500, 500, 20, 0);
    await noted(set, 1);
    assert.equal(set.trimmed.length, 4);
    await noted(set, 499);
    assert.equal(set.trimmed.length, 4);
    set.removes.push(500, 500, 500, 500, 500, 0);
    await noted(set, 1);
    assert.equal(set.trimmed.length, 8);
    await noted(set, 1);
    assert.equal(set.trimmed.length, 10);
  });

  test('that could not be removed are tried again with the next entries', async (t) => {
    const set = setUp(t);
    set.removes.push(new StoreUnavailable('too many wait'), 0);
    await noted(set, 1);
    assert.deepEqual([set.trimmed.length, set.errors.length], [1, 1]);
    await noted(set, 1);
    await noted(set, 1);
    assert.equal(set.trimmed.length, 2);
  });
});

test('the oldest are looked for behind the first entry of a start, and then behind each 500 of a tenant', async (t) => {
  const { log, trimmed, tick, wait } = setUp(t);
  const noted = async (account: number, count: number) => {
    wait(60_000);
    for (const each of various(count)) log.note(tenant(account), each);
    while (log.waiting() > 0) await tick();
  };
  await noted(1, 1);
  assert.deepEqual(trimmed, [[tenant(1), NOW - 7 * DAY]]);
  await noted(1, 499);
  assert.equal(trimmed.length, 1);
  await noted(1, 1);
  assert.equal(trimmed.length, 2);
  await noted(2, 1);
  assert.deepEqual(trimmed.at(-1)?.[0], tenant(2));
});
