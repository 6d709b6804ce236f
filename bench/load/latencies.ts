/** Latencies as counts of hundredths of a millisecond: however many there are, they take the same memory. */

const STEPS_PER_MS = 100;
/** Longer ones count as this long. */
const LONGEST_MS = 20_000;

export function createLatencies() {
  const counts = new Uint32Array(LONGEST_MS * STEPS_PER_MS + 1);
  let total = 0;
  let longestMs = 0;
  return {
    add(ms: number): void {
      const step = Math.min(counts.length - 1, Math.max(0, Math.round(ms * STEPS_PER_MS)));
      counts[step] = (counts[step] ?? 0) + 1;
      total++;
      if (ms > longestMs) longestMs = ms;
    },
    count: (): number => total,
    longest: (): number => longestMs,
    /** The smallest latency that so large a share of all do not exceed; NaN of none. */
    percentile(share: number): number {
      if (total === 0) return Number.NaN;
      const wanted = Math.max(1, Math.ceil(share * total));
      let seen = 0;
      for (let step = 0; step < counts.length; step++) {
        seen += counts[step] ?? 0;
        if (seen >= wanted) return step / STEPS_PER_MS;
      }
      return longestMs;
    },
  };
}
