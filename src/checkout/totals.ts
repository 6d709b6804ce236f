/** Totals of an account and mode: money that came and went, and sessions that were created, by interval and currency. */
import type { MovementType } from './movements.ts';
import type { Status } from './session.ts';

/** Times are milliseconds since the epoch. */
export type Interval = {
  /** Belongs to it. */
  readonly from: number;
  /** Does not belong to it. */
  readonly to: number;
};

/** Movements of a kind, summed up. `interval` is the place among those that were asked for. */
export type MovementSum = {
  readonly interval: number;
  readonly currency: string;
  readonly type: MovementType;
  readonly late: boolean;
  readonly count: number;
  /** In minor units. The sum of many large amounts has more digits than a number holds. */
  readonly amount: bigint;
};

/** Sessions of a class that were created in an interval, as they are now. */
export type SessionCount = {
  readonly interval: number;
  readonly currency: string;
  readonly status: Status;
  readonly partiallyPaid: boolean;
  readonly paidInExcess: boolean;
  readonly count: number;
};

export type Sum = { readonly count: number; readonly amount: bigint };

export type Total = Interval & {
  readonly currency: string;
  /** All payments, with those that were late. */
  readonly received: Sum;
  readonly late: Sum;
  readonly refunded: Sum;
  readonly reversed: Sum;
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
  function sumOf(is: (sum: MovementSum) => boolean): Sum {
    const all = sums.filter(is);
    return {
      count: all.reduce((count, each) => count + each.count, 0),
      amount: all.reduce((amount, each) => amount + each.amount, 0n),
    };
  }
  return {
    received: sumOf(({ type }) => type === 'payment'),
    late: sumOf(({ late }) => late),
    refunded: sumOf(({ type }) => type === 'refund'),
    reversed: sumOf(({ type }) => type === 'reversal'),
  };
}

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
