/** Webhooks on their way: claimed, sent outside of any transaction, and what came of them written in batches. */
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { hashOfBody } from '../store/redact.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { nextAttemptDelayMs } from '../webhooks/backoff.ts';
import { createWindows } from '../webhooks/concurrency-limit.ts';
import type { ClaimedDelivery, DeliveryResult } from '../webhooks/delivery.ts';
import { asksForLess } from '../webhooks/health.ts';
import { validSecrets } from '../webhooks/secrets.ts';
import type { Sending, SendResult } from '../webhooks/sender.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type DeliveryDuties = {
  readonly store: Store;
  readonly execute: Execute;
  readonly send: (sending: Sending, nowMs: number) => Promise<SendResult>;
  /** Real time in milliseconds. */
  readonly realNow: () => number;
  readonly onSent: (result: SendResult) => void;
};

/** Longer than any delivery takes: one that is still leased after this belongs to a process that is gone. */
const LEASE_MS = 30_000;

/** Sends one claimed delivery; `now` is the time in the clock of its account and mode. */
export async function deliver(
  duties: DeliveryDuties,
  delivery: ClaimedDelivery,
  now: number,
): Promise<DeliveryResult> {
  const { id, receiver, lease, round, failing, event, attempts } = delivery;
  const about = { id, receiver, subject: event.subject, lease, round, failing, at: now };
  const to = await destinationOf(duties.store, delivery, now);
  if ('error' in to) {
    return { ...about, ...to, state: 'failed', dueAt: null, httpStatus: null, attempt: null };
  }
  const result = await duties.send({ ...to, event }, duties.realNow());
  duties.onSent(result);
  const { outcome, httpStatus, error, retryAfterMs, durationMs, answer } = result;
  // Nothing was said in most answers, and then there is nothing to compare.
  const attempt = { durationMs, bodyHash: answer === '' ? '' : hashOfBody(event.body), answer };
  const sent = { ...about, httpStatus, error, attempt };
  if (outcome === 'delivered') return { ...sent, state: 'delivered', dueAt: null };
  const delayMs = outcome === 'gone' ? null : nextAttemptDelayMs(attempts + 1, Math.random(), retryAfterMs);
  if (delayMs === null) return { ...sent, state: 'failed', dueAt: null };
  return { ...sent, state: 'pending', dueAt: now + durationMs + delayMs };
}

/** Where a delivery goes and what signs it, as of now; or why it goes nowhere. */
async function destinationOf(
  store: Store,
  { tenant: { account, mode }, url, endpoint }: ClaimedDelivery,
  now: number,
): Promise<Pick<Sending, 'url' | 'secrets'> | { readonly error: string }> {
  if (url !== null) {
    const owner = await store.accounts.fetch(account);
    if (owner === null) return { error: 'account unknown' };
    return {
      url,
      secrets: validSecrets(owner.webhookSecrets[mode], owner.previousWebhookSecrets[mode], now),
    };
  }
  if (endpoint === null) return { error: 'endpoint deleted' };
  if (endpoint.disabled !== null) return { error: 'endpoint disabled' };
  return { url: endpoint.url, secrets: validSecrets(endpoint.secret, endpoint.previousSecret, now) };
}

/**
 * A bounded number of deliveries under way at once, in all and for each receiver. A slot that becomes free is filled
 * again without waiting for the others, so that a slow receiver holds up nobody.
 */
export function createDeliveryPool(
  duties: DeliveryDuties,
  {
    slots,
    onFree,
    onError,
  }: { slots: number; onFree: (tenant: Tenant) => void; onError: (error: unknown) => void },
) {
  const underWay = new Map<Promise<void>, Tenant>();
  // What one receiver may have under way, and one place while others may need the rest.
  const share = Math.ceil(slots / 4);
  const windows = createWindows(share);

  /** A place gets its share, and more only as long as half of the slots are free: receivers that hang hold them long. */
  function limitOf(taken: number): number {
    const free = slots - underWay.size;
    return taken < share ? Math.min(free, share - taken) : Math.max(0, free - Math.floor(slots / 2));
  }

  async function claim({ tenant, now }: TenantClock, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { room } = windows;
    const claim = { now, realNow: duties.realNow(), leaseMs: LEASE_MS, limit, room };
    return limit > 0 ? duties.store.work.claimDeliveries(tenant, claim) : [];
  }

  /**
   * Sends, and writes what came of it, which ends the lease. What cannot be written stays leased until that runs out:
   * on a full disk receivers would else be sent the same again at once, for as long as it lasts. Only what is written
   * makes room for the next, so that a crash leaves few behind that have arrived and will come again.
   */
  async function handle(claimed: ClaimedDelivery, now: number): Promise<void> {
    const { receiver, tenant } = claimed;
    const startedAt = performance.now();
    let sent = { delivered: false, throttled: false };
    windows.begin(receiver);
    try {
      const result = await deliver(duties, claimed, now);
      sent = { delivered: result.state === 'delivered', throttled: asksForLess(result.httpStatus) };
      await duties.execute({
        subject: 'deliveries',
        origin: ownOrigin(tenant, 'time'),
        results: [result],
      });
    } finally {
      windows.end(receiver, { ...sent, durationMs: performance.now() - startedAt });
    }
  }

  return {
    /** Fills the free slots with what is due; returns where there may be more than there was room for. */
    async fill(places: readonly TenantClock[]): Promise<readonly Tenant[]> {
      const left: Tenant[] = [];
      const taken = new Map<string, number>();
      for (const tenant of underWay.values())
        taken.set(tenantName(tenant), (taken.get(tenantName(tenant)) ?? 0) + 1);
      const takenIn = ({ tenant }: TenantClock) => taken.get(tenantName(tenant)) ?? 0;
      // Who has least under way comes first.
      for (const place of places.toSorted((a, b) => takenIn(a) - takenIn(b))) {
        const { tenant, now } = place;
        const limit = limitOf(takenIn(place));
        if (limit === 0) {
          // Whoever has something under way is looked at again when that has ended.
          if (takenIn(place) === 0) left.push(tenant);
          continue;
        }
        const claimed = await claim(place, limit);
        if (claimed.length === limit) left.push(tenant);
        for (const each of claimed) {
          // Where it fails the lease runs out, and the delivery is made again: at least once is what is promised.
          const handled = handle(each, now)
            .catch(onError)
            .finally(() => {
              underWay.delete(handled);
              onFree(tenant);
            });
          underWay.set(handled, tenant);
        }
      }
      return left;
    },
    /** Claims and sends what is due in one place, each at its own time, and waits for it; says how many there were. */
    async drain(place: TenantClock): Promise<number> {
      const claimed = await claim(place, slots);
      await Promise.all(claimed.map((each) => handle(each, each.dueAt)));
      return claimed.length;
    },
    hasRoom: (): boolean => underWay.size < slots,
    /** Resolves when what is under way now has ended, all of it or that of one account and mode. */
    async settle(only?: Tenant): Promise<void> {
      const concerned = [...underWay].filter(
        ([, tenant]) => !only || tenantName(tenant) === tenantName(only),
      );
      await Promise.all(concerned.map(([handled]) => handled));
    },
  };
}
