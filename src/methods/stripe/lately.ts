/** Memory of the last hour: what is said of a key that cannot be used is told once in it, and not at every payment. */
import { hash } from 'node:crypto';
import { createLru } from '../../lib/lru.ts';

const LATELY_MS = 60 * 60_000;
/** Marks that are kept; beyond them, what is told of a key is told again sooner. */
const MAX_MARKS = 10_000;

export type Mark = readonly (string | number)[];

export function createLately() {
  const times = createLru<string, number>({ most: MAX_MARKS });
  // Keys are in the marks.
  const nameOf = (mark: Mark) => hash('sha256', JSON.stringify(mark), 'base64url');
  // Time that no change of the machine's clock moves: one that is set back must not silence anything.
  const now = () => performance.now();

  const lately = {
    has: (mark: Mark): boolean => now() - (times.get(nameOf(mark)) ?? -LATELY_MS) < LATELY_MS,
    add: (mark: Mark): void => times.set(nameOf(mark), now()),
    /** False where the mark is there; it is from then on. */
    isNews(mark: Mark): boolean {
      if (lately.has(mark)) return false;
      lately.add(mark);
      return true;
    },
  };
  return lately;
}
