/** Work that repeats: at once, when nudged, after a pause, and after a failure. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { startLoop } from '../../src/lib/loop.ts';
import { mockTimers } from '../support/timers.ts';

const PAUSE_MS = 100;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A loop with this round; what is counted are the rounds that have begun. */
async function setUp(
  t: TestContext,
  round: (number: number) => Promise<boolean>,
  pauseMs = PAUSE_MS,
  restMs?: number,
) {
  const timers = mockTimers(t, ['setTimeout']);
  let rounds = 0;
  const errors: unknown[] = [];
  const loop = startLoop(
    () => round(++rounds),
    pauseMs,
    (error) => errors.push(error),
    restMs,
  );
  t.after(() => loop.stop());
  await turn();
  const pass = async (ms: number) => {
    timers.tick(ms);
    await turn();
  };
  return { loop, errors, pass, rounds: () => rounds };
}

suite('a loop', () => {
  test('goes on at once while there is more, and then after a pause', async (t) => {
    const { rounds, pass } = await setUp(t, async (number) => number < 3);
    assert.equal(rounds(), 3);
    await pass(PAUSE_MS - 1);
    assert.equal(rounds(), 3);
    await pass(1);
    assert.equal(rounds(), 4);
  });

  test('goes on at once when it is nudged, also in the middle of a round', async (t) => {
    let end = () => {};
    const { loop, rounds } = await setUp(t, async (number) => {
      if (number === 2) await new Promise<void>((resolve) => (end = resolve));
      return false;
    });
    assert.equal(rounds(), 1);
    loop.nudge();
    await turn();
    assert.equal(rounds(), 2);
    loop.nudge();
    end();
    await turn();
    assert.equal(rounds(), 3, 'what the nudge was about may have come behind the look at it');
  });

  test('rests behind each round, however often it is nudged, and then goes on at once', async (t) => {
    const { loop, rounds, pass } = await setUp(t, async () => false, PAUSE_MS, 5);
    for (let ms = 0; ms < 4; ms++) {
      loop.nudge();
      await pass(1);
    }
    assert.equal(rounds(), 1);
    await pass(1);
    assert.equal(rounds(), 2, 'all that it was nudged for is one round');
    await pass(5);
    loop.nudge();
    await turn();
    assert.equal(rounds(), 3, 'nothing is to be waited for behind the rest');
    await pass(5);
    await pass(PAUSE_MS);
    assert.equal(rounds(), 4);
  });

  test('does not rest while there is more', async (t) => {
    const { rounds } = await setUp(t, async (number) => number < 3, PAUSE_MS, 5);
    assert.equal(rounds(), 3);
  });

  test('waits ever longer after failures, two seconds at most', async (t) => {
    let isFailing = true;
    const { errors, rounds, pass } = await setUp(t, async (number) => {
      if (isFailing) throw number;
      return false;
    });
    for (const pauseMs of [200, 400, 800, 1600, 2000, 2000]) {
      const before = rounds();
      await pass(pauseMs - 1);
      assert.equal(rounds(), before, `${pauseMs} ms`);
      await pass(1);
      assert.equal(rounds(), before + 1, `${pauseMs} ms`);
    }
    assert.deepEqual(errors, [1, 2, 3, 4, 5, 6, 7]);
    isFailing = false;
    await pass(2000);
    await pass(PAUSE_MS);
    assert.equal(rounds(), 9);
  });

  test('takes an offer at once, but behind a failure in its own time', async (t) => {
    const { loop, rounds, pass } = await setUp(t, async (number) => {
      if (number === 2) throw new Error('no');
      return false;
    });
    loop.offer();
    await turn();
    assert.equal(rounds(), 2);
    loop.offer();
    await pass(199);
    assert.equal(rounds(), 2);
    await pass(1);
    assert.equal(rounds(), 3);
    loop.offer();
    await turn();
    assert.equal(rounds(), 4);
  });

  test('keeps to a pause that is longer than that', async (t) => {
    const failing = () => Promise.reject(new Error('no'));
    const { rounds, pass } = await setUp(t, failing, 5000);
    await pass(4999);
    assert.equal(rounds(), 1);
    await pass(1);
    assert.equal(rounds(), 2);
  });
});

suite('a loop that is stopped', () => {
  test('has ended when its round has, although there is more', async (t) => {
    let end = () => {};
    const { loop, rounds } = await setUp(t, async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return true;
    });
    let hasEnded = false;
    const stopped = loop.stop().then(() => (hasEnded = true));
    await turn();
    assert.equal(hasEnded, false);
    end();
    await stopped;
    assert.equal(rounds(), 1);
  });

  test('waits for no pause and no rest', async (t) => {
    for (const restMs of [0, 5]) {
      const paused = await setUp(t, async () => false, PAUSE_MS, restMs);
      await paused.loop.stop();
      assert.equal(paused.rounds(), 1);
      t.mock.timers.reset();
    }
  });

  test('begins none behind its last round', async (t) => {
    let end = () => {};
    const { loop } = await setUp(t, async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return false;
    });
    const stopped = loop.stop();
    end();
    await stopped;
  });
});
