/**
 * Background work: session deadlines, webhooks, provider events, bank entries, retention. Due times are rows, so a crash loses
 * nothing; the worker only looks for them, in bounded batches, and at each tenant in turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { tenantNow } from '../accounts/account.ts';
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { TenantClock, WorkKind } from '../store/store.ts';
import { type BankEntryDependencies, dueBankEntries } from './bank-entries.ts';
import { attendTo, attendToDue, type TimerDependencies } from './deadlines.ts';
import { createDeliveryPool, type DeliveryDependencies } from './deliveries.ts';
import type { DueRows } from './due-rows.ts';
import { dueProviderEvents, type ProviderEventDependencies } from './provider-events.ts';
import { type RetentionDependencies, removeOld } from './retention.ts';
import { createWaking } from './stranded.ts';

export type Worker = ReturnType<typeof createWorker>;

type Options = TimerDependencies &
  ProviderEventDependencies &
  BankEntryDependencies &
  DeliveryDependencies &
  RetentionDependencies & {
    /** Interval between looks when nobody nudges. */
    readonly pollMs?: number;
    /** Deliveries in progress at once. */
    readonly deliverySlots: number;
  };

const BATCH = 256;
const RETENTION_EVERY_MS = 60_000;
/**
 * Time between two looks for deliveries, while each commit and each end of a delivery asks for one: a look takes 0.15 ms
 * whatever it finds.
 */
export const DELIVERIES_REST_MS = 5;
/** Time that a request to move a clock waits for receivers; the rest is delivered afterwards. */
const WAIT_FOR_RECEIVERS_MS = 20_000;
/** Interval of checking whether other processes are done with their deliveries. */
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
  /** Tenants with new deliveries since the last look at all tenants. */
  const hinted = new Map<string, Tenant>();
  /** Tenants with more due sessions than one round processes. */
  let unfinished: TenantClock[] = [];
  // Tenants whose clock is being moved: only `advance` works there meanwhile.
  const moving = new Map<string, Promise<unknown>>();
  let isStopping = false;
  const lookForCheckouts = lookout('checkouts');
  const lookForDeliveries = lookout('deliveries');
  const providerEvents = dueProviderEvents(options);
  const bankEntries = dueBankEntries(options);
  let providerEventLoop: Loop | undefined;

  /**
   * Finds the tenants with work, each time beginning with another one, so that none is always last. Looking takes at
   * most a tenth of the time, however many accounts there are; null if it is too early to look again.
   */
  function lookout(work: WorkKind): () => Promise<TenantClock[] | null> {
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

  async function clockOf(tenant: Tenant): Promise<TenantClock> {
    const account = tenant.mode === 'test' ? await store.accounts.fetch(tenant.account) : null;
    return { tenant, now: tenantNow(account, tenant.mode, realNow()) };
  }

  /** Notes that a tenant has new deliveries, or that there is room for more. */
  function hint(tenant: Tenant): void {
    hinted.set(tenantName(tenant), tenant);
    deliveries?.nudge();
  }

  async function runDeliveries(): Promise<boolean> {
    const found = (pool.hasRoom() && (await lookForDeliveries())) || [];
    for (const { tenant } of found) hinted.delete(tenantName(tenant));
    const tenants = [...hinted.values()];
    hinted.clear();
    const clocks = [...found, ...(await Promise.all(tenants.map(clockOf))).filter(isFree)];
    const left = await pool.fill(clocks);
    for (const tenant of left) hinted.set(tenantName(tenant), tenant);
    return left.length > 0 && pool.hasRoom();
  }

  async function runTimers(): Promise<boolean> {
    const clocks = (await lookForCheckouts()) ?? unfinished;
    unfinished = [];
    for (const clock of clocks) {
      if (await attendToDue(options, clock, BATCH)) unfinished.push(clock);
    }
    return unfinished.length > 0;
  }

  function runRows(work: WorkKind, rows: DueRows): () => Promise<boolean> {
    const look = lookout(work);
    return async () => {
      let isMore = false;
      for (const clock of (await look()) ?? []) if (await rows.attend(clock, BATCH)) isMore = true;
      return isMore;
    };
  }

  /**
   * Processes everything that is due in this tenant by its clock, each thing at its own time. Sessions leased by
   * another process are processed all the same, since processing is idempotent. Deliveries in progress, here or in
   * another process, are waited for.
   */
  async function catchUp(tenant: Tenant): Promise<void> {
    const { now } = await clockOf(tenant);
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
      const followedUp = await providerEvents.catchUp({ tenant, now }, BATCH);
      const retried = await bankEntries.catchUp({ tenant, now }, BATCH);
      const mayWait = deliverySlots > 0 && !isStopping && performance.now() < waitUntil;
      const delivered = mayWait ? await pool.drain({ tenant, now }) : 0;
      if (due.length + followedUp + retried + delivered > 0) continue;
      if (!mayWait || (await store.work.countDueDeliveries(tenant, now)) === 0) return;
      await pause(LOOK_AGAIN_MS);
    }
  }

  return {
    start(): void {
      const retention = () => removeOld(options);
      deliveries = startLoop(runDeliveries, pollMs, onError, DELIVERIES_REST_MS);
      providerEventLoop = startLoop(runRows('providerEvents', providerEvents), pollMs, onError);
      loops = [
        startLoop(runTimers, pollMs, onError),
        providerEventLoop,
        startLoop(runRows('bankEntries', bankEntries), pollMs, onError),
        deliveries,
        startLoop(retention, RETENTION_EVERY_MS, onError),
        startLoop(createWaking(options), RETENTION_EVERY_MS, onError),
      ];
    },

    /** Tells the worker of new deliveries of a tenant. */
    nudge: hint,

    /** Tells the worker of new provider events. */
    nudgeProviderEvents: (): void => providerEventLoop?.nudge(),

    /**
     * Moves a test clock and processes everything that is due by then, so that a clock moved by a day leaves the same
     * behind as a day that has passed. The moves of an account run one after the other.
     */
    async advance<T>(tenant: Tenant, moveClock: () => Promise<T>): Promise<T> {
      const name = tenantName(tenant);
      const before = moving.get(name) ?? Promise.resolve();
      const moved = before.then(async () => {
        const result = await moveClock();
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

    /** Resolves when nothing is in progress any more. */
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(moving.values());
      await pool.settle();
    },
  };
}
