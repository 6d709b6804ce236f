/** Cost of the process itself: the time to start, and memory. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Figures } from '../../test/support/evidence.ts';
import type { Bench } from '../bench.ts';
import { newest } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { cpuUsOf, memoryMbOf } from '../process-figures.ts';
import { startService } from '../processes.ts';
import { create, fetchOf, key, pageOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { median, rounded } from '../statistics.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

const STARTS = 5;
const REST_MS = 3_000;
const LOAD_SECONDS = 20;

/** Start: from the beginning of the process until it says that it is ready. */
async function start(bench: Bench): Promise<Measured> {
  const many = await bench.manySessions();
  const some = await bench.sessions(SESSIONS);
  const databases = { empty: `sqlite:${bench.directory}/empty.db`, '100k': some.url, '1m': many.url };
  const figures: Record<string, number> = {};
  for (const [name, url] of Object.entries(databases)) {
    const [times, cpu]: [number[], number[]] = [[], []];
    for (let count = 0; count <= STARTS; count++) {
      const startedAt = performance.now();
      await using service = await startService({
        DATABASE_URL: url,
        BOOTSTRAP_API_KEY: name === 'empty' ? `${key.id}:${key.secret}` : '',
      });
      const ready = await fetch(`${service.url}/readyz`);
      if (!ready.ok) throw new Error(`not ready: ${ready.status}`);
      await ready.arrayBuffer();
      // The first start reads files that nobody has read before.
      if (count === 0) continue;
      times.push(performance.now() - startedAt);
      cpu.push(cpuUsOf(service.pid) / 1000);
    }
    figures[`ready_${name}_ms`] = rounded(median(times));
    figures[`ready_${name}_cpu_ms`] = rounded(median(cpu));
  }
  return { figures };
}

async function memory(bench: Bench): Promise<Measured> {
  const filled = await bench.sessionsToChange(SESSIONS, 'sent');
  await using service = await startService({ DATABASE_URL: filled.url, WEBHOOK_CONCURRENCY: '256' });
  await pause(REST_MS);
  const atRest = memoryMbOf(service.pid);
  let highest = atRest;
  const watching = setInterval(() => {
    highest = Math.max(highest, memoryMbOf(service.pid));
  }, 100);
  const ids = newest(filled.ids, HOT_SESSIONS);
  const requests = [
    { ...fetchOf(ids), weight: 6 },
    { ...updateOf(ids), weight: 2 },
    create(`${bench.receiver.url}/webhooks`),
    pageOf(newest(filled.tokens, HOT_SESSIONS)),
  ];
  const job = { urls: [service.url], requests, connections: CONNECTIONS, seconds: LOAD_SECONDS };
  const load = await bench.generator.run(job).finally(() => clearInterval(watching));
  const figures: Figures = {
    at_rest_mb: rounded(atRest),
    under_load_mb: rounded(highest),
    requests_per_second: rounded(load.perSecond),
  };
  return { figures };
}

export const processRows: readonly Row[] = [
  {
    name: 'start',
    title: 'Start to ready on no sessions, 100 k, and 1 M (SQLite)',
    reach: { ready_100k_ms: { atMost: 1000 } },
    aim: { ready_100k_ms: { atMost: 500 } },
    run: start,
  },
  {
    name: 'memory',
    title:
      'Memory at rest, and under fetches, updates, creates and pages with webhooks (100 k sessions, SQLite)',
    reach: { at_rest_mb: { atMost: 130 } },
    aim: { at_rest_mb: { atMost: 100 } },
    run: memory,
  },
];
