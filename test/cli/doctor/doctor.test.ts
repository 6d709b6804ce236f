/** `doctor` as a whole: an installation that is as it should be is found to be so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../../support/clean-up.ts';
import { migratedDatabase } from '../../support/postgres.ts';
import { freshDirectory, runToEnd, serve, welcomeOf } from '../../support/process.ts';
import { examined, found, wrongIn } from './findings.ts';

test('doctor finds nothing wrong with a service that has just been started', async () => {
  await using t = cleanUp();
  const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
  const server = await serve(t, { DATABASE_URL });
  await welcomeOf(server);
  const settings = { DATABASE_URL, PORT: String(server.port) };
  const findings = await examined(t, settings);
  assert.deepEqual(wrongIn(findings), []);
  assert.deepEqual(
    [...new Set(findings.map(({ area }) => area))],
    ['settings', 'files', 'database', 'addresses', 'clock', 'receivers', 'rails'],
  );
  found(findings, 'addresses', new RegExp(`^The service answers at ${server.url}\\.$`));
  found(findings, 'addresses', new RegExp(`^${server.url} leads to the service\\.$`));
  assert.ok(!findings.some(({ text }) => text.includes('/metrics')), 'only this machine sees them');
  assert.equal(found(findings, 'files', /first start/).status, 'advice');
  assert.equal(found(findings, 'rails', /cannot be paid in live mode/).status, 'advice');

  const { stdout } = await runToEnd(t, ['doctor'], settings);
  assert.match(stdout, /^✓ settings: All settings can be read\.$/m);
  assert.match(
    stdout,
    /^! rails: Account 1 \(My shop\) cannot be paid in live mode\.\n {4}Create a receiving account \(opentill bank account set --account 1 --live\), or set the keys of Stripe\.$/m,
  );
  assert.match(stdout, /\n\d+ good, \d+ with advice, 0 wrong\.\n$/);
});

test('doctor finds a database on PostgreSQL as it should be', async () => {
  await using t = cleanUp();
  const url = await migratedDatabase(t);
  const findings = await examined(t, { DATABASE_URL: url });
  assert.deepEqual(wrongIn(findings), []);
  found(findings, 'database', /is reachable: PostgreSQL/);
  found(findings, 'clock', /is not behind the newest event/);
  found(findings, 'receivers', /^No webhook endpoints/);
});
