/**
 * Leases in memory: the one process that serves the database is the one that works on what is due, so who holds what need
 * not be on disk. After a crash nobody holds anything.
 */
import type { RealTime } from '../../lib/time.ts';

/** Hold on something until a real time. */
export type Lease = { readonly until: RealTime };

export function endExpired(leases: Map<string, Lease>, realNow: RealTime): void {
  for (const [id, { until }] of leases) if (until <= realNow) leases.delete(id);
}
