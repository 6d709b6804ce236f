/** Webhooks on their way: claimed, sent outside of any transaction, and what came of them written in batches. */
import type { Scope } from '../checkout/session.ts';
import type { ClaimedDelivery, DeliveryResult, Place, Store } from '../store/store.ts';
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

/** Longer than any delivery takes: one that is still leased after this belongs to a process that is gone. */
const LEASE_MS = 60_000;

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
  if (result.outcome === 'delivered') return { id, state: 'delivered', dueAt: null, httpStatus, error };
  const delayMs =
    result.outcome === 'gone'
      ? null
      : nextAttemptDelayMs(delivery.attempts + 1, Math.random(), result.retryAfterMs);
  if (delayMs === null) return { id, state: 'failed', dueAt: null, httpStatus, error };
  return { id, state: 'pending', dueAt: now + delayMs, httpStatus, error };
}

/**
 * Writes what came of deliveries, which ends their leases. What cannot be written stays leased until that runs out: on
 * a full disk receivers would else be sent the same again at once, for as long as it lasts.
 */
async function write(
  { transact }: DeliveryDuties,
  scope: Scope,
  results: readonly DeliveryResult[],
): Promise<void> {
  await transact({ subject: 'deliveries', scope, results });
}

/** Claims and sends what is due in one place, `limit` at once, each at its own time; says how many there were. */
export async function deliverDue(
  duties: DeliveryDuties,
  { scope, now }: Place,
  limit: number,
): Promise<number> {
  const claim = { now, realNow: duties.realNow(), leaseMs: LEASE_MS, limit };
  const claimed = await duties.store.claimDeliveries(scope, claim);
  await write(duties, scope, await Promise.all(claimed.map((each) => deliver(duties, each, each.dueAt))));
  return claimed.length;
}

/**
 * A bounded number of deliveries under way at once. A slot that becomes free is filled again without waiting for the
 * others, so that a slow receiver holds up nobody.
 */
export function createDeliveryPool(
  duties: DeliveryDuties,
  {
    slots,
    onFree,
    onError,
  }: { slots: number; onFree: (scope: Scope) => void; onError: (error: unknown) => void },
) {
  const underWay = new Map<Promise<void>, Scope>();
  // What one place may take at a time while others wait.
  const share = Math.ceil(slots / 4);

  async function handle(claimed: ClaimedDelivery, now: number): Promise<void> {
    try {
      await write(duties, claimed.scope, [await deliver(duties, claimed, now)]);
    } catch (error) {
      // The lease runs out, and the delivery is made again: at least once is what is promised.
      onError(error);
    }
  }

  return {
    /** Fills the free slots with what is due; returns where there may be more than there was room for. */
    async fill(places: readonly Place[]): Promise<readonly Scope[]> {
      const left: Scope[] = [];
      for (const { scope, now } of places) {
        const limit = Math.min(slots - underWay.size, share);
        const claim = { now, realNow: duties.realNow(), leaseMs: LEASE_MS, limit };
        const claimed = limit > 0 ? await duties.store.claimDeliveries(scope, claim) : [];
        if (claimed.length === limit) left.push(scope);
        for (const each of claimed) {
          const handled = handle(each, now).finally(() => {
            underWay.delete(handled);
            onFree(scope);
          });
          underWay.set(handled, scope);
        }
      }
      return left;
    },
    hasRoom: (): boolean => underWay.size < slots,
    /** Resolves when what is under way now has ended, all of it or that of one account and mode. */
    async settle(only?: Scope): Promise<void> {
      const concerned = [...underWay].filter(
        ([, { account, mode }]) => !only || (account === only.account && mode === only.mode),
      );
      await Promise.all(concerned.map(([handled]) => handled));
    },
  };
}
