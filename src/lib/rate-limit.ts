/**
 * Rate limit of requests for each caller, by the generic cell rate algorithm (ITU-T I.371): one number is kept for each
 * caller, the time at which its allowance is full again.
 */
import { createLru } from './lru.ts';

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Callers remembered, at most; a forgotten one starts anew with a full allowance. */
const MAX_CALLERS = 10_000;

/** `perSecond` requests in the long run, bursts of twice as many; 0 lets everything pass. */
export function createRateLimiter(perSecond: number, nowMs: () => number) {
  const wholeAt = createLru<string, number>({ most: MAX_CALLERS });
  const intervalMs = 1000 / perSecond;
  const burstMs = 2000;

  return {
    perSecond,
    /** Milliseconds until this caller may ask again; 0 means now, and the request is counted. */
    take(caller: string): number {
      if (perSecond === 0) return 0;
      const now = nowMs();
      const next = Math.max(wholeAt.get(caller) ?? 0, now) + intervalMs;
      const waitMs = next - now - burstMs;
      if (waitMs > 0) return waitMs;
      wholeAt.set(caller, next);
      return 0;
    },
  };
}
