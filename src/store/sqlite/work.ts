/** What is due: sessions that time concerns, deliveries to be tried, answers to be forgotten. */
import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '../../checkout/session.ts';
import { addressesInUse, choose, fullAddresses } from '../lanes.ts';
import type { Claim, ClaimedDelivery, DueCheckout, Writes } from '../store.ts';
import type { EventReader } from './events.ts';
import { liveOf, type Row } from './rows.ts';

const PURGE_BATCH = 1000;

/** Until when somebody holds something, in real time. */
type Lease = { readonly until: number };
type DeliveryLease = Lease & { readonly checkout: string; readonly url: string };

export function workQueue(database: DatabaseSync, events: EventReader) {
  // The one process that serves the database is the one that delivers, so who holds what need not be on disk: after
  // a crash nobody holds anything.
  const checkoutLeases = new Map<string, Lease>();
  const deliveryLeases = new Map<string, DeliveryLease>();
  const dueCheckouts = database.prepare(
    `SELECT id, due_at FROM checkout
     WHERE account = ? AND live = ? AND due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at LIMIT ?`,
  );
  const dueDeliveries = database.prepare(
    `SELECT id, event, checkout, url, attempts, due_at FROM delivery
     WHERE account = ? AND live = ? AND due_at <= ?
       AND checkout NOT IN (SELECT value FROM json_each(?)) AND url NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at, id LIMIT ?`,
  );
  const countDue = database.prepare(
    'SELECT count(*) AS due FROM delivery WHERE account = ? AND live = ? AND due_at <= ?',
  );
  // The oldest are the first; looking further would read the whole table each time that there is little to forget.
  const purge = database.prepare(
    `DELETE FROM idempotency
     WHERE created_at < ? AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${PURGE_BATCH})`,
  );
  const pending = database.prepare('SELECT count(*) AS pending FROM delivery WHERE due_at IS NOT NULL');

  function dueExcept(held: readonly string[], scope: Scope, now: number, limit: number): DueCheckout[] {
    return dueCheckouts
      .all(scope.account, liveOf(scope), now, JSON.stringify(held), limit)
      .map((row) => ({ id: row.id as string, dueAt: row.due_at as number }));
  }

  function claimed(scope: Scope, row: Row): ClaimedDelivery {
    const event = events.read(scope, row.event as string);
    if (event === null) throw new Error(`the event of delivery ${row.id} is missing`);
    return {
      scope,
      id: row.id as string,
      url: row.url as string,
      attempts: row.attempts as number,
      dueAt: row.due_at as number,
      event,
    };
  }

  return {
    dueCheckouts: (scope: Scope, now: number, limit: number): DueCheckout[] =>
      dueExcept([], scope, now, limit),

    claimCheckouts(scope: Scope, { now, realNow, leaseMs, limit }: Claim): DueCheckout[] {
      endExpired(checkoutLeases, realNow);
      const taken = dueExcept([...checkoutLeases.keys()], scope, now, limit);
      for (const { id } of taken) checkoutLeases.set(id, { until: realNow + leaseMs });
      return taken;
    },

    releaseCheckouts(ids: readonly string[]): void {
      for (const id of ids) checkoutLeases.delete(id);
    },

    claimDeliveries(scope: Scope, { now, realNow, leaseMs, limit }: Claim): ClaimedDelivery[] {
      endExpired(deliveryLeases, realNow);
      const busy = [...deliveryLeases.values()].map(({ checkout }) => checkout);
      const inUse = addressesInUse(deliveryLeases.values());
      const rows = dueDeliveries.all(
        scope.account,
        liveOf(scope),
        now,
        JSON.stringify(busy),
        JSON.stringify(fullAddresses(inUse)),
        limit,
      ) as Array<Row & { id: string; checkout: string; url: string }>;
      const taken = choose(rows, busy, inUse);
      for (const { id, checkout, url } of taken) {
        deliveryLeases.set(id, { until: realNow + leaseMs, checkout, url });
      }
      return taken.map((row) => claimed(scope, row));
    },

    countDueDeliveries: (scope: Scope, now: number): number =>
      countDue.get(scope.account, liveOf(scope), now)?.due as number,

    /** To be called when these were committed: who held what they are about is done with it. */
    endLeases({ checkout, deliveryResults = [] }: Writes): void {
      if (checkout) checkoutLeases.delete(checkout.after.id);
      for (const { id } of deliveryResults) deliveryLeases.delete(id);
    },

    purgeAnswers: (createdBeforeMs: number): number => Number(purge.run(createdBeforeMs).changes),
    pendingDeliveries: (): number => pending.get()?.pending as number,
  };
}

function endExpired(leases: Map<string, Lease>, realNow: number): void {
  for (const [id, { until }] of leases) if (until <= realNow) leases.delete(id);
}
