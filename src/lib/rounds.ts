/** Rounds of work that has a part for each tenant or kind: trouble of one part keeps no other from its turn. */
import { messageOf } from './error-message.ts';

/** Result of a part that has tried nothing: an earlier failure is not forgotten for it. */
export const UNTRIED = Symbol('untried');

export type Part = { readonly name: string; readonly run: () => Promise<unknown> };

export type RoundResult<P extends Part> = {
  /** Number of parts that have done their work. */
  readonly succeeded: number;
  /** Parts whose work is still to be done: they have failed, pause, or were not reached. */
  readonly left: readonly P[];
  /** True if parts were not reached, because failures had taken too long. */
  readonly isCut: boolean;
};

/** Runs parts one after the other, but for those that pause. It does not reject: troubles are told. */
export type Round = <P extends Part>(parts: readonly P[]) => Promise<RoundResult<P>>;

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
/** A part that fails slowly pauses for so many times as long, so that the others have most of the time. */
const SLOW_PAUSES = 4;
/** Parts whose failures are kept; those that failed last. */
const MOST_KEPT = 10_000;

type Trouble = { readonly error: unknown; count: number; readonly names: string[] };
type Failure = { readonly at: number; readonly waitMs: number; readonly pauseMs: number };

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

  function noteFailure(name: string, tookMs: number): void {
    const last = failures.get(name);
    const waitMs = last === undefined ? FIRST_PAUSE_MS : Math.min(last.waitMs * 2, LONGEST_PAUSE_MS);
    // The part goes to the end of the map, whose first one is the one that failed longest ago.
    failures.delete(name);
    failures.set(name, { at: now(), waitMs, pauseMs: Math.max(waitMs, SLOW_PAUSES * tookMs) });
    const [first] = failures.keys();
    if (failures.size > MOST_KEPT && first !== undefined) failures.delete(first);
  }

  return async <P extends Part>(parts: readonly P[]): Promise<RoundResult<P>> => {
    const troubles = new Map<string, Trouble>();
    const left: P[] = [];
    let succeeded = 0;
    let failingMs = 0;
    let isCut = false;
    for (const part of parts.toSorted((a, b) => failedAt(a) - failedAt(b))) {
      const isPaused = isPausing(part);
      const isLate = failingMs >= MOST_FAILING_MS;
      if (isPaused || isLate) {
        left.push(part);
        isCut ||= !isPaused;
        continue;
      }
      const { name, run } = part;
      const begunAt = now();
      try {
        if ((await run()) === UNTRIED) continue;
        failures.delete(name);
        succeeded++;
      } catch (error) {
        const message = messageOf(error);
        const trouble = troubles.get(message) ?? { error, count: 0, names: [] };
        troubles.set(message, trouble);
        trouble.count++;
        if (trouble.names.length < MOST_NAMED) trouble.names.push(name);
        const tookMs = now() - begunAt;
        noteFailure(name, tookMs);
        failingMs += tookMs;
        left.push(part);
      }
    }
    const all = [...troubles];
    for (const [message, trouble] of all.slice(0, MOST_TOLD)) onError(errorOf(message, trouble));
    if (all.length > MOST_TOLD) onError(new Error(`${all.length - MOST_TOLD} other troubles`));
    return { succeeded, left, isCut };
  };
}

function errorOf(message: string, { error, count, names }: Trouble): Error {
  const others = count - names.length;
  return new Error(`${names.join(', ')}${others > 0 ? ` and ${others} others` : ''}: ${message}`, {
    cause: error,
  });
}
