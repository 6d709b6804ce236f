/**
 * Totals of an account and mode: money that came and went, what providers kept of it, how long it took payers to pay, and
 * sessions that were created, by interval and currency.
 */
import type { Status } from './session.ts';

/** Times are milliseconds since the epoch. */
export type Interval = {
  /** Belongs to it. */
  readonly from: number;
  /** Does not belong to it. */
  readonly to: number;
};

/** The longest times to pay that totals count, in milliseconds: a session that was paid in exactly this time is within it. */
export const timesToPayMs = {
  within1Minute: 60_000,
  within10Minutes: 600_000,
  within1Hour: 3_600_000,
  within1Day: 86_400_000,
  within1Week: 604_800_000,
} as const;

/**
 * Numbers of sessions that a payment completed, by the time from their creation to that payment. They are cumulative: a
 * session that was paid within a minute is also one that was paid within an hour. `over1Week` are all others, so that it
 * and `within1Week` are every one of them.
 */
export type TimesToPay = Readonly<Record<keyof typeof timesToPayMs | 'over1Week', number>>;

/**
 * A sum of an interval and currency, `interval` being the place among those that were asked for: of all its movements, of
 * those that are told of apart, or of fees in a currency. What was received is the rest of all.
 */
export type MovementSum = Sum & { readonly interval: number; readonly currency: string } & (
    | ({ readonly of: 'all' } & TimesToPay)
    | { readonly of: 'refund' | 'reversal' | 'late' }
    | { readonly of: 'fee'; readonly feeCurrency: string }
  );

/** Sessions of a class that were created in an interval, as they are now. */
export type SessionCount = {
  readonly interval: number;
  readonly currency: string;
  readonly status: Status;
  readonly partiallyPaid: boolean;
  readonly paidInExcess: boolean;
  readonly count: number;
};

export type Sum = {
  readonly count: number;
  /** In minor units. The sum of many large amounts has more digits than a number holds. */
  readonly amount: bigint;
};

/** Fees in a currency: how many payments they were kept of, and their sum. */
export type FeeSum = Sum & { readonly currency: string };

export type Total = Interval & {
  readonly currency: string;
  /** All payments, with those that were late. */
  readonly received: Sum;
  readonly late: Sum;
  readonly refunded: Sum;
  readonly reversed: Sum;
  /** Fees that are known of the payments, by their own currencies, which are not added to one another. */
  readonly fees: readonly FeeSum[];
  /** Sessions that a payment of the interval completed, whenever they were created. */
  readonly timeToPay: TimesToPay;
  readonly sessions: {
    readonly created: number;
    readonly active: number;
    readonly completed: number;
    readonly expired: number;
    readonly partiallyPaid: number;
    readonly paidInExcess: number;
  };
};

/** Totals of every interval and currency of which there is anything, in the order of time and of currencies. */
export function totalsOf(
  intervals: readonly Interval[],
  sums: readonly MovementSum[],
  counts: readonly SessionCount[],
): Total[] {
  const sumsOf = Map.groupBy(sums, placeOf);
  const countsOf = Map.groupBy(counts, placeOf);
  const currencies = [...new Set([...sums, ...counts].map(({ currency }) => currency))].sort();
  return intervals.flatMap((times, interval) =>
    currencies.flatMap((currency) => {
      const place = placeOf({ interval, currency });
      if (!sumsOf.has(place) && !countsOf.has(place)) return [];
      const sessions = counted(countsOf.get(place) ?? []);
      return [{ ...times, currency, ...moved(sumsOf.get(place) ?? []), sessions }];
    }),
  );
}

const placeOf = ({ interval, currency }: Pick<MovementSum, 'interval' | 'currency'>) =>
  `${interval} ${currency}`;

function moved(sums: readonly MovementSum[]) {
  const sumOf = (of: MovementSum['of']): Sum => {
    const { count, amount } = sums.find((each) => each.of === of) ?? nothing;
    return { count, amount };
  };
  const [all, refunded, reversed] = [sumOf('all'), sumOf('refund'), sumOf('reversal')];
  const fees = sums.flatMap(({ count, amount, ...each }) =>
    each.of === 'fee' ? [{ currency: each.feeCurrency, count, amount }] : [],
  );
  return {
    received: {
      count: all.count - refunded.count - reversed.count,
      amount: all.amount - refunded.amount - reversed.amount,
    },
    late: sumOf('late'),
    refunded,
    reversed,
    fees: fees.sort((one, other) => (one.currency < other.currency ? -1 : 1)),
    timeToPay: timesIn(sums.find((each) => each.of === 'all')),
  };
}

const nothing: Sum = { count: 0, amount: 0n };

const timesIn = (times?: TimesToPay): TimesToPay => ({
  within1Minute: times?.within1Minute ?? 0,
  within10Minutes: times?.within10Minutes ?? 0,
  within1Hour: times?.within1Hour ?? 0,
  within1Day: times?.within1Day ?? 0,
  within1Week: times?.within1Week ?? 0,
  over1Week: times?.over1Week ?? 0,
});

function counted(counts: readonly SessionCount[]): Total['sessions'] {
  const countOf = (is: (count: SessionCount) => boolean) =>
    counts.filter(is).reduce((sum, { count }) => sum + count, 0);
  return {
    created: countOf(() => true),
    active: countOf(({ status }) => status === 'active'),
    completed: countOf(({ status }) => status === 'completed'),
    expired: countOf(({ status }) => status === 'expired'),
    partiallyPaid: countOf(({ partiallyPaid }) => partiallyPaid),
    paidInExcess: countOf(({ paidInExcess }) => paidInExcess),
  };
}
