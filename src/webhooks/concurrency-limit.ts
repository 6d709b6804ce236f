/**
 * Concurrency limit of each receiver: as many deliveries at once as it answers without delay. More would only wait, at
 * the receiver or here, and all of them could arrive twice after a crash. A receiver that is slow to fail ends with a
 * limit of one, so that it costs its neighbours next to nothing; so does one that asks for less.
 */

const FIRST = 8;
/** An answer that takes longer is slow, whatever the receiver took before. */
const SLOW_MS = 1_000;
/** Answers this much slower than the quickest indicate a queue at the receiver. */
const TOLERANCE = 2;
const TOLERANCE_MS = 5;
/**
 * Deliveries at once for each ms of the quickest answer: a receiver nearby needs fewer than a distant one (Little's
 * law).
 */
const ENOUGH_PER_MS = 0.5;
const ENOUGH_NEARBY = 12;
/** Deliveries at once, in addition, for each ms that results wait to be written: a busy service must keep pace, too. */
const ENOUGH_PER_MS_OF_WRITING = 2;
/** Weight of the newest result in the time that results take to be written. */
const NEWEST = 0.05;
/** Share by which the quickest answer drifts towards the newest: the way to a receiver may become longer. */
const DRIFT = 0.01;
/** Receivers remembered, at most; a forgotten one starts anew. */
const MAX_REMEMBERED = 10_000;

type Limit = { size: number; underWay: number; quickestMs: number };

/** Result of a delivery. */
export type Ended = {
  readonly delivered: boolean;
  /** True if the receiver asked for less (429). */
  readonly throttled?: boolean;
  /** Time until the answer. */
  readonly answerMs: number;
  /** Time from the answer until its result is written, which says how busy the service itself is; none if it was not. */
  readonly writingMs?: number;
};

export type ConcurrencyLimits = ReturnType<typeof createConcurrencyLimits>;

/** `most` is the highest limit of a receiver. */
export function createConcurrencyLimits(most: number) {
  const limits = new Map<string, Limit>();
  const first = Math.min(FIRST, most);
  let writingMs = 0;

  function limitOf(receiver: string): Limit {
    const known = limits.get(receiver);
    if (known) return known;
    if (limits.size >= MAX_REMEMBERED) {
      for (const [id, { underWay }] of limits) if (underWay === 0) limits.delete(id);
    }
    const made = { size: first, underWay: 0, quickestMs: SLOW_MS };
    limits.set(receiver, made);
    return made;
  }

  /** Next limit after a delivery that took so long. */
  function sizeAfter({ size, quickestMs }: Limit, { delivered, throttled, answerMs }: Ended): number {
    const floor = Math.min(first, size);
    if (throttled) return Math.max(1, Math.floor(size / 2));
    if (answerMs >= SLOW_MS) return Math.max(delivered ? floor : 1, Math.floor(size / 2));
    if (!delivered) return size;
    // A busy service is as late to see the answer as it is to write what became of it.
    const waited = answerMs > TOLERANCE * quickestMs + TOLERANCE_MS + writingMs;
    if (waited) return Math.max(floor, size - 1);
    const there = Math.max(ENOUGH_NEARBY, Math.ceil(ENOUGH_PER_MS * quickestMs));
    const enough = there + Math.ceil(ENOUGH_PER_MS_OF_WRITING * writingMs);
    return Math.max(floor, Math.min(most, enough, size + 1));
  }

  return {
    room(receiver: string): number {
      const { size, underWay } = limits.get(receiver) ?? { size: first, underWay: 0 };
      return size - underWay;
    },
    begin(receiver: string): void {
      limitOf(receiver).underWay++;
    },
    end(receiver: string, ended: Ended): void {
      const { delivered, answerMs } = ended;
      const limit = limitOf(receiver);
      limit.underWay--;
      writingMs += NEWEST * ((ended.writingMs ?? writingMs) - writingMs);
      limit.size = sizeAfter(limit, ended);
      if (!delivered) return;
      const drifted = limit.quickestMs + DRIFT * (answerMs - limit.quickestMs);
      limit.quickestMs = Math.min(answerMs, drifted);
    },
  };
}
