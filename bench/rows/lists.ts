/**
 * Lists and searches: each filter alone, every pair of them, and searches with each filter, with values that few sessions
 * have and such that many have. And fetches, while the slowest of all is asked for again and again.
 */
import type { Bench } from '../bench.ts';
import { newest, subjectAt } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { startService } from '../processes.ts';
import { fetchOf, headers, listOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { latencyFigures, peakOf } from './latency.ts';
import { HOT_SESSIONS } from './throughput.ts';

const REACH_MS = 50;
/** Requests of each list, at most, and no more than the first where that takes longer than this. */
const MOST = 10;
const SLOW_MS = 300;
/** The slowest lists, which are told one by one. */
const TOLD = 15;

type Timed = { readonly query: string; readonly p95Ms: number };

/** Values of each filter. The filling is such that `q=ada` finds a tenth of all sessions, and `order-1` a ninth. */
function filtersOf(session: {
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

/** All lists, slowest first. */
async function timed(bench: Bench, url: string, id: string): Promise<Timed[]> {
  const answer = await fetch(`${url}/v3/checkout/${id}`, { headers });
  const { data } = (await answer.json()) as { data: { customer: string; created_at: string } };
  const all: Timed[] = [];
  for (const query of queriesOf(filtersOf(data))) all.push({ query, p95Ms: await p95Of(bench, url, query) });
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

async function p95Of({ generator }: Bench, url: string, query: string): Promise<number> {
  const job = { urls: [url], requests: [listOf(query)], connections: 1, seconds: 10 };
  const first = await generator.run({ ...job, most: 1 });
  if (first.longestMs > SLOW_MS) return first.longestMs;
  return (await generator.run({ ...job, most: MOST })).p95Ms;
}

async function lists(bench: Bench): Promise<Measured> {
  const filled = await bench.sessions(bench.many);
  await using service = await startService({ DATABASE_URL: filled.url });
  const all = await timed(bench, service.url, subjectAt(filled.ids, filled.ids.count / 2));
  return surveyed(all, bench.many);
}

function surveyed(all: readonly Timed[], sessions: number): Measured {
  const [slowest = { p95Ms: Number.NaN }] = all;
  return {
    figures: {
      slowest_p95_ms: rounded(slowest.p95Ms),
      median_p95_ms: rounded(all[Math.floor(all.length / 2)]?.p95Ms ?? Number.NaN),
      lists: all.length,
      over_50_ms: all.filter(({ p95Ms }) => p95Ms > REACH_MS).length,
      over_15_ms: all.filter(({ p95Ms }) => p95Ms > 15).length,
      sessions,
    },
    table: {
      head: ['List', 'p95 in ms'],
      rows: all.slice(0, TOLD).map(({ query, p95Ms }) => [decodeURIComponent(query), rounded(p95Ms)]),
    },
  };
}

/** Fetches at a quarter of their peak, without and with the slowest list beside. */
async function besideList(bench: Bench): Promise<Measured> {
  const filled = await bench.sessions(bench.many);
  await using service = await startService({ DATABASE_URL: filled.url });
  const { url } = service;
  const [slowest] = await timed(bench, url, subjectAt(filled.ids, filled.ids.count / 2));
  if (slowest === undefined) throw new Error('there are no lists');
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  const perSecond = (await peakOf(bench, url, request)) / 4;
  const { generator, other, seconds } = bench;
  const fetches = { urls: [url], requests: [request], connections: CONNECTIONS, seconds, perSecond };
  const without = await generator.run(fetches);
  const list = { urls: [url], requests: [listOf(slowest.query)], connections: 1, seconds };
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

export const listRows: readonly Row[] = [
  {
    name: 'lists',
    title: 'Any list filter, any pair of them, searches with any filter, 1 M sessions (SQLite)',
    reach: { slowest_p95_ms: { atMost: REACH_MS } },
    aim: { slowest_p95_ms: { atMost: 15 } },
    run: lists,
  },
  {
    name: 'beside-list',
    title: 'p99 of fetches while the slowest list runs in a loop, over that without it (SQLite)',
    reach: { p99_ratio: { atMost: 2 } },
    aim: { p99_ratio: { atMost: 1.2 } },
    run: besideList,
  },
];

export { surveyed, timed };
