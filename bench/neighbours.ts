/**
 * Cost of one caller to the others: another tenant fetches and updates at a steady rate, without and with somebody beside
 * it who asks for all he can. The largest of what is asked for comes from keys of another account, or from nobody.
 *
 *     node bench/neighbours.ts [words]
 *
 * Figures are said as a campaign's; words choose rows, and with a slash, as in `open /docs`, routes of `open`. Memory is
 * known on Linux alone. OPENTILL_TEST_SCALE=0.1 measures for a second each, and few routes. Each row has an SQLite database
 * of its own, or all share the one, empty at first, that DATABASE_URL names.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isShort, scaled } from '../test/support/scale.ts';
import type { Asked, Attack, SlowKind } from './neighbours/attack.ts';
import {
  type Bench,
  create,
  figuresOf,
  type Measured,
  measureBeside,
  measureRows,
  paid,
  pay,
  post,
  type Row,
  ratioOf,
  round,
  SECRET,
  say,
  send,
  start,
  untilEnded,
  victim,
  watchMemory,
} from './neighbours/bench.ts';
import { makeLinks, openRoutes, strangers } from './neighbours/open.ts';
import { headers } from './requests.ts';

const CAMPAIGN = 'neighbours';
const OPEN_PER_SECOND = 100;
const CONNECTIONS = 2000;
const DOCUMENTS = 200;

const words = process.argv.slice(2).filter((word) => !word.includes('/'));
/** Parts of the names of routes, with a slash: only those routes are asked for. */
const routes = process.argv.slice(2).filter((word) => word.includes('/'));

const get = (...paths: readonly string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }));

/** A row that says the figures of each name. */
const row = (measure: Row['measure']): Row => ({
  measure,
  say: (measured) => {
    for (const [name, each] of measured) say(CAMPAIGN, figuresOf(name, each));
  },
});

/** Every route that needs no key, one after the other. */
const open: Row = {
  async measure(bench, take) {
    const { service } = bench;
    const links = await makeLinks(service);
    const all: [string, readonly Asked[]][] = [
      ...Object.entries(openRoutes).map(([name, make]): [string, readonly Asked[]] => [name, make(links)]),
      ...Object.entries(strangers),
    ];
    const chosen = all.filter(([name]) => routes.length === 0 || routes.some((word) => name.includes(word)));
    for (const [name, requests] of chosen.slice(0, scaled(chosen.length))) {
      const attack: Attack = {
        kind: 'rate',
        url: service.url,
        secret: '',
        requests,
        perSecond: OPEN_PER_SECOND,
      };
      await take(name, () => measureBeside(bench, attack));
    }
  },
  say(measured) {
    const rows = [...measured.values()];
    const worst = (of: (beside: Measured) => number) => Math.max(...rows.map(of));
    const refused = rows.map(({ counts }) => counts['429'] ?? 0);
    say(
      CAMPAIGN,
      {
        open_routes: rows.length,
        open_routes_p99_ratio: worst(ratioOf),
        open_routes_p99_ms: round(worst(({ during }) => during.p99Ms)),
        open_routes_longest_ms: round(worst(({ during }) => during.longestMs)),
        open_routes_refused: rows.reduce((sum, { during }) => sum + during.failed + during.refused, 0),
        open_routes_answered_429: refused.reduce((sum, count) => sum + count, 0),
        open_routes_with_429: refused.filter((count) => count > 0).length,
        open_routes_memory_mib: worst(({ memoryMib }) => memoryMib),
      },
      {
        head: ['Without a key, 100 a second', 'Answers', 'p99, ms', 'Without it', 'Ratio', 'Memory, MiB'],
        rows: [...measured].map(([name, beside]) => [
          name,
          Object.entries(beside.counts)
            .map(([status, count]) => `${count} × ${status}`)
            .join(', '),
          beside.during.p99Ms.toFixed(2),
          beside.without.p99Ms.toFixed(2),
          ratioOf(beside).toFixed(2),
          beside.memoryMib,
        ]),
      },
    );
  },
};

const longItems = Array.from({ length: 100 }, (_, index) => ({
  name: `${index} ${'Größe 大小 размер '.repeat(12)}`.slice(0, 200),
  quantity: 1,
  unit_price: 100,
}));

const largeItems = longItems.map((item) => ({ ...item, description: 'x'.repeat(2000) }));

/**
 * Receipts as long as they can be, of more sessions than are drawn meanwhile, so that none is there already; and the
 * victim waits for one of its own.
 */
const documents = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  const receipts: string[] = [];
  for (let count = 0; count < DOCUMENTS; count++)
    receipts.push(`${await paid(service, secret, { items: longItems })}/receipt.pdf`);
  const attack: Attack = {
    kind: 'parallel',
    url: service.url,
    secret,
    requests: get(...receipts),
    count: 15,
  };
  const ownMs = async () => {
    const own = `${await paid(service, SECRET, { amount: 100 })}/receipt.pdf`;
    await pause(1000);
    const startedAt = performance.now();
    for (;;) {
      const answer = await fetch(service.url + own);
      await answer.arrayBuffer();
      if (answer.headers.get('content-type') === 'application/pdf') return performance.now() - startedAt;
      await pause(100);
    }
  };
  await take('documents', () => measureBeside(bench, attack, ownMs));
});

const lists = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 500; count++) await create(service, secret);
  const dear = get(
    '/v3/checkout?limit=100',
    '/v3/event?limit=100',
    '/v3/checkout?limit=100&q=ada&status=active',
  );
  const attack = { kind: 'parallel', url: service.url, secret, requests: dear, count: 20 } as const;
  await take('lists', () => measureBeside(bench, attack));
});

/**
 * Exports of a tenant whose sessions are as large as a request may be: page by page, and as streams of the
 * feed.
 */
const exports = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 100; count++) await create(service, secret, { items: largeItems });
  const dear: Asked[] = [
    ...get('/v3/checkout?limit=100', '/v3/event?limit=100'),
    { method: 'GET', path: '/v3/event?after=0', headers: { accept: 'text/event-stream' } },
  ];
  const attack = { kind: 'parallel', url: service.url, secret, requests: dear, count: 20 } as const;
  await take('exports', () => measureBeside(bench, attack));
});

/** Histories, refunds and pages of such sessions, of which little is shown. */
const histories = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 100; count++) {
    const session = await create(service, secret, { items: largeItems });
    await pay(service, secret, session);
    await post(`${service.url}/v3/refund`, secret, { payin: session.id, amount: 1 });
  }
  const { id, url } = await create(service, secret, { items: largeItems });
  for (let count = 0; count < 100; count++)
    await send('PUT', `${service.url}/v3/checkout/${id}`, secret, { metadata: { count } });
  const dear = get(`/v3/checkout/${id}/timeline?limit=100`, '/v3/refund?limit=100', new URL(url).pathname);
  const attack = { kind: 'parallel', url: service.url, secret, requests: dear, count: 20 } as const;
  await take('histories', () => measureBeside(bench, attack));
});

/** Statements in megabytes, and some that never end; meanwhile the victim sends a small one. */
const uploads = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  const attack: Attack = { kind: 'uploads', url: service.url, secret, idle: 4, bytes: 16 * 2 ** 20 };
  const ownMs = async () => {
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
  };
  await take('uploads', () => measureBeside(bench, attack, ownMs));
});

/** Requests of one key whose answers nobody reads: many over few connections, and few over many. */
const unread = row(async (bench, take) => {
  const { service, otherSecret: secret } = bench;
  for (let count = 0; count < 100; count++) await create(service, secret);
  const attack = { kind: 'unread', url: service.url, secret, path: '/v3/checkout?limit=100' } as const;
  await take('unread', () => measureBeside(bench, { ...attack, count: 60, requests: 500 }));
  await take('unread_many', () => measureBeside(bench, { ...attack, count: CONNECTIONS, requests: 5 }));
});

/** Connections that are slow, broken or do not read: until when they are gone, and how long a stop takes beside them. */
const slow: Row = {
  async measure(bench, take) {
    const { service, otherSecret: secret } = bench;
    const kinds: readonly SlowKind[] = ['silent', 'head', 'body', 'unread'];
    const attack: Attack = { kind: 'slow', url: service.url, secret, count: CONNECTIONS, kinds };
    await take('slow', async () => {
      const without = await victim(bench);
      const refusedBefore = await refusedConnections(bench);
      const growth = watchMemory(service);
      const startedAt = performance.now();
      const attacker = await start(attack);
      const gone = untilEnded(attacker, CONNECTIONS);
      // The opening of so many is a part of it.
      const during = await victim(bench);
      await gone;
      const closedAtOnce = (await refusedConnections(bench)) - refusedBefore;
      const closedMs = Math.round(performance.now() - startedAt);
      await attacker.end();
      const grown = growth();
      const stop = await stopBeside(bench, attack);
      return {
        without,
        during,
        memoryMib: Math.max(grown, stop.memoryMib),
        counts: {},
        further: { slow_closed_at_once: closedAtOnce, slow_closed_ms: closedMs, slow_stop_ms: stop.tookMs },
      };
    });
  },
  say: (measured) => {
    for (const each of measured.values())
      say(CAMPAIGN, { slow_connections: CONNECTIONS, ...figuresOf('slow', each) });
  },
};

/** Time that the service takes to stop beside such connections. */
async function stopBeside({ service }: Bench, attack: Attack) {
  const growth = watchMemory(service);
  const attacker = await start(attack);
  await pause(2000);
  const memoryMib = growth();
  const stoppedAt = performance.now();
  const ended = new Promise((resolve) => service.child.once('exit', resolve));
  service.child.kill('SIGTERM');
  await ended;
  await attacker.end();
  return { memoryMib, tookMs: Math.round(performance.now() - stoppedAt) };
}

/** Connections that were closed as soon as they were opened, because their address had too many. */
async function refusedConnections({ service }: Bench): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^opentill_connections_refused_total (\d+)$/m.exec(text)?.[1]);
}

// Slow connections take half a minute to end, however short the other rows are.
const rows = { open, documents, lists, exports, histories, uploads, unread, ...(isShort ? {} : { slow }) };
await measureRows(rows, words);
