/**
 * Leases in memory: the one process that serves the database is the one that works on what is due, so who holds what need
 * not be on disk. After a crash nobody holds anything.
 */

/**
 * Hold on something, by a clock that nobody can set: one set ahead by seconds would end the lease of what is on its way,
 * and one set back by a day would have what a full disk has kept from its result wait for as long.
 */
export type Lease = { readonly endsAtMs: number };

export function endExpired(leases: Map<string, Lease>, elapsedMs: number): void {
  for (const [id, { endsAtMs }] of leases) if (endsAtMs <= elapsedMs) leases.delete(id);
}
