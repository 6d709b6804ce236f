/** The turns of documents: who waits, for whom, and what a thread may cost. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createRenderQueue, NobodyWaits, TooManyDocuments } from '../../src/documents/render-queue.ts';
import type { Drawing } from '../../src/documents/render-thread.ts';
import { english } from '../../src/i18n/languages/all.ts';
import { longItems, receiptOf } from './build.ts';

function drawingOf(given: Parameters<typeof receiptOf>[0]): Drawing {
  const { locale, ...facts } = receiptOf(given);
  return { kind: 'receipt', facts, locale: { language: english.id, formatTag: 'en', query: '' } };
}
const short = drawingOf({ items: [], payments: [], refunds: [] });
const long = drawingOf({ items: longItems });

test('a tenant with many long documents leaves a thread to others', async () => {
  const { draw } = createRenderQueue();
  const order: string[] = [];
  const ask = (tenant: string, drawing: Drawing) => draw(tenant, drawing).then(() => void order.push(tenant));
  const asked = [1, 2, 3, 4].map(() => ask('anna', long));
  asked.push(ask('bert', short), ask('carl', short));
  await Promise.all(asked);
  assert.deepEqual(order.slice(-2), ['anna', 'anna']);
});

test('tenants have their turns on one thread too', async () => {
  const { draw } = createRenderQueue({ threads: 1 });
  const order: string[] = [];
  const ask = (tenant: string) => draw(tenant, short).then(() => void order.push(tenant));
  await Promise.all(['anna', 'anna', 'anna', 'bert', 'bert', 'carl'].map(ask));
  assert.deepEqual(order, ['anna', 'bert', 'carl', 'anna', 'bert', 'anna']);
});

suite('the queue', () => {
  test('takes a bounded number of documents, of a tenant and in all, and who waits for most gives way', async () => {
    const { draw } = createRenderQueue({ maxWaiting: 3, maxWaitingOfTenant: 2 });
    const taken = [draw('anna', short)];
    const second = assert.rejects(draw('anna', short), TooManyDocuments);
    await assert.rejects(draw('anna', short), TooManyDocuments);
    taken.push(draw('bert', short), draw('carl', short));
    await second;
    await assert.rejects(draw('dora', short), TooManyDocuments);
    await Promise.all(taken);
    assert.ok((await draw('dora', short)).length > 0);
  });

  test('is left by what nobody wants any more, and its place is free at once', async () => {
    const { draw } = createRenderQueue({ maxWaitingOfTenant: 3 });
    const leaving = new AbortController();
    const first = draw('anna', short);
    const left = Promise.allSettled([1, 2].map(() => draw('anna', short, leaving.signal)));
    await assert.rejects(draw('anna', short), TooManyDocuments);
    leaving.abort();
    const next = draw('anna', short);
    for (const each of await left) {
      assert.ok(each.status === 'rejected' && each.reason instanceof NobodyWaits);
    }
    assert.ok((await first).equals(await next));
  });

  test('finishes what was begun', async () => {
    const { draw } = createRenderQueue();
    await draw('anna', short);
    const leaving = new AbortController();
    const begun = draw('anna', short, leaving.signal);
    const next = draw('anna', short);
    leaving.abort();
    assert.ok((await begun).length > 0);
    assert.ok((await next).length > 0, 'and then those behind it');
  });

  test('gives up a document that takes too long, and goes on with a new thread', async () => {
    const { draw } = createRenderQueue({ threads: 1, jobMs: 1 });
    await assert.rejects(draw('anna', long), /took longer than 1 ms/);
    const again = createRenderQueue({ threads: 1, jobMs: 60_000 });
    assert.ok((await again.draw('anna', short)).length > 0);
  });

  test('survives a thread without memory', async () => {
    const { draw } = createRenderQueue({
      threads: 1,
      memory: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 8 },
    });
    const asked = [draw('anna', long), draw('bert', long)];
    for (const each of asked) await assert.rejects(each);
  });

  test('goes on after an error in a document', async () => {
    const { draw } = createRenderQueue({ threads: 1 });
    const broken = { ...short, facts: { ...short.facts, currency: 'nonsense' } } as Drawing;
    await assert.rejects(draw('anna', broken));
    assert.ok((await draw('anna', short)).length > 0);
  });
});
