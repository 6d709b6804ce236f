/** A hundred endpoints of which one hangs: how long events take to the others, against a run in which none does. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { headers } from './measure.ts';
import { startProcess, startService } from './processes.ts';

const ENDPOINTS = 100;
const EVENTS_PER_SECOND = 8;
const WARM_UP_SECONDS = 3;
/** Longer than a delivery may take, so that the one that hangs goes through all it can do. */
const SECONDS = 25;
/** Times the run without it. */
const REACH = 1.5;

export async function measureHanging(newDatabase: () => Promise<string>): Promise<void> {
  const without = await delays(await newDatabase(), false);
  const beside = await delays(await newDatabase(), true);
  const ratio = beside.p99Ms / without.p99Ms;
  console.log(
    `${ENDPOINTS - 1} endpoints beside one that hangs: 99 % within ${beside.p99Ms} ms, ${ratio.toFixed(2)} times ` +
      `the ${without.p99Ms} ms without it (reach ${REACH.toFixed(2)}); half within ${beside.medianMs} and ${without.medianMs} ms`,
  );
}

type Delays = { readonly medianMs: number; readonly p99Ms: number };

async function delays(databaseUrl: string, hanging: boolean): Promise<Delays> {
  const receiver = await startProcess([join(import.meta.dirname, 'receiver.ts')]);
  const service = await startService({
    DATABASE_URL: databaseUrl,
    WEBHOOK_CONCURRENCY: '256',
    BOOTSTRAP_API_KEY: 'ak_test_bench:sk_test_bench',
  });
  try {
    const post = async (path: string, body: object) => {
      const response = await fetch(service.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    };
    for (let i = 0; i < ENDPOINTS; i++) {
      const path = hanging && i === 0 ? '/hanging' : `/${i}`;
      await post('/v3/webhook_endpoint', { url: receiver.url + path });
    }
    const makeEvents = async (seconds: number) => {
      for (let i = 0; i < seconds * EVENTS_PER_SECOND; i++) {
        await post('/v3/checkout', { invoice_currency: 'EUR', amount: 1000 });
        await pause(1000 / EVENTS_PER_SECOND);
      }
    };
    const read = async () => (await (await fetch(receiver.url)).json()) as Delays;
    await makeEvents(WARM_UP_SECONDS);
    await read();
    await makeEvents(SECONDS);
    return await read();
  } finally {
    await service.stop();
    await receiver.stop();
  }
}
