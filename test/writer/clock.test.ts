/** The clock of test data: moved ahead, up to times that can still be written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownOrigin } from '../../src/writer/command.ts';
import { decideOnClock } from '../../src/writer/handlers/clock.ts';

const origin = { ...ownOrigin({ account: 1, mode: 'test' }, 'time'), actor: 'ak_test_1', requestId: 'req_1' };
const realNow = Date.UTC(2030, 0);
const LAST = Date.parse('9000-01-01T00:00:00Z');

test('a clock is moved by as much as was asked, as of real time', () => {
  const now = realNow + 5_000;
  assert.deepEqual(decideOnClock({ origin, now, realNow, advanceMs: 1_000 }), {
    value: now + 1_000,
    writes: [
      {
        clockMove: { at: realNow, advanceMs: 1_000 },
        audit: {
          subject: 'clock',
          version: 0,
          at: now,
          actor: 'ak_test_1',
          action: 'advance_clock',
          requestId: 'req_1',
        },
      },
    ],
  });
});

test('a clock ends with the year 9000', () => {
  const move = (advanceMs: number) => decideOnClock({ origin, now: LAST - 1_000, realNow, advanceMs });
  assert.ok('value' in move(1_000));
  const refusal = move(1_001);
  assert.ok('reason' in refusal);
  assert.deepEqual(refusal.problems?.[0]?.pointer, '/seconds');
});
