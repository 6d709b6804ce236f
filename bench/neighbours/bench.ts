/** Parts that programs on neighbours share: a service with a tenant that does no harm, and somebody beside it who does. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence, type Figures, type Table } from '../../test/support/evidence.ts';
import { scaled } from '../../test/support/scale.ts';
import { type Running, startService } from '../processes.ts';
import { median } from '../statistics.ts';
import type { Attack, Counts } from './attack.ts';
import { type Outcome, openLoop } from './load.ts';

/** Duration of each load; a short run has shorter ones. */
const SECONDS = scaled(10);
/**
 * A ratio above that, or below its reciprocal, is measured twice more, behind all others, and the median counts: pauses of
 * the machine, which can come for minutes, are not what a route costs.
 */
const DOUBTFUL_RATIO = 1.5;
const MOST_TRIES = 3;

export const SECRET = 'sk_test_bench';
const cli = join(import.meta.dirname, '../../bin/opentill.js');
const printed = { diagnostic: (text: string) => console.log(text) };
export const round = (value: number): number => Math.round(value * 100) / 100;

export type Bench = {
  readonly service: Running;
  /** Sessions of the tenant that does no harm. */
  readonly ids: readonly string[];
  /** Secret of a key of another account. */
  readonly otherSecret: string;
};

/** A measurement under a name, with what else is to be said of it. */
export type Measured = Beside & { readonly further?: Figures };

/** Measures what is not settled under this name yet. */
export type Take = (name: string, measure: () => Promise<Measured>) => Promise<void>;

export type Row = {
  readonly measure: (bench: Bench, take: Take) => Promise<void>;
  /** Says what counts, by the names. */
  readonly say: (measured: ReadonlyMap<string, Measured>) => void;
};

/** Measures the rows that the words name, or all of them, each time with a service, and on SQLite a database, of its own. */
export async function measureRows(
  rows: Readonly<Record<string, Row>>,
  words: readonly string[],
): Promise<void> {
  let left = Object.entries(rows)
    .filter(([name]) => words.length === 0 || words.includes(name))
    .map(([, row]) => ({ row, tries: new Map<string, Measured[]>() }));
  for (let time = 1; left.length > 0; time++) {
    const doubtful: typeof left = [];
    for (const each of left) {
      const { row, tries } = each;
      await withService((bench) => row.measure(bench, takeInto(tries)));
      if (time < MOST_TRIES && [...tries.values()].some(isDoubtful)) doubtful.push(each);
      else row.say(new Map([...tries].map(([name, tried]) => [name, middleOf(tried)])));
    }
    left = doubtful;
  }
}

const takeInto =
  (tries: Map<string, Measured[]>): Take =>
  async (name, measure) => {
    const tried = tries.get(name);
    if (tried === undefined) tries.set(name, [await measure()]);
    else if (isDoubtful(tried)) tried.push(await measure());
  };

function isDoubtful([first]: readonly Measured[]): boolean {
  const ratio = first === undefined ? 1 : ratioOf(first);
  return ratio > DOUBTFUL_RATIO || ratio < 1 / DOUBTFUL_RATIO;
}

/** The one with the median ratio, and of all the largest of what has a bound of its own: pauses do not explain that. */
function middleOf(tried: readonly Measured[]): Measured {
  const ratio = median(tried.map(ratioOf));
  const middle = tried.find((each) => ratioOf(each) === ratio) as Measured;
  const most = (of: (each: Measured) => number) => Math.max(...tried.map(of));
  return {
    ...middle,
    memoryMib: most(({ memoryMib }) => memoryMib),
    ownMs: middle.ownMs === undefined ? undefined : most(({ ownMs }) => ownMs ?? 0),
    further: Object.fromEntries(
      Object.keys(middle.further ?? {}).map((name) => [name, most(({ further }) => Number(further?.[name]))]),
    ),
  };
}

async function withService(measure: (bench: Bench) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-neighbours-'));
  const env = {
    DATABASE_URL: process.env.DATABASE_URL ?? `sqlite:${join(directory, 'bench.db')}`,
    BOOTSTRAP_API_KEY: `ak_test_bench:${SECRET}`,
    // Limits are those of every installation that sets none: who asks for more is refused, and that has its price too.
    RATE_LIMIT: '',
    ADDRESS_RATE_LIMIT: '',
    ADDRESS_CONNECTION_LIMIT: '',
    STRIPE_SECRET_KEY: 'sk_test_neighbours',
    STRIPE_WEBHOOK_SECRET: 'whsec_neighbours',
  };
  // A first start leaves a file of secrets where it is begun, unless the database is a file itself.
  const home = process.cwd();
  process.chdir(directory);
  const service = await startService(env);
  process.chdir(home);
  const ended = new Promise<void>((resolve) => service.child.once('exit', () => resolve()));
  try {
    const ids: string[] = [];
    for (let count = 0; count < 200; count++) ids.push((await create(service, SECRET)).id);
    const bench = { service, ids, otherSecret: otherSecret(env) };
    // Warm up: code that is compiled, rows that are read for the first time, and the room that V8 takes for new objects at
    // the first load are not what this measures.
    await victim(bench, Math.min(3, SECONDS), 2000);
    await victim(bench);
    await measure(bench);
  } finally {
    service.child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true });
  }
}

function otherSecret(env: Readonly<Record<string, string>>): string {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [cli, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' });
  const account = /\b(\d+)\b/.exec(run('accounts', 'create', 'Neighbour'))?.[1] ?? '';
  return /sk_test_\w+/.exec(run('keys', 'create', '--account', account))?.[0] ?? '';
}

export type Created = { readonly id: string; readonly url: string };

export async function create(
  { url }: Running,
  secret: string,
  fields: object = { amount: 1000 },
): Promise<Created> {
  const { data } = await post(`${url}/v3/checkout`, secret, { invoice_currency: 'EUR', ...fields });
  return data as Created;
}

export const post = (url: string, secret: string, body: object) => send('POST', url, secret, body);

export async function send(
  method: 'POST' | 'PUT',
  url: string,
  secret: string,
  body: object,
): Promise<{ data: unknown }> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { data: unknown };
}

/** A session that is paid; the path of its page. */
export async function paid(service: Running, secret: string, fields: object): Promise<string> {
  const session = await create(service, secret, fields);
  await pay(service, secret, session);
  return new URL(session.url).pathname;
}

export const pay = ({ url }: Running, secret: string, { id }: Created) =>
  post(`${url}/v3/test_helpers/checkout/${id}/pay`, secret, {});

/** Fetches and updates of a tenant that does no harm. */
export function victim({ service, ids }: Bench, seconds = SECONDS, perSecond = 200): Promise<Outcome> {
  return openLoop({
    url: service.url,
    secret: SECRET,
    perSecond,
    seconds,
    next: (count) => {
      const path = `/v3/checkout/${ids[count % ids.length]}`;
      if (count % 5 > 0) return { method: 'GET', path };
      return { method: 'PUT', path, body: JSON.stringify({ metadata: { count } }) };
    },
  });
}

/** Watches how much more memory the service takes than now; the function ends that, and says how much, in MiB. */
export function watchMemory({ child }: Running): () => number {
  const now = () => {
    const text = process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
  };
  const before = now();
  let highest = before;
  const looking = setInterval(() => {
    highest = Math.max(highest, now());
  }, 100);
  return () => {
    clearInterval(looking);
    return Math.round(Math.max(highest, now()) - before);
  };
}

/** An attack under way. */
export type Attacker = {
  readonly child: ChildProcess;
  /** Answers until now. */
  counts(): Promise<Counts>;
  end(): Promise<void>;
};

/** The attack begins when its process is there: others do not wait for that to start. */
export async function start(attack: Attack): Promise<Attacker> {
  const child = fork(join(import.meta.dirname, 'attack.ts'));
  await once(child, 'message');
  child.send(attack);
  return {
    child,
    counts: () =>
      new Promise((resolve) => {
        const look = (told: unknown) => {
          if (typeof told !== 'object' || told === null || !('counts' in told)) return;
          child.off('message', look);
          resolve(told.counts as Counts);
        };
        child.on('message', look);
        child.send('counts');
      }),
    /** The process may have ended by itself, because the service closed all of its connections. */
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until the service has closed all slow connections, or for so long that it will not. */
export function untilEnded({ child }: Attacker, connections: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(resolve, 150_000);
    // Messages that come together have to be counted one by one.
    child.on('message', ({ ended }: { ended?: number }) => {
      if (ended !== connections) return;
      clearTimeout(giveUp);
      resolve();
    });
  });
}

export type Beside = {
  readonly without: Outcome;
  readonly during: Outcome;
  readonly memoryMib: number;
  readonly ownMs?: number | undefined;
  readonly counts: Counts;
};

/** A load of the tenant alone, and another one beside the attack, or beside what `other` waits for. */
export async function measureBeside(
  bench: Bench,
  attack: Attack,
  other?: () => Promise<number>,
): Promise<Beside> {
  const without = await victim(bench);
  const growth = watchMemory(bench.service);
  const attacker = await start(attack);
  await pause(500);
  const [during, ownMs] = await Promise.all([victim(bench), other?.()]);
  const memoryMib = growth();
  const counts = await attacker.counts();
  await attacker.end();
  return { without, during, memoryMib, ownMs, counts };
}

export const ratioOf = ({ during, without }: Beside): number => round(during.p99Ms / without.p99Ms);

export const figuresOf = (name: string, beside: Measured): Figures => ({
  [`${name}_p99_ratio`]: ratioOf(beside),
  [`${name}_p99_ms`]: round(beside.during.p99Ms),
  [`${name}_without_p99_ms`]: round(beside.without.p99Ms),
  [`${name}_generator_late_p99_ms`]: round(beside.during.lateP99Ms),
  [`${name}_longest_ms`]: round(beside.during.longestMs),
  [`${name}_refused`]: beside.during.failed + beside.during.refused,
  [`${name}_memory_mib`]: beside.memoryMib,
  ...(beside.ownMs === undefined ? {} : { [`${name}_own_ms`]: Math.round(beside.ownMs) }),
  ...beside.further,
});

export const say = (campaign: string, figures: Figures, table?: Table): void =>
  evidence(printed, campaign, figures, table);
