/** The rate of requests: a burst of two seconds, then one for each interval, for each caller by itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { createAddressLimiter, createPace, createRateLimiter } from '../../src/lib/rate-limit.ts';

suite('a limit of ten requests a second', () => {
  function setUp() {
    let now = 5_000;
    const { take } = createRateLimiter(10, () => now);
    const pass = (ms: number) => {
      now += ms;
    };
    /** Requests that pass now, up to 100. */
    const burst = (caller: string) => {
      let passed = 0;
      while (passed < 100 && take(caller) === 0) passed++;
      return passed;
    };
    return { take, pass, burst };
  }

  test('lets twice as many pass at once, and then one at a time', () => {
    const { take, pass, burst } = setUp();
    assert.equal(burst('one'), 20);
    assert.equal(take('one'), 100);
    pass(99);
    assert.equal(take('one'), 1, 'what was refused does not count');
    pass(1);
    assert.equal(burst('one'), 1);
    pass(60_000);
    assert.equal(burst('one'), 20);
  });

  test('is one for each caller', () => {
    const { burst } = setUp();
    assert.deepEqual([burst('one'), burst('other')], [20, 20]);
  });

  test('holds over any time, whoever asks when', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 200 }), (gaps) => {
        const { take, pass } = setUp();
        let elapsed = 0;
        let passed = 0;
        for (const gap of gaps) {
          pass(gap);
          elapsed += gap;
          const waitMs = take('one');
          if (waitMs === 0) passed++;
          assert.ok(waitMs >= 0 && waitMs <= 100, `${waitMs}`);
          assert.ok(passed <= 20 + elapsed / 100, `${passed} in ${elapsed} ms`);
        }
      }),
    );
  });
});

test('a limit of none lets everything pass', () => {
  const { take, waitOf, perSecond } = createRateLimiter(0, () => 0);
  for (let n = 0; n < 1000; n++) assert.equal(take('one'), 0);
  assert.deepEqual([perSecond, waitOf('one')], [0, 0]);
});

test('ten thousand callers are remembered, those that asked last', () => {
  const { take, waitOf } = createRateLimiter(1, () => 0);
  const ask = (caller: string) => [take(caller), take(caller)];
  for (let n = 0; n < 10_000; n++) assert.deepEqual(ask(`${n}`), [0, 0]);
  assert.deepEqual(['0', '9999'].map(waitOf), [1000, 1000]);
  ask('another');
  assert.deepEqual(['0', '1', '2', 'another'].map(waitOf), [1000, 0, 1000, 1000]);
});

test('a question about the wait is not a request', () => {
  const { take, waitOf } = createRateLimiter(10, () => 0);
  for (let n = 0; n < 100; n++) assert.equal(waitOf('one'), 0);
  for (let n = 0; n < 20; n++) assert.equal(take('one'), 0);
  assert.deepEqual([waitOf('one'), waitOf('other')], [100, 0]);
});

test('a limit for addresses is one for all that a client can have', () => {
  const { take, waitOf } = createAddressLimiter(1, () => 0);
  for (const address of ['2001:db8::1', '2001:db8::2', '192.0.2.7', '::ffff:192.0.2.7'])
    assert.equal(take(address), 0, address);
  for (const address of ['2001:db8::3', '::ffff:192.0.2.7']) assert.equal(take(address), 1000, address);
  assert.deepEqual([waitOf('2001:db8::4'), waitOf('2001:db8:0:1::1')], [1000, 0]);
});

test('a pace takes the bytes of a second at once from each caller, and has each wait for its own', () => {
  let now = 5_000;
  const { take } = createPace(1_000, 2_000, () => now);
  assert.equal(take('one', 1_000), 0);
  assert.equal(take('one', 500), 500);
  assert.equal(take('other', 1_000), 0);
  now += 500;
  assert.equal(take('one', 100), 100);
  assert.equal(take('one', 2_000), 2_100, 'is refused');
  assert.equal(take('one', 1_900), 2_000, 'what was refused does not count');
  now += 60_000;
  assert.equal(take('one', 1_000), 0, 'time without bytes counts for no more than a second');
  assert.equal(take('one', 1), 1);
});
