/** The service on SQLite, against bare `node:http` that sends the same bytes, or echoes a body of the same size. */
import { join } from 'node:path';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import { measureDeliveries } from './deliveries.ts';
import { fillDatabase } from './fill.ts';
import { measureHanging } from './hanging.ts';
import { HOT_SESSIONS, headers, loads, printHeading, requests, row, SESSIONS } from './measure.ts';
import { startProcess, startService } from './processes.ts';

export async function measureSqlite(directory: string): Promise<void> {
  const path = join(directory, 'bench.db');
  const ids = await fillDatabase(openSqliteStore(path), SESSIONS);
  const hot = ids.slice(-HOT_SESSIONS);
  const { fetch: fetching, update, create } = loads(hot);
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const sample = await fetch(`${service.url}/v3/checkout/${hot[0]}`, { headers });
  const startBare = (...args: string[]) => startProcess([join(import.meta.dirname, 'bare.ts'), ...args]);
  const sending = await startBare(JSON.stringify(Object.fromEntries(sample.headers)), await sample.text());
  const echoing = await startBare(JSON.stringify({ 'content-type': 'application/json; charset=utf-8' }));
  printHeading('SQLite, against bare node:http');
  try {
    for (const [name, reach, load, bare] of [
      ['fetch, 100 k sessions, hot 20 k', 0.7, fetching, sending],
      ['update with items, durable', 0.18, update, echoing],
      ['create, durable', 0.15, create, echoing],
    ] as const) {
      await row(name, reach, requests(service.url, load), requests(bare.url, load));
    }
  } finally {
    for (const each of [service, sending, echoing]) await each.stop();
  }
  const forDeliveries = join(directory, 'deliveries.db');
  await measureDeliveries(async () => openSqliteStore(forDeliveries), `sqlite:${forDeliveries}`);
  let count = 0;
  await measureHanging(async () => `sqlite:${join(directory, `hanging-${count++}.db`)}`);
}
