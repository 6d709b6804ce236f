/**
 * Background work: session deadlines, webhooks, provider events, bank entries, retention. Due times are rows, so a crash loses
 * nothing; the worker only looks for them, in bounded batches, and attends to each tenant in turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { tenantNow } from '../accounts/account.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import { endsAt } from '../checkout/statuses.ts';
import { type Tenant, type TenantTime, tenantName } from '../checkout/tenant.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { createRounds, UNTRIED } from '../lib/rounds.ts';
import type { TenantClock, WorkKind } from '../store/store.ts';
import { type BankEntryDependencies, dueBankEntries } from './bank-entries.ts';
import { attendTo, attendToDue, type TimerDependencies } from './deadlines.ts';
import { createDeliveryPool, type DeliveryDependencies } from './deliveries.ts';
import type { DueRows } from './due-rows.ts';
import { createLookout } from './lookout.ts';
import { dueProviderEvents, type ProviderEventDependencies } from './provider-events.ts';
import { type RetentionDependencies, removeOld } from './retention.ts';
import { createWaking } from './stranded.ts';

export type Worker = ReturnType<typeof createWorker>;

type Options = TimerDependencies &
  ProviderEventDependencies &
  BankEntryDependencies &
  DeliveryDependencies &
  Omit<RetentionDependencies, 'round'> & {
    /** Interval between looks when nobody nudges. */
    readonly pollMs?: number;
    /** Deliveries in progress at once. */
    readonly deliverySlots: number;
  };

const BATCH = 256;
const RETENTION_EVERY_MS = 60_000;
/**
 * Time between two claims of deliveries, while each commit and each end of a delivery asks for one: a claim takes 0.15 ms
 * whatever it finds.
 */
export const DELIVERIES_REST_MS = 5;
/** Time that a request to move a clock waits for receivers; the rest is delivered afterwards. */
const WAIT_FOR_RECEIVERS_MS = 20_000;
/** Times that one session is attended to, each at its own time, while a test clock moves. */
const MOST_TIMES = 50;
/** Interval of checking whether other processes are done with their deliveries. */
const LOOK_AGAIN_MS = 50;

export function createWorker(options: Options) {
  const { store, realNow, onError, pollMs = 250, deliverySlots } = options;
  const round = createRounds(onError);
  let loops: Loop[] = [];
  let loopOf: Partial<Readonly<Record<WorkKind, Loop>>> = {};
  const lookout = createLookout(options, (kind) => loopOf[kind]?.offer());
  const pool = createDeliveryPool(options, {
    slots: deliverySlots,
    onFree: (tenant) => nudge('deliveries', tenant),
    round,
    onError,
  });
  // Tenants whose clock is being moved: only `advance` works there meanwhile.
  const moving = new Map<string, Promise<unknown>>();
  let isStopping = false;
  const providerEvents = dueProviderEvents(options);
  const bankEntries = dueBankEntries(options);

  const isFree = ({ tenant }: TenantClock) => !moving.has(tenantName(tenant));

  async function clockOf(tenant: Tenant): Promise<TenantClock> {
    const account = tenant.mode === 'test' ? await store.accounts.fetch(tenant.account) : null;
    return { tenant, now: tenantNow(account, tenant.mode, realNow()) };
  }

  /** Notes that a tenant has new work of a kind, or that there is room for more. */
  function nudge(kind: WorkKind, tenant: Tenant): void {
    lookout.add(kind, tenant);
    loopOf[kind]?.nudge();
  }

  /** A part for each tenant with work of the kind, as far as anybody has told of it. */
  const partsOf = (kind: WorkKind, run: (tenant: Tenant) => Promise<unknown>) =>
    lookout
      .take(kind)
      .map((tenant) => ({ tenant, name: `${tenantName(tenant)}: due ${kind}`, run: () => run(tenant) }));

  /** Has tenants looked at again in the next round, whenever that is. */
  function putBack(kind: WorkKind, parts: ReadonlyArray<{ readonly tenant: Tenant }>): void {
    for (const { tenant } of parts) lookout.add(kind, tenant);
  }

  async function runDeliveries(): Promise<boolean> {
    const clocks: TenantClock[] = [];
    const look = async (tenant: Tenant) => void clocks.push(await clockOf(tenant));
    const looked = await round(partsOf('deliveries', look));
    const filled = await pool.fill(clocks.filter(isFree));
    for (const parts of [looked.left, filled.left, filled.more]) putBack('deliveries', parts);
    return filled.more.length > 0 && pool.hasRoom();
  }

  /** Attends to one tenant after the other, and again to those that have more than a batch. */
  function eachInTurn(kind: WorkKind, attend: DueRows['attend']): () => Promise<boolean> {
    return async () => {
      let isMore = false;
      const parts = partsOf(kind, async (tenant) => {
        const clock = await clockOf(tenant);
        if (!isFree(clock)) return UNTRIED;
        const hasMore = await attend(clock, BATCH);
        if (hasMore) lookout.add(kind, tenant);
        isMore ||= hasMore;
        return hasMore;
      });
      const { left } = await round(parts);
      putBack(kind, left);
      return isMore;
    };
  }

  /**
   * The next time at which a session needs attention, without the questions in between: a rail that knows nothing new
   * would be asked every half minute of a year, which is no time for the rail.
   */
  async function laterTime(tenant: Tenant, id: CheckoutId, dueAt: TenantTime, now: TenantTime) {
    const checkout = await store.checkouts.fetch(tenant, id);
    const end = checkout && endsAt(checkout);
    return end !== null && dueAt < end && end < now ? end : now;
  }

  /**
   * Processes everything that is due in this tenant by its clock, each thing at its own time. Sessions leased by
   * another process are processed all the same, since processing is idempotent. Deliveries in progress, here or in
   * another process, are waited for. A process that stops leaves the rest to the next one.
   */
  async function catchUp(tenant: Tenant): Promise<void> {
    const { now } = await clockOf(tenant);
    const attended = new Set<string>();
    const times = new Map<string, number>();
    const waitUntil = performance.now() + WAIT_FOR_RECEIVERS_MS;
    for (;;) {
      const due = (await store.work.listDueCheckouts(tenant, now, BATCH)).filter(
        ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
      );
      for (const { id, dueAt } of due) {
        if (isStopping) return;
        attended.add(`${id} ${dueAt}`);
        const before = times.get(id) ?? 0;
        times.set(id, before + 1);
        const at = before < MOST_TIMES ? dueAt : await laterTime(tenant, id, dueAt, now);
        await attendTo(options, tenant, id, at);
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
      const looking = () => lookout.look().then(() => false);
      const retention = () => removeOld({ ...options, round });
      const attendToCheckouts: DueRows['attend'] = (clock, limit) => attendToDue(options, clock, limit);
      loopOf = {
        checkouts: startLoop(eachInTurn('checkouts', attendToCheckouts), pollMs, onError),
        providerEvents: startLoop(eachInTurn('providerEvents', providerEvents.attend), pollMs, onError),
        bankEntries: startLoop(eachInTurn('bankEntries', bankEntries.attend), pollMs, onError),
        deliveries: startLoop(runDeliveries, pollMs, onError, DELIVERIES_REST_MS),
      };
      loops = [
        startLoop(looking, pollMs, onError),
        ...Object.values(loopOf),
        startLoop(retention, RETENTION_EVERY_MS, onError),
        startLoop(createWaking({ ...options, round }), RETENTION_EVERY_MS, onError),
      ];
    },

    /** Tells the worker of a tenant with new work of a kind. */
    nudge,

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
