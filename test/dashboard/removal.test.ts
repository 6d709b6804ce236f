/** Removing what another process has changed or removed a moment ago, of which this one hears a little later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRefusal } from '../../src/dashboard/api.ts';
import { removeSeen, STALE } from '../../src/dashboard/save.ts';

const stale: ApiRefusal = { ok: false, status: STALE, mistakes: [] };
const gone: ApiRefusal = { ok: false, status: 404, mistakes: [] };
const at = (etag: string) =>
  ({ ok: true, data: { type: 'application/json', etag, bytes: Buffer.alloc(0) } }) as const;

/** What becomes of the removal of version "1", and how often it was looked at; the last answer is given from then on. */
async function removal(...answers: ReadonlyArray<ApiRefusal | ReturnType<typeof at>>) {
  let looks = 0;
  const api = {
    send: async () => stale,
    file: async () => answers[Math.min(looks++, answers.length - 1)] ?? gone,
  };
  return { removed: await removeSeen(api, '/v3/logo', { version: '"1"' }), looks };
}

test('what is gone by the time that this process hears of it was removed before', async () => {
  assert.deepEqual(await removal(at('"1"'), at('"1"'), gone), {
    removed: { ok: true, isChanged: false },
    looks: 3,
  });
});

test('what has changed is told as soon as this process hears of it', async () => {
  assert.deepEqual(await removal(at('"1"'), at('"2"'), gone), { removed: stale, looks: 2 });
  assert.deepEqual(await removal(at('"2"'), gone), { removed: stale, looks: 1 });
});

test('a process that hears of nothing is not waited for without end', async () => {
  const { removed, looks } = await removal(at('"1"'));
  assert.deepEqual(removed, stale);
  assert.ok(looks > 1 && looks < 10, String(looks));
});
