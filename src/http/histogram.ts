/**
 * Histogram of durations in the format of Prometheus. That of the metrics library looks up and checks all labels at each
 * observation, which costs a sixth of a fetch; here whoever observes holds the series.
 */

type Series = {
  /** Observations up to each bound, and beyond the last one; not yet added up. */
  readonly counts: Uint32Array;
  sum: number;
};

/** Counts a duration in a series. */
export type Observe = (seconds: number) => void;

export function createHistogram(name: string, help: string, bounds: readonly number[]) {
  const all = new Map<string, Series>();

  return {
    /** A new series; `labels` as they are shown, with values that are words of ours. */
    series(labels: string): Observe {
      const series: Series = { counts: new Uint32Array(bounds.length + 1), sum: 0 };
      all.set(labels, series);
      return (seconds) => {
        let place = 0;
        while (place < bounds.length && seconds > (bounds[place] as number)) place++;
        series.counts[place] = (series.counts[place] as number) + 1;
        series.sum += seconds;
      };
    },

    text(): string {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
      for (const [labels, { counts, sum }] of all) {
        let count = 0;
        for (const [place, bound] of [...bounds, '+Inf'].entries()) {
          count += counts[place] as number;
          lines.push(`${name}_bucket{le="${bound}",${labels}} ${count}`);
        }
        lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
