/** The document cache: each waiting request gets its document, cached or not, and within bounds. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createDocumentCache } from '../../src/documents/document-cache.ts';
import { NobodyWaits, TooManyDocuments } from '../../src/documents/render-queue.ts';

const staying = new AbortController().signal;

/** Documents that are made when the test says so. */
function workshop() {
  const made: string[] = [];
  const finish = new Map<string, () => void>();
  const make = (key: string, size = 10, owner = 'anna') => ({
    key,
    owner,
    make: (unwanted: AbortSignal) =>
      new Promise<Buffer>((resolve, reject) => {
        unwanted.addEventListener('abort', () => reject(new NobodyWaits()));
        finish.set(key, () => {
          made.push(key);
          resolve(Buffer.alloc(size, key));
        });
      }),
  });
  return { made, make, finish: (key: string) => finish.get(key)?.() };
}

suite('the documentCache', () => {
  test('answers all who wait, although it cannot keep what they wait for', async () => {
    const documentCache = createDocumentCache({ maxBytes: 100, maxOfOwner: 2 });
    const { make, finish } = workshop();
    const keys = Array.from({ length: 12 }, (_, index) => `${index}`);
    const asked = keys.map((key) => documentCache.get(make(key, key === '5' ? 1_000 : 60, key), staying));
    for (const key of keys) {
      finish(key);
      await asked[Number(key)];
    }
    const lengths = (await Promise.all(asked)).map(({ length }) => length);
    assert.deepEqual(lengths, [60, 60, 60, 60, 60, 1_000, 60, 60, 60, 60, 60, 60]);
  });

  test('has each document made once for all who ask, at the same time and later', async () => {
    const documentCache = createDocumentCache({ maxBytes: 100, maxOfOwner: 2 });
    const { made, make, finish } = workshop();
    const asked = [documentCache.get(make('a'), staying), documentCache.get(make('a'), staying)];
    finish('a');
    await Promise.all(asked);
    await documentCache.get(make('a'), staying);
    assert.deepEqual(made, ['a']);
  });

  test('refuses a third document of one owner while two are under way', async () => {
    const documentCache = createDocumentCache({ maxBytes: 100, maxOfOwner: 2 });
    const { make, finish } = workshop();
    const asked = [documentCache.get(make('a'), staying), documentCache.get(make('b'), staying)];
    await assert.rejects(documentCache.get(make('c'), staying), TooManyDocuments);
    const again = documentCache.get(make('a'), staying);
    const other = documentCache.get(make('d', 10, 'bert'), staying);
    for (const key of ['a', 'd']) finish(key);
    await Promise.all([asked[0], again, other]);
    const third = documentCache.get(make('c'), staying);
    for (const key of ['b', 'c']) finish(key);
    await Promise.all([asked[1], third]);
  });

  test('gives up a document when its last reader has gone, and not before', async () => {
    const documentCache = createDocumentCache({ maxBytes: 100, maxOfOwner: 1 });
    const { made, make, finish } = workshop();
    const [one, two] = [new AbortController(), new AbortController()];
    const asked = [documentCache.get(make('a'), one.signal), documentCache.get(make('a'), two.signal)];
    one.abort();
    await assert.rejects(
      documentCache.get(make('b'), staying),
      TooManyDocuments,
      'somebody still waits for the first',
    );
    two.abort();
    // Comes before anybody has heard that the document was given up.
    const late = documentCache.get(make('a'), staying);
    for (const each of asked) await assert.rejects(each, NobodyWaits);
    finish('a');
    assert.equal((await late).length, 10);
    assert.deepEqual(made, ['a']);
    await assert.rejects(documentCache.get(make('b'), one.signal), NobodyWaits);
  });

  test('lets a document fail for all who wait, and be made anew for who comes later', async () => {
    const documentCache = createDocumentCache({ maxBytes: 100, maxOfOwner: 1 });
    const broken = { key: 'a', owner: 'anna', make: () => Promise.reject(new Error('no ink')) };
    const asked = [documentCache.get(broken, staying), documentCache.get(broken, staying)];
    for (const each of asked) await assert.rejects(each, /no ink/);
    const { make, finish } = workshop();
    const again = documentCache.get(make('a'), staying);
    finish('a');
    assert.equal((await again).length, 10);
  });
});
