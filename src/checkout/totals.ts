/**
 * Totals of an account and mode: money that came and went, what providers kept of it, how long it took payers to pay, and
 * sessions that were created, by interval and currency.
 */
import type { Status } from './statuses.ts';

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
 * A sum of an interval, currency and rail, `interval` being the place among those that were asked for: of all its movements,
 * of those that are told of apart, or of fees in a currency. What was received is the rest of all.
 */
export type MovementSum = Sum & {
  readonly interval: number;
  readonly currency: string;
  readonly rail: string;
} & (
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

/** Sessions whose money is added up at most; of more, a shorter time has to be asked for. */
export const MOST_DUE = 100_000;

/** Money of sessions that were created in an interval, as they are now. */
export type SessionSum = {
  readonly interval: number;
  readonly currency: string;
  /** Money that active sessions are still owed. */
  readonly open: Sum;
  /** Money that was paid beyond the amounts, whether or not it went back. */
  readonly excess: Sum;
};

export type Sum = {
  readonly count: number;
  /** In minor units. The sum of many large amounts has more digits than a number holds. */
  readonly amount: bigint;
};

/** Fees in a currency: how many payments they were kept of, and their sum. */
export type FeeSum = Sum & { readonly currency: string };

/** Movements, summed up. */
export type Moved = {
  /** All payments, with those that were late. */
  readonly received: Sum;
  readonly late: Sum;
  readonly refunded: Sum;
  readonly reversed: Sum;
  /** Fees that are known of the payments, by their own currencies, which are not added to one another. */
  readonly fees: readonly FeeSum[];
};

/** Movements of one rail. */
export type RailTotal = Moved & { readonly rail: string };

export type Total = Interval &
  Moved & {
    readonly currency: string;
    /** The same sums of each rail that has moved money, by its name. */
    readonly rails: readonly RailTotal[];
    /** Null where there are too many sessions to add it up, and so for `excess`. */
    readonly open: Sum | null;
    readonly excess: Sum | null;
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

/**
 * Totals of every interval and currency of which there is anything, in the order of time and of currencies. Sessions that
 * owe or were paid in excess are among those that are counted.
 */
export function totalsOf(
  intervals: readonly Interval[],
  sums: readonly MovementSum[],
  counts: readonly SessionCount[],
  due: readonly SessionSum[] | null,
): Total[] {
  const sumsOf = Map.groupBy(sums, placeOf);
  const dueOf = new Map(due?.map((each) => [placeOf(each), each]));
  const noDue = due === null ? null : nothing;
  const countsOf = Map.groupBy(counts, placeOf);
  const currencies = [...new Set([...sums, ...counts].map(({ currency }) => currency))].sort();
  return intervals.flatMap((times, interval) =>
    currencies.flatMap((currency) => {
      const place = placeOf({ interval, currency });
      if (!sumsOf.has(place) && !countsOf.has(place)) return [];
      const own = sumsOf.get(place) ?? [];
      const { open = noDue, excess = noDue } = dueOf.get(place) ?? {};
      const sessions = counted(countsOf.get(place) ?? []);
      const rails = railsOf(own);
      return [{ ...times, currency, ...moved(own), rails, open, excess, timeToPay: timesOf(own), sessions }];
    }),
  );
}

const placeOf = ({ interval, currency }: Pick<MovementSum, 'interval' | 'currency'>) =>
  `${interval} ${currency}`;

const nothing: Sum = { count: 0, amount: 0n };

const railsOf = (sums: readonly MovementSum[]): RailTotal[] =>
  [...Map.groupBy(sums, ({ rail }) => rail)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([rail, those]) => ({ rail, ...moved(those) }));

/** Sums of any number of rails, added up. */
function moved(sums: readonly MovementSum[]): Moved {
  const sumOf = (of: MovementSum['of']) => added(sums.filter((each) => each.of === of));
  const [all, refunded, reversed] = [sumOf('all'), sumOf('refund'), sumOf('reversal')];
  const fees = Map.groupBy(
    sums.filter((each) => each.of === 'fee'),
    ({ feeCurrency }) => feeCurrency,
  );
  return {
    received: {
      count: all.count - refunded.count - reversed.count,
      amount: all.amount - refunded.amount - reversed.amount,
    },
    late: sumOf('late'),
    refunded,
    reversed,
    fees: [...fees]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, those]) => ({ currency, ...added(those) })),
  };
}

const added = (sums: readonly Sum[]): Sum => ({
  count: sums.reduce((count, each) => count + each.count, 0),
  amount: sums.reduce((amount, each) => amount + each.amount, 0n),
});

function timesOf(sums: readonly MovementSum[]): TimesToPay {
  const countOf = (time: keyof TimesToPay) =>
    sums.reduce((count, each) => count + (each.of === 'all' ? each[time] : 0), 0);
  return {
    within1Minute: countOf('within1Minute'),
    within10Minutes: countOf('within10Minutes'),
    within1Hour: countOf('within1Hour'),
    within1Day: countOf('within1Day'),
    within1Week: countOf('within1Week'),
    over1Week: countOf('over1Week'),
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
