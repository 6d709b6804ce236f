/**
 * Turns for lists: each takes the thread that answers for milliseconds. Of those that wait one begins in a turn of the
 * event loop, of one tenant after the other. Who asks for many at once waits for his own; what others ask goes in between.
 */
import { type Tenant, tenantName } from '../checkout/tenant.ts';

type Begin = () => void;

/** Lists of one tenant that may wait: clients who have left still stand in the queue. */
const MAX_WAITING = 1000;

/** The function begins at once or later, or says false: then too many of this tenant wait. */
export function createTurns(maxWaiting = MAX_WAITING): (tenant: Tenant, begin: Begin) => boolean {
  /** By tenant, the one that is next at the front. */
  const waiting = new Map<string, Begin[]>();
  let isTaken = false;

  function next(): void {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (first === undefined) return;
    setImmediate(next);
    const [name, own] = first;
    const begin = own.shift();
    waiting.delete(name);
    if (own.length > 0) waiting.set(name, own);
    begin?.();
  }

  return (tenant, begin) => {
    if (!isTaken) {
      isTaken = true;
      setImmediate(next);
      begin();
      return true;
    }
    const name = tenantName(tenant);
    const own = waiting.get(name);
    if (own === undefined) waiting.set(name, [begin]);
    else if (own.length < maxWaiting) own.push(begin);
    else return false;
    return true;
  };
}
