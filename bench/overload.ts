/**
 * Overload: changes are sent at three times the rate at which the service does them and delivers their webhooks, by the
 * clock, as callers do who do not wait for one another; then at six times. How many are done all the same, how many
 * webhooks arrive meanwhile, how long changes wait, and when everything is as before. Figures are said as a campaign's.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../test/support/evidence.ts';
import { type Bench, withBench } from './bench.ts';
import type { Job, Load } from './load/job.ts';
import { newest } from './load/subjects.ts';
import { startService } from './processes.ts';
import { updateOf } from './requests.ts';
import { peakWithWebhooks } from './rows/latency.ts';
import { HOT_SESSIONS, SESSIONS } from './rows/throughput.ts';
import { rounded } from './statistics.ts';
import { rateWhile } from './webhooks.ts';

const TIMES_THE_PEAK = 3;
const SECONDS = 20;
/** Enough for what is offered to be on its way at once; the peak is that of full batches, with nobody refused. */
const CONNECTIONS = 8000;
const PEAK_CONNECTIONS = 200;
/** More than the generator takes to open its connections. */
const OPENING_SECONDS = 5;
/** Seconds in which the service is watched behind it. */
const LONGEST_RECOVERY_SECONDS = 20;
/** The 99th percentile at half of the peak from which on everything is as before. */
const CALM_MS = 100;

const options = { many: 0, seconds: SECONDS, minutes: 0 };
await withBench(options, overload);

async function overload(bench: Bench): Promise<void> {
  const { generator, receiver } = bench;
  const filled = await bench.sessionsToChange(SESSIONS, 'sent');
  await using service = await startService({ DATABASE_URL: filled.url, WEBHOOK_CONCURRENCY: '256' });
  const { url } = service;
  const update = updateOf(newest(filled.ids, HOT_SESSIONS));
  const job: Omit<Job, 'connections' | 'seconds'> = { urls: [url], requests: [update], mayBeRefused: true };
  const peak = await peakWithWebhooks(bench, url, [update], PEAK_CONNECTIONS);
  const loaded = (times: number) =>
    generator.run({ ...job, connections: CONNECTIONS, seconds: SECONDS, perSecond: times * peak });
  const webhooks = pause(OPENING_SECONDS * 1000).then(() =>
    rateWhile(receiver, pause((SECONDS - OPENING_SECONDS) * 1000)),
  );
  const load = await loaded(TIMES_THE_PEAK);
  const webhooksPerSecond = await webhooks;
  const recoveryMs = await recovery(() =>
    generator.run({ ...job, connections: 200, seconds: 1, perSecond: peak / 2 }),
  );
  const twice = await loaded(2 * TIMES_THE_PEAK);
  const goodput = ({ accepted }: Load): number => accepted / SECONDS / peak;
  evidence({ diagnostic: console.log }, 'overload', {
    peak_per_second: Math.round(peak),
    offered_per_second: Math.round((load.answered + load.unanswered) / load.seconds),
    accepted_per_second: Math.round(load.accepted / SECONDS),
    webhooks_per_second: Math.round(webhooksPerSecond),
    goodput: rounded(goodput(load)),
    refused: load.answered - load.accepted,
    accepted_p99_ms: Math.round(load.acceptedP99Ms),
    longest_ms: Math.round(load.longestMs),
    recovery_ms: Math.round(recoveryMs),
    goodput_at_six_times: rounded(goodput(twice)),
    accepted_p99_at_six_times_ms: Math.round(twice.acceptedP99Ms),
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
