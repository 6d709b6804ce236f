/** Counters and gauges in the format of Prometheus. */

type Metric = { text(): string | Promise<string> };

export type Counter = Metric & {
  /** `value` is that of the label, a word of ours, and empty for a counter without a label. */
  add(value?: string, by?: number): void;
};

/** A counter without a label is there from the beginning; with one, each value is there when it has been counted. */
export function createCounter(name: string, help: string, label?: string): Counter {
  const counts = new Map(label === undefined ? [['', 0]] : []);
  return {
    add(value = '', by = 1) {
      counts.set(value, (counts.get(value) ?? 0) + by);
    },
    text() {
      const series = [...counts].map(([value, count]) =>
        label === undefined ? `${name} ${count}` : `${name}{${label}="${value}"} ${count}`,
      );
      return linesOf(name, help, 'counter', series);
    },
  };
}

/** A counter that others count: it is read whenever it is shown. */
export const createReadCounter = (name: string, help: string, read: () => number): Metric => ({
  text: () => linesOf(name, help, 'counter', [`${name} ${read()}`]),
});

/** A gauge is read whenever it is shown. One that cannot be read must not hide the other metrics during an outage. */
export function createGauge(name: string, help: string, read: () => Promise<number>): Metric {
  return {
    async text() {
      const value = await read().catch(() => Number.NaN);
      return linesOf(name, help, 'gauge', [`${name} ${value}`]);
    },
  };
}

/** A metric with its lines, each of which has a value. */
export function linesOf(name: string, help: string, type: string, series: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...series, ''].join('\n');
}
