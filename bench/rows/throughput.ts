/** Requests a second that the service does on SQLite, against bare `node:http` that answers the same bytes. */
import type { Bench, Filled } from '../bench.ts';
import type { Request } from '../load/job.ts';
import { newest } from '../load/subjects.ts';
import {
  CONNECTIONS,
  cpuUsOfEach,
  inTurn,
  pair,
  rateOf,
  requestsTo,
  type Side,
  sideFigures,
} from '../pair.ts';
import { cpuUsOf } from '../process-figures.ts';
import { startService } from '../processes.ts';
import { create, fetchOf, pageOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { startYardstick } from '../yardstick.ts';

export const SESSIONS = 100_000;
export const HOT_SESSIONS = 20_000;
const FEW_SESSIONS = 1_000;
/** Requests at random after which 19 of 20 of the hot sessions have been asked for: on a slow machine that takes longer. */
const WARM_UP_REQUESTS = 3 * HOT_SESSIONS;
const LONGEST_WARM_UP_SECONDS = 20;

/** Throughput against bare. A change has threads of the database that need the other processor: the generator must not poll. */
async function againstBare(bench: Bench, filled: Filled, request: Request): Promise<Measured> {
  await using service = await startService({ DATABASE_URL: filled.url });
  await using bare = await startYardstick(bench.directory, service.url, request);
  const polls = request.method === 'GET';
  const ours = requestsTo(bench.generator, [service], request, { polls });
  await warmedUp(ours);
  return { figures: await pair(ours, requestsTo(bench.generator, [bare], request, { polls })) };
}

async function warmedUp(side: Side): Promise<void> {
  for (
    let asked = 0, seconds = 0;
    asked < WARM_UP_REQUESTS && seconds < LONGEST_WARM_UP_SECONDS;
    seconds += 2
  )
    asked += (await side(2)).answered;
}

/** Processor time of a fetch among many sessions, over that among few: in turn, in one run. */
async function costOfMany(bench: Bench): Promise<Measured> {
  const filled = { many: await bench.manySessions(), few: await bench.sessions(FEW_SESSIONS) };
  await using large = await startService({ DATABASE_URL: filled.many.url });
  await using small = await startService({ DATABASE_URL: filled.few.url });
  const { many, few } = await inTurn({
    many: requestsTo(bench.generator, [large], fetchOf(filled.many.ids), { polls: true }),
    few: requestsTo(bench.generator, [small], fetchOf(filled.few.ids), { polls: true }),
  });
  const cost_ratio = rounded(cpuUsOfEach(many) / cpuUsOfEach(few));
  return { figures: { cost_ratio, ...sideFigures('many', many), ...sideFigures('few', few) } };
}

/** The rate of the yardstick under one generator and under two: more of them must not find more. */
async function generators({ directory, generator, other, sessions }: Bench): Promise<Measured> {
  const filled = await sessions(SESSIONS);
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  await using service = await startService({ DATABASE_URL: filled.url });
  await using bare = await startYardstick(directory, service.url, request);
  const { one, two } = await inTurn({
    one: requestsTo(generator, [bare], request),
    async two(seconds) {
      const job = { urls: [bare.url], requests: [request], connections: CONNECTIONS / 2, seconds };
      const before = cpuUsOf(bare.pid);
      const [load, more] = await Promise.all([generator.run(job), other.run(job)]);
      return {
        ...load,
        answered: load.answered + more.answered,
        perSecond: load.perSecond + more.perSecond,
        cpuUs: load.cpuUs + more.cpuUs,
        serverCpuUs: cpuUsOf(bare.pid) - before,
      };
    },
  });
  const two_over_one_ratio = rounded(rateOf(two) / rateOf(one));
  return { figures: { two_over_one_ratio, ...sideFigures('one', one), ...sideFigures('two', two) } };
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
      const filled = await bench.manySessions();
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
