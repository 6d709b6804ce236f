/**
 * The clock of the database, by which processes hold leases: their own may differ by more than a lease has. Between two
 * looks it goes on as the monotonic clock of this process counts it.
 */
import type { RealTime } from '../../lib/time.ts';
import type { Sql } from './connection.ts';

/** A look that took longer says little: this process, or the server, may have stood still meanwhile. */
const PRECISE_MS = 1_000;

export type ServerClock = ReturnType<typeof createServerClock>;

export function createServerClock() {
  /** Time of the server's clock when the monotonic clock was 0; null before the first look. */
  let origin: number | null = null;

  return {
    /** Half of the time that it takes counts as the way there. */
    async look(sql: Sql): Promise<void> {
      const askedAt = performance.now();
      const [row] = await sql<Array<{ at: RealTime }>>`
        SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS at`;
      const answeredAt = performance.now();
      if (row === undefined || (origin !== null && answeredAt - askedAt > PRECISE_MS)) return;
      origin = row.at - (askedAt + answeredAt) / 2;
    },

    /** `own` is the time of this process, for one that has never looked: it does not serve, and holds no leases. */
    now: (own: RealTime): RealTime => (origin === null ? own : Math.floor(origin + performance.now())),
  };
}
