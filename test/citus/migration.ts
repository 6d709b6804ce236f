/**
 * Migrations of a distributed database while accounts on all nodes are under load, by a start of a newer version and by
 * steps after that. The older version goes on serving; what was acknowledged is there, once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { startInstance } from '../cluster/cluster.ts';
import { evidence } from '../support/evidence.ts';
import { newerVersion } from '../support/newer-version.ts';
import { freshDirectory } from '../support/process.ts';
import { settle, startStage } from './load.ts';
import { readiness, rounds, TIMEOUT } from './nodes.ts';

/** A further table, and changes of those that each change of a session writes. */
const step = (number: number) => `-- Serves servers from schema 1 on.
CREATE TABLE note_${number} (account bigint NOT NULL, live boolean NOT NULL, id text NOT NULL,
  PRIMARY KEY (account, live, id));
ALTER TABLE event ADD COLUMN place_${number} text NOT NULL DEFAULT 'here';
ALTER TABLE checkout ADD COLUMN place_${number} text NOT NULL DEFAULT 'here';
CREATE INDEX checkout_place_${number} ON checkout (account, live, place_${number});
`;

test('an older version serves while newer ones migrate', TIMEOUT, async (t) => {
  // The newer version has the time of the machine, as both of them have it elsewhere.
  const stage = await startStage(t, { isQuick: false });
  const { url, sql, shops } = stage;
  const next = newerVersion(freshDirectory(t));
  next.migrateBy('postgres', step(0));
  const newer = await startInstance(t, url, {}, { program: next.program });
  const steps = [step(0)];
  let longestMs = 0;
  for (let round = 0; round < rounds; round++) {
    if (round > 0) {
      steps.push(step(round));
      const begunAt = performance.now();
      await prepareDatabase(url, { known: [...migrations, ...steps] });
      longestMs = Math.max(longestMs, performance.now() - begunAt);
    }
    const placed = await sql`
      SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${`note_${round}`}) AND partmethod = 'h'`;
    assert.equal(placed.length, 1);
    for (const shop of shops) await shop.goesOn();
    for (const instance of [stage.instance, newer])
      assert.deepEqual(await readiness({ instance }), { status: 'ok' });
  }
  newer.checkAlive();
  await newer.kill();
  // The check of this version wants its own schema; that the tables have further columns is nothing to it.
  const own = migrations.length;
  await sql`UPDATE schema_version SET version = ${own}, serves_from = ${own}, serves_to = ${own}`;
  evidence(t, 'citus-migration', {
    migrations: rounds,
    longest_migration_ms: Math.round(longestMs),
    ...(await settle(stage)),
  });
});
