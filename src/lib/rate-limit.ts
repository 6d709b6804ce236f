/**
 * Rate limit of requests for each caller, by the generic cell rate algorithm (ITU-T I.371): one number is kept for each
 * caller, the time at which its allowance is full again.
 */
import { clientOf } from './client-address.ts';
import { createLru } from './lru.ts';

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Callers remembered, at most; a forgotten one starts anew with a full allowance. */
const MAX_CALLERS = 10_000;

/** `perSecond` requests in the long run, bursts of twice as many; 0 lets everything pass. */
export function createRateLimiter(perSecond: number, nowMs: () => number) {
  const wholeAt = createLru<string, number>({ most: MAX_CALLERS });
  const intervalMs = 1000 / perSecond;
  const burstMs = 2000;

  /** When the allowance of this caller would be full again if he asked now, and for how long he has to wait until then. */
  function ask(caller: string) {
    const now = nowMs();
    const next = Math.max(wholeAt.get(caller) ?? 0, now) + intervalMs;
    return { next, waitMs: Math.max(0, next - now - burstMs) };
  }

  return {
    perSecond,
    /** Milliseconds until this caller may ask again; 0 means now, and the request is counted. */
    take(caller: string): number {
      if (perSecond === 0) return 0;
      const { next, waitMs } = ask(caller);
      if (waitMs === 0) wholeAt.set(caller, next);
      return waitMs;
    },
    /** The same, but nothing is counted. */
    waitOf: (caller: string): number => (perSecond === 0 ? 0 : ask(caller).waitMs),
  };
}

/** The same for callers who are known by their address alone. */
export function createAddressLimiter(perSecond: number, nowMs: () => number): RateLimiter {
  const { take, waitOf } = createRateLimiter(perSecond, nowMs);
  return {
    perSecond,
    take: (address) => take(clientOf(address)),
    waitOf: (address) => waitOf(clientOf(address)),
  };
}

/**
 * Pace of what callers bring, `perSecond` bytes of each in the long run and at once what a second allows: what comes sooner
 * waits, and what would wait for longer than is said is refused.
 */
export function createPace(perSecond: number, longestWaitMs: number, nowMs: () => number) {
  const wholeAt = createLru<string, number>({ most: MAX_CALLERS });
  const burstMs = 1000;

  function ask(caller: string, bytes: number) {
    const now = nowMs();
    const next = Math.max(wholeAt.get(caller) ?? 0, now) + (1000 * bytes) / perSecond;
    return { next, waitMs: Math.max(0, next - now - burstMs) };
  }

  return {
    longestWaitMs,
    /** Milliseconds that these bytes have to wait. They are counted if that is not too long. */
    take(caller: string, bytes: number): number {
      const { next, waitMs } = ask(caller, bytes);
      if (waitMs <= longestWaitMs) wholeAt.set(caller, next);
      return waitMs;
    },
    /** The same, but nothing is counted. */
    waitOf: (caller: string, bytes: number): number => ask(caller, bytes).waitMs,
    /** Takes back bytes that were counted and never came. */
    giveBack(caller: string, bytes: number): void {
      wholeAt.set(caller, (wholeAt.get(caller) ?? 0) - (1000 * bytes) / perSecond);
    },
  };
}
