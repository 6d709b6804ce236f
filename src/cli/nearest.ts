/** The word that somebody probably meant. */

/** The candidate with the fewest typing mistakes, or null if none is close. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(typed.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate ?? null;
}

/** Letters inserted, left out, replaced or swapped with their neighbour (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  // A typing mistake is short; what is longer than any command is none.
  if (Math.abs(a.length - b.length) > 20) return Number.POSITIVE_INFINITY;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + cost,
          isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
