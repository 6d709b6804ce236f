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
type Job = Waiting & { readonly begin: Done };

/** Limit of a turn of the event loop: so many begin, while those that have begun have taken less than so long. */
type Turn = { readonly atOnce: number; readonly forMs?: number };

/**
 * The function goes on at once or later. Where too many wait, it fails, or throws. A tenant is asked for if it has to wait.
 * Lanes have their turns one after the other, however many tenants wait in one of them.
 */
export function createTurns(
  limits = listTurns,
  { atOnce, forMs = Number.POSITIVE_INFINITY }: Turn = { atOnce: 1 },
  laneOf: (tenant: string) => 0 | 1 = () => 0,
): (tenant: string | (() => string), done: Done) => void {
  const queues = [createQueue<Job>(limits, tooManyLists), createQueue<Job>(limits, tooManyLists)] as const;
  const isBusy = () => false;
  const hasNext = () => queues[0].hasNext(isBusy) || queues[1].hasNext(isBusy);
  let lane: 0 | 1 = 0;
  /** Those that have begun in this turn, and when the first did. */
  let begun = 0;
  let since = 0;
  let isCounting = false;

  function mayBegin(): boolean {
    if (begun === 0) since = performance.now();
    else if (begun >= atOnce || performance.now() - since >= forMs) return false;
    begun++;
    return true;
  }

  function takeNext(): Job | undefined {
    lane = lane === 0 ? 1 : 0;
    return queues[lane].takeNext(isBusy) ?? queues[lane === 0 ? 1 : 0].takeNext(isBusy);
  }

  function beginNext(): void {
    if (hasNext() && mayBegin()) takeNext()?.begin();
  }

  function next(): void {
    begun = 0;
    isCounting = hasNext();
    if (!isCounting) return;
    beginNext();
    // Each has an immediate of its own, before which those that have begun do all that they can: so the time counts it.
    for (let further = 1; further < atOnce; further++) setImmediate(beginNext);
    setImmediate(next);
  }

  return (tenant, done) => {
    if (!isCounting) setImmediate(next);
    isCounting = true;
    if (!hasNext() && mayBegin()) {
      done();
      return;
    }
    const name = typeof tenant === 'string' ? tenant : tenant();
    queues[laneOf(name)].enter({ tenant: name, begin: done, reject: done });
  };
}
