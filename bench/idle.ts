/**
 * Cost of a service that has nothing to do, by the number of its accounts: processor time of an idle second, and the time
 * from when a session is due until it has ended. `node bench/idle.ts [accounts …]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../src/accounts/account.ts';
import type { Tenant } from '../src/checkout/tenant.ts';
import { openPostgresStore } from '../src/store/postgres/store.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { session, write } from '../test/store/build.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { cpuUsOf, cpuUsOfPostgres } from './process-figures.ts';
import { startService } from './processes.ts';
import { median, rounded } from './statistics.ts';

/** A start takes no longer, on a machine with other work. */
const START_MS = 10_000;
/** What comes with the start is over by then. */
const REST_MS = 5_000;
/** What comes once a minute is in it. */
const IDLE_MS = 60_000;
/** Sessions that end, one every so often. */
const [ENDING, EVERY_MS] = [40, 130];
const HOUR = 3_600_000;

const given = process.argv.slice(2).map(Number);
const directory = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
try {
  for (const accounts of given.length > 0 ? given : [1, 50, 1000]) {
    const path = join(directory, `${accounts}.db`);
    await measure(`SQLite, ${accounts} accounts`, `sqlite:${path}`, accounts, {
      open: async () => openSqliteStore(path),
    });
    const server = await startPostgres();
    try {
      await measure(`PostgreSQL, ${accounts} accounts`, server.url, accounts, {
        open: () => openPostgresStore(server.url),
        cpuUs: () => cpuUsOfPostgres(server.directory),
      });
    } finally {
      await server.remove();
    }
  }
} finally {
  await rm(directory, { recursive: true });
}

type Database = { readonly open: () => Promise<Store>; readonly cpuUs?: () => number };

async function measure(
  name: string,
  url: string,
  accounts: number,
  { open, cpuUs }: Database,
): Promise<void> {
  const tenants: Tenant[] = [];
  const filled = await open();
  for (let number = 0; number < accounts; number++) {
    const { number: account } = await createAccount(filled, `shop ${number}`, Date.now());
    tenants.push({ account, mode: 'test' });
  }
  const endsAt = (tenant: Tenant, expiresAt: number) => {
    const checkout = session(tenant, { createdAt: Date.now(), eventCount: 0, expiresAt });
    return write(filled, tenant, { checkout: { before: null, after: checkout } });
  };
  await Promise.all(tenants.map((tenant) => endsAt(tenant, Date.now() + HOUR)));
  const firstEnd = Date.now() + REST_MS + IDLE_MS + START_MS;
  const ends = Array.from({ length: ENDING }, (_, index) => firstEnd + index * EVERY_MS);
  const ending = ends.map((at, index) => ({ tenant: tenants[index % accounts] as Tenant, at }));
  await Promise.all(ending.map(({ tenant, at }) => endsAt(tenant, at)));
  await filled.close();

  {
    await using service = await startService({ DATABASE_URL: url, WEBHOOK_CONCURRENCY: '64' });
    await pause(REST_MS);
    const before = [cpuUsOf(service.pid), cpuUs?.() ?? 0] as const;
    await pause(IDLE_MS);
    const [ours, databases] = [cpuUsOf(service.pid) - before[0], (cpuUs?.() ?? 0) - before[1]];
    const perSecond = (us: number) => `${rounded(us / IDLE_MS)} ms`;
    console.log(`${name}: ${perSecond(ours)} of a second, ${perSecond(databases)} of the database`);
    await pause(Math.max(0, (ends.at(-1) ?? 0) + 2_000 - Date.now()));
  }

  const read = await open();
  const delays: number[] = [];
  for (const tenant of new Set(ending.map((each) => each.tenant))) {
    const { rows } = await read.events.list(tenant, {}, 0, 500);
    for (const { type, createdAt, body } of rows) {
      if (type === 'checkout.expired') delays.push(createdAt - Date.parse(JSON.parse(body).data.expires_at));
    }
  }
  await read.close();
  const [typical, most] = [median(delays), Math.max(...delays)];
  console.log(
    `  ${delays.length} of ${ENDING} have ended, ${typical} ms behind their time (median), ${most} ms at most`,
  );
}
