/**
 * The rules for statements that hold on one PostgreSQL and on databases in shards, asked of what is really sent: one
 * statement to a message, and no locking SELECT whose result could decide anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectionsTo } from '../../scripts/check-statements.ts';
import { fillByService } from '../cli/db/healthy.ts';
import { freshDatabase } from '../support/postgres.ts';
import { overheard } from '../support/postgres-proxy.ts';

test('the statements of the service keep to the rules, from an empty database on', async (t) => {
  const { url, sent } = await overheard(t, await freshDatabase(t));
  await fillByService(t, url);
  const all = [...sent];
  assert.ok(all.length > 100 && all.some((text) => text.startsWith('CREATE TABLE delivery ')));
  const objections = all.flatMap((text) => objectionsTo(text).map((objection) => `${objection}: ${text}`));
  assert.deepEqual(objections, []);
  assert.ok(all.filter((text) => /\bFOR (NO KEY )?UPDATE\b/.test(text)).length > 3);
});
