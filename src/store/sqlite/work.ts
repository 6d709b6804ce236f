/** What is due: sessions that time concerns, deliveries to be tried, answers to be forgotten. */
import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '../../checkout/session.ts';
import type { Health } from '../../webhooks/health.ts';
import type { Claim, ClaimedDelivery, DeliveryClaim } from '../delivery.ts';
import type { DueCheckout, Writes } from '../store.ts';
import type { EndpointReader } from './endpoints.ts';
import type { EventReader } from './events.ts';
import { liveOf, type Row } from './rows.ts';

const PURGE_BATCH = 1000;

/** Until when somebody holds something, in real time. */
type Lease = { readonly until: number };
type DeliveryLease = Lease & { readonly receiver: string };

export function workQueue(database: DatabaseSync, events: EventReader, endpoints: EndpointReader) {
  // The one process that serves the database is the one that delivers, so who holds what need not be on disk: after
  // a crash nobody holds anything.
  const checkoutLeases = new Map<string, Lease>();
  const deliveryLeases = new Map<string, DeliveryLease>();
  const dueCheckouts = database.prepare(
    `SELECT id, due_at FROM checkout
     WHERE account = ? AND live = ? AND due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at LIMIT ?`,
  );
  const nextReceiver = database.prepare(
    `SELECT receiver FROM delivery
     WHERE account = ? AND live = ? AND receiver > ? AND due_at IS NOT NULL
     ORDER BY receiver LIMIT 1`,
  );
  const due = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT id, event, receiver, url, attempts - round_start AS attempts, due_at FROM delivery
       WHERE account = ? AND live = ? AND receiver = ? AND due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
       ORDER BY due_at ${order} LIMIT ?`,
    );
  const longestDue = due('ASC');
  const newestDue = due('DESC');
  // Where the last claim ended in each account and mode, so that the next begins with others.
  const turns = new Map<string, string>();
  const countDue = database.prepare(
    `SELECT count(*) AS due FROM delivery
     WHERE account = ?1 AND live = ?2 AND due_at <= ?3 AND receiver NOT IN (
       SELECT id FROM webhook_receiver WHERE account = ?1 AND live = ?2 AND probe_at > ?3)`,
  );
  // The oldest are the first; looking further would read the whole table each time that there is little to forget.
  const purge = database.prepare(
    `DELETE FROM idempotency
     WHERE created_at < ? AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${PURGE_BATCH})`,
  );
  const gauges = database.prepare(
    `SELECT (SELECT count(*) FROM delivery WHERE state = 'pending') AS pending,
       (SELECT count(*) FROM webhook_receiver WHERE probe_at IS NOT NULL) AS suspended`,
  );

  function dueExcept(held: readonly string[], scope: Scope, now: number, limit: number): DueCheckout[] {
    return dueCheckouts
      .all(scope.account, liveOf(scope), now, JSON.stringify(held), limit)
      .map((row) => ({ id: row.id as string, dueAt: row.due_at as number }));
  }

  function claimed(scope: Scope, row: Row, lease: number, health: Health | null): ClaimedDelivery {
    const event = events.read(scope, row.event as string);
    if (event === null) throw new Error(`the event of delivery ${row.id} is missing`);
    return {
      scope,
      id: row.id as string,
      receiver: row.receiver as string,
      url: row.url as string | null,
      endpoint: endpoints.list(scope).find(({ id }) => id === row.receiver) ?? null,
      attempts: row.attempts as number,
      dueAt: Math.max(row.due_at as number, health?.probeAt ?? 0),
      lease,
      failing: health !== null,
      event,
    };
  }

  /** The receivers with a due time, in turn: behind the one at which the last claim ended, and then from the start. */
  function* receiversFrom(scope: Scope, start: string): Generator<string> {
    const next = (behind: string) =>
      nextReceiver.get(scope.account, liveOf(scope), behind)?.receiver as string | undefined;
    for (let at = next(start); at !== undefined; at = next(at)) yield at;
    for (let at = next(''); at !== undefined && at <= start; at = next(at)) yield at;
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

    claimDeliveries(scope: Scope, { now, realNow, leaseMs, limit, room }: DeliveryClaim): ClaimedDelivery[] {
      endExpired(deliveryLeases, realNow);
      const place = `${scope.account} ${scope.mode}`;
      const failing = endpoints.failing(scope);
      const held = new Map<string, string[]>();
      for (const [id, { receiver }] of deliveryLeases) {
        held.set(receiver, [...(held.get(receiver) ?? []), id]);
      }
      const taken: ClaimedDelivery[] = [];
      let turn = '';
      for (const receiver of receiversFrom(scope, turns.get(place) ?? '')) {
        if (taken.length >= limit) break;
        turn = receiver;
        const health = failing.get(receiver) ?? null;
        const out = held.get(receiver) ?? [];
        const probing = health !== null && health.probeAt !== null;
        if (probing && (health.probeAt > now || out.length > 0)) continue;
        const most = probing ? 1 : Math.min(room(receiver), limit - taken.length);
        if (most <= 0) continue;
        // What came last tells best how the receiver is now: others may have been refused for what they are.
        const rows = (probing ? newestDue : longestDue).all(
          scope.account,
          liveOf(scope),
          receiver,
          now,
          JSON.stringify(out),
          most,
        ) as Row[];
        const lease = realNow + leaseMs;
        for (const row of rows) {
          deliveryLeases.set(row.id as string, { until: lease, receiver });
          taken.push(claimed(scope, row, lease, health));
        }
      }
      turns.set(place, turn);
      return taken;
    },

    countDueDeliveries: (scope: Scope, now: number): number =>
      countDue.get(scope.account, liveOf(scope), now)?.due as number,

    /** To be called when these were committed: who held what they are about is done with it. */
    endLeases({ checkout, deliveryResults = [] }: Writes): void {
      if (checkout) checkoutLeases.delete(checkout.after.id);
      for (const { id, lease } of deliveryResults) {
        if (lease === null || deliveryLeases.get(id)?.until === lease) deliveryLeases.delete(id);
      }
    },

    purgeAnswers: (createdBeforeMs: number): number => Number(purge.run(createdBeforeMs).changes),
    gauges(): { pendingDeliveries: number; suspendedReceivers: number } {
      const { pending, suspended } = gauges.get() as Row;
      return { pendingDeliveries: pending as number, suspendedReceivers: suspended as number };
    },
  };
}

function endExpired(leases: Map<string, Lease>, realNow: number): void {
  for (const [id, { until }] of leases) if (until <= realNow) leases.delete(id);
}
