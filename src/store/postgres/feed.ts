/**
 * Gives events their positions in the feed. An event is committed without one, since what commits first is known only
 * afterwards; here, behind the lock of the feed's end, all that were committed meanwhile are numbered. Whoever reads the
 * feed sees what was numbered under one lock after the other, so nobody sees a number before the one before it. Every
 * process does this; one that dies with the lock in its hands loses it with its connection.
 *
 * Should a lock not hold, the key of `feed` does: of two who number the same events one meets the other's positions. The
 * end is read before what waits, so whoever sees a newer end sees what was numbered up to it gone from there.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { messageOf } from '../../lib/error-message.ts';
import { startLoop } from '../../lib/loop.ts';
import { createSparing } from '../../lib/sparing.ts';
import { StoreUnavailable } from '../errors.ts';
import { feedEnd } from '../resources/events.ts';
import { all, asItIs, one, owned, type Read, single, tenantOf } from '../resources/read.ts';
import { isAmong } from '../resources/tenants.ts';
import { isAnyOf, type Sql, sql } from '../sql.ts';
import type { FeedTroubles } from '../store.ts';
import { isUniqueViolation } from './errors.ts';
import type { Pool } from './pool.ts';
import { runOn, send, waiting } from './run.ts';
import { statementsOn } from './statements.ts';

/** Time between two looks for events that nobody has numbered. A reader of a feed does not wait for it. */
const LOOK_EVERY_MS = 250;
const MAX_AT_ONCE = 5_000;
/** Waiting events that are removed by their keys; more would take longer by the square of their number. */
const MOST_BY_KEY = 64;
const MAX_FEEDS = 1_000;
/** Another process may have taken the positions; a feed that cannot go on after these tries is the operator's matter. */
const MAX_TRIES = 12;
const PAUSE_MS = 10;
const TROUBLE_EVERY_MS = 60_000;

/** Tenants with events that have no position; `among` as in `Reachable`. Exported for the test. */
export const waitingTenants = (among: readonly number[] | null): Read<Tenant[]> =>
  all(
    sql`SELECT DISTINCT account, live FROM feed_waiting WHERE ${isAmong('account', among)}true LIMIT ${MAX_FEEDS}`,
    ({ account, live }: { readonly account: number; readonly live: boolean }) => tenantOf(account, live),
    'look',
  );

/** Events without a position, in the order of subjects and of the events of each. */
type Waiting = { readonly subject: string; readonly sequence: number; readonly event: string };

/** The end as it was kept, and as it follows from the positions that are taken. */
type End = { readonly kept: number; readonly used: number };

const isWaiting = (tenant: Tenant): Read<true | null> =>
  one(sql`SELECT 1 FROM feed_waiting WHERE ${owned(tenant)} LIMIT 1`, () => true);

const waitingIn = (tenant: Tenant): Read<Waiting[]> =>
  all(
    sql`SELECT subject, sequence, event FROM feed_waiting WHERE ${owned(tenant)}
        ORDER BY subject, sequence LIMIT ${MAX_AT_ONCE}`,
    asItIs<Waiting>,
  );

const endOf = (tenant: Tenant): Read<End> =>
  single(
    sql`SELECT coalesce((SELECT position FROM feed_end WHERE ${owned(tenant)}), 0) AS kept,
          greatest(
            (SELECT max(position) FROM feed WHERE ${owned(tenant)}),
            (SELECT position FROM feed_start WHERE ${owned(tenant)}), 0) AS used`,
    asItIs<End>,
  );

const moveEnd = ({ account, mode }: Tenant, position: number): Sql =>
  sql`INSERT INTO feed_end VALUES (${account}, ${mode === 'live'}, ${position})
      ON CONFLICT (account, live) DO UPDATE SET position = greatest(feed_end.position, excluded.position)`;

/**
 * Removal of many events in one pass over the subjects that they have, in whose order they were found: all that wait may be
 * millions. Not to be prepared: the table is nearly always empty, so the server knows nothing of it and would compare every
 * event with every key, but for a hash of texts that it knows when it plans. Exported for the test.
 */
export function removal(tenant: Tenant, found: readonly Waiting[]): Sql {
  const events = found.map(({ event }) => event);
  const [first, last] = [found.at(0)?.subject ?? '', found.at(-1)?.subject ?? ''];
  return sql`DELETE FROM feed_waiting WHERE ${owned(tenant)}
    AND subject >= ${first} AND subject <= ${last} AND ${isAnyOf('event', events)}`;
}

export type Feed = ReturnType<typeof createFeed>;

type Dependencies = {
  /** Gets a line for the operator. */
  readonly onTrouble: (text: string) => void;
  /** Accounts that can be asked about, or null for all. */
  readonly living: () => readonly number[] | null;
  readonly inShards: boolean;
};

export function createFeed(pool: Pool, { onTrouble, living, inShards }: Dependencies) {
  const leftOut = createSparing(TROUBLE_EVERY_MS, () => performance.now());
  let repairs = 0;
  let stuck = 0;

  function tell(text: string): void {
    if (leftOut(text) !== null) onTrouble(text);
  }

  /** Numbers what waits, a bounded number; says how many there were. */
  async function number(tenant: Tenant): Promise<number> {
    return pool.transaction(tenant, async ({ sql: on, commit }) => {
      const [, { kept, used }, found] = await Promise.all([
        send(on, sql`SELECT 1 FROM feed_end WHERE ${owned(tenant)} FOR UPDATE`),
        runOn(on, endOf(tenant)),
        runOn(on, waitingIn(tenant)),
      ]);
      if (found.length === 0) {
        await commit([]);
        return 0;
      }
      const last = Math.max(kept, used);
      const placed = inOrder(found).map(({ event }, index) => ({ position: last + index + 1, event }));
      const rows = statementsOn(on, tenant, inShards);
      const isMany = found.length > MOST_BY_KEY;
      await commit([
        ...rows.insert('feed', placed),
        ...(isMany
          ? [waiting(on, removal(tenant, found), { prepare: false })]
          : rows.remove('feed_waiting', found)),
        waiting(on, moveEnd(tenant, last + placed.length)),
      ]);
      if (used > kept) {
        repairs++;
        tell(
          `the feed of ${tenantName(tenant)} had lost its end (${kept} of ${used}), and continues from there`,
        );
      }
      return placed.length;
    });
  }

  /** Numbers everything that was committed before the call. */
  async function extend(tenant: Tenant): Promise<void> {
    if (!(await pool.read(tenant, (on) => runOn(on, isWaiting(tenant))))) return;
    for (let tries = 1; ; ) {
      try {
        if ((await number(tenant)) < MAX_AT_ONCE) return;
      } catch (error) {
        if (!isUniqueViolation(error) || tries === MAX_TRIES) throw error;
        await pause(Math.random() * tries++ * PAUSE_MS);
      }
    }
  }

  /** One that cannot go on holds up no other. False if that is not for a trouble that passes by itself. */
  async function keepOn(tenant: Tenant): Promise<boolean> {
    try {
      await extend(tenant);
    } catch (error) {
      // Trouble that passes by itself is told by the requests that meet it.
      if (error instanceof StoreUnavailable) return true;
      tell(`the feed of ${tenantName(tenant)} is stuck: ${messageOf(error)}`);
      return false;
    }
    return true;
  }

  return {
    extend,
    /** The last position, when everything is numbered that was committed before the call. */
    async end(tenant: Tenant): Promise<number> {
      await extend(tenant);
      return pool.read(tenant, (sql) => runOn(sql, feedEnd(tenant)));
    },
    troubles: (): FeedTroubles => ({ repairs, stuck }),
    /** Keeps all feeds numbered. */
    start: (onError: (error: unknown) => void) =>
      startLoop(
        async () => {
          const tenants = await pool.lookOut(null, (on) => runOn(on, waitingTenants(living())));
          let failed = 0;
          for (const tenant of tenants) if (!(await keepOn(tenant))) failed++;
          stuck = failed;
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
