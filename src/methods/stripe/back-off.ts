/** Back-off of questions about what is not known yet. */
const SHORTEST_MS = 30_000;
const LONGEST_MS = 60 * 60_000;

/** The wait equals the time since the start, so that the pauses double: 30 seconds at first, an hour at most. */
export function backOff(ageMs: number): number {
  return Math.min(Math.max(ageMs, SHORTEST_MS), LONGEST_MS);
}
