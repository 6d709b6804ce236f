/**
 * Health of a database: whether it can be written. Commits of the service tell it; where there are none, a trial write
 * does, at most one at a time and two in a second.
 */
import { StoreUnavailable } from './errors.ts';

/** Time for which the result of a commit is taken for what it was, or that of a trial from its beginning. */
const KNOWN_FOR_MS = 500;
/** Time after a commit that failed in which nothing is tried. */
const FAILED_FOR_MS = 1_000;

export type Health = ReturnType<typeof createHealth>;

type Dependencies = {
  /** Makes the trial write; after a failure it is to ask for as much as a change does. */
  readonly write: (after: { readonly failure: boolean }) => Promise<void>;
  /** Tells whether the trouble of a change may be nobody's but its own, such as a lock. */
  readonly isContention: (error: StoreUnavailable) => boolean;
  readonly nowMs?: () => number;
};

export function createHealth({ write, isContention, nowMs = () => performance.now() }: Dependencies) {
  let known: { readonly until: number; readonly error: Error | null } = { until: 0, error: null };
  let trial: Promise<void> | null = null;

  function learn(error: Error | null, forMs: number): void {
    known = { until: nowMs() + forMs, error };
  }

  async function tryWriting(): Promise<void> {
    const before = known;
    const begunAt = nowMs();
    let error: Error | null = null;
    try {
      await write({ failure: before.error !== null });
    } catch (caught) {
      error = caught as Error;
    }
    trial = null;
    // The result of a commit meanwhile counts more.
    if (known === before) known = { until: begunAt + KNOWN_FOR_MS, error };
  }

  return {
    /** Makes a change for others, which tells of the health. */
    async change<T>(work: () => Promise<T>): Promise<T> {
      try {
        const result = await work();
        // Less than what has failed may go through: only a trial tells whether that is over.
        if (known.error === null) learn(null, KNOWN_FOR_MS);
        return result;
      } catch (error) {
        if (error instanceof StoreUnavailable) {
          if (isContention(error)) learn(known.error, 0);
          else learn(error, FAILED_FOR_MS);
        }
        throw error;
      }
    },

    /** Rejects if the database cannot be written. */
    async check(): Promise<void> {
      if (nowMs() >= known.until) {
        trial ??= tryWriting();
        await trial;
      }
      if (known.error !== null) throw known.error;
    },
  };
}
