/** Webhooks on their way: claimed, sent outside of any transaction, and what came of them written in batches. */
import type { Scope } from '../checkout/session.ts';
import type { ClaimedDelivery, DeliveryResult, Store } from '../store/store.ts';
import type { Transact } from '../transact.ts';
import { nextAttemptDelayMs } from '../webhooks/backoff.ts';
import type { SendResult } from '../webhooks/deliver.ts';

export type DeliveryDuties = {
  readonly store: Store;
  readonly transact: Transact;
  readonly send: (delivery: ClaimedDelivery, secret: string, nowMs: number) => Promise<SendResult>;
  /** Real time in milliseconds. */
  readonly realNow: () => number;
  readonly onSent: (result: SendResult) => void;
};

/** Longer than a delivery takes with those before it in its lane. */
const LEASE_MS = 600_000;

/** Sends one claimed delivery; `now` is the time in the clock of its account and mode. */
export async function deliver(
  duties: DeliveryDuties,
  delivery: ClaimedDelivery,
  now: number,
): Promise<DeliveryResult> {
  const { scope, id } = delivery;
  const account = await duties.store.account(scope.account);
  const secret = account?.webhookSecrets[scope.mode] ?? '';
  const result = await duties.send(delivery, secret, duties.realNow());
  duties.onSent(result);
  const { httpStatus, error } = result;
  if (result.outcome === 'delivered')
    return { scope, id, state: 'delivered', dueAt: null, httpStatus, error };
  const delayMs =
    result.outcome === 'gone'
      ? null
      : nextAttemptDelayMs(delivery.attempts + 1, Math.random(), result.retryAfterMs);
  if (delayMs === null) return { scope, id, state: 'failed', dueAt: null, httpStatus, error };
  return { scope, id, state: 'pending', dueAt: now + delayMs, httpStatus, error };
}

/**
 * Writes what came of deliveries, and gives them back. What cannot be written stays leased until that runs out: on a
 * full disk receivers would else be sent the same again at once, for as long as it lasts.
 */
async function write({ store, transact }: DeliveryDuties, results: readonly DeliveryResult[]): Promise<void> {
  await transact({ subject: 'deliveries', results });
  store.releaseDeliveries(results.map(({ id }) => id));
}

/** Claims and sends what is due, `limit` at once, and writes what came of it; says how many there were. */
export async function deliverDue(
  duties: DeliveryDuties,
  limit: number,
  nowOf: (delivery: ClaimedDelivery) => number,
  scope?: Scope,
): Promise<number> {
  const claimed = await duties.store.claimDeliveries(duties.realNow(), LEASE_MS, limit, scope);
  const inLane = createLanes();
  const results = await Promise.all(
    claimed.map((each) => inLane(each, () => deliver(duties, each, nowOf(each)))),
  );
  await write(duties, results);
  return claimed.length;
}

/** Deliveries of one session to one address go out one after the other, in the order in which they are put in. */
function createLanes() {
  const last = new Map<string, Promise<unknown>>();
  return <T>({ event, url }: ClaimedDelivery, work: () => Promise<T>): Promise<T> => {
    const lane = `${event.checkout} ${url}`;
    const turn = (last.get(lane) ?? Promise.resolve()).then(work);
    const ended = turn
      .catch(() => {})
      .then(() => {
        if (last.get(lane) === ended) last.delete(lane);
      });
    last.set(lane, ended);
    return turn;
  };
}

/**
 * A bounded number of deliveries under way at once. A slot that becomes free is filled again without waiting for the
 * others, so that a slow receiver holds up nobody.
 */
export function createDeliveryPool(
  duties: DeliveryDuties,
  { slots, onFree, onError }: { slots: number; onFree: () => void; onError: (error: unknown) => void },
) {
  const underWay = new Set<Promise<void>>();
  const inLane = createLanes();

  async function handle(claimed: ClaimedDelivery, now: number): Promise<void> {
    try {
      await write(duties, [await deliver(duties, claimed, now)]);
    } catch (error) {
      // The lease runs out, and the delivery is made again: at least once is what is promised.
      onError(error);
    }
  }

  return {
    /** Fills the free slots with what is due, except for scopes that are held. */
    async fill(nowOf: (scope: Scope) => number, isHeld: (scope: Scope) => boolean): Promise<void> {
      const free = slots - underWay.size;
      if (free === 0) return;
      for (const claimed of await duties.store.claimDeliveries(duties.realNow(), LEASE_MS, free)) {
        if (isHeld(claimed.scope)) {
          duties.store.releaseDeliveries([claimed.id]);
          continue;
        }
        const now = nowOf(claimed.scope);
        const handled = inLane(claimed, () => handle(claimed, now)).finally(() => {
          underWay.delete(handled);
          onFree();
        });
        underWay.add(handled);
      }
    },
    /** Resolves when what is under way now has ended. */
    async settle(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
