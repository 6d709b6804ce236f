/**
 * How a receiver fares: the circuit breaker. After so many failures in a row a receiver is suspended: it gets single
 * deliveries as probes, and the first that arrives ends it. No delivery is dropped by this, and none but those that are
 * sent as probes loses an attempt. Pure; times are in the clock of the account and mode.
 */

/** Of a receiver that fails; one that does not has none. */
export type Health = {
  /** In a row. */
  readonly failures: number;
  readonly failingSince: number;
  /** Probes that have failed. */
  readonly probes: number;
  /** When the next probe may go out; null while it is not suspended. */
  readonly probeAt: number | null;
  /** Whether the merchant was told. */
  readonly announced: boolean;
  readonly lastError: string;
};

/** What one fails by chance is rarely ten in a row, and what is down for good takes no more than these. */
const SUSPENDED_AFTER = 10;
/** Where little is sent, time tells as well. */
const SUSPENDED_AFTER_LONG = 3;
const LONG_MS = 5 * 60_000;

const FIRST_PROBE_MS = 5_000;
export const LONGEST_PROBE_MS = 5 * 60_000;

/** A restart of the receiver is over by then, and nobody needs to hear of it. */
const ANNOUNCED_AFTER_MS = 60_000;

/** 429: who says this is there and well, and only wants to be asked less. */
export function asksForLess(httpStatus: number | null): boolean {
  return httpStatus === 429;
}

/** After one more failure at `now`. */
export function afterFailure(before: Health | null, error: string, now: number): Health {
  const failures = (before?.failures ?? 0) + 1;
  const failingSince = before?.failingSince ?? now;
  const lasted = now - failingSince;
  const known = { failures, failingSince, lastError: error };
  const probeAt = before?.probeAt ?? null;
  if (before !== null && probeAt !== null) {
    const announced = before.announced || lasted >= ANNOUNCED_AFTER_MS;
    // What was still on its way when it was suspended is no probe.
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

/** One whose troubles somebody thinks are over: the next probe need not wait. */
export function probedAtOnce(health: Health, now: number): Health {
  return health.probeAt === null ? health : { ...health, probeAt: Math.min(health.probeAt, now) };
}

/** Whether a suspended receiver may be probed; also where the clock was set back since it was said when. */
export function mayProbe({ probeAt }: Health, now: number): boolean {
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
