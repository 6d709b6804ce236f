/** Pauses of work that has time, so that those who wait for an answer go first. */
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** Pause while the thread has little else to do. */
const SHORTEST_MS = 8;
const LONGEST_MS = 40;
/** Shares of time in which the thread has work: up to the first one it has time, from the second one on it has none. */
const [AT_EASE, BUSY] = [0.15, 0.4];
/** Less time says nothing about how busy a thread is. */
const SAMPLE_MS = 100;

/** Pause in milliseconds for the share of time in which the thread has work, from 0 to 1. */
export function breathMs(share: number): number {
  const part = Math.min(Math.max((share - AT_EASE) / (BUSY - AT_EASE), 0), 1);
  return SHORTEST_MS + part * (LONGEST_MS - SHORTEST_MS);
}

let sampled = performance.eventLoopUtilization();
let share = 0;

/** Pauses for longer the busier this thread is. */
export async function breathe(wait: (ms: number) => Promise<unknown> = pause): Promise<void> {
  const since = performance.eventLoopUtilization(sampled);
  if (since.active + since.idle >= SAMPLE_MS) {
    sampled = performance.eventLoopUtilization();
    share = since.utilization;
  }
  await wait(breathMs(share));
}
