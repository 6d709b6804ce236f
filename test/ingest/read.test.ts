/** Copies of statements: large ones are read in a thread, with the same result. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite, type TestContext, test } from 'node:test';
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

  test('of which nobody reads on lets others begin', { timeout: 20_000 }, async (t) => {
    const { copy } = await copyOf(t, 1_000);
    for (let n = 0; n < 12; n++) {
      for await (const part of partsOf(copy, null)) {
        assert.equal(part.kind, 'statement');
        break;
      }
    }
    const all = await Promise.all(Array.from({ length: 12 }, () => Array.fromAsync(partsOf(copy, null))));
    for (const parts of all) assert.equal(parts.length, 1_001);
  });

  test('that is gone, large or small, is trouble of the folder for copies', async (t) => {
    for (const entries of [1, 1_000]) {
      const { copy } = await copyOf(t, entries);
      rmSync(copy.path);
      await assert.rejects(Array.fromAsync(partsOf(copy, null)), CopyFailed);
    }
  });
});
