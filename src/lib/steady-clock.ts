/**
 * Real time that does not jump with the clock of the machine. A clock that is set wrong, for a minute or by a day, would
 * end sessions, forget answers and move retries for good, so a jump is believed only when it has lasted. Until then time
 * goes on as the monotonic clock counts it.
 */
import type { RealTime } from './time.ts';

/** Jumps up to this are believed at once: corrections over the network, and a machine that was paused for a moment. */
const HARMLESS_MS = 30_000;
/** Time for which a jump has to last until it is believed. */
const BELIEVED_AFTER_MS = 600_000;

export type Jump = {
  /** Difference of the machine's clock to the time that has passed; negative if it was set back. */
  readonly byMs: number;
  readonly isBelieved: boolean;
};

type Options = {
  /** Called once when a jump is noticed, and once when it is believed. */
  readonly onJump: (jump: Jump) => void;
  readonly wallNow?: () => number;
  readonly monotonicNow?: () => number;
};

export function createSteadyClock({
  onJump,
  wallNow = Date.now,
  monotonicNow = () => performance.now(),
}: Options): () => RealTime {
  /** Wall time of the moment in which the monotonic clock was 0, as far as it is believed. */
  let origin = wallNow() - monotonicNow();
  let doubted: { origin: number; readonly sinceMs: number } | null = null;

  return () => {
    const elapsedMs = monotonicNow();
    const claimed = wallNow() - elapsedMs;
    if (Math.abs(claimed - origin) <= HARMLESS_MS) {
      origin = claimed;
      doubted = null;
    } else if (doubted === null || Math.abs(claimed - doubted.origin) > HARMLESS_MS) {
      doubted = { origin: claimed, sinceMs: elapsedMs };
      onJump({ byMs: Math.round(claimed - origin), isBelieved: false });
    } else if (elapsedMs - doubted.sinceMs >= BELIEVED_AFTER_MS) {
      onJump({ byMs: Math.round(claimed - origin), isBelieved: true });
      origin = claimed;
      doubted = null;
    } else {
      // The clock may be slewed meanwhile.
      doubted.origin = claimed;
    }
    return Math.floor(origin + elapsedMs);
  };
}
