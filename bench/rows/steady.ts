/** Updates, and fetches, at half of their peak with webhooks going out for minutes: their latency, the log and memory. */
import { statSync } from 'node:fs';
import type { Bench } from '../bench.ts';
import { memoryMbOf } from '../process-figures.ts';
import { startService } from '../processes.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { halfOfPeakWithWebhooks, type Kind, latencyFigures, requestsOf } from './latency.ts';
import { SESSIONS } from './throughput.ts';

/** The longest time of each kind: `--minutes` is meant for the row `hour` first. */
const MOST_MINUTES = 10;
const MINUTE_MS = 60_000;
const WARM_UP_PER_SECOND = 400;

const HEAD = ['Kind', 'Look, one each minute and one at the end', 'Log in MB', 'Memory in MB'];

async function steady(bench: Bench): Promise<Measured> {
  const minutes = Math.min(MOST_MINUTES, bench.minutes);
  const update = await steadyOf('update');
  const fetch = await steadyOf('fetch');
  const rows = [...update.rows, ...fetch.rows];
  const mostOf = (place: number) => Math.max(...rows.map((row) => Number(row[place])));
  return {
    figures: {
      ...update.figures,
      ...fetch.figures,
      log_mb: mostOf(2),
      memory_mb: mostOf(3),
      minutes,
    },
    table: { head: HEAD, rows },
  };

  async function steadyOf(kind: Kind) {
    const requests = await requestsOf(bench, kind);
    const { url } = await bench.sessionsToChange(SESSIONS, 'sent');
    await using service = await startService({ DATABASE_URL: url, WEBHOOK_CONCURRENCY: '256' });
    const rows: Array<readonly (string | number)[]> = [];
    const log = `${url.slice('sqlite:'.length)}-wal`;
    const look = () => {
      const sizes = [statSync(log).size / 1e6, memoryMbOf(service.pid)].map((each) => rounded(each));
      rows.push([kind, rows.length + 1, ...sizes]);
      console.log(`   ${HEAD.map((name, place) => `${name} ${rows.at(-1)?.[place]}`).join(', ')}`);
    };
    using _looks = setInterval(look, MINUTE_MS);
    const atLength = { ...bench, seconds: 60 * minutes };
    const { load, peak } = await halfOfPeakWithWebhooks(
      atLength,
      service.url,
      kind,
      requests,
      WARM_UP_PER_SECOND,
    );
    look();
    return {
      rows,
      figures: { ...latencyFigures(`${kind}_`, load), [`${kind}_per_second`]: rounded(peak / 2) },
    };
  }
}

export const steadyRow: Row = {
  name: 'steady',
  title:
    'p99 of updates, and of fetches, at half the peak rate for ten minutes each, with webhooks going out (SQLite)',
  reach: { update_p99_ms: { atMost: 15 }, fetch_p99_ms: { atMost: 5 }, log_mb: { atMost: 100 } },
  aim: { update_p99_ms: { atMost: 5 }, fetch_p99_ms: { atMost: 2 } },
  isLong: true,
  run: steady,
};
