/**
 * The dashboard over a million sessions: every screen that an owner opens, with filters that few sessions fit and such that
 * many do; and an export of all sessions, beside fetches.
 */
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { newId, randomText } from '../../src/lib/id.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { changeUser, inviteUser } from '../../test/support/users.ts';
import type { Bench } from '../bench.ts';
import type { Request, Subjects } from '../load/job.ts';
import { newest, subjectAt } from '../load/subjects.ts';
import { CONNECTIONS } from '../pair.ts';
import { cpuUsOf, memoryMbOf } from '../process-figures.ts';
import { startService } from '../processes.ts';
import { fetchOf, headers } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { latencyFigures, peakOf } from './latency.ts';
import { filtersOf, moneyGoals, queriesOf, surveyed, type Timed, timedRequest } from './lists.ts';
import { HOT_SESSIONS } from './throughput.ts';

/** Lines of a first export, by which all that lists keep in memory is there. */
const WARM_UP_LINES = 30_000;
const BASE = '/dashboard/1/test';
/** As long as the secret of a cookie has to be. */
const SECRET_LENGTH = 40;

/** Makes an owner who is signed in; gives the cookie. */
export async function signIn(store: Store): Promise<string> {
  const secret = randomText(SECRET_LENGTH);
  const now = Date.now();
  const { id, link, name } = await inviteUser(store, { email: `${randomText(8)}@example.com` });
  const sgn = newId('sgn', now);
  const of = { address: '127.0.0.1', browser: 'bench' };
  await changeUser(store, id, {
    type: 'accept_link',
    secretHash: link?.hash ?? '',
    name,
    email: `${randomText(8)}@example.com`,
    password: '$argon2id$of nobody',
    signIn: { id: sgn, secretHash: hash('sha256', secret), formToken: hash('sha256', id), ...of },
    now,
  });
  return `__Host-opentill=${id}.${sgn}.${secret}`;
}

const screenOf = (path: string, cookie: string): Request => ({
  method: 'GET',
  path: BASE + path,
  headers: { cookie },
});

/** Screens of all kinds; `id` is a session in the middle. */
async function screensOf(url: string, id: string): Promise<string[]> {
  const answer = await fetch(`${url}/v3/checkout/${id}`, { headers });
  const { data } = (await answer.json()) as { data: { customer: string; created_at: string } };
  const lists = queriesOf(
    Object.fromEntries(Object.entries(filtersOf(data)).map(([name, [value = '']]) => [name, [value]])),
  );
  const day = (offset: number) =>
    new Date(Date.parse(data.created_at) + offset * 86_400_000).toISOString().slice(0, 10);
  const screens = [
    ...['7d', '30d', '90d', '12m'].map((period) => `overview?period=${period}&currency=EUR`),
    'movements',
    'movements?type=refund',
    'movements?currency=USD&late=true',
    `movements?payin=${id}`,
    `reports?from=${day(-100)}&before=${day(100)}`,
    `reports?from=${day(-100)}&before=${day(100)}&currency=EUR&interval=day`,
    'payment-files',
    'bank',
    'bank/statements',
    // Amounts are those of a currency.
    ...lists.map(
      (query) =>
        `sessions?${query.includes('amount') && !query.includes('currency') ? `${query}&invoice_currency=EUR` : query}`,
    ),
    `sessions?after=${id}`,
    'sessions/new',
    `sessions/${id}`,
    `sessions/${id}/items`,
    'people',
    'people?email=ada0@example.com',
    `people/${data.customer}`,
    'webhooks',
    'webhooks?status=failed',
    'log',
    'log?actor=bench',
    `log?subject=${id}`,
    'members',
    'keys',
    'settings',
    'settings/retention?webhook_log_days=4&event_retention_days=5',
  ];
  return screens.map((screen) => `/${screen}`);
}

export async function screensTimed(bench: Bench, url: string, id: string, cookie: string): Promise<Measured> {
  const all: Timed[] = [];
  for (const path of await screensOf(url, id)) {
    all.push(await timedRequest(bench, url, path, screenOf(path, cookie)));
  }
  return surveyed(
    all.sort((a, b) => b.p95Ms - a.p95Ms),
    bench.many,
  );
}

async function screens(bench: Bench): Promise<Measured> {
  const filled = await bench.manySessions();
  const cookie = await signInTo(filled.url);
  await using service = await startService({ DATABASE_URL: filled.url });
  return await screensTimed(bench, service.url, subjectAt(filled.ids, filled.ids.count / 2), cookie);
}

async function signInTo(url: string): Promise<string> {
  const store = openSqliteStore(url.slice('sqlite:'.length));
  const cookie = await signIn(store);
  await store.close();
  return cookie;
}

async function exported(bench: Bench): Promise<Measured> {
  const filled = await bench.manySessions();
  return await exportTimed(bench, filled, await signInTo(filled.url));
}

/** An export of all sessions as CSV: its time, and memory and fetches meanwhile. */
export async function exportTimed(
  bench: Bench,
  filled: { readonly url: string; readonly ids: Subjects },
  cookie: string,
): Promise<Measured> {
  await using service = await startService({ DATABASE_URL: filled.url });
  const { url, pid } = service;
  const atRest = memoryMbOf(pid);
  const request = fetchOf(newest(filled.ids, HOT_SESSIONS));
  const perSecond = (await peakOf(bench, url, request)) / 4;
  const { generator, seconds } = bench;
  const job = { urls: [url], requests: [request], connections: CONNECTIONS, seconds, perSecond };
  const withoutBefore = await generator.run(job);
  // Lists that are asked for again fill the caches of the threads that read: what an export needs by itself comes on top.
  for (let times = 0; times < 2; times++) await linesOf(url, cookie, WARM_UP_LINES);
  await pause(1_000);
  const before = memoryMbOf(pid);
  let highest = before;
  const watching = setInterval(() => {
    highest = Math.max(highest, memoryMbOf(pid));
  }, 100);
  const [startedAt, cpuBefore] = [performance.now(), cpuUsOf(pid)];
  const whole = linesOf(url, cookie, Number.POSITIVE_INFINITY).finally(() => clearInterval(watching));
  const beside = await generator.run(job);
  const lines = await whole;
  const took = performance.now() - startedAt;
  const cpuAfter = cpuUsOf(pid);
  // The quicker of two: a control that something else has slowed would flatter.
  const withoutBehind = await generator.run(job);
  const without = withoutBehind.p99Ms < withoutBefore.p99Ms ? withoutBehind : withoutBefore;
  return {
    figures: {
      p99_ratio: rounded(beside.p99Ms / without.p99Ms),
      memory_rise_mb: rounded(highest - before),
      memory_before_mb: rounded(before),
      memory_at_rest_mb: rounded(atRest),
      export_seconds: rounded(took / 1000),
      sessions_missing: bench.many + 1 - lines,
      service_cpu_seconds: rounded((cpuAfter - cpuBefore) / 1e6),
      ...latencyFigures('', beside),
      ...latencyFigures('without_', without),
      fetches_per_second: rounded(perSecond),
    },
  };
}

/** Reads an export up to a number of lines; gives that of all it has read, the one with the names of the columns too. */
async function linesOf(url: string, cookie: string, most: number): Promise<number> {
  const leaving = new AbortController();
  const { body, status } = await fetch(`${url}${BASE}/sessions.csv`, {
    headers: { cookie },
    signal: leaving.signal,
  });
  if (status !== 200 || body === null) throw new Error(`an export was refused: ${status}`);
  let lines = 0;
  for await (const piece of body) {
    // Looked for in native code: this process shares the machine with what is measured.
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
    if (lines >= most) break;
  }
  leaving.abort();
  return lines;
}

export const exportReach: Row['reach'] = {
  memory_rise_mb: { atMost: 50 },
  p99_ratio: { atMost: 2 },
  sessions_missing: { atMost: 0 },
};

export const dashboardRows: readonly Row[] = [
  {
    name: 'dashboard',
    title: 'Every screen of the dashboard, 1 M sessions (SQLite)',
    ...moneyGoals,
    run: screens,
  },
  {
    name: 'export',
    title:
      'Export of 1 M sessions as CSV: memory beside that of lists, and p99 of fetches beside it over that without (SQLite)',
    reach: exportReach,
    aim: { memory_rise_mb: { atMost: 20 }, p99_ratio: { atMost: 1.2 } },
    run: exported,
  },
];
