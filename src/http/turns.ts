/**
 * Turns for what takes the thread that answers for long, such as lists: of those that wait `atOnce` begin in a turn of the
 * event loop, of one tenant after the other, and whatever others ask goes in between. Reads in threads and on connections
 * of their own have turns beside these, of the same kind.
 */
import { createTurns as createQueue, type Waiting } from '../lib/turns.ts';
import { listTurns, tooManyLists } from '../store/lists.ts';

type Done = (error?: Error) => void;

/** The function goes on at once or later. Where too many wait, it fails, or throws. */
export function createTurns(limits = listTurns, atOnce = 1): (tenant: string, done: Done) => void {
  const queue = createQueue<Waiting & { readonly begin: Done }>(limits, tooManyLists);
  let isTaken = false;

  function next(): void {
    isTaken = queue.hasNext(() => false);
    if (!isTaken) return;
    setImmediate(next);
    for (let count = 0; count < atOnce; count++) queue.takeNext(() => false)?.begin();
  }

  return (tenant, done) => {
    queue.enter({ tenant, begin: done, reject: done });
    if (!isTaken) next();
  };
}
