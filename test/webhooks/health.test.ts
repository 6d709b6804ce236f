/** The circuit breaker: when a receiver is suspended, when it is probed, and when the merchant is told. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  afterFailure,
  asksForLess,
  type Health,
  healthStatusOf,
  LONGEST_PROBE_MS,
  mayProbe,
  probedAtOnce,
} from '../../src/webhooks/health.ts';

const T = Date.UTC(2030, 0, 15, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Health after failures at these times; the first one begins it. */
function failedAt(...times: readonly number[]): Health {
  let health: Health | null = null;
  for (const time of times) health = afterFailure(health, `error at ${time - T}`, time);
  return health as Health;
}

const every = (stepMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => T + index * stepMs);

suite('a receiver that does not fail', () => {
  test('is healthy', () => assert.equal(healthStatusOf(null), 'healthy'));

  test('fails after one failure, and is not suspended', () => {
    const health = afterFailure(null, 'timeout', T);
    assert.deepEqual(health, {
      failures: 1,
      failingSince: T,
      probes: 0,
      probeAt: null,
      announced: false,
      lastError: 'timeout',
    });
    assert.equal(healthStatusOf(health), 'failing');
  });
});

suite('a receiver that fails', () => {
  const cases: ReadonlyArray<
    readonly [name: string, times: readonly number[], probeAt: number | null, told: boolean]
  > = [
    ['nine times in a row, at once', every(0, 9), null, false],
    ['ten times in a row, at once', every(0, 10), T + 5 * SECOND, false],
    ['ten times within a minute', every(6 * SECOND, 10), T + 59 * SECOND, false],
    ['ten times, for a minute', every(MINUTE / 9, 10).map(Math.ceil), T + 65 * SECOND, true],
    ['three times, for nearly five minutes', [T, T + 1, T + 5 * MINUTE - 1], null, false],
    ['twice, for five minutes', [T, T + 5 * MINUTE], null, false],
    ['three times, for five minutes', [T, T + 1, T + 5 * MINUTE], T + 5 * MINUTE + 5 * SECOND, true],
    ['four times, for an hour', [T, T + 1, T + 2, T + 60 * MINUTE], T + 60 * MINUTE + 5 * SECOND, true],
  ];
  for (const [name, times, probeAt, announced] of cases) {
    test(`${name}: ${probeAt === null ? 'goes on' : 'is suspended'}${announced ? ', and the merchant is told' : ''}`, () => {
      const health = failedAt(...times);
      const last = times.at(-1) as number;
      assert.deepEqual(health, {
        failures: times.length,
        failingSince: T,
        probes: 0,
        probeAt,
        announced,
        lastError: `error at ${last - T}`,
      });
      assert.equal(healthStatusOf(health), probeAt === null ? 'failing' : 'suspended');
    });
  }
});

suite('a suspended receiver', () => {
  const suspended = failedAt(...every(0, 10));

  test('that fails with what was on its way before is probed as it was to be', () => {
    const after = afterFailure(suspended, 'late', T + 5 * SECOND - 1);
    assert.deepEqual(after, { ...suspended, failures: 11, lastError: 'late' });
  });

  test('is probed after times that double, up to five minutes', () => {
    let health = suspended;
    const waits: number[] = [];
    for (let probe = 1; probe <= 10; probe++) {
      const now = health.probeAt as number;
      health = afterFailure(health, 'timeout', now);
      assert.equal(health.probes, probe);
      waits.push(((health.probeAt as number) - now) / SECOND);
    }
    assert.deepEqual(waits, [10, 20, 40, 80, 160, 300, 300, 300, 300, 300]);
  });

  test('is probed every five minutes however long it takes', () => {
    const health = afterFailure({ ...suspended, probes: 5_000 }, 'timeout', T + MINUTE);
    assert.equal(health.probeAt, T + 6 * MINUTE);
  });

  const announcing: ReadonlyArray<readonly [string, Health, number, boolean]> = [
    ['a probe that fails within a minute does not tell the merchant', suspended, T + MINUTE - 1, false],
    ['a probe that fails after a minute does', suspended, T + MINUTE, true],
    [
      'what was on its way before tells after a minute as well',
      { ...suspended, probeAt: T + 2 * MINUTE },
      T + MINUTE,
      true,
    ],
    ['whoever was told is told for as long as it lasts', { ...suspended, announced: true }, T + 1, true],
  ];
  for (const [name, before, now, announced] of announcing) {
    test(name, () => assert.equal(afterFailure(before, 'timeout', now).announced, announced));
  }
});

suite('a probe', () => {
  const suspended = failedAt(...every(0, 10));
  const probeAt = T + 5 * SECOND;

  test('may go out from its time on, or where the clock was set back since', () => {
    for (const [now, expected] of [
      [probeAt - 1, false],
      [probeAt, true],
      [probeAt + MINUTE, true],
      [probeAt - LONGEST_PROBE_MS, false],
      [probeAt - LONGEST_PROBE_MS - 1, true],
    ] as const) {
      assert.equal(mayProbe(suspended, now), expected, `${now - probeAt}`);
    }
    assert.equal(mayProbe(failedAt(T), T + MINUTE), false, 'a receiver that is not suspended needs none');
  });

  test('need not wait where somebody thinks that the receiver is well again', () => {
    assert.deepEqual(probedAtOnce(suspended, T + SECOND), { ...suspended, probeAt: T + SECOND });
    assert.deepEqual(probedAtOnce(suspended, probeAt + SECOND), suspended, 'it is due already');
    const failing = failedAt(T);
    assert.equal(probedAtOnce(failing, T + SECOND), failing);
  });
});

test('an answer of 429 only asks for less', () => {
  assert.deepEqual([429, 428, 503, 200, null].map(asksForLess), [true, false, false, false, false]);
});

test('failures only ever count up, begin where they began, and a suspension lasts', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 10 * MINUTE }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, (all) => {
      let now = T;
      let failures = 0;
      const first = T + (all[0] as number);
      let before = null as Health | null;
      for (const gap of all) {
        now += gap;
        const after: Health = afterFailure(before, 'timeout', now);
        assert.equal(after.failures, ++failures);
        assert.equal(after.failingSince, first);
        assert.ok(after.probeAt === null || after.probeAt > now);
        assert.ok(after.probeAt === null || after.probeAt <= now + 5 * MINUTE);
        if (before?.probeAt != null) assert.ok(after.probeAt !== null);
        if (before?.announced) assert.ok(after.announced);
        if (after.announced) assert.ok(after.probeAt !== null);
        before = after;
      }
    }),
  );
});
