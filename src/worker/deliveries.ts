/** Webhook deliveries: claimed, sent outside of any transaction, their results written in batches. */

import type { AccountSettings } from '../accounts/settings.ts';
import { inHundredths } from '../checkout/hundredths.ts';
import { type Tenant, type TenantTime, tenantName } from '../checkout/tenant.ts';
import { type Round, UNTRIED } from '../lib/rounds.ts';
import type { RealTime } from '../lib/time.ts';
import { hashOfBody } from '../store/redact.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { nextAttemptDelayMs } from '../webhooks/backoff.ts';
import { createConcurrencyLimits, type Ended } from '../webhooks/concurrency-limit.ts';
import type { ClaimedDelivery, DamagedDelivery, DeliveryResult } from '../webhooks/delivery.ts';
import { asksForLess } from '../webhooks/health.ts';
import { validSecrets } from '../webhooks/secrets.ts';
import type { Sending, SendResult } from '../webhooks/sender.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type DeliveryDependencies = {
  readonly store: Store;
  readonly execute: Execute;
  readonly send: (sending: Sending, nowMs: RealTime) => Promise<SendResult>;
  /** Real time in milliseconds. */
  readonly realNow: () => RealTime;
  /** The same by the clock of leases. */
  readonly leaseNow: () => RealTime;
  readonly onSent: (result: SendResult) => void;
  /** Hears of due deliveries that cannot be sent as they are. */
  readonly onDamaged?: (damaged: DamagedDelivery) => void;
};

/** Longer than any delivery takes: a lease that is older belongs to a process that is gone. */
const LEASE_MS = 30_000;

/** What has to be left of a lease for a delivery to begin. */
const LEFT_MS = LEASE_MS / 2;

/**
 * Sends one claimed delivery; `now` is the time in the clock of its account and mode. Null if the process has stood still
 * for so long since the claim that another one may send it, too.
 */
export async function deliver(
  dependencies: DeliveryDependencies,
  delivery: ClaimedDelivery,
  now: TenantTime,
): Promise<DeliveryResult | null> {
  const { id, receiver, lease, round, failing, event, attempts } = delivery;
  const about = { id, receiver, subject: event.subject, lease, round, failing, at: now };
  const to = await destinationOf(dependencies.store, delivery, now);
  if ('error' in to) {
    return { ...about, ...to, state: 'failed', dueAt: null, httpStatus: null, attempt: null };
  }
  // The receiver reads amounts as its account does; what is kept of the event stays as it was written.
  const body = to.compatibility === 'v3' ? inHundredths(event.body) : event.body;
  if (lease - dependencies.leaseNow() < LEFT_MS) return null;
  const result = await dependencies.send({ ...to, event: { ...event, body } }, dependencies.realNow());
  dependencies.onSent(result);
  const { outcome, httpStatus, error, retryAfterMs, durationMs, answer } = result;
  // Most answers are empty, and then there is nothing to compare.
  const attempt = { durationMs, bodyHash: answer === '' ? '' : hashOfBody(event.body), answer };
  const sent = { ...about, httpStatus, error, attempt };
  if (outcome === 'delivered') return { ...sent, state: 'delivered', dueAt: null };
  const delayMs = outcome === 'gone' ? null : nextAttemptDelayMs(attempts + 1, Math.random(), retryAfterMs);
  if (delayMs === null) return { ...sent, state: 'failed', dueAt: null };
  return { ...sent, state: 'pending', dueAt: now + durationMs + delayMs };
}

type Destination = Pick<Sending, 'url' | 'secrets'> & Pick<AccountSettings, 'compatibility'>;

/** Current address and secrets of a delivery, or the reason why it cannot be sent. */
async function destinationOf(
  store: Store,
  { tenant: { account, mode }, url, endpoint }: ClaimedDelivery,
  now: TenantTime,
): Promise<Destination | { readonly error: string }> {
  const owner = await store.accounts.fetch(account);
  if (owner === null) return { error: 'account unknown' };
  const { compatibility } = owner.settings[mode];
  if (url !== null) {
    const secrets = validSecrets(owner.webhookSecrets[mode], owner.previousWebhookSecrets[mode], now);
    return { url, secrets, compatibility };
  }
  if (endpoint === null) return { error: 'endpoint deleted' };
  if (endpoint.disabled !== null) return { error: 'endpoint disabled' };
  const secrets = validSecrets(endpoint.secret, endpoint.previousSecret, now);
  return { url: endpoint.url, secrets, compatibility };
}

/**
 * Pool with a bounded number of deliveries in progress, in total and for each receiver. A free slot is filled again
 * without waiting for the others, so that a slow receiver holds up nobody.
 */
export function createDeliveryPool(
  dependencies: DeliveryDependencies,
  {
    slots,
    onFree,
    round,
    onError,
  }: {
    slots: number;
    onFree: (tenant: Tenant) => void;
    round: Round;
    onError: (error: unknown) => void;
  },
) {
  const underWay = new Map<Promise<void>, Tenant>();
  // Limit for one tenant while others may need the rest.
  const share = Math.ceil(slots / 4);
  const limits = createConcurrencyLimits(Math.ceil(slots / 2));

  /**
   * Limit for a tenant: its share, and more only while half of the slots are free, since receivers that hang hold them
   * long.
   */
  function limitOf(taken: number): number {
    const free = slots - underWay.size;
    return taken < share ? Math.min(free, share - taken) : Math.max(0, free - Math.floor(slots / 2));
  }

  async function claim({ tenant, now }: TenantClock, limit: number): Promise<readonly ClaimedDelivery[]> {
    const { room } = limits;
    const { onDamaged, leaseNow } = dependencies;
    const claim = {
      now,
      realNow: leaseNow(),
      elapsedMs: performance.now(),
      leaseMs: LEASE_MS,
      limit,
      room,
      ...(onDamaged && { onDamaged }),
    };
    return limit > 0 ? dependencies.store.work.claimDeliveries(tenant, claim) : [];
  }

  /**
   * Sends a delivery and writes its result, which ends the lease. If the result cannot be written, the lease runs out:
   * on a full disk, receivers would otherwise get the same delivery again and again. Only a written result makes room
   * for the next delivery, so that a crash leaves few that have arrived and will come again.
   */
  async function handle(claimed: ClaimedDelivery, now: TenantTime): Promise<void> {
    const { receiver, tenant } = claimed;
    const startedAt = performance.now();
    let ended: Ended | null = null;
    limits.begin(receiver);
    try {
      const result = await deliver(dependencies, claimed, now);
      if (result === null) return;
      const answeredAt = performance.now();
      const delivered = result.state === 'delivered';
      const throttled = asksForLess(result.httpStatus);
      ended = { delivered, throttled, answerMs: answeredAt - startedAt };
      await dependencies.execute({
        subject: 'deliveries',
        origin: ownOrigin(tenant, 'time'),
        results: [result],
      });
      ended = { ...ended, writingMs: performance.now() - answeredAt };
    } finally {
      limits.end(receiver, ended ?? { delivered: false, answerMs: performance.now() - startedAt });
    }
  }

  return {
    /**
     * Fills the free slots with due deliveries. `more` are the tenants that may have more than there was room for, `left`
     * those that had no turn.
     */
    async fill(clocks: readonly TenantClock[]) {
      const more: TenantClock[] = [];
      const taken = new Map<string, number>();
      for (const tenant of underWay.values())
        taken.set(tenantName(tenant), (taken.get(tenantName(tenant)) ?? 0) + 1);
      const takenIn = ({ tenant }: TenantClock) => taken.get(tenantName(tenant)) ?? 0;
      // The tenant with the fewest deliveries in progress comes first.
      const inOrder = clocks.toSorted((a, b) => takenIn(a) - takenIn(b));
      async function fillFor(clock: TenantClock): Promise<unknown> {
        const { tenant, now } = clock;
        const limit = limitOf(takenIn(clock));
        if (limit === 0) {
          // A tenant with deliveries in progress is looked at again when one of them has ended.
          if (takenIn(clock) === 0) more.push(clock);
          return UNTRIED;
        }
        const claimed = await claim(clock, limit);
        if (claimed.length === limit) more.push(clock);
        for (const each of claimed) {
          // If it fails, the lease runs out and the delivery is made again: delivery is at least once.
          const handled = handle(each, now)
            .catch(onError)
            .finally(() => {
              underWay.delete(handled);
              onFree(tenant);
            });
          underWay.set(handled, tenant);
        }
        return claimed;
      }
      const { left } = await round(
        inOrder.map((clock) => ({
          ...clock,
          name: `${tenantName(clock.tenant)}: deliveries`,
          run: () => fillFor(clock),
        })),
      );
      return { more, left };
    },
    /**
     * Claims and sends the due deliveries of one tenant, each at its own time, and waits for them; returns their
     * number.
     */
    async drain(clock: TenantClock): Promise<number> {
      const claimed = await claim(clock, slots);
      await Promise.all(claimed.map((each) => handle(each, each.dueAt)));
      return claimed.length;
    },
    hasRoom: (): boolean => underWay.size < slots,
    /** Resolves when the deliveries now in progress have ended. */
    async settle(): Promise<void> {
      await Promise.all(underWay.keys());
    },
  };
}
