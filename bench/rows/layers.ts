/**
 * Cost of each layer of the service for a request: a sampling profile of a closed loop, its self times by the place of
 * the code. Functions of SQLite, of the kernel and of Node.js itself have no place; they count for who calls them, or as
 * what they are where V8 has a name for them.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Request } from '../load/job.ts';
import { newest } from '../load/subjects.ts';
import { startService } from '../processes.ts';
import { create, fetchOf, pageOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded, sum } from '../statistics.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

/** As many as give commits to share, and few enough for a service that its profile slows: it refuses what waits for long. */
const CONNECTIONS = 100;
const WARM_UP_SECONDS = 3;
const SECONDS = 6;
/** Microseconds between two samples. */
const INTERVAL = 250;

type CallFrame = { readonly functionName: string; readonly url: string };
type Profile = {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>;
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** The first that fits. */
const layers: ReadonlyArray<readonly [name: string, fits: (frame: CallFrame) => boolean]> = [
  ['garbage collection', ({ functionName }) => functionName === '(garbage collector)'],
  [
    'sending: the call of the kernel',
    ({ functionName }) => /^write(Utf8|Latin1)String$|^writev$/.test(functionName),
  ],
  [
    'SQLite',
    ({ functionName, url }) =>
      url.includes('/src/store/sqlite/') &&
      ['run', 'rowsOf', 'inTransaction', 'version'].includes(functionName),
  ],
  ['rows, checksums, statements', ({ url }) => url.includes('/src/store/')],
  [
    'rules, events, representation',
    ({ url }) => /\/src\/(checkout|events|webhooks|accounts|lib)\//.test(url),
  ],
  ['writer', ({ url }) => url.includes('/src/writer/')],
  ['worker', ({ url }) => url.includes('/src/worker/')],
  ['pages, languages', ({ url }) => /\/src\/(pages|i18n|methods)\//.test(url)],
  ['API: keys, limits, input, envelopes', ({ url }) => /\/src\/(http|main)/.test(url)],
  ['Fastify, router, validator', ({ url }) => url.includes('/node_modules/')],
  ['Node.js: HTTP, sockets, timers', ({ url }) => url.startsWith('node:')],
  ['native code without a name', () => true],
];

const layerOf = (frame: CallFrame): string => layers.find(([, fits]) => fits(frame))?.[0] ?? '';

/** Microseconds of each layer between two times of the monotonic clock. */
function timesOf({ nodes, samples, timeDeltas, startTime }: Profile, from: number, to: number) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    const frame = frames.get(id);
    if (at < from || at > to || frame === undefined || frame.functionName === '(idle)') continue;
    const layer = layerOf(frame);
    times.set(layer, (times.get(layer) ?? 0) + delta);
  }
  return times;
}

const monotonicUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** Microseconds of each layer for one of these requests. */
async function profiled(
  bench: Bench,
  name: string,
  url: string,
  request: Request,
): Promise<Map<string, number>> {
  const directory = join(bench.directory, `profiles-${name}`);
  await mkdir(directory);
  await using service = await startService({
    DATABASE_URL: url,
    NODE_OPTIONS: `--cpu-prof --cpu-prof-interval=${INTERVAL} --cpu-prof-dir=${directory}`,
  });
  const polls = request.method === 'GET';
  const job = { urls: [service.url], requests: [request], connections: CONNECTIONS, polls };
  await bench.generator.run({ ...job, seconds: WARM_UP_SECONDS });
  const from = monotonicUs();
  const { answered } = await bench.generator.run({ ...job, seconds: SECONDS });
  const to = monotonicUs();
  await service.stop();
  for (const file of await readdir(directory)) {
    const profile: Profile = JSON.parse(await readFile(join(directory, file), 'utf8'));
    // Threads have profiles of their own.
    if (!profile.nodes.some(({ callFrame }) => callFrame.url.endsWith('/src/main.ts'))) continue;
    return new Map([...timesOf(profile, from, to)].map(([layer, us]) => [layer, us / answered]));
  }
  throw new Error('the service has left no profile');
}

async function run(bench: Bench): Promise<Measured> {
  const filled = await bench.sessionsToChange(SESSIONS, 'held');
  const ids = newest(filled.ids, HOT_SESSIONS);
  const kinds: Readonly<Record<string, Request>> = {
    fetch: fetchOf(ids),
    page: pageOf(newest(filled.tokens, HOT_SESSIONS)),
    update: updateOf(ids),
    create: create(`${bench.receiver.url}/webhooks`),
  };
  const found: Record<string, Map<string, number>> = {};
  for (const [name, request] of Object.entries(kinds)) {
    found[name] = await profiled(bench, name, filled.url, request);
  }
  const columns = Object.values(found);
  const text = (us: number | undefined): string => (us === undefined ? '' : us.toFixed(1));
  return {
    figures: Object.fromEntries(
      Object.entries(found).map(([name, times]) => [`${name}_us`, rounded(sum([...times.values()]))]),
    ),
    table: {
      head: ['Microseconds of the thread that serves', ...Object.keys(kinds)],
      rows: layers
        .map(([name]) => [name, ...columns.map((times) => text(times.get(name)))])
        .filter(([, ...cells]) => cells.some((cell) => cell !== '')),
    },
  };
}

export const layerRow: Row = {
  name: 'layers',
  title: 'What each layer costs for a request, by a profile (SQLite)',
  reach: {},
  aim: {},
  run,
};
