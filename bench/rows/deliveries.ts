/**
 * Webhooks to a receiver on this machine: how many a second alone, and beside updates of the API that come as fast as they
 * can; and how long they take to healthy receivers while one of a hundred hangs.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { Filling } from '../fill.ts';
import { fillFile, synced } from '../fill-file.ts';
import { writeSubjects } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { type Running, startService } from '../processes.ts';
import { headers, key, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { rateWhile, received } from '../webhooks.ts';

/** Webhooks that wait when the service starts: more than are sent while they are counted. */
const BACKLOG = 60_000;
const ROUND_SECONDS = 5;
const CONCURRENCY = '256';

/** `fill` makes a database with such sessions, and says its address. */
export async function deliveriesPerSecond(
  { directory, generator, receiver }: Bench,
  fill: (filling: Filling) => Promise<string>,
): Promise<Measured> {
  const writing = writeSubjects(`${directory}/deliveries-${process.hrtime.bigint()}.ids`);
  const url = await fill({
    sessions: BACKLOG,
    webhookUrl: `${receiver.url}/webhooks`,
    delivers: true,
    onSession: writing.add,
  });
  const update = updateOf(writing.end());
  const updates = async (service: Running, seconds: number): Promise<number> => {
    const job = { urls: [service.url], requests: [update], connections: CONNECTIONS, seconds };
    const load = await generator.run({ ...job, mayBeRefused: true });
    return load.accepted / load.seconds;
  };
  let api = 0;
  {
    await using service = await startService({ DATABASE_URL: url });
    await updates(service, 2);
    api = await updates(service, ROUND_SECONDS);
  }
  await using service = await startService({ DATABASE_URL: url, WEBHOOK_CONCURRENCY: CONCURRENCY });
  await pause(1_000);
  const alone = await rateWhile(receiver, pause(ROUND_SECONDS * 1000));
  let apiBeside = 0;
  const beside = await rateWhile(
    receiver,
    updates(service, ROUND_SECONDS).then((rate) => {
      apiBeside = rate;
    }),
  );
  return {
    figures: {
      alone_per_second: rounded(alone),
      beside_updates_per_second: rounded(beside),
      updates_per_second: rounded(apiBeside),
      updates_without_per_second: rounded(api),
      share_of_updates_kept: rounded(apiBeside / api),
    },
  };
}

const ENDPOINTS = 100;
const EVENTS_PER_SECOND = 8;
const WARM_UP_SECONDS = 3;
/** Longer than a delivery may take, so that the one that hangs goes through all it can do. */
const SECONDS = 25;

export async function hanging(bench: Bench, seconds = SECONDS): Promise<Measured> {
  const without = await delays(bench, false, seconds);
  const beside = await delays(bench, true, seconds);
  return {
    figures: {
      p99_ratio: rounded(beside.p99Ms / without.p99Ms),
      p99_ms: beside.p99Ms,
      without_p99_ms: without.p99Ms,
      p50_ms: beside.medianMs,
      without_p50_ms: without.medianMs,
    },
  };
}

async function delays({ directory, receiver }: Bench, hangs: boolean, seconds: number) {
  await using service = await startService({
    DATABASE_URL: `sqlite:${directory}/hanging-${hangs}.db`,
    WEBHOOK_CONCURRENCY: CONCURRENCY,
    BOOTSTRAP_API_KEY: `${key.id}:${key.secret}`,
  });
  const post = async (path: string, body: object) => {
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  for (let i = 0; i < ENDPOINTS; i++) {
    await post('/v3/webhook_endpoint', { url: `${receiver.url}${hangs && i === 0 ? '/hanging' : `/${i}`}` });
  }
  const makeEvents = async (seconds: number) => {
    for (let i = 0; i < seconds * EVENTS_PER_SECOND; i++) {
      await post('/v3/checkout', { invoice_currency: 'EUR', amount: 1000 });
      await pause(1000 / EVENTS_PER_SECOND);
    }
  };
  await makeEvents(WARM_UP_SECONDS);
  await received(receiver);
  await makeEvents(seconds);
  return received(receiver);
}

export const deliveryRows: readonly Row[] = [
  {
    name: 'deliveries',
    title: 'Webhooks to a receiver on this machine, and updates of the API beside them (SQLite)',
    reach: { alone_per_second: { atLeast: 1500 } },
    aim: { alone_per_second: { atLeast: 3000 } },
    run: (bench) =>
      deliveriesPerSecond(bench, async (filling) => {
        const path = `${bench.directory}/deliveries.db`;
        await fillFile(path, filling);
        await synced(path);
        return `sqlite:${path}`;
      }),
  },
  {
    name: 'hanging',
    title: 'p99 of webhooks to 99 healthy endpoints beside one that hangs, over that without it (SQLite)',
    reach: { p99_ratio: { atMost: 1.5 } },
    aim: {},
    run: hanging,
  },
];
