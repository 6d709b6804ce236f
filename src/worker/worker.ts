/**
 * Does what is due: sessions that time concerns, webhooks, and forgetting. What is due is written in rows, so a crash
 * forgets nothing; the worker only looks, in bounded batches, and at each account and mode in its turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { TenantClock } from '../store/store.ts';
import { attendTo, attendToDue, type TimerDuties } from './deadlines.ts';
import { createDeliveryPool, type DeliveryDuties } from './deliveries.ts';
import { attendToNotices, catchUpOnNotices, type NoticeDuties } from './provider-events.ts';
import { forgetOld, type RetentionDuties } from './retention.ts';

export type Worker = ReturnType<typeof createWorker>;

type Options = TimerDuties &
  NoticeDuties &
  DeliveryDuties &
  RetentionDuties & {
    /** How often to look when nobody nudges. */
    readonly pollMs?: number;
    /** Deliveries under way at once. */
    readonly deliverySlots: number;
  };

const BATCH = 256;
const FORGET_EVERY_MS = 60_000;
/** How long a request that moves a clock waits for receivers; the rest is delivered afterwards. */
const WAIT_FOR_RECEIVERS_MS = 20_000;
/** How often it looks meanwhile whether another process is done with its deliveries. */
const LOOK_AGAIN_MS = 50;

export function createWorker(options: Options) {
  const { store, realNow, onError, pollMs = 250, deliverySlots } = options;
  let loops: Loop[] = [];
  let deliveries: Loop | undefined;
  const pool = createDeliveryPool(options, {
    slots: deliverySlots,
    onFree: hint,
    onError,
  });
  /** Where deliveries have come up since the last look at everything. */
  const hinted = new Map<string, Tenant>();
  /** Where more sessions were due than one round attends to. */
  let unfinished: TenantClock[] = [];
  // Whose clock is being moved: only `advance` works there meanwhile.
  const moving = new Map<string, Promise<unknown>>();
  let isStopping = false;
  const lookForCheckouts = lookout('checkouts');
  const lookForDeliveries = lookout('deliveries');
  const lookForNotices = lookout('notices');
  let noticeLoop: Loop | undefined;

  /**
   * Finds the places with work; each time begins with another one, so that none is always last. Looking takes at most a
   * tenth of the time, however many accounts there are; null if it is too early to look again.
   */
  function lookout(work: 'checkouts' | 'deliveries' | 'notices'): () => Promise<TenantClock[] | null> {
    let turn = 0;
    let nextAt = 0;
    return async () => {
      const startedAt = performance.now();
      if (startedAt < nextAt) return null;
      const all = await store.work.listTenants(work, realNow());
      const endedAt = performance.now();
      nextAt = endedAt + Math.max(pollMs, 10 * (endedAt - startedAt));
      const first = all.length === 0 ? 0 : turn++ % all.length;
      return [...all.slice(first), ...all.slice(0, first)].filter(isFree);
    };
  }

  const isFree = ({ tenant }: TenantClock) => !moving.has(tenantName(tenant));

  async function placeOf(tenant: Tenant): Promise<TenantClock> {
    const account = tenant.mode === 'test' ? await store.accounts.fetch(tenant.account) : null;
    return { tenant, now: realNow() + (account?.testClockOffsetMs ?? 0) };
  }

  /** There are new deliveries there, or there is room for more of them. */
  function hint(tenant: Tenant): void {
    hinted.set(tenantName(tenant), tenant);
    deliveries?.nudge();
  }

  async function runDeliveries(): Promise<boolean> {
    const found = (pool.hasRoom() && (await lookForDeliveries())) || [];
    for (const { tenant } of found) hinted.delete(tenantName(tenant));
    const tenants = [...hinted.values()];
    hinted.clear();
    const places = [...found, ...(await Promise.all(tenants.map(placeOf))).filter(isFree)];
    const left = await pool.fill(places);
    for (const tenant of left) hinted.set(tenantName(tenant), tenant);
    return left.length > 0 && pool.hasRoom();
  }

  async function runTimers(): Promise<boolean> {
    const places = (await lookForCheckouts()) ?? unfinished;
    unfinished = [];
    for (const place of places) {
      if (await attendToDue(options, place, BATCH)) unfinished.push(place);
    }
    return unfinished.length > 0;
  }

  async function runNotices(): Promise<boolean> {
    let isMore = false;
    for (const place of (await lookForNotices()) ?? []) {
      if (await attendToNotices(options, place, BATCH)) isMore = true;
    }
    return isMore;
  }

  /**
   * Does everything that is due in this tenant by its clock, each thing at its own time. Sessions that another process
   * holds are attended to all the same: twice comes to the same as once. Its deliveries are waited for.
   */
  async function catchUp(tenant: Tenant): Promise<void> {
    const { now } = await placeOf(tenant);
    const attended = new Set<string>();
    const waitUntil = performance.now() + WAIT_FOR_RECEIVERS_MS;
    for (;;) {
      const due = (await store.work.listDueCheckouts(tenant, now, BATCH)).filter(
        ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
      );
      for (const { id, dueAt } of due) {
        attended.add(`${id} ${dueAt}`);
        await attendTo(options, tenant, id, dueAt);
      }
      const noticed = await catchUpOnNotices(options, { tenant, now }, BATCH);
      const mayWait = deliverySlots > 0 && !isStopping && performance.now() < waitUntil;
      const delivered = mayWait ? await pool.drain({ tenant, now }) : 0;
      if (due.length + noticed + delivered > 0) continue;
      if (!mayWait || (await store.work.countDueDeliveries(tenant, now)) === 0) return;
      await pause(LOOK_AGAIN_MS);
    }
  }

  return {
    start(): void {
      const forget = () => forgetOld(options);
      deliveries = startLoop(runDeliveries, pollMs, onError);
      noticeLoop = startLoop(runNotices, pollMs, onError);
      loops = [
        startLoop(runTimers, pollMs, onError),
        noticeLoop,
        deliveries,
        startLoop(forget, FORGET_EVERY_MS, onError),
      ];
    },

    /** There are new deliveries in this account and mode. */
    nudge: hint,

    /** There are new notices of rails. */
    nudgeNotices: (): void => noticeLoop?.nudge(),

    /**
     * Moves the clock of an account's test data and does everything that is due by then, so that a clock that was
     * moved by a day leaves the same behind as a day that has passed. One after the other for each account.
     */
    async advance<T>(tenant: Tenant, moveClock: () => Promise<T>): Promise<T> {
      const name = tenantName(tenant);
      const before = moving.get(name) ?? Promise.resolve();
      const moved = before.then(async () => {
        const result = await moveClock();
        // What was taken before the clock was moved may be due again by now.
        await pool.settle(tenant);
        await catchUp(tenant);
        return result;
      });
      const ended = moved
        .catch(() => {})
        .then(() => {
          if (moving.get(name) === ended) moving.delete(name);
        });
      moving.set(name, ended);
      return moved;
    },

    /** Resolves when nothing is under way any more. */
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(moving.values());
      await pool.settle();
    },
  };
}
