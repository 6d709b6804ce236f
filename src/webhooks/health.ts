/**
 * Circuit breaker of receivers. After a number of failures in a row a receiver is suspended: it gets single deliveries
 * as probes, and the first success ends the suspension. No delivery is dropped, and only probes use up an attempt.
 * Pure; times are in the clock of the account and mode.
 */
import type { TenantTime } from '../checkout/tenant.ts';

/** Health of a failing receiver; a receiver that does not fail has none. */
export type Health = {
  /** Failures in a row. */
  readonly failures: number;
  readonly failingSince: TenantTime;
  /** Failed probes. */
  readonly probes: number;
  /** Time of the next probe; null while the receiver is not suspended. */
  readonly probeAt: TenantTime | null;
  /** True once the merchant was told. */
  readonly announced: boolean;
  readonly lastError: string;
};

/**
 * Failures in a row that suspend a receiver: ten in a row are rarely chance, and a receiver that is down gets no more
 * than these.
 */
const SUSPENDED_AFTER = 10;
/** Duration of failing after which fewer failures suspend a receiver, for those that get little. */
const SUSPENDED_AFTER_LONG = 3;
const LONG_MS = 5 * 60_000;

const FIRST_PROBE_MS = 5_000;
export const LONGEST_PROBE_MS = 5 * 60_000;

/**
 * Duration of a suspension after which the merchant is told: a restart is over by then, and nobody needs to hear of it.
 */
const ANNOUNCED_AFTER_MS = 60_000;

/** 429: the receiver is alive and only asks for less. */
export function asksForLess(httpStatus: number | null): boolean {
  return httpStatus === 429;
}

/** Health after one more failure at `now`. */
export function afterFailure(before: Health | null, error: string, now: TenantTime): Health {
  const failures = (before?.failures ?? 0) + 1;
  const failingSince = before?.failingSince ?? now;
  const lasted = now - failingSince;
  const known = { failures, failingSince, lastError: error };
  const probeAt = before?.probeAt ?? null;
  if (before !== null && probeAt !== null) {
    const announced = before.announced || lasted >= ANNOUNCED_AFTER_MS;
    // A delivery that was already on its way when the receiver was suspended is no probe.
    if (now < probeAt) return { ...known, probes: before.probes, probeAt, announced };
    const probes = before.probes + 1;
    return { ...known, probes, probeAt: now + probeIntervalMs(probes), announced };
  }
  const suspended = failures >= SUSPENDED_AFTER || (failures >= SUSPENDED_AFTER_LONG && lasted >= LONG_MS);
  return {
    ...known,
    probes: 0,
    probeAt: suspended ? now + probeIntervalMs(0) : null,
    announced: suspended && lasted >= ANNOUNCED_AFTER_MS,
  };
}

/** Health of a receiver that somebody considers repaired: the next probe is due now. */
export function probedAtOnce(health: Health, now: TenantTime): Health {
  return health.probeAt === null ? health : { ...health, probeAt: Math.min(health.probeAt, now) };
}

/** True if a suspended receiver may be probed, also if the clock was set back since the time was set. */
export function mayProbe({ probeAt }: Health, now: TenantTime): boolean {
  return probeAt !== null && (probeAt <= now || probeAt > now + LONGEST_PROBE_MS);
}

function probeIntervalMs(probes: number): number {
  return Math.min(FIRST_PROBE_MS * 2 ** probes, LONGEST_PROBE_MS);
}

export type HealthStatus = 'healthy' | 'failing' | 'suspended';

export function healthStatusOf(health: Health | null): HealthStatus {
  if (health === null) return 'healthy';
  return health.probeAt === null ? 'failing' : 'suspended';
}
