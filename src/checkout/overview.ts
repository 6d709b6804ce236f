/** Overview of an account and mode: what waits for a person, how webhooks arrive, and how long payers take. */

/** Numbers of what waits, each up to `MOST_WAITING`. */
export type Waiting = {
  /** Bank entries that the rules could not place. */
  readonly bankEntries: number;
  /** Refunds by bank transfer that have not ended. */
  readonly bankRefunds: number;
  /** Sessions paid in excess, of which nothing goes back. */
  readonly excess: number;
  readonly failedDeliveries: number;
  readonly suspendedReceivers: number;
  readonly disabledEndpoints: number;
  readonly providerEvents: number;
};

/** So many are counted; where there are more, the number is this one. */
export const MOST_WAITING = 10_000;
/** The newest deliveries of a time, of which the states are counted. */
export const MOST_DELIVERIES = 10_000;

/** The newest payments of a time, of which the times are put in order. */
export const MOST_TIMES = 100_000;

export type DeliveryCounts = Readonly<Record<'delivered' | 'pending' | 'failed', number>>;

/** Times to pay of the payments that completed their sessions. Percentiles are null where there is none. */
export type TimeToPay = {
  readonly count: number;
  readonly medianMs: number | null;
  readonly p90Ms: number | null;
};

export type Overview = {
  readonly waiting: Waiting;
  readonly deliveries: DeliveryCounts;
  readonly timeToPay: TimeToPay;
  /** Currencies of sessions, in alphabetical order. */
  readonly currencies: readonly string[];
};

export function representOverview({ waiting, deliveries, timeToPay, currencies }: Overview) {
  return {
    object: 'overview',
    waiting: {
      bank_entries: waiting.bankEntries,
      bank_refunds: waiting.bankRefunds,
      excess: waiting.excess,
      failed_deliveries: waiting.failedDeliveries,
      suspended_receivers: waiting.suspendedReceivers,
      disabled_endpoints: waiting.disabledEndpoints,
      provider_events: waiting.providerEvents,
    },
    deliveries,
    time_to_pay: { count: timeToPay.count, median_ms: timeToPay.medianMs, p90_ms: timeToPay.p90Ms },
    currencies,
  };
}
