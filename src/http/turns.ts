/**
 * Turns for lists: each takes the thread that answers for milliseconds. Of those that wait one begins in a turn of the
 * event loop, of one tenant after the other. Who asks for many at once waits for his own; what others ask goes in between.
 */
import { type Tenant, tenantName } from '../checkout/tenant.ts';

type Begin = () => void;

export function createTurns(): (tenant: Tenant, begin: Begin) => void {
  /** By tenant, the one that is next at the front. */
  const waiting = new Map<string, Begin[]>();
  let isTaken = false;

  function next(): void {
    const [first] = waiting;
    isTaken = first !== undefined;
    if (first === undefined) return;
    setImmediate(next);
    const [name, [begin, ...others]] = first;
    waiting.delete(name);
    if (others.length > 0) waiting.set(name, others);
    begin?.();
  }

  return (tenant, begin) => {
    if (!isTaken) {
      isTaken = true;
      setImmediate(next);
      begin();
      return;
    }
    const name = tenantName(tenant);
    const own = waiting.get(name);
    if (own === undefined) waiting.set(name, [begin]);
    else own.push(begin);
  };
}
