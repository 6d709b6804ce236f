/**
 * Lists and searches: each filter alone, every pair of them, and searches with each filter, with values that few sessions
 * have and such that many have. And fetches, while the slowest of all is asked for again and again; and totals of money,
 * which look at all that there is.
 */
import type { Bench, Filled } from '../bench.ts';
import type { Request } from '../load/job.ts';
import { newest, subjectAt } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { startService } from '../processes.ts';
import { fetchOf, headers, listOf } from '../requests.ts';
import type { Bounds, Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { latencyFigures, peakOf } from './latency.ts';
import { HOT_SESSIONS } from './throughput.ts';

const REACH_MS = 50;
const AIM_MS = 15;
const DAY_MS = 86_400_000;
/** Requests of each list; fewer of one that takes longer than this. */
const MOST = 10;
const SLOW_MS = 300;
const MOST_OF_SLOW = 2;
/** Time after which the remaining lists are not measured. */
const LONGEST_MS = 180_000;
/** The slowest lists, which are told one by one. */
const TOLD = 15;

/** A list that was refused took too long for the service. */
export type Timed = { readonly query: string; readonly p95Ms: number; readonly isRefused: boolean };

/** Values of each filter. The filling is such that `q=ada` finds a tenth of all sessions, and `order-1` a ninth. */
export function filtersOf(session: {
  readonly customer: string;
  readonly created_at: string;
}): Record<string, string[]> {
  return {
    status: ['active', 'expired'],
    payment_status: ['unpaid', 'paid'],
    invoice_currency: ['EUR', 'GBP'],
    reference_id: ['order-4711'],
    customer: [session.customer],
    'created_at[gte]': [session.created_at],
    'created_at[lt]': [session.created_at],
    'amount[gte]': ['2500', '121250'],
    'amount[lte]': ['1250', '100000'],
    partially_paid: ['true', 'false'],
    paid_in_excess: ['true', 'false'],
    'metadata[shop]': ['shop-7'],
    'metadata[order_id]': ['A-4711'],
    q: ['ada', 'ada4', 'order-1', 'none of them'],
  };
}

/** Times of all lists, slowest first. */
async function timed(bench: Bench, url: string, id: string): Promise<Timed[]> {
  const answer = await fetch(`${url}/v3/checkout/${id}`, { headers });
  const { data } = (await answer.json()) as { data: { customer: string; created_at: string } };
  const endAt = performance.now() + LONGEST_MS;
  const all: Timed[] = [];
  for (const query of queriesOf(filtersOf(data))) {
    all.push(
      performance.now() < endAt
        ? await timedRequest(bench, url, query, listOf(query))
        : { query, p95Ms: Number.NaN, isRefused: false },
    );
  }
  return all.sort((a, b) => b.p95Ms - a.p95Ms);
}

export function queriesOf(filters: Readonly<Record<string, readonly string[]>>): string[] {
  const asked = Object.entries(filters).map(([name, values]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  const pairs = asked.flatMap((some, index) =>
    asked
      .slice(index + 1)
      .flatMap((others) => some.flatMap((one) => others.map((other) => `${one}&${other}`))),
  );
  return ['limit=20', ...asked.flat(), ...pairs];
}

/** Times of one request, which is told as `query`. */
export async function timedRequest(
  { generator }: Bench,
  url: string,
  query: string,
  request: Request,
): Promise<Timed> {
  const job = {
    urls: [url],
    requests: [request],
    connections: 1,
    seconds: 10,
    mayBeRefused: true,
  };
  // Warm up: rows that are read and code that is compiled for the first time are not what this measures.
  const first = await generator.run({ ...job, most: 1 });
  const load = await generator.run({ ...job, most: first.longestMs > SLOW_MS ? MOST_OF_SLOW : MOST });
  return { query, p95Ms: load.p95Ms, isRefused: load.refused.length > 0 };
}

/** Times of the file of all rows, which is measured once. */
const known = new WeakMap<Bench, Promise<Timed[]>>();
function timedOnce(bench: Bench, url: string, { ids }: Filled): Promise<Timed[]> {
  const all = known.get(bench) ?? timed(bench, url, subjectAt(ids, ids.count / 2));
  known.set(bench, all);
  return all;
}

async function lists(bench: Bench): Promise<Measured> {
  const filled = await bench.manySessions();
  await using service = await startService({ DATABASE_URL: filled.url });
  return surveyed(await timedOnce(bench, service.url, filled), bench.many);
}

/** Survey of a service on another database; `id` is that of a session in the middle. */
export async function surveyOf(bench: Bench, url: string, id: string): Promise<Measured> {
  return surveyed(await timed(bench, url, id), bench.many);
}

export function surveyed(all: readonly Timed[], sessions: number): Measured {
  const measured = all.filter(({ p95Ms }) => !Number.isNaN(p95Ms));
  const [slowest = { p95Ms: Number.NaN }] = measured;
  const longerThan = (ms: number) => measured.filter(({ p95Ms }) => p95Ms > ms).length;
  return {
    figures: {
      slowest_p95_ms: rounded(slowest.p95Ms),
      median_p95_ms: rounded(measured[Math.floor(measured.length / 2)]?.p95Ms ?? Number.NaN),
      lists: measured.length,
      [`over_${REACH_MS}_ms`]: longerThan(REACH_MS),
      [`over_${AIM_MS}_ms`]: longerThan(AIM_MS),
      refused: all.filter(({ isRefused }) => isRefused).length,
      not_measured: all.length - measured.length,
      sessions,
    },
    table: {
      head: ['List', 'p95 in ms'],
      rows: measured
        .slice(0, TOLD)
        .map(({ query, p95Ms, isRefused }) => [
          decodeURIComponent(query),
          isRefused ? `${rounded(p95Ms)}, refused` : rounded(p95Ms),
        ]),
    },
  };
}

/** Totals of all that there is and of 200 days, one by one and in all, and the movements behind them. */
export async function moneyOf(bench: Bench, url: string, id: string): Promise<Measured> {
  const middle = await fetch(`${url}/v3/checkout/${id}`, { headers });
  const { data } = (await middle.json()) as { data: { created_at: string } };
  const at = Date.parse(data.created_at);
  const between = (from: number, to: number) =>
    `created_at[gte]=${new Date(from).toISOString()}&created_at[lt]=${new Date(to).toISOString()}`;
  const whole = between(0, at + 10_000 * DAY_MS);
  const days = between(at - 100 * DAY_MS, at + 100 * DAY_MS);
  const currencies = ['', '&currency=EUR'];
  const intervals = ['day', 'week', 'month'].map((interval) => `${days}&currency=EUR&interval=${interval}`);
  const movements = ['type=payment', 'type=refund', 'late=true', 'currency=EUR', 'type=payment&currency=JPY'];
  const asked = [
    ...[...currencies.map((each) => whole + each), ...intervals].map((query) => ['total', query] as const),
    ...['limit=20', ...movements].map((query) => ['movement', query] as const),
    ['overview', `${days}&currency=EUR`] as const,
  ];
  const all: Timed[] = [];
  for (const [resource, query] of asked) {
    const request = listOf(query, resource);
    all.push(await timedRequest(bench, url, `${resource}?${query}`, request));
  }
  return surveyed(
    all.sort((a, b) => b.p95Ms - a.p95Ms),
    bench.many,
  );
}

async function money(bench: Bench): Promise<Measured> {
  const { url, ids } = await bench.manySessions();
  await using service = await startService({ DATABASE_URL: url });
  return await moneyOf(bench, service.url, subjectAt(ids, ids.count / 2));
}

/** Fetches at a quarter of their peak, without and with the slowest list beside. */
async function besideList(bench: Bench): Promise<Measured> {
  const filled = await bench.manySessions();
  await using service = await startService({ DATABASE_URL: filled.url });
  const { url } = service;
  const slowest = (await timedOnce(bench, url, filled)).find(({ p95Ms }) => !Number.isNaN(p95Ms));
  if (slowest === undefined) throw new Error('there are no lists');
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  const perSecond = (await peakOf(bench, url, request)) / 4;
  const { generator, other, seconds } = bench;
  const fetches = { urls: [url], requests: [request], connections: CONNECTIONS, seconds, perSecond };
  const without = await generator.run(fetches);
  const list = {
    urls: [url],
    requests: [listOf(slowest.query)],
    connections: 1,
    seconds,
    mayBeRefused: true,
  };
  const [beside, listed] = await Promise.all([generator.run(fetches), other.run(list)]);
  return {
    figures: {
      p99_ratio: rounded(beside.p99Ms / without.p99Ms),
      ...latencyFigures('', beside),
      ...latencyFigures('without_', without),
      fetches_per_second: rounded(perSecond),
      list_p50_ms: rounded(listed.p50Ms),
    },
    table: { head: ['The slowest list'], rows: [[decodeURIComponent(slowest.query)]] },
  };
}

/** A view of a person, of whatever is asked for there. */
export const moneyGoals = {
  reach: { slowest_p95_ms: { atMost: 300 }, refused: { atMost: 0 } },
  aim: { slowest_p95_ms: { atMost: 100 } },
};

/** A list that is refused, or not measured, is none that is quick. */
export const listsReach: Bounds = {
  slowest_p95_ms: { atMost: REACH_MS },
  refused: { atMost: 0 },
  not_measured: { atMost: 0 },
};

export const listRows: readonly Row[] = [
  {
    name: 'lists',
    title: 'Any list filter, any pair of them, searches with any filter, 1 M sessions (SQLite)',
    reach: listsReach,
    aim: { slowest_p95_ms: { atMost: AIM_MS } },
    run: lists,
  },
  {
    name: 'money',
    title: 'Totals and movements of money, 1 M sessions, of which 180,000 are paid (SQLite)',
    ...moneyGoals,
    run: money,
  },
  {
    name: 'beside-list',
    title: 'p99 of fetches while the slowest list runs in a loop, over that without it (SQLite)',
    reach: { p99_ratio: { atMost: 2 } },
    aim: { p99_ratio: { atMost: 1.2 } },
    run: besideList,
  },
];
