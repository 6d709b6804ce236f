/**
 * Statements of banks: how long a large file takes until each entry has found its place, and how much memory. One entry in
 * a hundred names a session. `node bench/statements.ts [entries on SQLite] [entries on PostgreSQL]`.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { defaultSettings } from '../src/accounts/settings.ts';
import type { CheckoutId } from '../src/checkout/ids.ts';
import { createSerializer } from '../src/checkout/serializer.ts';
import { partsOf } from '../src/ingest/read.ts';
import { ingestStatement } from '../src/ingest/statement.ts';
import { newId, randomText } from '../src/lib/id.ts';
import { readReceivingAccount } from '../src/methods/bank/receiving-account-schema.ts';
import { newReference } from '../src/methods/bank/references.ts';
import { openPostgresStore } from '../src/store/postgres/store.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { createWriter } from '../src/writer/writer.ts';
import { generateCamt } from '../test/statements/generate.ts';
import { configureAccount } from '../test/support/configure.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { fillDatabase } from './fill.ts';

const [onSqlite = 100_000, onPostgres = 10_000] = process.argv.slice(2).map(Number);
/** Share of entries that match a session: one in so many. */
const MATCHING = 100;
const IBAN = 'DE02120300000000202051';
const holder = { name: 'Bench', country: 'DE' };
const read = readReceivingAccount({ id: 'eur', currency: 'EUR', iban: IBAN, bic: 'BYLADEM1001', holder });
if ('problems' in read) throw new Error(JSON.stringify(read.problems));
const { account: receivingAccount } = read;

const directory = await mkdtemp(join(tmpdir(), 'opentill-bench-'));
try {
  const path = join(directory, 'bench.db');
  await measure('SQLite', async () => openSqliteStore(path), onSqlite);
  const server = await startPostgres({ durable: true });
  try {
    await measure('PostgreSQL', () => openPostgresStore(server.url), onPostgres);
  } finally {
    await server.remove();
  }
} finally {
  await rm(directory, { recursive: true });
}

async function measure(name: string, open: () => Promise<Store>, entries: number): Promise<void> {
  const ids: CheckoutId[] = [];
  const sessions = Math.ceil(entries / MATCHING);
  await fillDatabase(await open(), { sessions, onSession: (id) => ids.push(id) });
  const store = await open();
  const [account] = await store.accounts.list();
  if (!account) throw new Error('there is no account');
  const tenant = { account: account.number, mode: 'test' } as const;
  await configureAccount(store, tenant, { ...defaultSettings, receivingAccounts: [receivingAccount] });
  const execute = createWriter({
    store,
    serializer: createSerializer('https://pay.example.com'),
    realNow: Date.now,
  });
  const origin = { tenant, actor: 'bench', requestId: '', idempotency: null };
  const references = await Promise.all(
    ids.map(async (id: CheckoutId) => {
      const reference = newReference('RF', randomText);
      const amount = (await store.checkouts.fetch(tenant, id))?.amount ?? 0;
      await execute({
        subject: 'checkout',
        origin,
        id,
        command: {
          type: 'start_attempt',
          now: Date.now(),
          attemptId: newId('pat', Date.now()),
          rail: 'bank',
          reference,
          method: 'wire_transfer',
          expectedAmount: amount,
          status: 'requires_action',
          syncAt: null,
          traits: { standing: true },
          details: {},
        },
      });
      return { creditorReference: reference, amount, direction: 'credit' as const };
    }),
  );
  const file = join(directory, `${name}.xml`);
  const entry = (index: number) => (index % MATCHING === 0 ? (references[index / MATCHING] ?? {}) : {});
  await pipeline(Readable.from(generateCamt({ entries, entry })), createWriteStream(file));
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  const copy = { hash: hash.digest('hex'), path: file, bytes: statSync(file).size };
  const source = { name, hash: copy.hash, read: () => partsOf(copy, null) };

  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 100);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  const take = () => ingestStatement({ store, execute }, origin, source, Date.now());
  const { result } = await take();
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(sampling);
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  console.log(`${name}, ${entries} entries, ${ids.length} of them for sessions`);
  console.log(`  ${seconds.toFixed(1)} s, ${Math.round(entries / seconds)} entries/s`);
  console.log(`  memory ${megabytes(before)} before, ${megabytes(peak)} at most`);
  console.log(
    `  others wait ${Math.round(delay.max / 1e6)} ms at most, ${Math.round(delay.percentile(99) / 1e6)} ms (p99)`,
  );
  console.log(
    `  ${'value' in result ? JSON.stringify(result.value.data).replace(/.*("entries")/, '{$1') : result.kind}`,
  );
  await store.close();
}
