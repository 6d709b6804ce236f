/**
 * Turns for lists. Some read on the thread that answers, and all are serialized there, which takes it for milliseconds: of
 * those that wait one begins in a turn of the event loop, of one tenant after the other, and whatever others ask goes in
 * between. Reads in threads and on connections of their own have turns beside these, of the same kind.
 */
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { createTurns as createQueue, type Waiting } from '../lib/turns.ts';
import { listTurns, tooManyLists } from '../store/lists.ts';

type Done = (error?: Error) => void;

/** The function goes on at once or later. Where too many wait, it fails, or throws. */
export function createTurns(limits = listTurns): (tenant: Tenant, done: Done) => void {
  const queue = createQueue<Waiting & { readonly begin: Done }>(limits, tooManyLists);
  let isTaken = false;

  function next(): void {
    const job = queue.takeNext(() => false);
    isTaken = job !== undefined;
    if (job === undefined) return;
    setImmediate(next);
    job.begin();
  }

  return (tenant, done) => {
    queue.enter({ tenant: tenantName(tenant), begin: done, reject: done });
    if (!isTaken) next();
  };
}
