import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { MAX_ATTEMPTS, nextAttemptDelayMs, parseRetryAfter } from '../../src/webhooks/backoff.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const attemptsMade = fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 });
const retryAfter = fc.option(fc.nat({ max: 100 * HOUR }));

suite('the schedule with the lowest jitter', () => {
  const rows = [
    { attemptsMade: 1, waits: 5 * SECOND },
    { attemptsMade: 2, waits: 20 * SECOND },
    { attemptsMade: 3, waits: 80 * SECOND },
    { attemptsMade: 4, waits: 320 * SECOND },
    { attemptsMade: 5, waits: 1280 * SECOND },
    { attemptsMade: 6, waits: 5120 * SECOND },
    { attemptsMade: 7, waits: 20_480 * SECOND },
    { attemptsMade: 8, waits: 18 * HOUR },
    { attemptsMade: 9, waits: 18 * HOUR },
    { attemptsMade: 10, waits: 18 * HOUR },
    { attemptsMade: 11, waits: 18 * HOUR },
    { attemptsMade: 12, waits: null },
    { attemptsMade: 13, waits: null },
  ];
  for (const row of rows) {
    test(`after attempt ${row.attemptsMade}`, () =>
      assert.equal(nextAttemptDelayMs(row.attemptsMade, 0, null), row.waits));
  }
});

suite('under any jitter', () => {
  test('12 attempts span at least 72 hours', () => {
    const jitters = fc.array(random, { minLength: MAX_ATTEMPTS, maxLength: MAX_ATTEMPTS });
    fc.assert(
      fc.property(jitters, (each) => {
        let attempts = 1;
        let spanMs = 0;
        for (;;) {
          const delayMs = nextAttemptDelayMs(attempts, each[attempts - 1] ?? 0, null);
          if (delayMs === null) break;
          spanMs += delayMs;
          attempts += 1;
        }
        assert.equal(attempts, 12);
        assert.ok(spanMs >= 72 * HOUR && spanMs <= 100 * HOUR, String(spanMs));
      }),
    );
  });

  test('the first retry comes within seconds', () => {
    fc.assert(fc.property(random, (each) => Number(nextAttemptDelayMs(1, each, null)) <= 10 * SECOND));
  });

  test('waits grow, and by a factor until they are held', () => {
    fc.assert(
      fc.property(attemptsMade, random, random, (made, one, other) => {
        const wait = Number(nextAttemptDelayMs(made, one, null));
        assert.ok(wait <= Number(nextAttemptDelayMs(made + 1, one, null) ?? Number.POSITIVE_INFINITY));
        if (made < 7) assert.ok(wait * 3 < Number(nextAttemptDelayMs(made + 1, other, null)));
      }),
    );
  });

  test('more jitter is more wait', () => {
    fc.assert(
      fc.property(attemptsMade, random, random, (made, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        return Number(nextAttemptDelayMs(made, less, null)) <= Number(nextAttemptDelayMs(made, more, null));
      }),
    );
  });

  test('Retry-After is the least wait, up to a day, and never the schedule shortened', () => {
    fc.assert(
      fc.property(attemptsMade, random, retryAfter, (made, each, askedMs) => {
        const plain = Number(nextAttemptDelayMs(made, each, null));
        const wait = nextAttemptDelayMs(made, each, askedMs);
        assert.equal(wait, Math.max(plain, Math.min(askedMs ?? 0, 24 * HOUR)));
      }),
    );
  });

  test('Retry-After brings no thirteenth attempt', () =>
    assert.equal(nextAttemptDelayMs(MAX_ATTEMPTS, 0, 1000), null));
});

suite('Retry-After', () => {
  test('means GMT wherever this service runs', (t) => {
    const before = process.env.TZ;
    process.env.TZ = 'America/New_York';
    t.after(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    const at = Date.parse('2030-01-31T12:00:00Z');
    for (const date of ['Thu Jan 31 12:02:00 2030', 'Thu, 31 Jan 2030 12:02:00 GMT']) {
      assert.equal(parseRetryAfter(date, at), 120 * SECOND, date);
    }
  });

  const now = Date.parse('2030-01-31T12:00:00Z');
  const rows: readonly [value: string | undefined, waits: number | null][] = [
    [undefined, null],
    ['', null],
    ['0', 0],
    ['120', 120 * SECOND],
    [' 120 ', 120 * SECOND],
    ['86400000', 86_400_000 * SECOND],
    ['Thu, 31 Jan 2030 12:02:00 GMT', 120 * SECOND],
    ['Thu, 31 Jan 2030 11:00:00 GMT', 0],
    ['Thursday, 31-Jan-30 12:02:00 GMT', 120 * SECOND],
    ['Thu Jan 31 12:02:00 2030', 120 * SECOND],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['soon', null],
    ['Thu, soon', null],
    ['2030-01-31T12:02:00Z', null],
    ['9'.repeat(400), null],
  ];
  for (const [value, waits] of rows) {
    test(JSON.stringify(value)?.slice(0, 40) ?? 'absent', () =>
      assert.equal(parseRetryAfter(value, now), waits),
    );
  }
});
