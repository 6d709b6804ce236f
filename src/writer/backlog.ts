/**
 * The backlog: changes that wait for their commit, and how long one more would wait. Beyond the peak every change would
 * wait longer than the one before it, and most would be answered when nobody listens any more; so those that have waited
 * for too long before they could begin, or would, are refused before anything is done for them. Those that would are
 * refused of tenants with the most of them; to begin, tenants have their turns, so who sends most waits longest.
 */
import { type Tenant, tenantName } from '../checkout/tenant.ts';

const LONGEST_WAIT_MS = 300;
/** Most changes of one commit. While no more wait, nobody is refused, however long the last commit took. */
export const MAX_BATCH = 64;
/** Changes behind a start whose code is not compiled yet: they take several times as long, and say nothing of the next. */
const COLD_CHANGES = 500;
/** Weight of the newest batch in the time that a change takes: one that was slow says little by itself, the first no more. */
const NEWEST = 0.2;

export type Backlog = ReturnType<typeof createBacklog>;

/** `now` is monotonic, in milliseconds. Nobody is refused before so many changes were taken as are `cold`. */
export function createBacklog(now: () => number = () => performance.now(), cold = COLD_CHANGES) {
  const waiting = new Map<string, number>();
  let count = 0;
  let taken = 0;
  /** The batch that was taken last, if it left some behind: only then the next one tells how long its changes took. */
  let last: { readonly at: number; readonly size: number } | null = null;
  let msEach = 0;
  let connections = 0;

  function add(tenant: Tenant, difference: number): void {
    const name = tenantName(tenant);
    const of = (waiting.get(name) ?? 0) + difference;
    if (of > 0) waiting.set(name, of);
    else waiting.delete(name);
    count += difference;
  }

  const isLate = (waitedMs: number): boolean => taken >= cold && waitedMs > LONGEST_WAIT_MS;
  /** True if one more change would wait for too long. */
  const isFull = (): boolean => taken >= cold && count > MAX_BATCH && count * msEach > LONGEST_WAIT_MS;

  return {
    added: (tenant: Tenant): void => add(tenant, 1),

    /** A batch is committed now. */
    taken(tenants: readonly Tenant[]): void {
      for (const tenant of tenants) add(tenant, -1);
      taken += tenants.length;
      const at = now();
      if (last !== null) {
        msEach += NEWEST * ((at - last.at) / last.size - msEach);
      }
      last = count > 0 && tenants.length > 0 ? { at, size: tenants.length } : null;
    },

    /** True if a change that has waited so long to begin may have to be refused. */
    isLong: (waitedMs: number): boolean => isLate(waitedMs) || isFull(),

    /** A client has connected. Of those that wait the event loop takes one each turn, so commits leave them turns. */
    connected(): void {
      connections++;
    },

    /** Clients that have connected since the start. */
    connections: (): number => connections,

    /** True if a change of this tenant waits for too long: not while others have more waiting, if it could begin in time. */
    isTooLongFor(tenant: Tenant, waitedMs: number): boolean {
      return isLate(waitedMs) || (isFull() && (waiting.get(tenantName(tenant)) ?? 0) * waiting.size >= count);
    },
  };
}
