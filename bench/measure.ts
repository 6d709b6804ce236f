/** Load from many connections, and rows that set two rates of one run beside each other. */
import autocannon from 'autocannon';

/** Enough to keep both busy: what shares a commit is what arrives while the one before is written. */
export const CONNECTIONS = 200;
export const SESSIONS = 100_000;
export const HOT_SESSIONS = 20_000;
export const ROUND_SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

export const key = { id: 'ak_test_bench', secret: 'sk_test_bench' };
const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
export const headers = { authorization, 'content-type': 'application/json' };

export type Load = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Called for each request. */
  readonly next: () => { path: string; body?: string; headers?: Record<string, string> };
};

/** Measures for so many seconds, and resolves with how much was done in one. */
export type Rate = (seconds: number) => Promise<number>;

/** Requests that a connection has in stock, if they need not all be different. */
const STOCK = 100;

/** Requests a second that were answered as they should be; anything else ends the run. */
export function requests(url: string, { method, next }: Load): Rate {
  const request = () => {
    const { path, body, headers: own } = next();
    return { method, path, body: body ?? '', headers: { ...headers, ...own } };
  };
  return async (duration) => {
    const result = await autocannon({
      url,
      connections: CONNECTIONS,
      duration,
      // To make each request when it is sent takes the load generator longer than to send it.
      ...(method === 'GET'
        ? { setupClient: (client) => client.setRequests(Array.from({ length: STOCK }, request)) }
        : { requests: [{ method, setupRequest: (given) => ({ ...given, ...request() }) }] }),
    });
    if (result.non2xx > 0 || result.errors > 0) {
      throw new Error(`${method} ${url}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`);
    }
    return result.requests.average;
  };
}

const COLUMNS = ['ratio', 'reach', 'opentill', 'yardstick'];

export function printHeading(title: string): void {
  console.log([title.padEnd(52), ...COLUMNS.map((column) => column.padStart(10))].join(''));
}

/** Measures both in turn, several times, and prints the ratio of the medians; a first round warms up and does not count. */
export async function row(name: string, reach: number, service: Rate, yardstick: Rate): Promise<void> {
  const rates: { service: number[]; yardstick: number[] } = { service: [], yardstick: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const yardstickRate = await yardstick(ROUND_SECONDS);
    const serviceRate = await service(ROUND_SECONDS);
    if (round === 0) continue;
    rates.yardstick.push(yardstickRate);
    rates.service.push(serviceRate);
  }
  const ratio = median(rates.service) / median(rates.yardstick);
  const figures = [ratio.toFixed(2), reach.toFixed(2), perSecond(rates.service), perSecond(rates.yardstick)];
  console.log([name.padEnd(52), ...figures.map((figure) => figure.padStart(10))].join(''));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function perSecond(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(1)}k/s`;
}

/** The requests that are measured: on sessions drawn at random from `ids`. */
export function loads(ids: readonly string[]): { fetch: Load; update: Load; create: Load } {
  const items = [
    { name: 'Widget', quantity: 2, unit_price: 1250 },
    { name: 'Gadget', quantity: 1, unit_price: 700 },
  ];
  let count = 0;
  const path = () => `/v3/checkout/${ids[Math.floor(Math.random() * ids.length)]}`;
  const idempotencyKey = () => ({ 'idempotency-key': `bench-${process.pid}-${count++}` });
  const update = () =>
    JSON.stringify({ items: items.map((item) => ({ ...item, quantity: 1 + (count++ % 1000) })) });
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
  return {
    fetch: { method: 'GET', next: () => ({ path: path() }) },
    update: { method: 'PUT', next: () => ({ path: path(), body: update(), headers: idempotencyKey() }) },
    create: {
      method: 'POST',
      next: () => ({ path: '/v3/checkout', body: create(), headers: idempotencyKey() }),
    },
  };
}
