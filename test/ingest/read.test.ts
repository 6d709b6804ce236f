/** Copies of statements: large ones are read in a thread, with the same result. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { CopyFailed } from '../../src/ingest/copy.ts';
import { partsOf, SMALL_BYTES } from '../../src/ingest/read.ts';
import { StatementError } from '../../src/statements/entry.ts';
import { readStatement } from '../../src/statements/read.ts';
import { generateCamt } from '../statements/generate.ts';
import { freshDirectory } from '../support/process.ts';

async function copyOf(t: TestContext, entries: number, change = (content: string) => content) {
  const content = change((await Array.fromAsync(generateCamt({ entries }))).join(''));
  const path = join(freshDirectory(t), 'content');
  writeFileSync(path, content);
  return { content, copy: { hash: '', path, bytes: Buffer.byteLength(content) } };
}

suite('a large statement', () => {
  test('has the same parts as one that is read at once', async (t) => {
    const { content, copy } = await copyOf(t, 1_000);
    assert.ok(copy.bytes > SMALL_BYTES);
    const parts = await Array.fromAsync(partsOf(copy, null));
    assert.deepEqual(parts, await Array.fromAsync(readStatement(Readable.from([Buffer.from(content)]))));
    assert.equal(parts.length, 1_001);
  });

  test('has one header for all entries of a statement, by which equal ones are numbered', async (t) => {
    const { copy } = await copyOf(t, 1_000);
    const parts = await Array.fromAsync(partsOf(copy, null));
    const headers = parts.map((part) => (part.kind === 'fault' ? assert.fail() : part.header));
    assert.equal(new Set(headers).size, 1);
  });

  test('says what is wrong, and where, behind the parts before it', async (t) => {
    const { content, copy } = await copyOf(t, 950, (whole) =>
      whole.slice(0, whole.lastIndexOf('<Amt Ccy')).concat('<Amt Ccy="EUR">1,2,3</Amt>'),
    );
    const errorOf = async (parts: AsyncIterable<unknown>) => {
      let count = 0;
      try {
        for await (const _ of parts) count++;
      } catch (error) {
        assert.ok(error instanceof StatementError);
        const { message, detail, line, entry } = error;
        return { count, message, detail, line, entry };
      }
      return assert.fail('nothing is wrong');
    };
    const inPlace = await errorOf(readStatement(Readable.from([Buffer.from(content)])));
    assert.ok(inPlace.count > 500);
    assert.deepEqual(await errorOf(partsOf(copy, null)), inPlace);
  });

  test('has one of eight threads, which the next one gets if nobody reads on', {
    timeout: 20_000,
  }, async (t) => {
    const threads: Worker[] = [];
    const count = (thread: Worker) => void threads.push(thread);
    process.on('worker', count);
    t.after(() => process.off('worker', count));
    const { copy } = await copyOf(t, 1_000);
    const all = Array.from({ length: 9 }, () => partsOf(copy, null));
    const begun = all.map((parts) => parts.next());
    await Promise.all(begun.slice(0, 8));
    assert.equal(threads.length, 8);
    await all[3]?.return(null);
    await begun[8];
    assert.equal(threads.length, 9);
    await Promise.all(all.map((parts) => parts.return(null)));
    assert.equal((await Array.fromAsync(partsOf(copy, null))).length, 1_001);
    assert.equal(threads.length, 10);
    await Array.fromAsync(partsOf({ ...copy, bytes: SMALL_BYTES }, null));
    assert.equal(threads.length, 10, 'a small one needs none');
  });

  test('that is gone, large or small, is trouble of the folder for copies', async (t) => {
    for (const entries of [1, 1_000]) {
      const { copy } = await copyOf(t, entries);
      rmSync(copy.path);
      await assert.rejects(
        Array.fromAsync(partsOf(copy, null)),
        (error) => error instanceof CopyFailed && error.name === 'CopyFailed',
      );
    }
  });
});
