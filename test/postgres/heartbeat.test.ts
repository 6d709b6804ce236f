/** The heartbeat: whose silence it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startHeartbeat } from '../../src/store/postgres/heartbeat.ts';
import { migratedDatabase } from '../support/postgres.ts';

const SILENT_AFTER_MS = 100;

test('a server is not silent because this process stood still', async (t) => {
  let silences = 0;
  const onSilence = () => {
    silences++;
  };
  const url = await migratedDatabase(t);
  const options = { askEveryMs: 0, silentAfterMs: SILENT_AFTER_MS };
  const heartbeat = startHeartbeat(url, { onSilence, onTrouble: () => {} }, options);
  t.after(() => heartbeat.stop());
  await heartbeat.lookAtSchema();
  for (let times = 0; times < 20; times++) {
    await pause(20 + (times % 4) / 2);
    const until = performance.now() + 2 * SILENT_AFTER_MS;
    while (performance.now() < until);
  }
  await pause(20);
  assert.equal(silences, 0);
  assert.equal(heartbeat.trouble(), null);
});
