/**
 * Turns for what takes the thread that answers for long, such as lists: `atOnce` of them begin in a turn of the event loop,
 * of one tenant after the other, and whatever others ask goes in between. Reads in threads and on connections of their own
 * have turns beside these, of the same kind.
 */
import { createTurns as createQueue, type Waiting } from '../lib/turns.ts';
import { listTurns, tooManyLists } from '../store/lists.ts';

/** For what is bounded elsewhere, such as by the number of connections. */
export const unlimited = {
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingOfTenant: Number.POSITIVE_INFINITY,
};

type Done = (error?: Error) => void;

/** The function goes on at once or later. Where too many wait, it fails, or throws. A tenant is asked for if it has to wait. */
export function createTurns(
  limits = listTurns,
  atOnce = 1,
): (tenant: string | (() => string), done: Done) => void {
  const queue = createQueue<Waiting & { readonly begin: Done }>(limits, tooManyLists);
  const isBusy = () => false;
  /** Those that have begun in this turn. */
  let begun = 0;
  let isCounting = false;

  function next(): void {
    begun = 0;
    isCounting = queue.hasNext(isBusy);
    if (!isCounting) return;
    setImmediate(next);
    while (begun < atOnce && queue.hasNext(isBusy)) {
      begun++;
      queue.takeNext(isBusy)?.begin();
    }
  }

  return (tenant, done) => {
    if (!isCounting) setImmediate(next);
    isCounting = true;
    if (begun < atOnce && !queue.hasNext(isBusy)) {
      begun++;
      done();
    } else queue.enter({ tenant: typeof tenant === 'string' ? tenant : tenant(), begin: done, reject: done });
  };
}
