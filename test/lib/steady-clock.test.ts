/** Time when the clock of the machine jumps. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createSteadyClock, type Jump } from '../../src/lib/steady-clock.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

/** A machine whose clock a test sets, and the steady time that is made of it. */
function machine() {
  let elapsed = 5_000;
  let wall = START;
  const jumps: Jump[] = [];
  const now = createSteadyClock({
    wallNow: () => wall,
    monotonicNow: () => elapsed,
    onJump: (jump) => jumps.push(jump),
  });
  return {
    jumps,
    now,
    /** Lets time pass; the service asks for it all the while. */
    pass(ms: number) {
      for (let left = ms; left > 0; left -= MINUTE) {
        const step = Math.min(left, MINUTE);
        elapsed += step;
        wall += step;
        now();
      }
    },
    set(byMs: number) {
      wall += byMs;
    },
  };
}

test('goes on as the clock of the machine does', () => {
  const { now, pass, jumps } = machine();
  assert.equal(now(), START);
  pass(3 * DAY);
  assert.equal(now(), START + 3 * DAY);
  assert.deepEqual(jumps, []);
});

test('follows small corrections at once', () => {
  const { now, set, jumps } = machine();
  set(20_000);
  assert.equal(now(), START + 20_000);
  set(-25_000);
  assert.equal(now(), START - 5_000);
  assert.deepEqual(jumps, []);
});

suite('a clock that is set wrong', () => {
  for (const [how, byMs] of [
    ['40 days ahead', 40 * DAY],
    ['a day back', -DAY],
  ] as const) {
    test(`${how} for some minutes changes nothing, and is told once`, () => {
      const { now, pass, set, jumps } = machine();
      set(byMs);
      pass(9 * MINUTE);
      assert.equal(now(), START + 9 * MINUTE);
      set(-byMs);
      pass(MINUTE);
      assert.equal(now(), START + 10 * MINUTE);
      assert.deepEqual(jumps, [{ byMs, isBelieved: false }]);
    });

    test(`${how} for good is believed after ten minutes`, () => {
      const { now, pass, set, jumps } = machine();
      set(byMs);
      now();
      pass(9 * MINUTE);
      assert.equal(now(), START + 9 * MINUTE);
      pass(MINUTE);
      assert.equal(now(), START + byMs + 10 * MINUTE);
      pass(DAY);
      assert.equal(now(), START + byMs + 10 * MINUTE + DAY);
      assert.deepEqual(jumps, [
        { byMs, isBelieved: false },
        { byMs, isBelieved: true },
      ]);
    });
  }

  test('again and again is believed when it rests', () => {
    const { now, pass, set, jumps } = machine();
    set(DAY);
    pass(6 * MINUTE);
    set(DAY);
    pass(6 * MINUTE);
    assert.equal(now(), START + 12 * MINUTE);
    pass(5 * MINUTE);
    assert.equal(now(), START + 2 * DAY + 17 * MINUTE);
    assert.deepEqual(
      jumps.map(({ isBelieved }) => isBelieved),
      [false, false, true],
    );
  });
});
