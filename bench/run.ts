/**
 * `npm run bench`: how fast the service is, as ratios to bare `node:http` on this machine in this run. Absolute numbers
 * say more about the machine than about the code. Each row runs both in turn, several times, and takes the medians.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { fillDatabase } from './fill.ts';
import { type Running, startProcess } from './processes.ts';

const SESSIONS = 100_000;
const HOT_SESSIONS = 20_000;
/** Enough to keep both busy: what shares a commit is what arrives while the one before is written. */
const CONNECTIONS = 200;
const ROUND_SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

const key = { id: 'ak_test_bench', secret: 'sk_test_bench' };
const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
const headers = { authorization, 'content-type': 'application/json' };

type Load = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Called for each request. */
  readonly next: () => { path: string; body?: string; headers?: Record<string, string> };
};

/** Requests a second that were answered as they should be; anything else ends the run. */
async function rate(url: string, { method, next }: Load): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: ROUND_SECONDS,
    requests: [
      {
        method,
        setupRequest(request) {
          const { path, body, headers: own } = next();
          return { ...request, path, body: body ?? '', headers: { ...headers, ...own } };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${method} ${url}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
  }
  return result.requests.average;
}

async function row(
  name: string,
  reach: number,
  service: Running,
  bareArguments: readonly string[],
  load: Load,
) {
  const bare = await startProcess([join(import.meta.dirname, 'bare.ts'), ...bareArguments]);
  const rates: { bare: number[]; service: number[] } = { bare: [], service: [] };
  try {
    // A first round of each warms up and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      const bareRate = await rate(bare.url, load);
      const serviceRate = await rate(service.url, load);
      if (round === 0) continue;
      rates.bare.push(bareRate);
      rates.service.push(serviceRate);
    }
  } finally {
    await bare.stop();
  }
  const ratio = median(rates.service) / median(rates.bare);
  const figures = [ratio.toFixed(2), reach.toFixed(2), perSecond(rates.service), perSecond(rates.bare)];
  console.log([name.padEnd(44), ...figures.map((figure) => figure.padStart(10))].join(''));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function perSecond(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(1)}k/s`;
}

const directory = mkdtempSync(join(tmpdir(), 'opentill-bench-'));
try {
  const path = join(directory, 'bench.db');
  console.log(`${CONNECTIONS} connections; filling a database with ${SESSIONS} sessions …`);
  const ids = await fillDatabase(path, key, SESSIONS);
  const service = await startProcess([join(import.meta.dirname, '../bin/opentill.js'), 'serve'], {
    DATABASE_URL: `sqlite:${path}`,
    PORT: '0',
    BOOTSTRAP_API_KEY: `${key.id}:${key.secret}`,
    RATE_LIMIT: '0',
    // The rows of deliveries are written; sending them is another thing to measure.
    WEBHOOK_CONCURRENCY: '0',
  });
  const hot = ids.slice(-HOT_SESSIONS);
  const anyOf = (list: readonly string[]) => list[Math.floor(Math.random() * list.length)] ?? '';
  const sample = await fetch(`${service.url}/v3/checkout/${anyOf(hot)}`, { headers });
  const sameBytes = [JSON.stringify(Object.fromEntries(sample.headers)), await sample.text()];

  const items = [
    { name: 'Widget', quantity: 2, unit_price: 1250 },
    { name: 'Gadget', quantity: 1, unit_price: 700 },
  ];
  let count = 0;
  const update = () =>
    JSON.stringify({ items: items.map((item) => ({ ...item, quantity: 1 + (count++ % 1000) })) });
  const idempotencyKey = () => ({ 'idempotency-key': `bench-${process.pid}-${count++}` });
  const create = () =>
    JSON.stringify({
      invoice_currency: 'EUR',
      items,
      customer_details: { name: 'Ada Lovelace', email: `ada${count % 1000}@example.com`, country: 'GB' },
      success_url: 'https://shop.example.com/thanks',
      cancel_url: 'https://shop.example.com/cart',
      webhook_url: 'https://shop.example.com/webhooks',
      reference_id: `order-${count++}`,
      metadata: { order_id: `A-${count}` },
    });

  console.log(
    ['row'.padEnd(44), 'ratio', 'reach', 'opentill', 'bare']
      .map((each, i) => (i ? each.padStart(10) : each))
      .join(''),
  );
  try {
    const sameHeaders = JSON.stringify({ 'content-type': 'application/json; charset=utf-8' });
    await row('fetch, 100 k sessions, hot 20 k', 0.7, service, sameBytes, {
      method: 'GET',
      next: () => ({ path: `/v3/checkout/${anyOf(hot)}` }),
    });
    await row('update with items, durable', 0.18, service, [sameHeaders], {
      method: 'PUT',
      next: () => ({ path: `/v3/checkout/${anyOf(hot)}`, body: update(), headers: idempotencyKey() }),
    });
    await row('create, durable', 0.15, service, [sameHeaders], {
      method: 'POST',
      next: () => ({ path: '/v3/checkout', body: create(), headers: idempotencyKey() }),
    });
  } finally {
    await service.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
