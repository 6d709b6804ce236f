/**
 * Latency of a request at half the rate that the service can do, counted from the moment at which it was due: alone,
 * and with webhooks going out to a receiver on this machine, at half of what it can do beside them.
 */
import type { Figures } from '../../test/support/evidence.ts';
import type { Bench } from '../bench.ts';
import type { Load, Request } from '../load/job.ts';
import { newest } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { type Running, startService } from '../processes.ts';
import { fetchOf, pageOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { settled } from '../webhooks.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

const WARM_UP_SECONDS = 2;
const PEAK_SECONDS = 3;
/** Updates whose webhooks go out beside what only reads. */
const UPDATES_PER_SECOND = 200;

/** Rate that a closed loop reaches; a slow service refuses some of so many changes at once. */
export async function peakOf({ generator }: Bench, url: string, request: Request): Promise<number> {
  const mayBeRefused = request.method !== 'GET';
  const job = { urls: [url], requests: [request], connections: CONNECTIONS, mayBeRefused };
  await generator.run({ ...job, seconds: WARM_UP_SECONDS });
  const { accepted, seconds } = await generator.run({ ...job, seconds: PEAK_SECONDS });
  return accepted / seconds;
}

/**
 * The same with all that belongs to the requests: their webhooks count as done when they have arrived. What a closed loop
 * reaches while they wait is not a rate that could go on.
 */
export async function peakWithWebhooks(
  { generator, receiver }: Bench,
  url: string,
  requests: readonly Request[],
  connections = CONNECTIONS,
): Promise<number> {
  const job = { urls: [url], requests, connections, mayBeRefused: true };
  await generator.run({ ...job, seconds: WARM_UP_SECONDS });
  await settled(receiver);
  const startedAt = performance.now();
  const { accepted } = await generator.run({ ...job, seconds: PEAK_SECONDS });
  const arrivedAt = await settled(receiver);
  return accepted / Math.max(PEAK_SECONDS, (arrivedAt - startedAt) / 1000);
}

export function openLoop(bench: Bench, url: string, request: Request, perSecond: number): Promise<Load> {
  const { generator, seconds } = bench;
  return generator.run({ urls: [url], requests: [request], connections: CONNECTIONS, seconds, perSecond });
}

export const latencyFigures = (name: string, load: Load): Figures => ({
  [`${name}p99_ms`]: rounded(load.p99Ms),
  [`${name}p50_ms`]: rounded(load.p50Ms),
  [`${name}longest_ms`]: rounded(load.longestMs),
  [`${name}generator_late_p99_ms`]: rounded(load.lateP99Ms),
});

export type Kind = 'fetch' | 'update' | 'page';

/** Requests of this kind about sessions that are asked for again and again, and changes of the same sessions. */
export async function requestsOf(bench: Bench, kind: Kind): Promise<{ request: Request; update: Request }> {
  const filled = await bench.sessions(SESSIONS);
  const ids = newest(filled.ids, HOT_SESSIONS);
  const update = updateOf(ids);
  const request = { fetch: fetchOf(ids), update, page: pageOf(newest(filled.tokens, HOT_SESSIONS)) }[kind];
  return { request, update };
}

/**
 * Load of half of what a service does of this kind while webhooks go out: those of the updates themselves, or else of some
 * beside it.
 */
export async function halfOfPeakWithWebhooks(
  bench: Bench,
  url: string,
  kind: Kind,
  { request, update }: { readonly request: Request; readonly update: Request },
  warmUpPerSecond: number,
): Promise<{ load: Load; peak: number }> {
  const warmUp = { urls: [url], requests: [request, update], connections: 20, seconds: WARM_UP_SECONDS };
  await bench.generator.run({ ...warmUp, perSecond: warmUpPerSecond });
  const beside = async <T>(seconds: number, work: Promise<T>): Promise<T> => {
    const updates = { urls: [url], requests: [update], connections: 50, perSecond: UPDATES_PER_SECOND };
    const [result] = await Promise.all([
      work,
      kind === 'update' ? null : bench.other.run({ ...updates, seconds }),
    ]);
    return result;
  };
  const peak = await beside(
    WARM_UP_SECONDS + PEAK_SECONDS,
    kind === 'update' ? peakWithWebhooks(bench, url, [request]) : peakOf(bench, url, request),
  );
  const load = await beside(bench.seconds, openLoop(bench, url, request, peak / 2));
  return { load, peak };
}

async function halfOfPeak(bench: Bench, kind: Kind): Promise<Measured> {
  const requests = await requestsOf(bench, kind);
  const { peak, alone } = await withService('0', async ({ url }) => {
    const peak = await peakOf(bench, url, requests.request);
    return { peak, alone: await openLoop(bench, url, requests.request, peak / 2) };
  });
  // The warm-up equals that of the other service, so that the growth of its memory is not measured.
  const withWebhooks = await withService('256', ({ url }) =>
    halfOfPeakWithWebhooks(bench, url, kind, requests, Math.min(1000, peak / 4)),
  );
  return {
    figures: {
      ...latencyFigures('', alone),
      peak_per_second: rounded(peak),
      ...latencyFigures('with_webhooks_', withWebhooks.load),
      with_webhooks_peak_per_second: rounded(withWebhooks.peak),
      seconds: bench.seconds,
    },
  };

  async function withService<T>(concurrency: string, work: (service: Running) => Promise<T>): Promise<T> {
    const { url } = await bench.sessionsToChange(SESSIONS, concurrency === '0' ? 'held' : 'sent');
    await using service = await startService({ DATABASE_URL: url, WEBHOOK_CONCURRENCY: concurrency });
    return await work(service);
  }
}

/** The control: a service that stops for 50 ms each second has to show, or the measurement is worth nothing. */
async function plantedPause(bench: Bench): Promise<Measured> {
  const filled = await bench.sessions(SESSIONS);
  await using service = await startService({ DATABASE_URL: filled.url }, 'with-pauses.ts');
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  const peak = await peakOf(bench, service.url, request);
  return { figures: latencyFigures('', await openLoop(bench, service.url, request, peak / 2)) };
}

const p99Of = (kind: Kind, title: string, reachMs: number, aimMs: number): Row => ({
  name: `p99-${kind}`,
  title,
  reach: { p99_ms: { atMost: reachMs }, with_webhooks_p99_ms: { atMost: reachMs } },
  aim: { p99_ms: { atMost: aimMs }, with_webhooks_p99_ms: { atMost: aimMs } },
  run: (bench) => halfOfPeak(bench, kind),
});

export const latency: readonly Row[] = [
  {
    name: 'p99-control',
    title: 'The control of the rows on p99: a pause of 50 ms each second, planted in the service, shows',
    reach: { p99_ms: { atLeast: 25 } },
    aim: {},
    run: plantedPause,
  },
  p99Of('fetch', 'p99 of fetches at half the peak rate, open loop (SQLite)', 5, 2),
  p99Of('update', 'p99 of updates at half the peak rate, open loop (SQLite)', 15, 5),
  p99Of('page', "p99 of the payer's page at half the peak rate, open loop (SQLite)", 5, 2),
];
