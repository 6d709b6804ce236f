/**
 * Rests of a thread that works for long beside the one that answers requests. Where all processors are busy, Linux lets
 * whoever wakes wait for the end of another's turn, which is up to 4 ms, whatever their priorities are; a thread that
 * rests ends its turn. (Measured on two processors, while the longest receipts are drawn: 99 of 100 requests within 7 ms
 * instead of 11. The receipts take twice as long.)
 */
import { availableParallelism } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const WORK_MS = 1;
const REST_MS = 1;
/** A thread that has not been here for so long has had nothing to do. */
const IDLE_MS = 10;
const ENOUGH_PROCESSORS = 4;

/** Whether the thread that answers has a processor to itself, unless all four that draw and read are at work. */
export const hasEnoughProcessors = availableParallelism() >= ENOUGH_PROCESSORS;

type Clock = {
  readonly now: () => number;
  readonly pause: (ms: number) => void;
};

const never = new Int32Array(new SharedArrayBuffer(4));
const clock: Clock = {
  now: () => performance.now(),
  pause: (ms) => void Atomics.wait(never, 0, 0, ms),
};

/** A function that rests if the work since the last rest has taken long enough. */
export function createRest({ now, pause }: Clock = clock): () => void {
  let begunAt = Number.NEGATIVE_INFINITY;
  let calledAt = Number.NEGATIVE_INFINITY;
  return () => {
    const isBeginning = now() - calledAt > IDLE_MS;
    if (!isBeginning && now() - begunAt >= WORK_MS) {
      pause(REST_MS);
      begunAt = now();
    }
    calledAt = now();
    if (isBeginning) begunAt = calledAt;
  };
}

/** Rests now and then: to be called often, between pieces of work. In the thread that answers it does nothing. */
export const rest = isMainThread || hasEnoughProcessors ? () => {} : createRest();
