/**
 * Gives events their positions in the feed. An event is committed without one, since what commits first is known only
 * afterwards; here, behind the lock of the feed's end, all that were committed meanwhile are numbered. Whoever reads the
 * feed sees what was numbered under one lock after the other, so nobody sees a number before the one before it. Every
 * process does this; one that dies with the lock in its hands loses it with its connection.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { startLoop } from '../../lib/loop.ts';
import { feedEnd } from '../resources/events.ts';
import { tenantOf } from '../resources/read.ts';
import type { Pool } from './pool.ts';
import { runOn, tenantColumns } from './run.ts';
import { statementsOn } from './statements.ts';

/** How often to look for events that nobody has numbered. Whoever reads a feed does not wait for this. */
const LOOK_EVERY_MS = 250;
const MAX_AT_ONCE = 5_000;
const MAX_FEEDS = 1_000;

/** In the order of subjects, and of the events of each. */
type Waiting = { readonly subject: string; readonly sequence: number; readonly event: string };

export type Feed = ReturnType<typeof createFeed>;

export function createFeed(pool: Pool) {
  async function isWaiting(tenant: Tenant): Promise<boolean> {
    const [account, live] = tenantColumns(tenant);
    const rows = await pool.read(
      (sql) => sql`SELECT 1 FROM feed_waiting WHERE account = ${account} AND live = ${live} LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** Numbers what waits, a bounded number; says how many there were. */
  async function number(tenant: Tenant): Promise<number> {
    const [account, live] = tenantColumns(tenant);
    return pool.transaction(async ({ sql, commit }) => {
      const on = statementsOn(sql, tenant);
      const [[end], waiting] = await Promise.all([
        sql<Array<{ position: number }>>`
          SELECT position FROM feed_end WHERE account = ${account} AND live = ${live} FOR UPDATE`,
        sql<Waiting[]>`
          SELECT subject, sequence, event FROM feed_waiting WHERE account = ${account} AND live = ${live}
          ORDER BY subject, sequence LIMIT ${MAX_AT_ONCE}`,
      ]);
      const last = end?.position ?? 0;
      const placed = inOrder(waiting).map(({ event }, index) => ({ position: last + index + 1, event }));
      await commit([
        ...on.insert('feed', placed),
        ...on.remove('feed_waiting', waiting),
        sql`UPDATE feed_end SET position = ${last + placed.length} WHERE account = ${account} AND live = ${live}`,
      ]);
      return placed.length;
    });
  }

  /** Numbers everything that was committed before the call. */
  async function extend(tenant: Tenant): Promise<void> {
    if (!(await isWaiting(tenant))) return;
    while ((await number(tenant)) === MAX_AT_ONCE);
  }

  return {
    extend,
    /** The last position, when everything is numbered that was committed before the call. */
    async end(tenant: Tenant): Promise<number> {
      await extend(tenant);
      return pool.read((sql) => runOn(sql, feedEnd(tenant)));
    },
    /** Keeps all feeds numbered. */
    start: (onError: (error: unknown) => void) =>
      startLoop(
        async () => {
          const rows = await pool.lookOut(
            (sql) => sql<Array<{ account: number; live: boolean }>>`
              SELECT DISTINCT account, live FROM feed_waiting LIMIT ${MAX_FEEDS}`,
          );
          for (const { account, live } of rows) await extend(tenantOf(account, live));
          return false;
        },
        LOOK_EVERY_MS,
        onError,
      ),
  };
}

/**
 * The events of a subject keep their order, and events of different ones that of their ids where they can: each comes
 * where the newest id of its subject up to it has its place.
 */
function inOrder(waiting: readonly Waiting[]): readonly Waiting[] {
  const newest = new Map<string, string>();
  const placed = waiting.map((each) => {
    const before = newest.get(each.subject);
    const place = before === undefined || each.event > before ? each.event : before;
    newest.set(each.subject, place);
    return { ...each, place };
  });
  return placed.sort((a, b) => {
    if (a.place === b.place) return a.sequence - b.sequence;
    return a.place < b.place ? -1 : 1;
  });
}
