/** Concurrency limits: how many deliveries a receiver has under way at once. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  type ConcurrencyLimits,
  createConcurrencyLimits,
  type Ended,
} from '../../src/webhooks/concurrency-limit.ts';

const quickly = { delivered: true, answerMs: 999, writingMs: 0 };
const slowly = { delivered: true, answerMs: 1_000, writingMs: 0 };
const failing = { delivered: false, answerMs: 1_000, writingMs: 0 };
const refusing = { delivered: false, answerMs: 999, writingMs: 0 };

/** Takes deliveries from beginning to end. */
function deliver(limits: ConcurrencyLimits, how: Ended, times = 1, receiver = 'whe_1'): void {
  for (let count = 0; count < times; count++) {
    limits.begin(receiver);
    limits.end(receiver, how);
  }
}

suite('a receiver', () => {
  test('has room for eight at first', () => assert.equal(createConcurrencyLimits(32).room('whe_1'), 8));

  test('has no more at first than it may ever have', () =>
    assert.equal(createConcurrencyLimits(3).room('whe_1'), 3));

  test('has less room for each that is under way, and has it back afterwards', () => {
    const limits = createConcurrencyLimits(32);
    limits.begin('whe_1');
    limits.begin('whe_1');
    assert.equal(limits.room('whe_1'), 6);
    limits.end('whe_1', slowly);
    assert.equal(limits.room('whe_1'), 7);
    limits.end('whe_1', slowly);
    assert.equal(limits.room('whe_1'), 8);
  });

  const cases = [
    ['that answers quickly gets one more each time', [[quickly, 3]], 11],
    ['gets no more than the most', [[quickly, 100]], 32],
    ['that takes its time keeps what it had at first', [[slowly, 20]], 8],
    [
      'that had more and takes its time gets half as many, down to what it had at first',
      [
        [quickly, 24],
        [slowly, 1],
      ],
      16,
    ],
    [
      'that had more and goes on taking its time keeps what it had at first',
      [
        [quickly, 24],
        [slowly, 9],
      ],
      8,
    ],
    ['that takes its time to fail gets half as many each time', [[failing, 2]], 2],
    [
      'that takes its time to fail loses the larger half of an odd number',
      [
        [quickly, 1],
        [failing, 1],
      ],
      4,
    ],
    ['always gets a single one', [[failing, 50]], 1],
    [
      'that takes its time is no better off for having failed',
      [
        [failing, 50],
        [slowly, 5],
      ],
      1,
    ],
    [
      'that is well again gets more',
      [
        [failing, 50],
        [quickly, 4],
      ],
      5,
    ],
    ['that fails quickly keeps what it has', [[refusing, 5]], 8],
  ] as const;
  for (const [name, all, room] of cases) {
    test(name, () => {
      const limits = createConcurrencyLimits(32);
      for (const [how, times] of all) deliver(limits, how, times);
      assert.equal(limits.room('whe_1'), room);
    });
  }

  test('does not change what others get', () => {
    const limits = createConcurrencyLimits(32);
    deliver(limits, failing, 5, 'whe_1');
    deliver(limits, quickly, 5, 'whe_2');
    assert.deepEqual(['whe_1', 'whe_2', 'whe_3'].map(limits.room), [1, 13, 8]);
  });

  test('that has shrunk while more were under way has no room until they have ended', () => {
    const limits = createConcurrencyLimits(32);
    for (let count = 0; count < 8; count++) limits.begin('whe_1');
    limits.end('whe_1', failing);
    assert.ok(limits.room('whe_1') <= 0);
    for (let count = 0; count < 7; count++) limits.end('whe_1', slowly);
    assert.equal(limits.room('whe_1'), 4);
  });
});

suite('a receiver whose answers become slower', () => {
  const within = (answerMs: number) => ({ delivered: true, answerMs, writingMs: 0 });

  test('has a queue: it gets one less each time, down to what it had at first', () => {
    const limits = createConcurrencyLimits(64);
    deliver(limits, within(100), 7);
    assert.equal(limits.room('whe_1'), 15);
    // Twice the quickest and five milliseconds more are put up with.
    deliver(limits, within(205), 1);
    assert.equal(limits.room('whe_1'), 16);
    deliver(limits, within(400), 2);
    assert.equal(limits.room('whe_1'), 14);
    deliver(limits, within(400), 20);
    assert.equal(limits.room('whe_1'), 8);
  });

  test('is compared with what it was lately: the way to it may have become longer', () => {
    const limits = createConcurrencyLimits(64);
    deliver(limits, within(100), 3);
    // Each delivery closes a hundredth of the gap to 300 ms, until 300 is no more than twice the average.
    deliver(limits, within(300), 27);
    assert.equal(limits.room('whe_1'), 8);
    deliver(limits, within(300), 5);
    assert.ok(limits.room('whe_1') > 8, 'it is quick again');
  });

  test('is quick at once when it is quicker than before', () => {
    const limits = createConcurrencyLimits(64);
    deliver(limits, within(900), 4);
    deliver(limits, within(10), 1);
    const room = limits.room('whe_1');
    deliver(limits, within(26), 1);
    assert.equal(limits.room('whe_1'), room - 1);
  });

  test('that is near gets no more than keeps it busy, one that is far gets more', () => {
    const roomAfter = (answerMs: number) => {
      const limits = createConcurrencyLimits(64);
      deliver(limits, within(answerMs), 60);
      return limits.room('whe_1');
    };
    assert.deepEqual([1, 24, 26, 60, 101, 900].map(roomAfter), [12, 12, 13, 30, 51, 64]);
  });

  test('and then fails is compared with what has arrived', () => {
    const limits = createConcurrencyLimits(64);
    deliver(limits, within(200), 4);
    deliver(limits, { delivered: false, answerMs: 1, writingMs: 0 }, 9);
    deliver(limits, within(200), 1);
    assert.equal(limits.room('whe_1'), 13, 'a refusal within a millisecond says nothing of the way');
  });
});

suite('a receiver of a busy service', () => {
  const busy = (answerMs: number) => ({ delivered: true, answerMs, writingMs: 40 });

  test('gets more at once for the time that results wait to be written', () => {
    const limits = createConcurrencyLimits(200);
    deliver(limits, busy(1), 200);
    assert.equal(limits.room('whe_1'), 12 + 80);
    deliver(limits, { delivered: true, answerMs: 1, writingMs: 0 }, 200);
    assert.equal(limits.room('whe_1'), 13, 'the service is no longer busy');
  });

  test('gets no more for results that could not be written', () => {
    const limits = createConcurrencyLimits(200);
    deliver(limits, busy(1), 200);
    deliver(limits, { delivered: true, answerMs: 1 }, 200);
    assert.equal(limits.room('whe_1'), 12 + 80);
  });

  test('is not slow where the service is as late as it is with its results', () => {
    const limits = createConcurrencyLimits(200);
    deliver(limits, busy(1), 100);
    const room = limits.room('whe_1');
    deliver(limits, busy(40), 20);
    const afterwards = limits.room('whe_1');
    assert.ok(afterwards >= room, `${afterwards}`);
    deliver(limits, busy(100), 1);
    assert.equal(limits.room('whe_1'), afterwards - 1);
  });
});

suite('very many receivers', () => {
  const fill = (limits: ConcurrencyLimits) => {
    for (let count = 0; count < 10_000; count++) deliver(limits, failing, 1, `other_${count}`);
  };

  test('are forgotten, and begin anew', () => {
    const limits = createConcurrencyLimits(32);
    deliver(limits, failing, 9);
    fill(limits);
    assert.equal(limits.room('whe_1'), 8);
  });

  test('are remembered as long as something is under way', () => {
    const limits = createConcurrencyLimits(32);
    deliver(limits, failing, 9);
    limits.begin('whe_1');
    fill(limits);
    assert.equal(limits.room('whe_1'), 0);
    limits.end('whe_1', failing);
    assert.equal(limits.room('whe_1'), 1);
  });
});

test('a limit is never smaller than one, nor larger than the most, whatever comes', () => {
  const outcomes = fc.array(fc.constantFrom(quickly, slowly, failing, refusing), { maxLength: 100 });
  fc.assert(
    fc.property(outcomes, fc.integer({ min: 1, max: 64 }), (all, most) => {
      const limits = createConcurrencyLimits(most);
      for (const each of all) {
        deliver(limits, each);
        const room = limits.room('whe_1');
        assert.ok(room >= 1 && room <= most, `${room}`);
      }
    }),
  );
});

test('a receiver that asks for less gets half as many, down to a single one', () => {
  const limits = createConcurrencyLimits(64);
  const rooms = Array.from({ length: 4 }, () => {
    limits.begin('a');
    limits.end('a', { delivered: false, throttled: true, answerMs: 1, writingMs: 0 });
    return limits.room('a');
  });
  assert.deepEqual(rooms, [4, 2, 1, 1]);
});
