/**
 * The rules for statements that hold on one PostgreSQL and on databases in shards, asked of what is really sent: one
 * statement to a message, and no locking SELECT whose result could decide anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillByService } from '../cli/db/healthy.ts';
import { freshDatabase } from '../support/postgres.ts';
import { proxied } from '../support/postgres-proxy.ts';

const QUERY = 'Q';
const PARSE = 'P';

/** The text of a message that has one. */
function textIn(message: Buffer): string | null {
  const kind = String.fromCharCode(message[0] ?? 0);
  if (kind === QUERY) return message.toString('utf8', 5, message.length - 1);
  if (kind !== PARSE) return null;
  const from = message.indexOf(0, 5) + 1;
  return message.toString('utf8', from, message.indexOf(0, from));
}

test('what the service sends, from an empty database on, keeps to the rules', async (t) => {
  const sent = new Set<string>();
  const url = await freshDatabase(t);
  const watched = await proxied(t, url, (message) => {
    const text = textIn(message);
    if (text !== null) sent.add(text.trim());
    return message;
  });
  await fillByService(t, watched);
  const all = [...sent];
  assert.ok(all.length > 100 && all.some((text) => text.startsWith('CREATE TABLE delivery ')));
  const withoutTexts = (text: string) => text.replaceAll(/'[^']*'/g, '').replaceAll(/--.*/g, '');
  const blocks = all.filter((text) => /;\s*\S/.test(withoutTexts(text)));
  assert.deepEqual(blocks, []);
  const locking = all.filter((text) => /\bFOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/.test(text));
  assert.ok(locking.length > 3);
  // What is claimed is locked and written by one statement, which asks once more whether it is free.
  const deciding = locking.filter((text) => !/^SELECT 1 FROM /.test(text) && !/ SKIP LOCKED/.test(text));
  assert.deepEqual(deciding, []);
  const unwanted = /\b(LOCK TABLE|pg_advisory|SAVEPOINT|CREATE TEMP|RENAME CONSTRAINT|CREATE TRIGGER)/i;
  assert.deepEqual(
    all.filter((text) => unwanted.test(text)),
    [],
  );
});
