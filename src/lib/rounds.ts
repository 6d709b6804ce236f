/** Rounds of work that has a part for each tenant or kind: trouble of one part keeps no other from its turn. */
import { messageOf } from './error-message.ts';

export type Part = { readonly name: string; readonly run: () => Promise<unknown> };

/**
 * Runs all parts, one after the other, but for those that pause; resolves with the number of those that succeeded. It does not
 * reject: troubles are told.
 */
export type Round = (parts: readonly Part[]) => Promise<number>;

/** Different troubles of a round that are told; the last line says how many others there were. */
const MOST_TOLD = 20;
/** Parts that are named with a trouble that they have in common. */
const MOST_NAMED = 5;
/**
 * Time that failures of a round may take. What takes longer to fail, such as a lock on the database file, fails for all, and
 * may hold up the thread meanwhile.
 */
const MOST_FAILING_MS = 1_000;
/** Pause of a part that has failed, doubled each time until it succeeds: asking more often mends nothing. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** Parts whose pauses are kept; those that failed last. */
const MOST_KEPT = 10_000;

type Trouble = { readonly error: unknown; count: number; readonly names: string[] };
type Failure = { readonly at: number; readonly pauseMs: number };

/**
 * Rounds that know which parts have failed, by their names: those pause for a while, and then come behind all others, so that a
 * round that ends because its failures have taken too long leaves nobody out for ever. Parts that fail for the same reason are
 * told together. `now` is a time in milliseconds that no clock's change moves.
 */
export function createRounds(
  onError: (error: unknown) => void,
  now: () => number = () => performance.now(),
): Round {
  const failures = new Map<string, Failure>();
  const failedAt = ({ name }: Part): number => failures.get(name)?.at ?? 0;

  function isPausing({ name }: Part): boolean {
    const last = failures.get(name);
    return last !== undefined && now() < last.at + last.pauseMs;
  }

  function noteFailure(name: string): void {
    const last = failures.get(name);
    const pauseMs = last === undefined ? FIRST_PAUSE_MS : Math.min(last.pauseMs * 2, LONGEST_PAUSE_MS);
    // The part goes to the end of the map, whose first one is the one that failed longest ago.
    failures.delete(name);
    failures.set(name, { at: now(), pauseMs });
    const [first] = failures.keys();
    if (failures.size > MOST_KEPT && first !== undefined) failures.delete(first);
  }

  return async (parts) => {
    const troubles = new Map<string, Trouble>();
    let succeeded = 0;
    let failingMs = 0;
    for (const part of parts.toSorted((a, b) => failedAt(a) - failedAt(b))) {
      if (isPausing(part)) continue;
      const { name, run } = part;
      const begunAt = now();
      try {
        await run();
        failures.delete(name);
        succeeded++;
      } catch (error) {
        const message = messageOf(error);
        const trouble = troubles.get(message) ?? { error, count: 0, names: [] };
        troubles.set(message, trouble);
        trouble.count++;
        if (trouble.names.length < MOST_NAMED) trouble.names.push(name);
        noteFailure(name);
        failingMs += now() - begunAt;
        if (failingMs >= MOST_FAILING_MS) break;
      }
    }
    const all = [...troubles];
    for (const [message, trouble] of all.slice(0, MOST_TOLD)) onError(errorOf(message, trouble));
    if (all.length > MOST_TOLD) onError(new Error(`${all.length - MOST_TOLD} other troubles`));
    return succeeded;
  };
}

function errorOf(message: string, { error, count, names }: Trouble): Error {
  const others = count - names.length;
  return new Error(`${names.join(', ')}${others > 0 ? ` and ${others} others` : ''}: ${message}`, {
    cause: error,
  });
}
