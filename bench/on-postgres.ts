/**
 * The service on PostgreSQL, which runs on this machine too and takes its share of it: against the driver alone, and
 * against the same service with a transaction for each request.
 */
import postgres from 'postgres';
import { openPostgresStore } from '../src/store/postgres/store.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { measureDeliveries } from './deliveries.ts';
import { fillDatabase } from './fill.ts';
import { measureHanging } from './hanging.ts';
import {
  CONNECTIONS,
  HOT_SESSIONS,
  loads,
  printHeading,
  type Rate,
  requests,
  row,
  SESSIONS,
} from './measure.ts';
import { startService } from './processes.ts';

export async function measurePostgres(): Promise<void> {
  const server = await startPostgres({ durable: true });
  try {
    const ids = await fillDatabase(await openPostgresStore(server.url), SESSIONS);
    const hot = ids.slice(-HOT_SESSIONS);
    const { fetch, update, create } = loads(hot);
    const service = await startService({ DATABASE_URL: server.url });
    const one = await startService({ DATABASE_URL: server.url }, 'one-by-one.ts');
    printHeading('PostgreSQL');
    try {
      await row(
        'fetch, against the driver doing the same select',
        0.4,
        requests(service.url, fetch),
        selects(server.url, hot),
      );
      for (const [name, load] of [
        ['update with items, against one by one', update],
        ['create, against one by one', create],
      ] as const) {
        await row(name, 2, requests(service.url, load), requests(one.url, load));
      }
    } finally {
      await service.stop();
      await one.stop();
    }
    const forDeliveries = await newDatabase(server.url, 'deliveries');
    await measureDeliveries(() => openPostgresStore(forDeliveries), forDeliveries);
    let count = 0;
    await measureHanging(() => newDatabase(server.url, `hanging_${count++}`));
  } finally {
    await server.remove();
  }
}

async function newDatabase(url: string, name: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/**
 * The driver alone on one connection, as the service has one for this; with as many questions under way as there are
 * connections in the other rows.
 */
function selects(url: string, ids: readonly string[]): Rate {
  return async (seconds) => {
    const sql = postgres(url, { max: 1, fetch_types: false });
    const until = performance.now() + seconds * 1000;
    let count = 0;
    const asking = async () => {
      while (performance.now() < until) {
        const id = ids[Math.floor(Math.random() * ids.length)] ?? '';
        await sql`SELECT id, version, event_count, data FROM checkout WHERE account = 1 AND live = false AND id = ${id}`;
        count++;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, asking));
    await sql.end();
    return count / seconds;
  };
}
