/**
 * A service is killed behind every statement of every kind of change, and at every step around it: before the
 * transaction, between COMMIT and the sync of the log, before the answer and behind it, between a webhook and its result,
 * while the log is copied. On PostgreSQL the connections are lost as well, without a kill. Whoever asks again with the same
 * idempotency key finds one effect.
 *
 * OPENTILL_SEED repeats what is drawn where not everything is tried.
 */
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../src/cli/free-port.ts';
import { startReceiver } from '../api/receiver.ts';
import { evidence } from '../support/evidence.ts';
import { isWhole, scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { CREDENTIALS_KEY, NO_STRIPE } from '../support/service.ts';
import { checkAgainst } from './books.ts';
import { createFindings } from './findings.ts';
import { createLoad } from './load.ts';
import { randomFrom } from './random.ts';
import { createCampaign, createTally } from './steps/campaign.ts';
import { everyChange } from './steps/changes.ts';
import { bootstrapAuthorization, bootstrapKey } from './steps/client.ts';
import { steppedPostgres } from './steps/postgres.ts';
import { steppedSqlite } from './steps/sqlite.ts';
import type { Stepped } from './steps/stepped.ts';

const TIMEOUT = { timeout: isWhole ? 5_400_000 : 600_000 };
const CLIENTS = 8;
/** Services that are killed side by side: each waits most of the time for a start, and for leases to run out. */
const LANES = isWhole ? 4 : 1;

/** Addresses in answers have the port, which must not change. */
const settings = async () => ({
  BOOTSTRAP_API_KEY: bootstrapKey,
  LOG_LEVEL: 'fatal',
  CREDENTIALS_KEY,
  STRIPE_API_URL: NO_STRIPE,
  PORT: String(await freePort()),
});

test('on SQLite, killed behind statements', TIMEOUT, async (t) => {
  await killAtSteps(t, async () => steppedSqlite(t, await settings()), scaled(3));
});

test('on PostgreSQL, killed behind statements', TIMEOUT, async (t) => {
  await killAtSteps(t, async () => steppedPostgres(t, await settings(), { kills: true }), scaled(1));
});

test('on PostgreSQL, cut off behind statements', TIMEOUT, async (t) => {
  await killAtSteps(t, async () => steppedPostgres(t, await settings(), { kills: false }), scaled(2));
});

/** All changes at all of their steps, or some of them at one step each. */
async function killAtSteps(t: TestContext, begin: () => Promise<Stepped>, some: number): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const findings = createFindings();
  const tally = createTally();
  const all = everyChange(await startReceiver(t));
  const drawn = all
    .map((change) => ({ change, lot: random.next() }))
    .sort((one, other) => one.lot - other.lot)
    .map(({ change }) => change);
  const waiting = (isWhole ? all : drawn.slice(0, some)).values();
  const most = isWhole ? Number.POSITIVE_INFINITY : 1;

  /** Takes the next change that no other lane has taken, on a database of its own. */
  async function tryInTurn(): Promise<void> {
    const campaign = createCampaign(await begin(), findings, tally);
    await campaign.start();
    for (const change of waiting) await campaign.tryChange(change, { most, random });
  }
  await Promise.all(Array.from({ length: LANES }, tryInTurn));
  const table = { head: ['Change', 'Database', 'Steps', 'Tried'], rows: tally.rows };
  evidence(t, 'kill-steps', { ...tally.all(), ...findings.figures }, table);
  findings.assertNone();
}

/**
 * Steps of the thread that copies the log, by the names of `hook.ts` and the texts of `checkpoint-thread.ts`.
 */
const COPYING = [
  '(before the log is copied)',
  'PRAGMA wal_checkpoint(PASSIVE)',
  '(the copy is on the disk)',
  'BEGIN IMMEDIATE',
  'PRAGMA user_version = 1; COMMIT',
];

test('on SQLite, killed while the log is copied and begun anew', TIMEOUT, async (t) => {
  const random = randomFrom(seed);
  const findings = createFindings();
  const program = join(import.meta.dirname, 'short-log-service.ts');
  const stepped = steppedSqlite(t, await settings(), { program });
  const load = createLoad(random, bootstrapAuthorization, '');
  const places = COPYING.flatMap((step) =>
    Array.from({ length: isWhole ? 5 : 1 }, (_, at) => ({ step, time: at + 1 })),
  );
  const chosen = isWhole ? places : [random.pick(places)];
  let server = await stepped.start();
  for (const [index, place] of chosen.entries()) {
    stepped.order('copying', place);
    await load.hammer(server.url, CLIENTS);
    await server.ended;
    stepped.disarm();
    server = await stepped.start();
    const allSessions = index === chosen.length - 1;
    await checkAgainst(load, { path: stepped.path, url: server.url, allSessions }, findings.report);
  }
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'kill-steps', {
    kills_while_the_log_is_copied: chosen.length,
    acknowledged_changes: acknowledged,
    ...findings.figures,
  });
  findings.assertNone();
});
