/**
 * This tree against another one on PostgreSQL, in turns and on one server, each with a database that its own code has
 * filled: `node bench/against.ts PATH-TO-ANOTHER-TREE [names]`. That tree has its packages installed. Of each kind of
 * request it prints the processor time of the service and of the database, and the rate; ratios are this tree's figures
 * over the other's, so those of processor time should be 1 or less.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { startPostgres } from '../test/support/postgres-server.ts';
import { type Request, type Subjects, startGenerator } from './load/job.ts';
import { newest, writeSubjects } from './load/subjects.ts';
import { cpuUsOfEach, inTurn, rateOf, requestsTo, type Side, type Slice } from './pair.ts';
import { cpuUsOfPostgres } from './process-figures.ts';
import { endAll, type Running, startProcess, startService } from './processes.ts';
import { create, fetchOf, listOf, pageOf, updateOf } from './requests.ts';
import { median, rounded, sum } from './statistics.ts';
import { rateWhile } from './webhooks.ts';

const SESSIONS = 100_000;
const HOT_SESSIONS = 20_000;
/** Slices of each tree. */
const SLICES = 15;
const CONNECTIONS = 100;
const BACKLOG = 60_000;
const DELIVERY_ROUNDS = 3;
const DELIVERY_MS = 5_000;

type Tree = {
  readonly path: string;
  readonly database: string;
  readonly ids: Subjects;
  readonly tokens: Subjects;
};

type Kind = { readonly request: (tree: Tree, webhookUrl: string) => Request; readonly instances?: number };

const list = (query: string): Kind => ({ request: () => listOf(query) });
const fetched: Kind = { request: ({ ids }) => fetchOf(newest(ids, HOT_SESSIONS)) };
const updated: Kind = { request: ({ ids }) => updateOf(newest(ids, HOT_SESSIONS)) };
const kinds: Readonly<Record<string, Kind>> = {
  fetch: fetched,
  update: updated,
  create: { request: (_, webhookUrl) => create(webhookUrl) },
  page: { request: ({ tokens }) => pageOf(newest(tokens, HOT_SESSIONS)) },
  list: list('limit=10'),
  'list-100': list('limit=100'),
  'list-status': list('status=active&limit=10'),
  'list-two': list('status=active&invoice_currency=USD&limit=10'),
  'two-fetch': { ...fetched, instances: 2 },
  'two-update': { ...updated, instances: 2 },
};

type TreeName = 'ours' | 'theirs';

const [other, ...names] = process.argv.slice(2);
if (other === undefined) throw new Error('which tree to compare with?');
const paths = { ours: resolve(import.meta.dirname, '..'), theirs: resolve(other) };

const directory = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
const [server, generator, receiver] = await Promise.all([
  startPostgres({ durable: true }),
  startGenerator(),
  startProcess([join(import.meta.dirname, 'receiver.ts')]),
]);
try {
  const trees = { ours: await filled('ours'), theirs: await filled('theirs') };
  for (const [name, kind] of Object.entries(kinds)) {
    if (names.length === 0 || names.includes(name)) await compare(name, kind, trees);
  }
  if (names.length === 0 || names.includes('deliveries')) await compareDeliveries();
} finally {
  endAll();
  await Promise.all([generator.stop(), server.remove()]);
  await rm(directory, { recursive: true });
}

/** Fills a database with the code of a tree. */
async function filled(
  side: TreeName,
  { sessions = SESSIONS, delivers = false, name = side as string } = {},
): Promise<Tree> {
  const path = paths[side];
  const { fillDatabase } = (await import(join(path, 'bench/fill.ts'))) as typeof import('./fill.ts');
  const { openPostgresStore } = (await import(
    join(path, 'src/store/postgres/store.ts')
  )) as typeof import('../src/store/postgres/store.ts');
  const database = new URL(server.url);
  database.pathname = `/${name}`;
  await inDatabase(server.url, `CREATE DATABASE ${name}`);
  const ids = writeSubjects(join(directory, `${name}.ids`));
  const tokens = writeSubjects(join(directory, `${name}.tokens`));
  await fillDatabase(await openPostgresStore(database.href), {
    sessions,
    delivers,
    webhookUrl: `${receiver.url}/webhooks`,
    onSession(id, token) {
      ids.add(id);
      tokens.add(token);
    },
  });
  await inDatabase(database.href, 'VACUUM (ANALYZE)');
  return { path, database: database.href, ids: ids.end(), tokens: tokens.end() };
}

async function inDatabase(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}

function serve({ path, database }: Tree, settings: NodeJS.ProcessEnv = {}): Promise<Running> {
  return startService({ DATABASE_URL: database, ...settings }, join(path, 'bin/opentill.js'));
}

type Figures = { readonly serviceUs: number; readonly databaseUs: number; readonly perSecond: number };

async function compare(
  name: string,
  { request, instances = 1 }: Kind,
  trees: Record<TreeName, Tree>,
): Promise<void> {
  const databaseUs = { ours: 0, theirs: 0 };
  const started: Running[] = [];
  const sideOf = async (tree: TreeName): Promise<Side> => {
    const services = await Promise.all(Array.from({ length: instances }, () => serve(trees[tree])));
    started.push(...services);
    const asked = request(trees[tree], `${receiver.url}/webhooks`);
    const requests = requestsTo(generator, services, asked, { connections: CONNECTIONS });
    let isWarm = false;
    return async (seconds) => {
      const before = cpuUsOfPostgres(server.directory);
      const slice = await requests(seconds);
      if (isWarm) databaseUs[tree] += cpuUsOfPostgres(server.directory) - before;
      isWarm = true;
      return slice;
    };
  };
  const slices = await inTurn({ ours: await sideOf('ours'), theirs: await sideOf('theirs') }, SLICES);
  for (const service of started) await service.stop();
  const figures = (tree: TreeName): Figures => ({
    serviceUs: cpuUsOfEach(slices[tree]),
    databaseUs: databaseUs[tree] / sum(slices[tree].map(({ answered }: Slice) => answered)),
    perSecond: rateOf(slices[tree]),
  });
  print(name, figures('ours'), figures('theirs'));
}

function print(name: string, ours: Figures, theirs: Figures): void {
  const column = (unit: string, key: keyof Figures) =>
    `${unit} ${rounded(ours[key])} : ${rounded(theirs[key])} = ${rounded(ours[key] / theirs[key])}`;
  console.log(
    [
      name.padEnd(12),
      column('service us', 'serviceUs').padEnd(36),
      column('database us', 'databaseUs').padEnd(36),
      column('a second', 'perSecond'),
    ].join(' '),
  );
}

/** Webhooks alone, each tree in turn with a backlog of its own. */
async function compareDeliveries(): Promise<void> {
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < DELIVERY_ROUNDS; round++) {
    for (const name of ['ours', 'theirs'] as const) {
      const tree = await filled(name, {
        sessions: BACKLOG,
        delivers: true,
        name: `deliveries_${name}_${round}`,
      });
      await using _service = await serve(tree, { WEBHOOK_CONCURRENCY: '256' });
      await pause(1000);
      rates[name].push(await rateWhile(receiver, pause(DELIVERY_MS)));
    }
  }
  const [ours, theirs] = [median(rates.ours), median(rates.theirs)];
  console.log(`deliveries   a second ${rounded(ours)} : ${rounded(theirs)} = ${rounded(ours / theirs)}`);
}
