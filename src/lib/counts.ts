/** Counts by what is counted. What has a count of 0 takes no room. */
export function createCounts<Counted = string>() {
  const counts = new Map<Counted, number>();

  return {
    of: (what: Counted): number => counts.get(what) ?? 0,

    add(what: Counted, change: number): void {
      const count = (counts.get(what) ?? 0) + change;
      if (count === 0) counts.delete(what);
      else counts.set(what, count);
    },
  };
}
