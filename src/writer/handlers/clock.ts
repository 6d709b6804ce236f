/** Commands that move the clock of test data. */
import { type Refusal, refuseFields } from '../../checkout/refusals.ts';
import { type AdvanceClock, auditOf, type Decided } from '../command.ts';

/** Times must stay such that they can be written, and sort as ids. */
const LAST_CLOCK_MS = Date.UTC(9000, 0);

export function decideOnClock({ origin, now, realNow, advanceMs }: AdvanceClock): Decided<number> | Refusal {
  if (now + advanceMs > LAST_CLOCK_MS) {
    return refuseFields([{ pointer: '/seconds', detail: 'must not move the clock beyond the year 9000' }]);
  }
  const audit = auditOf(origin, 'clock', 0, now, 'advance_clock');
  return { value: now + advanceMs, writes: [{ clockMove: { at: realNow, advanceMs }, audit }] };
}
