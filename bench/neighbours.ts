/**
 * Cost of one caller to the others: another tenant fetches and updates at a steady rate, without and with somebody beside
 * it who asks for all he can. The largest of what is asked for comes from keys of another account, or from nobody.
 *
 *     node bench/neighbours.ts [words]
 *
 * Figures are said as a campaign's; words choose rows. Memory is known on Linux alone.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../test/support/evidence.ts';
import type { Attack } from './neighbours/attack.ts';
import { type Outcome, openLoop } from './neighbours/load.ts';
import { type Running, startService } from './processes.ts';
import { headers } from './requests.ts';

const words = process.argv.slice(2);
const SECONDS = 10;
const OPEN_PATHS = [
  '/docs',
  '/openapi.json',
  '/docs/yaml',
  '/metrics',
  '/readyz',
  '/livez',
  '/transaction/none',
  '/',
];
const SECRET = 'sk_test_bench';
const cli = join(import.meta.dirname, '../bin/opentill.js');

const printed = { diagnostic: (text: string) => console.log(text) };
const round = (value: number) => Math.round(value * 100) / 100;

const directory = mkdtempSync(join(tmpdir(), 'opentill-neighbours-'));
const env = {
  DATABASE_URL: `sqlite:${join(directory, 'bench.db')}`,
  BOOTSTRAP_API_KEY: `ak_test_bench:${SECRET}`,
  RATE_LIMIT: '50000',
};
try {
  for (const [name, measure] of Object.entries({ paths, documents, lists, uploads, unread, slow })) {
    if (words.length === 0 || words.includes(name)) await withService(measure);
  }
} finally {
  rmSync(directory, { recursive: true });
}

type Bench = {
  readonly service: Running;
  readonly ids: readonly string[];
  /** Secret of a key of another account. */
  readonly otherSecret: string;
};

async function withService(measure: (bench: Bench) => Promise<void>): Promise<void> {
  const service = await startService(env);
  const ended = new Promise<void>((resolve) => service.child.once('exit', () => resolve()));
  try {
    const ids: string[] = [];
    for (let count = 0; count < 200; count++) ids.push((await create(service, SECRET)).id);
    const bench = { service, ids, otherSecret: otherSecret() };
    // Warm up: code that is compiled, rows that are read for the first time, and the room that V8 takes for new objects at
    // the first load are not what this measures.
    await victim(bench, 3, 2000);
    await victim(bench);
    await measure(bench);
  } finally {
    service.child.kill('SIGTERM');
    await ended;
  }
}

function otherSecret(): string {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [cli, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' });
  const account = /\b(\d+)\b/.exec(run('accounts', 'create', 'Neighbour'))?.[1] ?? '';
  return /sk_test_\w+/.exec(run('keys', 'create', '--account', account))?.[0] ?? '';
}

async function create(
  { url }: Running,
  secret: string,
  fields: object = { amount: 1000 },
): Promise<{ id: string; url: string }> {
  const { data } = await post(`${url}/v3/checkout`, secret, { invoice_currency: 'EUR', ...fields });
  return data as { id: string; url: string };
}

async function post(url: string, secret: string, body: object): Promise<{ data: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { data: unknown };
}

/** Fetches and updates of a tenant that does no harm. */
function victim({ service, ids }: Bench, seconds = SECONDS, perSecond = 200): Promise<Outcome> {
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
function watchMemory({ child }: Running): () => number {
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

function start(attack: Attack): ChildProcess {
  const attacker = fork(join(import.meta.dirname, 'neighbours/attack.ts'));
  attacker.send(attack);
  return attacker;
}

/** It may have ended by itself, where the service has closed all of its connections. */
async function end(attacker: ChildProcess): Promise<void> {
  if (attacker.exitCode !== null || attacker.signalCode !== null) return;
  const ended = new Promise((resolve) => attacker.once('exit', resolve));
  attacker.kill('SIGKILL');
  await ended;
}

/** Rows beside an attack: the victim's without it, with it, and the memory that it takes. */
async function beside(
  bench: Bench,
  name: string,
  attack: Attack,
  other?: () => Promise<number>,
): Promise<void> {
  const without = await victim(bench);
  const growth = watchMemory(bench.service);
  const attacker = start(attack);
  await pause(500);
  const [during, ownMs] = await Promise.all([victim(bench), other?.()]);
  const memory = growth();
  await end(attacker);
  if (during.failed + during.refused > 0) console.log(`${name}: ${JSON.stringify(during)}`);
  evidence(printed, 'neighbours', {
    [`${name}_p99_ratio`]: round(during.p99Ms / without.p99Ms),
    [`${name}_p99_ms`]: round(during.p99Ms),
    [`${name}_without_p99_ms`]: round(without.p99Ms),
    [`${name}_generator_late_p99_ms`]: round(during.lateP99Ms),
    [`${name}_longest_ms`]: round(during.longestMs),
    [`${name}_refused`]: during.failed + during.refused,
    [`${name}_memory_mib`]: memory,
    ...(ownMs === undefined ? {} : { [`${name}_own_ms`]: Math.round(ownMs) }),
  });
}

async function paths(bench: Bench): Promise<void> {
  const { url } = bench.service;
  for (const path of OPEN_PATHS) {
    const attack: Attack = { kind: 'paths', url, secret: 'none', paths: [path], perSecond: 100 };
    await beside(bench, 'open_routes', attack);
  }
}

/** Receipts as long as they can be, of many sessions; meanwhile the victim waits for one of its own. */
async function documents(bench: Bench): Promise<void> {
  const { service, otherSecret: secret } = bench;
  const items = Array.from({ length: 100 }, (_, index) => ({
    name: `${index} ${'Größe 大小 размер '.repeat(12)}`.slice(0, 200),
    quantity: 1,
    unit_price: 100,
  }));
  const paid = async (of: string, fields: object): Promise<string> => {
    const session = await create(service, of, fields);
    await post(`${service.url}/v3/test_helpers/checkout/${session.id}/pay`, of, {});
    return `${new URL(session.url).pathname}/receipt.pdf`;
  };
  const receipts: string[] = [];
  for (let count = 0; count < 30; count++) receipts.push(await paid(secret, { items }));
  const own = await paid(SECRET, { amount: 100 });
  const attack: Attack = { kind: 'parallel', url: service.url, secret, paths: receipts, count: 15 };
  await beside(bench, 'documents', attack, async () => {
    await pause(1000);
    const startedAt = performance.now();
    for (;;) {
      const answer = await fetch(service.url + own);
      await answer.arrayBuffer();
      if (answer.headers.get('content-type') === 'application/pdf') return performance.now() - startedAt;
      await pause(100);
    }
  });
}

async function lists(bench: Bench): Promise<void> {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 500; count++) await create(service, secret);
  const dear = [
    '/v3/checkout?limit=100',
    '/v3/event?limit=100',
    '/v3/checkout?limit=100&q=ada&status=active',
  ];
  await beside(bench, 'lists', { kind: 'parallel', url: service.url, secret, paths: dear, count: 20 });
}

/** Statements in megabytes, and some that never end; meanwhile the victim sends a small one. */
async function uploads(bench: Bench): Promise<void> {
  const { service, otherSecret: secret } = bench;
  const attack: Attack = { kind: 'uploads', url: service.url, secret, idle: 4, bytes: 16 * 2 ** 20 };
  await beside(bench, 'uploads', attack, async () => {
    await pause(1000);
    const startedAt = performance.now();
    for (;;) {
      const answer = await fetch(`${service.url}/v3/bank_statement`, {
        method: 'POST',
        headers,
        body: '<x/>',
      });
      await answer.arrayBuffer();
      // Refused for what it says, and so read.
      if (answer.status !== 429 && answer.status !== 503) return performance.now() - startedAt;
      await pause(100);
    }
  });
}

/** Requests of one key whose answers nobody reads. */
async function unread(bench: Bench): Promise<void> {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 100; count++) await create(service, secret);
  const path = '/v3/checkout?limit=100';
  await beside(bench, 'unread', { kind: 'unread', url: service.url, secret, path, count: 60, requests: 500 });
}

/** Connections that are slow, broken or do not read: until when they are gone, and how long a stop takes beside them. */
async function slow(bench: Bench): Promise<void> {
  const { service, otherSecret: secret } = bench;
  const count = 2000;
  const growth = watchMemory(service);
  const startedAt = performance.now();
  let attacker = start({ kind: 'slow', url: service.url, secret, count });
  await new Promise<void>((resolve) => {
    const giveUp = setTimeout(resolve, 150_000);
    attacker.on('message', (ended: number) => {
      if (ended < count) return;
      clearTimeout(giveUp);
      resolve();
    });
  });
  const closedMs = performance.now() - startedAt;
  await end(attacker);
  attacker = start({ kind: 'slow', url: service.url, secret, count });
  await pause(2000);
  const stoppedAt = performance.now();
  const ended = new Promise((resolve) => service.child.once('exit', resolve));
  const memory = growth();
  service.child.kill('SIGTERM');
  await ended;
  await end(attacker);
  evidence(printed, 'neighbours', {
    slow_connections: count,
    slow_closed_ms: Math.round(closedMs),
    slow_memory_mib: memory,
    slow_stop_ms: Math.round(performance.now() - stoppedAt),
  });
}
