import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { createHealth } from '../../src/store/health.ts';

/** A health whose clock and trial writes the test has in its hands. */
function setUp() {
  const trials: boolean[] = [];
  const state = { now: 0, failing: null as Error | null };
  const { check, change } = createHealth({
    async write({ failure }) {
      trials.push(failure);
      if (state.failing) throw state.failing;
    },
    isContention: ({ message }) => message === 'locked',
    nowMs: () => state.now,
  });
  const health = {
    check,
    succeeded: () => change(async () => {}),
    /** A change that comes to this. */
    failed: (message: string) =>
      assert.rejects(
        change(() => Promise.reject(new StoreUnavailable(message))),
        { message },
      ),
  };
  const isReady = () =>
    health.check().then(
      () => true,
      () => false,
    );
  return { health, trials, state, isReady };
}

suite('health of a database', () => {
  test('follows what commits come to, at once', async () => {
    const { health, trials, isReady } = setUp();
    await health.succeeded();
    assert.equal(await isReady(), true);
    await health.failed('full');
    assert.equal(await isReady(), false);
    assert.deepEqual(trials, []);
  });

  test('does not come back by a change that may be smaller than what has failed', async () => {
    const { health, isReady } = setUp();
    await health.failed('full');
    await health.succeeded();
    assert.equal(await isReady(), false);
  });

  test('comes back by a trial that asks for as much as a change, not before a second is over', async () => {
    const { health, trials, state, isReady } = setUp();
    await health.failed('full');
    state.now = 999;
    assert.equal(await isReady(), false);
    assert.deepEqual(trials, []);
    state.now = 1_000;
    assert.equal(await isReady(), true);
    assert.deepEqual(trials, [true]);
    state.now = 1_500;
    assert.equal(await isReady(), true);
    assert.deepEqual(trials, [true, false]);
  });

  test('tries twice in a second at most, however many ask, and however it ends', async () => {
    const { trials, state, isReady } = setUp();
    state.failing = new Error('full');
    assert.deepEqual(await Promise.all([isReady(), isReady(), isReady()]), [false, false, false]);
    state.now = 499;
    assert.equal(await isReady(), false);
    assert.deepEqual(trials, [false]);
    state.now = 500;
    state.failing = null;
    assert.equal(await isReady(), true);
    assert.deepEqual(trials, [false, true]);
  });

  test('is tried anew once it was doubted', async () => {
    const { health, trials, state, isReady } = setUp();
    await health.succeeded();
    await health.failed('locked');
    assert.equal(await isReady(), true);
    await health.failed('locked');
    state.failing = new Error('locked');
    assert.equal(await isReady(), false);
    assert.deepEqual(trials, [false, false]);
  });

  test('believes a commit more than a trial that was under way', async () => {
    const { health } = setUp();
    const asked = health.check();
    await health.failed('full');
    await assert.rejects(asked, /full/);
  });
});
