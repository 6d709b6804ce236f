/** Orders to move the clock of test data. */

import { type Refusal, refuseFields } from '../../checkout/refusals.ts';
import { timestamp } from '../../checkout/representation.ts';
import { type AdvanceClock, answerOf, auditOf, type Decided } from '../command.ts';

/** Times must stay such that they can be written, and sort as ids. */
const LAST_CLOCK_MS = Date.UTC(9000, 0);

export function decideOnClock({ origin, now, advanceMs, reply }: AdvanceClock): Decided | Refusal {
  if (now + advanceMs > LAST_CLOCK_MS) {
    return refuseFields([{ pointer: '/seconds', detail: 'must not move the clock beyond the year 9000' }]);
  }
  const data = JSON.stringify({ object: 'clock', now: timestamp(now + advanceMs) });
  return {
    writes: { testClockAdvanceMs: advanceMs, audit: auditOf(origin, 'clock', 0, now, 'advance_clock') },
    answer: answerOf(reply, data),
    committed: null,
  };
}
