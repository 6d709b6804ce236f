/** Mixed load with webhooks for a long time: what each minute leaves in the log and in memory, and what a shop feels. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { newest } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { memoryMbOf } from '../process-figures.ts';
import { startProcess, startService } from '../processes.ts';
import { create, fetchOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded, slopeOf } from '../statistics.ts';
import type { Watched } from '../watch.ts';
import { peakWithWebhooks } from './latency.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

/** Share of the peaks that updates and fetches reach, each by itself with the webhooks that belong to it. */
const SHARE_OF_PEAK = 1 / 4;
/** Sessions are made beside the updates, one for so many. */
const UPDATES_FOR_EACH_NEW = 6;
const HEAD = [
  'Minute',
  'Log in MB',
  'Memory in MB',
  'p99 of updates and creates in ms',
  'p99 of fetches in ms',
  'p99 by which fetches were sent late in ms',
  'Longest standstill of the thread that answers in ms',
  'Longest standstill of an idle process in ms',
  'p99 of a write to the disk in ms',
  'Longest write to the disk in ms',
];

async function hour(bench: Bench): Promise<Measured> {
  const { generator, other, minutes, receiver } = bench;
  const filled = await bench.sessionsToChange(SESSIONS, 'sent');
  const ids = newest(filled.ids, HOT_SESSIONS);
  await using service = await startService({ DATABASE_URL: filled.url, WEBHOOK_CONCURRENCY: '256' });
  await using watch = await startProcess([join(import.meta.dirname, '../watch.ts'), bench.directory]);
  const urls = [service.url];
  // Changes wait for the disk. With connections of their own they do not keep a fetch from being sent.
  const changes = [{ ...updateOf(ids), weight: UPDATES_FOR_EACH_NEW }, create(`${receiver.url}/webhooks`)];
  const fetches = [fetchOf(ids)];
  const changesPerSecond = SHARE_OF_PEAK * (await peakWithWebhooks(bench, service.url, changes));
  const fetchesPerSecond = SHARE_OF_PEAK * (await peakWithWebhooks(bench, service.url, fetches));
  await Promise.all([watchedBy(watch.url), longestDelayMs(service.url)]);
  const rows: number[][] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const job = { urls, connections: CONNECTIONS, seconds: 60 };
    const [changed, fetched] = await Promise.all([
      generator.run({ ...job, requests: changes, perSecond: changesPerSecond }),
      other.run({ ...job, requests: fetches, perSecond: fetchesPerSecond }),
    ]);
    const logMb = statSync(`${filled.url.slice('sqlite:'.length)}-wal`).size / 1e6;
    const [seen, delayMs] = await Promise.all([watchedBy(watch.url), longestDelayMs(service.url)]);
    const row = [logMb, memoryMbOf(service.pid), changed.p99Ms, fetched.p99Ms, fetched.lateP99Ms, delayMs];
    const ofMachine = [seen.standstillMs, seen.syncP99Ms, seen.syncLongestMs];
    rows.push([minute, ...[...row, ...ofMachine].map((value) => rounded(value))]);
    console.log(`   ${HEAD.map((name, place) => `${name} ${rows.at(-1)?.[place]}`).join(', ')}`);
  }
  const column = (place: number): number[] => rows.map((row) => row[place] ?? Number.NaN);
  // Caches are being filled until a tenth of the time has passed.
  const steady = rows.slice(Math.floor(rows.length / 10));
  const slope = slopeOf(steady.map(([minute = 0, , memory = 0]) => [minute / 60, memory]));
  return {
    figures: {
      update_p99_ms: Math.max(...column(3)),
      fetch_p99_ms: Math.max(...column(4)),
      log_mb: Math.max(...column(1)),
      memory_mb: Math.max(...column(2)),
      memory_slope_mb_per_hour: rounded(slope),
      changes_per_second: rounded(changesPerSecond),
      fetches_per_second: rounded(fetchesPerSecond),
      minutes,
    },
    table: { head: HEAD, rows },
  };
}

async function watchedBy(url: string): Promise<Watched> {
  return (await (await fetch(url)).json()) as Watched;
}

/** Longest time for which the event loop of a service stood still since this was asked last, by its own metrics. */
async function longestDelayMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
}

export const hourRow: Row = {
  name: 'hour',
  title: 'Updates, fetches and creates with webhooks going out, for an hour: the worst minute (SQLite)',
  reach: {
    update_p99_ms: { atMost: 15 },
    fetch_p99_ms: { atMost: 5 },
    log_mb: { atMost: 100 },
    memory_slope_mb_per_hour: { atMost: 20 },
  },
  aim: {
    update_p99_ms: { atMost: 5 },
    fetch_p99_ms: { atMost: 2 },
    memory_slope_mb_per_hour: { atMost: 2 },
  },
  isLong: true,
  run: hour,
};
