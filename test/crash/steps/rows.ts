/** Row counts of a database, by which effects are compared. */

/** Rows of each table, and sums of the columns that count changes. */
export type Rows = ReadonlyMap<string, number>;

/** The log of requests is beside what commits write, and has each try: it says nothing of effects. */
export const BESIDE = 'request_log';

/** Columns that a change counts up without adding a row. */
export const COUNTED: ReadonlyArray<readonly [table: string, column: string]> = [
  ['checkout', 'version'],
  ['webhook_endpoint', 'version'],
  ['account', 'test_clock_offset_ms'],
];

/** The rows added between two counts. */
export function since(now: Rows, before: Rows): Rows {
  return new Map([...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}

export const isEqual = (one: Rows, other: Rows): boolean =>
  [...one].every(([name, count]) => count === other.get(name));

export const isNothing = (rows: Rows): boolean => [...rows.values()].every((count) => count === 0);

/** True if nothing was added or removed beyond the whole. */
export const isPart = (rows: Rows, all: Rows): boolean =>
  [...rows].every(([name, count]) => {
    const most = all.get(name) ?? 0;
    return most < 0 ? count >= most && count <= 0 : count >= 0 && count <= most;
  });

export const shown = (rows: Rows): string => JSON.stringify([...rows].filter(([, count]) => count !== 0));
