/** The pool of threads: who gets one, how long it may take, and what becomes of it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createThreadPool, type PoolErrors, type PoolLimits } from '../../src/lib/thread-pool.ts';
import { mockTimers } from '../support/timers.ts';

/** A thread that says at its beginning and at that of each job that it has begun; what is gated waits for its gate. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId, workerData } from 'node:worker_threads';
    const count = (at) => { Atomics.add(workerData.counts, at, 1); Atomics.notify(workerData.counts, at); };
    parentPort.on('message', ({ name, gate }) => {
      count(1);
      if (gate) Atomics.wait(gate, 0, 0);
      if (name === 'broken') throw new Error('it is broken');
      parentPort.postMessage({ name, threadId });
    });
    count(0);
    if (!workerData.isSilent) parentPort.postMessage('ready');
  `)}`,
);

type Task = { readonly name: string; readonly gate?: Int32Array<SharedArrayBuffer> };
type Answer = { readonly name: string; readonly threadId: number };

const errors: PoolErrors = {
  tooMany: () => new Error('too many'),
  tooLong: () => new Error('too long'),
  failed: (why) => new Error(`failed: ${why}`),
};
/** Time for which a job waits before one more thread begins. */
const BUSY_MS = 20;
const STARTED = 0;
const BEGUN = 1;

const shared = () => new Int32Array(new SharedArrayBuffer(8));

function setUp(t: TestContext, own: Partial<PoolLimits> = {}, isSilent = false) {
  const limits = {
    threads: 2,
    startMs: 100_000,
    jobMs: 1_000,
    idleMs: 5_000,
    maxWaiting: 10,
    maxWaitingOfTenant: 10,
    memory: {},
    ...own,
  };
  // The pool's own time: real threads, whose limits are over when the test says so.
  const timers = mockTimers(t, ['setTimeout']);
  const counts = shared();
  const pool = createThreadPool<Task, Answer>(script, { limits, errors, workerData: { counts, isSilent } });
  t.after(() => pool.close(() => new Error('closed')));

  /** Resolves when so many have started, or begun, in all. */
  async function counted(at: number, wanted: number): Promise<void> {
    for (;;) {
      const count = Atomics.load(counts, at);
      if (count >= wanted) return assert.equal(count, wanted);
      await Atomics.waitAsync(counts, at, count).value;
    }
  }
  /** A job that waits until it is let go. */
  function gated(tenant: string, name: string) {
    const gate = shared();
    const answer = pool.run(tenant, { name, gate });
    const letGo = () => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    };
    return { answer, letGo };
  }
  return { pool, counted, gated, tick: (ms: number) => timers.tick(ms) };
}

suite('a pool of threads', () => {
  test('has as many as are needed, no more than allowed, and one job of a tenant at a time', async (t) => {
    const { counted, gated, tick } = setUp(t);
    const [first, second, other] = [gated('a', '1'), gated('a', '2'), gated('b', '1')];
    const third = gated('c', '1');
    await counted(BEGUN, 1);
    tick(BUSY_MS);
    await counted(BEGUN, 2);
    await counted(STARTED, 2);
    tick(BUSY_MS);
    other.letGo();
    const { threadId } = await other.answer;
    await counted(BEGUN, 3);
    third.letGo();
    assert.deepEqual(await third.answer, { name: '1', threadId }, 'not the second of the same tenant');
    first.letGo();
    second.letGo();
    assert.deepEqual([(await first.answer).name, (await second.answer).name], ['1', '2']);
    await counted(STARTED, 2);
  });

  test('begins one beside another only for what has waited', async (t) => {
    const { pool, counted, gated, tick } = setUp(t);
    const { answer, letGo } = gated('a', '1');
    await counted(BEGUN, 1);
    const other = pool.run('b', { name: '1' });
    tick(BUSY_MS - 1);
    // A thread that had begun for it would be there by the time one that begins now is.
    const later = new Worker(script, { workerData: { counts: shared() } });
    await once(later, 'message');
    await later.terminate();
    await counted(STARTED, 1);
    letGo();
    const { threadId } = await answer;
    assert.deepEqual(await other, { name: '1', threadId });
    tick(BUSY_MS);
    await counted(STARTED, 1);
  });

  test('lets only so many wait', async (t) => {
    const { pool } = setUp(t, { maxWaitingOfTenant: 5 });
    const asked = Array.from({ length: 7 }, (_, n) => pool.run('a', { name: `${n}` }));
    const results = await Promise.allSettled(asked);
    assert.deepEqual(
      results.map((each) => (each.status === 'fulfilled' ? each.value.name : each.reason.message)),
      ['0', '1', '2', '3', '4', 'too many', 'too many'],
    );
  });

  test('ends one that nobody has needed for so long', async (t) => {
    const { pool, tick } = setUp(t);
    const run = async () => (await pool.run('a', { name: '1' })).threadId;
    const first = await run();
    tick(4_999);
    assert.equal(await run(), first);
    tick(4_999);
    assert.equal(await run(), first, 'the time begins anew with each job');
    tick(5_000);
    assert.notEqual(await run(), first);
  });

  test('gives up a job that takes too long, and replaces its thread when that has ended', async (t) => {
    const { pool, counted, gated, tick } = setUp(t, { threads: 1 });
    const { answer } = gated('a', '1');
    await counted(BEGUN, 1);
    const next = pool.run('a', { name: '2' });
    tick(999);
    assert.equal(await Promise.race([answer, Promise.resolve('waits')]), 'waits');
    const given = assert.rejects(answer, /^Error: too long$/);
    tick(1);
    await given;
    assert.equal((await next).name, '2');
    await counted(STARTED, 2);
  });

  test('fails the job of a thread that fails, and goes on', async (t) => {
    const { pool } = setUp(t, { threads: 1 });
    const broken = assert.rejects(pool.run('a', { name: 'broken' }), /^Error: failed: it is broken$/);
    const next = pool.run('a', { name: '2' });
    await broken;
    assert.equal((await next).name, '2');
  });

  test('fails one job for each thread that does not begin', async (t) => {
    const { pool, counted, tick } = setUp(t, { threads: 1, startMs: 200 }, true);
    const asked = ['a', 'b'].map((tenant) => pool.run(tenant, { name: '1' }));
    for (const [index, each] of asked.entries()) {
      await counted(STARTED, index + 1);
      const failed = assert.rejects(each, /^Error: failed: it does not begin$/);
      tick(199);
      assert.equal(await Promise.race([each, Promise.resolve('waits')]), 'waits');
      tick(1);
      await failed;
    }
  });

  test('is left by what nobody wants any more, unless it has begun', async (t) => {
    const { pool, counted, gated } = setUp(t, { threads: 1 });
    const { answer, letGo } = gated('a', '1');
    await counted(BEGUN, 1);
    const leaving = new AbortController();
    const unwanted = { signal: leaving.signal, error: () => new Error('unwanted') };
    const left = assert.rejects(pool.run('a', { name: '2' }, unwanted), /^Error: unwanted$/);
    leaving.abort();
    await left;
    const begun = new AbortController();
    const last = pool.run('a', { name: '3' }, { signal: begun.signal, error: unwanted.error });
    letGo();
    await answer;
    begun.abort();
    assert.equal((await last).name, '3');
  });

  test('ends with all that waits and is being done', async (t) => {
    const { pool, counted, gated } = setUp(t, { threads: 1 });
    const jobs = [gated('a', '1').answer, pool.run('a', { name: '2' }), pool.run('b', { name: '1' })];
    await counted(BEGUN, 1);
    const ended = jobs.map((each) => assert.rejects(each, /^Error: closed$/));
    await pool.close(() => new Error('closed'));
    await Promise.all(ended);
    await assert.rejects(pool.run('a', { name: '3' }), /^Error: closed$/);
    await counted(STARTED, 1);
  });
});
