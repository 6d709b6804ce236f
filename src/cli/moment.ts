/** Times and spans of time as people type them. Throws the rest of the sentence "--since …". */

const SPAN = /^(\d{1,9})(s|m|h|d|w)$/;
const secondsOfUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A time such as `2030-01-31T12:00:00Z`, or `2h` for two hours ago, in milliseconds since the epoch. */
export function parseMoment(text: string, nowMs: number): number {
  const ms = SPAN.test(text)
    ? nowMs - spanSecondsOf(text) * 1000
    : ISO_8601.test(text)
      ? Date.parse(text)
      : NaN;
  // The years that ISO 8601 writes with four digits.
  if (ms >= 0 && ms < Date.UTC(10_000)) return ms;
  throw new Error('takes a time such as 2030-01-31T12:00:00Z, or an age such as 30m, 2h or 3d');
}

/** Seconds of a span such as `24h`. A number without a unit could be one of days, so only 0 has none. */
export function parseSpan(text: string): number {
  const seconds = SPAN.test(text) ? spanSecondsOf(text) : text === '0' ? 0 : NaN;
  if (Number.isSafeInteger(seconds)) return seconds;
  throw new Error('takes a span of time such as 90m, 24h or 7d, or 0');
}

/** A span as people say it, in its two largest units: `3h 12m`, `2w 0d`, `42s`. Milliseconds are left out. */
export function formatSpan(ms: number): string {
  let seconds = Math.floor(ms / 1000);
  const parts: string[] = [];
  for (const [unit, size] of Object.entries(secondsOfUnit).reverse()) {
    const count = Math.floor(seconds / size);
    if (count > 0 || parts.length > 0 || unit === 's') parts.push(`${count}${unit}`);
    seconds -= count * size;
  }
  return parts.slice(0, 2).join(' ');
}

function spanSecondsOf(text: string): number {
  const [, count = '', unit = ''] = SPAN.exec(text) ?? [];
  return Number(count) * (secondsOfUnit[unit] ?? NaN);
}
