/**
 * Overload: changes are sent at three times the rate at which the service does them, by the clock, as callers do who do not
 * wait for one another. How many are done all the same, how long those wait, and when everything is as before. Webhooks go
 * out meanwhile. Figures are said as a campaign's.
 */
import { evidence } from '../test/support/evidence.ts';
import { type Bench, withBench } from './bench.ts';
import type { Job } from './load/job.ts';
import { newest } from './load/subjects.ts';
import { startService } from './processes.ts';
import { updateOf } from './requests.ts';
import { HOT_SESSIONS, SESSIONS } from './rows/throughput.ts';
import { rounded } from './statistics.ts';

const TIMES_THE_PEAK = 3;
const SECONDS = 20;
/** Enough for what is offered to be on its way at once; the peak is that of the larger batches of many. */
const CONNECTIONS = 8000;
const PEAK_CONNECTIONS = 1000;
const PEAK_SECONDS = 5;
/** Seconds in which the service is watched behind it. */
const LONGEST_RECOVERY_SECONDS = 20;
/** The 99th percentile at half of the peak from which on everything is as before. */
const CALM_MS = 100;

const options = { many: 0, seconds: SECONDS, minutes: 0 };
await withBench(options, overload);

async function overload(bench: Bench): Promise<void> {
  const { generator } = bench;
  const filled = await bench.sessionsToChange(SESSIONS, 'sent');
  await using service = await startService({ DATABASE_URL: filled.url, WEBHOOK_CONCURRENCY: '256' });
  const { url } = service;
  const update = updateOf(newest(filled.ids, HOT_SESSIONS));
  const job: Omit<Job, 'connections' | 'seconds'> = { urls: [url], requests: [update], mayBeRefused: true };
  const closed = { ...job, connections: PEAK_CONNECTIONS, seconds: PEAK_SECONDS };
  await generator.run(closed);
  const { accepted, seconds } = await generator.run(closed);
  const peak = accepted / seconds;
  const perSecond = TIMES_THE_PEAK * peak;
  const load = await generator.run({ ...job, connections: CONNECTIONS, seconds: SECONDS, perSecond });
  const recoveryMs = await recovery(() =>
    generator.run({ ...job, connections: 200, seconds: 1, perSecond: peak / 2 }),
  );
  const goodput = load.accepted / SECONDS;
  evidence({ diagnostic: console.log }, 'overload', {
    peak_per_second: Math.round(peak),
    offered_per_second: Math.round((load.answered + load.unanswered) / load.seconds),
    accepted_per_second: Math.round(goodput),
    goodput: rounded(goodput / peak),
    refused: load.answered - load.accepted,
    accepted_p99_ms: Math.round(load.acceptedP99Ms),
    longest_ms: Math.round(load.longestMs),
    recovery_ms: Math.round(recoveryMs),
  });
}

/** Time until a second in which nothing is refused and nobody waits for long, or all that was watched. */
async function recovery(second: () => ReturnType<Bench['generator']['run']>): Promise<number> {
  const startedAt = performance.now();
  for (let passed = 0; passed < LONGEST_RECOVERY_SECONDS; passed++) {
    const begunAt = performance.now();
    const { refused, p99Ms } = await second();
    if (refused.length === 0 && p99Ms <= CALM_MS) return begunAt - startedAt;
  }
  return performance.now() - startedAt;
}
