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

  /** The clocks of all accounts and modes, as they are now. */
  async function clocks(): Promise<(scope: Scope) => number> {
    const offsets = new Map((await store.accounts()).map((each) => [each.number, each.testClockOffsetMs]));
    return ({ account, mode }) => realNow() + (mode === 'test' ? (offsets.get(account) ?? 0) : 0);
  }

  async function runTimers(): Promise<boolean> {
    const due = await store.dueCheckouts(realNow(), BATCH);
    if (due.length === 0) return false;
    const nowOf = await clocks();
    await Promise.all(due.map(({ scope, id }) => attendTo(options, scope, id, nowOf(scope))));
    return due.length === BATCH;
  }

  return {
    start(): void {
      deliveries = startLoop(
        async () => {
          await pool.fill(await clocks());
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
     * Does everything that is due in this account and mode by its clock, each thing at its own time, so that a clock
     * that was moved by a day leaves the same behind as a day that has passed.
     */
    async catchUp(scope: Scope): Promise<void> {
      for (;;) {
        const due = await store.dueCheckouts(realNow(), BATCH, scope);
        for (const { id, dueAt } of [...due].sort((a, b) => a.dueAt - b.dueAt)) {
          await attendTo(options, scope, id, dueAt);
        }
        const delivered = await deliverDue(options, deliverySlots, ({ dueAt }) => dueAt, scope);
        if (due.length + delivered > 0) continue;
        // What the pool had taken before may be due again at its next time.
        await pool.settle();
        const left = await store.dueCheckouts(realNow(), 1, scope);
        if (
          left.length === 0 &&
          (await deliverDue(options, deliverySlots, ({ dueAt }) => dueAt, scope)) === 0
        )
          return;
      }
    },

    /** Resolves when nothing is under way any more. */
    async stop(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.stop()));
      await pool.settle();
    },
  };
}
