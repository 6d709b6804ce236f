/**
 * Does what is due: sessions that time concerns, webhooks, and forgetting. What is due is written in rows, so a crash
 * forgets nothing; the worker only looks, in bounded batches.
 */
import type { Scope } from '../checkout/session.ts';
import { createDeliveryPool, type DeliveryDuties, deliverDue } from './deliveries.ts';
import { startLoop } from './loop.ts';
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

export function createWorker(options: Options) {
  const { store, realNow, onError, pollMs = 250, deliverySlots } = options;
  let loops: Array<ReturnType<typeof startLoop>> = [];
  let deliveries: (typeof loops)[number] | undefined;
  const pool = createDeliveryPool(options, {
    slots: deliverySlots,
    onFree: () => deliveries?.nudge(),
    onError,
  });

  /** Scopes whose clock is being moved: only `advance` works on them meanwhile. */
  const held = new Map<string, number>();
  const isHeld = (scope: Scope) => held.has(nameOf(scope));

  /** The clocks of all accounts and modes, as they are now. */
  async function clocks(): Promise<(scope: Scope) => number> {
    const offsets = new Map((await store.accounts()).map((each) => [each.number, each.testClockOffsetMs]));
    return ({ account, mode }) => realNow() + (mode === 'test' ? (offsets.get(account) ?? 0) : 0);
  }

  async function runTimers(): Promise<boolean> {
    const due = await store.dueCheckouts(realNow(), BATCH);
    if (due.length === 0) return false;
    const nowOf = await clocks();
    const free = due.filter(({ scope }) => !isHeld(scope));
    await Promise.all(free.map(({ scope, id }) => attendTo(options, scope, id, nowOf(scope))));
    return free.length === BATCH;
  }

  async function catchUp(scope: Scope): Promise<void> {
    const attended = new Set<string>();
    for (;;) {
      const due = await store.dueCheckouts(realNow(), BATCH, scope);
      for (const { id, dueAt } of [...due].sort((a, b) => a.dueAt - b.dueAt)) {
        const what = `${id} at ${dueAt}`;
        if (attended.has(what)) throw new Error(`session ${what} stays due`);
        attended.add(what);
        await attendTo(options, scope, id, dueAt);
      }
      const delivered = await deliverDue(options, deliverySlots, ({ dueAt }) => dueAt, scope);
      if (due.length + delivered === 0) return;
    }
  }

  return {
    start(): void {
      deliveries = startLoop(
        async () => {
          await pool.fill(await clocks(), isHeld);
          return false;
        },
        pollMs,
        onError,
      );
      const purge = async () => (await store.purgeAnswers(realNow() - KEEP_ANSWERS_MS)) > 0;
      loops = [startLoop(runTimers, pollMs, onError), deliveries, startLoop(purge, PURGE_EVERY_MS, onError)];
    },

    /** There are new deliveries. */
    nudge(): void {
      deliveries?.nudge();
    },

    /**
     * Moves the clock of an account and mode, and does everything that is due by then, each thing at its own time, so
     * that a clock that was moved by a day leaves the same behind as a day that has passed.
     */
    async advance<T>(scope: Scope, moveClock: () => Promise<T>): Promise<T> {
      const name = nameOf(scope);
      held.set(name, (held.get(name) ?? 0) + 1);
      try {
        const moved = await moveClock();
        // What was taken before the clock was moved may be due again by now.
        await pool.settle();
        await catchUp(scope);
        return moved;
      } finally {
        const others = (held.get(name) ?? 1) - 1;
        if (others > 0) held.set(name, others);
        else held.delete(name);
      }
    },

    /** Resolves when nothing is under way any more. */
    async stop(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.stop()));
      await pool.settle();
    },
  };
}

function nameOf({ account, mode }: Scope): string {
  return `${account} ${mode}`;
}
