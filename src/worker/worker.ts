/**
 * Does what is due: sessions that time concerns, webhooks, and forgetting. What is due is written in rows, so a crash
 * forgets nothing; the worker only looks, in bounded batches, and at each account and mode in its turn.
 */
import type { Scope } from '../checkout/session.ts';
import { createDeliveryPool, type DeliveryDuties, deliverDue, type Place } from './deliveries.ts';
import { type Loop, startLoop } from './loop.ts';
import { attendTo, type TimerDuties } from './timers.ts';

export type Worker = ReturnType<typeof createWorker>;

type Options = TimerDuties &
  DeliveryDuties & {
    /** How often to look when nobody nudges. */
    readonly pollMs?: number;
    /** Deliveries under way at once. */
    readonly deliverySlots: number;
    readonly onError: (error: unknown) => void;
  };

const BATCH = 256;
/** Answers to repeated requests are kept for at least a day. */
const KEEP_ANSWERS_MS = 25 * 3_600_000;
const PURGE_EVERY_MS = 60_000;
/** How long a request that moves a clock waits for receivers; the rest is delivered afterwards. */
const WAIT_FOR_RECEIVERS_MS = 20_000;

export function createWorker(options: Options) {
  const { store, realNow, onError, pollMs = 250, deliverySlots } = options;
  let loops: Loop[] = [];
  let deliveries: Loop | undefined;
  const pool = createDeliveryPool(options, {
    slots: deliverySlots,
    onFree: () => deliveries?.nudge(),
    onError,
  });
  // Whose clock is being moved: only `advance` works there meanwhile.
  const moving = new Map<string, Promise<unknown>>();
  let turn = 0;

  /** All places to look at; each round begins with another one, so that none is always last. */
  async function places(): Promise<Place[]> {
    const all = (await store.accounts()).flatMap(({ number: account, testClockOffsetMs }): Place[] => [
      { scope: { account, mode: 'live' }, now: realNow() },
      { scope: { account, mode: 'test' }, now: realNow() + testClockOffsetMs },
    ]);
    const first = all.length === 0 ? 0 : turn++ % all.length;
    return [...all.slice(first), ...all.slice(0, first)].filter(({ scope }) => !moving.has(nameOf(scope)));
  }

  async function runTimers(): Promise<boolean> {
    let more = false;
    for (const { scope, now } of await places()) {
      const due = await store.dueCheckouts(scope, now, BATCH);
      await Promise.all(due.map(({ id }) => attendTo(options, scope, id, now)));
      more ||= due.length === BATCH;
    }
    return more;
  }

  /** Does everything that is due in this scope by its clock, each thing at its own time. */
  async function catchUp(scope: Scope): Promise<void> {
    const account = await store.account(scope.account);
    const now = realNow() + (account?.testClockOffsetMs ?? 0);
    const attended = new Set<string>();
    const waitUntil = performance.now() + WAIT_FOR_RECEIVERS_MS;
    for (;;) {
      const due = (await store.dueCheckouts(scope, now, BATCH)).filter(
        ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
      );
      for (const { id, dueAt } of due) {
        attended.add(`${id} ${dueAt}`);
        await attendTo(options, scope, id, dueAt);
      }
      const delivered =
        performance.now() < waitUntil ? await deliverDue(options, { scope, now }, deliverySlots) : 0;
      if (due.length + delivered === 0) return;
    }
  }

  return {
    start(): void {
      const purge = async () => (await store.purgeAnswers(realNow() - KEEP_ANSWERS_MS)) > 0;
      deliveries = startLoop(async () => pool.fill(await places()), pollMs, onError);
      loops = [startLoop(runTimers, pollMs, onError), deliveries, startLoop(purge, PURGE_EVERY_MS, onError)];
    },

    /** There are new deliveries. */
    nudge(): void {
      deliveries?.nudge();
    },

    /**
     * Moves the clock of an account's test data and does everything that is due by then, so that a clock that was
     * moved by a day leaves the same behind as a day that has passed. One after the other for each account.
     */
    async advance<T>(scope: Scope, moveClock: () => Promise<T>): Promise<T> {
      const name = nameOf(scope);
      const before = moving.get(name) ?? Promise.resolve();
      const moved = before.then(async () => {
        const result = await moveClock();
        // What was taken before the clock was moved may be due again by now.
        await pool.settle(scope);
        await catchUp(scope);
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
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(moving.values());
      await pool.settle();
    },
  };
}

function nameOf({ account, mode }: Scope): string {
  return `${account} ${mode}`;
}
