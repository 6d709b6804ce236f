/** How many requests a second the service does on SQLite, against bare `node:http` that answers the same bytes. */
import type { Bench, Filled } from '../bench.ts';
import type { Request } from '../load/job.ts';
import { newest } from '../load/subjects.ts';
import { pair, type Side, type Slice, sideFigures, sliceOf } from '../pair.ts';
import { type Running, startService } from '../processes.ts';
import { create, fetchOf, pageOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded, sum } from '../statistics.ts';
import { startYardstick } from '../yardstick.ts';

export const SESSIONS = 100_000;
export const HOT_SESSIONS = 20_000;
const FEW_SESSIONS = 1_000;

export const sideOf = (running: Running, request: Request): Side => ({
  urls: [running.url],
  pids: [running.pid],
  request,
});

async function againstBare(bench: Bench, filled: Filled, request: Request): Promise<Measured> {
  await using service = await startService({ DATABASE_URL: filled.url });
  await using bare = await startYardstick(bench.directory, service.url, request);
  return { figures: await pair(bench.generator, sideOf(service, request), sideOf(bare, request)) };
}

/** Processor time of a fetch among many sessions, over that among few: in turn, in one run. */
async function costOfMany(bench: Bench): Promise<Measured> {
  const many = await bench.sessions(bench.many);
  const few = await bench.sessions(FEW_SESSIONS);
  await using large = await startService({ DATABASE_URL: many.url });
  await using small = await startService({ DATABASE_URL: few.url });
  const sides = { many: sideOf(large, fetchOf(many.ids)), few: sideOf(small, fetchOf(few.ids)) };
  const slices: { many: Slice[]; few: Slice[] } = { many: [], few: [] };
  for (const side of Object.values(sides)) await sliceOf(bench.generator, side, 2);
  for (const each of ['many', 'few', 'few', 'many', 'many', 'few'] as const) {
    slices[each].push(await sliceOf(bench.generator, sides[each], 1.5));
  }
  const cpu = (all: readonly Slice[]) =>
    sum(all.map((each) => each.serverCpuUs)) / sum(all.map((each) => each.answered));
  return {
    figures: {
      cost_ratio: rounded(cpu(slices.many) / cpu(slices.few)),
      ...sideFigures('many', slices.many),
      ...sideFigures('few', slices.few),
    },
  };
}

/** The rate of the yardstick under one generator and under two: more of them must not find more. */
async function generators(bench: Bench): Promise<Measured> {
  const filled = await bench.sessions(SESSIONS);
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  await using service = await startService({ DATABASE_URL: filled.url });
  await using bare = await startYardstick(bench.directory, service.url, request);
  const side = sideOf(bare, request);
  const job = { urls: side.urls, requests: [request], connections: 100, seconds: 1.5 };
  const one: Slice[] = [];
  const two: number[] = [];
  await sliceOf(bench.generator, side, 2);
  for (let slice = 0; slice < 5; slice++) {
    one.push(await sliceOf(bench.generator, side, 1.5));
    const both = await Promise.all([bench.generator.run(job), bench.other.run(job)]);
    two.push(sum(both.map(({ perSecond }) => perSecond)));
  }
  const found = sideFigures('yardstick', one);
  const withTwo = [...two].sort((a, b) => a - b)[2] ?? Number.NaN;
  return {
    figures: {
      two_over_one_ratio: rounded(withTwo / (found.yardstick_per_second ?? Number.NaN)),
      two_per_second: rounded(withTwo),
      ...found,
    },
  };
}

export const throughput: readonly Row[] = [
  {
    name: 'generator',
    title: 'The load generator is not the bottleneck: bare `node:http` under two of them, over one',
    reach: { two_over_one_ratio: { atMost: 1.05 } },
    aim: {},
    run: generators,
  },
  {
    name: 'fetch',
    title: 'Fetch, authenticated, 100 k sessions, hot 20 k (SQLite)',
    reach: { ratio: { atLeast: 0.7 } },
    aim: { ratio: { atLeast: 0.85 } },
    async run(bench) {
      const filled = await bench.sessions(SESSIONS);
      return againstBare(bench, filled, fetchOf(newest(filled.ids, HOT_SESSIONS)));
    },
  },
  {
    name: 'fetch-1m',
    title: 'Fetch, authenticated, uniformly random over 1 M (SQLite)',
    reach: { ratio: { atLeast: 0.28 } },
    aim: { ratio: { atLeast: 0.45 } },
    async run(bench) {
      const filled = await bench.sessions(bench.many);
      return againstBare(bench, filled, fetchOf(filled.ids));
    },
  },
  {
    name: 'cost',
    title: 'Cost per fetch at 1 M sessions over cost at 1 k (SQLite)',
    reach: { cost_ratio: { atMost: 1.3 } },
    aim: { cost_ratio: { atMost: 1.1 } },
    run: costOfMany,
  },
  {
    name: 'update',
    title: 'Update with items: on the disk, with event, delivery and stored answer (SQLite)',
    reach: { ratio: { atLeast: 0.18 } },
    aim: { ratio: { atLeast: 0.3 } },
    async run(bench) {
      const filled = await bench.sessionsToChange(SESSIONS, 'held');
      return againstBare(bench, filled, updateOf(newest(filled.ids, HOT_SESSIONS)));
    },
  },
  {
    name: 'create',
    title: 'Create, likewise (SQLite)',
    reach: { ratio: { atLeast: 0.15 } },
    aim: { ratio: { atLeast: 0.25 } },
    run: async (bench) =>
      againstBare(
        bench,
        await bench.sessionsToChange(SESSIONS, 'held'),
        create(`${bench.receiver.url}/webhooks`),
      ),
  },
  {
    name: 'page',
    title: "The payer's page, of 20 k sessions (SQLite)",
    reach: { ratio: { atLeast: 0.3 } },
    aim: { ratio: { atLeast: 0.6 } },
    async run(bench) {
      const filled = await bench.sessions(SESSIONS);
      return againstBare(bench, filled, pageOf(newest(filled.tokens, HOT_SESSIONS)));
    },
  },
];
