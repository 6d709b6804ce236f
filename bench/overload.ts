/**
 * Overload: changes are sent at three times the rate at which the service does them and delivers their webhooks, by the
 * clock, as callers do who do not wait for one another; then at six times, and at three times what it does where it sends
 * no webhooks at all. How many are done all the same, how many webhooks arrive meanwhile and how long the others take
 * afterwards, how long changes wait, and when everything is as before. Figures are said as a campaign's.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../test/support/evidence.ts';
import { scaled } from '../test/support/scale.ts';
import { type Bench, withBench } from './bench.ts';
import type { Job, Load } from './load/job.ts';
import { newest } from './load/subjects.ts';
import { startService } from './processes.ts';
import { updateOf } from './requests.ts';
import { peakWithWebhooks } from './rows/latency.ts';
import { HOT_SESSIONS, SESSIONS } from './rows/throughput.ts';
import { rounded } from './statistics.ts';
import { rateWhile, settled } from './webhooks.ts';

const TIMES_THE_PEAK = 3;
const SECONDS = scaled(20);
/** Enough for what is offered to be on its way at once; the peak is that of full batches, with nobody refused. */
const CONNECTIONS = 8000;
const PEAK_CONNECTIONS = 200;
/** Longer than the generator takes to open its connections. */
const OPENING_SECONDS = Math.min(5, SECONDS / 2);
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
  const changesPeak = await peakOfChanges(bench);
  const peak = await peakWithWebhooks(bench, url, [update], PEAK_CONNECTIONS);
  const loaded = (perSecond: number) =>
    generator.run({ ...job, connections: CONNECTIONS, seconds: SECONDS, perSecond });
  const webhooks = pause(OPENING_SECONDS * 1000).then(() =>
    rateWhile(receiver, pause((SECONDS - OPENING_SECONDS) * 1000)),
  );
  const load = await loaded(TIMES_THE_PEAK * peak);
  const endedAt = performance.now();
  const webhooksPerSecond = await webhooks;
  const recoveryMs = await recovery(() =>
    generator.run({ ...job, connections: 200, seconds: 1, perSecond: peak / 2 }),
  );
  const webhooksBehindMs = (await settled(receiver)) - endedAt;
  const twice = await loaded(2 * TIMES_THE_PEAK * peak);
  await settled(receiver);
  const most = await loaded(TIMES_THE_PEAK * changesPeak);
  const perSecond = ({ accepted }: Load): number => accepted / SECONDS;
  evidence({ diagnostic: console.log }, 'overload', {
    peak_per_second: Math.round(peak),
    offered_per_second: Math.round((load.answered + load.unanswered) / load.seconds),
    accepted_per_second: Math.round(perSecond(load)),
    webhooks_per_second: Math.round(webhooksPerSecond),
    webhooks_behind_ms: Math.round(webhooksBehindMs),
    goodput: rounded(perSecond(load) / peak),
    refused: load.answered - load.accepted,
    accepted_p99_ms: Math.round(load.acceptedP99Ms),
    longest_ms: Math.round(load.longestMs),
    recovery_ms: Math.round(recoveryMs),
    goodput_at_six_times: rounded(perSecond(twice) / peak),
    accepted_p99_at_six_times_ms: Math.round(twice.acceptedP99Ms),
    changes_peak_per_second: Math.round(changesPeak),
    goodput_of_changes: rounded(perSecond(load) / changesPeak),
    goodput_of_changes_at_three_times_theirs: rounded(perSecond(most) / changesPeak),
    accepted_p99_at_three_times_theirs_ms: Math.round(most.acceptedP99Ms),
    accepted_p99_at_three_times_theirs_once_sent_ms: Math.round(most.acceptedOnceSentP99Ms),
  });
}

/** Rate of changes where webhooks are written and not sent, which nobody can go on with for long. */
async function peakOfChanges(bench: Bench): Promise<number> {
  const filled = await bench.sessionsToChange(SESSIONS, 'held');
  await using service = await startService({ DATABASE_URL: filled.url });
  const requests = [updateOf(newest(filled.ids, HOT_SESSIONS))];
  const job = { urls: [service.url], requests, connections: PEAK_CONNECTIONS, mayBeRefused: true };
  await bench.generator.run({ ...job, seconds: 2 });
  const { accepted, seconds } = await bench.generator.run({ ...job, seconds: 5 });
  return accepted / seconds;
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
