/** Mixed load with webhooks for a long time: what each minute leaves in the log and in memory, and what a shop feels. */
import { statSync } from 'node:fs';
import type { Bench } from '../bench.ts';
import { newest } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { memoryMbOf } from '../process-figures.ts';
import { startService } from '../processes.ts';
import { create, fetchOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded, slopeOf } from '../statistics.ts';
import { peakWithWebhooks } from './latency.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

/** Share of the peaks that updates and fetches reach, each by itself with the webhooks that belong to it. */
const SHARE_OF_PEAK = 1 / 4;
/** Sessions are made beside the fetches, one for so many. */
const FETCHES_FOR_EACH_NEW = 50;
const HEAD = ['Minute', 'Log in MB', 'Memory in MB', 'p99 of updates in ms', 'p99 of fetches in ms'];

async function hour(bench: Bench): Promise<Measured> {
  const { generator, other, minutes, receiver } = bench;
  const filled = await bench.sessionsToChange(SESSIONS, 'sent');
  const ids = newest(filled.ids, HOT_SESSIONS);
  await using service = await startService({ DATABASE_URL: filled.url, WEBHOOK_CONCURRENCY: '256' });
  const urls = [service.url];
  const update = updateOf(ids);
  const fetches = [{ ...fetchOf(ids), weight: FETCHES_FOR_EACH_NEW }, create(`${receiver.url}/webhooks`)];
  const updatesPerSecond = SHARE_OF_PEAK * (await peakWithWebhooks(bench, service.url, [update]));
  const fetchesPerSecond = SHARE_OF_PEAK * (await peakWithWebhooks(bench, service.url, fetches));
  const rows: number[][] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const job = { urls, connections: CONNECTIONS, seconds: 60 };
    const [updated, fetched] = await Promise.all([
      generator.run({ ...job, requests: [update], perSecond: updatesPerSecond }),
      other.run({ ...job, requests: fetches, perSecond: fetchesPerSecond }),
    ]);
    const logMb = statSync(`${filled.url.slice('sqlite:'.length)}-wal`).size / 1e6;
    const row = [logMb, memoryMbOf(service.pid), updated.p99Ms, fetched.p99Ms].map((value) => rounded(value));
    rows.push([minute, ...row]);
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
      updates_per_second: rounded(updatesPerSecond),
      fetches_per_second: rounded(fetchesPerSecond),
      minutes,
    },
    table: { head: HEAD, rows },
  };
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
