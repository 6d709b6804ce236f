/** Retry schedule of failed deliveries. Pure. */

export const MAX_ATTEMPTS = 12;

/**
 * The waits grow fourfold each time, up to 18 hours: 5 s, 20 s, 80 s, 5 min, 21 min, 85 min, 5.7 h, and then 18 h four
 * times. A restart is bridged within seconds, a broken release within the hour, and a receiver that is away over a long
 * weekend still gets its events: the last attempt is 79.6 hours after the first.
 */
const FIRST_DELAY_MS = 5_000;
const GROWTH = 4;
const LONGEST_DELAY_MS = 18 * 3_600_000;

/** Jitter only adds, so that the span of the schedule is certain. It separates deliveries that failed together. */
const JITTER = 0.25;

/** Maximum wait that a receiver may ask for: it must not be able to park its events for ever. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Wait before the next attempt in milliseconds, or null after the last one.
 *
 * `attemptsMade` counts the attempt that has just failed, from 1; `random` is in [0, 1). A `Retry-After` of the
 * receiver is the minimum wait, and never shortens the schedule.
 */
export function nextAttemptDelayMs(
  attemptsMade: number,
  random: number,
  retryAfterMs: number | null,
): number | null {
  if (attemptsMade >= MAX_ATTEMPTS) return null;
  const delayMs = Math.min(FIRST_DELAY_MS * GROWTH ** (attemptsMade - 1), LONGEST_DELAY_MS);
  const jittered = Math.round(delayMs * (1 + JITTER * random));
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** HTTP dates begin with the name of a day in all of their three forms (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]+$/;

/**
 * Wait that a `Retry-After` header asks for (RFC 9110, section 10.2.3), in milliseconds from `nowMs`, or null if there
 * is none that makes sense. A date in the past is a wait of 0.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  // The oldest form names no zone and means GMT like the others.
  const atMs = Date.parse(`${text.replace(/ GMT$/, '')} GMT`);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
