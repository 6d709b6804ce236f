/** Statements that change while they are ingested: nothing of them gets lost, and no part of one counts as the whole. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { camt } from '../support/statements.ts';
import { line, setUp } from './watched-folder.ts';

const CHANGED = 'a bank statement changed while it was being ingested, and will be ingested again';

suite('a statement in the watched folder', () => {
  for (const [name, change] of Object.entries({
    'is replaced': (path: string, whole: string) => {
      writeFileSync(`${path}.part`, whole);
      renameSync(`${path}.part`, path);
    },
    'is written to': (path: string, whole: string) => writeFileSync(path, whole),
    'is replaced by one of the same size and time': (path: string) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(
        `${path}.part`,
        camt('S1', [{ ...line, text: 'Order 1009', reference: '2026020300000009' }]),
      );
      utimesSync(`${path}.part`, atime, mtime);
      renameSync(`${path}.part`, path);
    },
  })) {
    test(`that ${name} while it is ingested stays, and is ingested as it is then`, async (t) => {
      let meanwhile = () => {};
      const { put, look, path, files, entries, logged } = await setUp(t, ({ commit }) => ({
        commit: async (...args) => {
          meanwhile();
          meanwhile = () => {};
          return commit(...args);
        },
      }));
      const file = camt('S1', [line]);
      const more = { ...line, text: 'Order 1002', reference: '2026020300000002' };
      put('a.xml', file);
      meanwhile = () => change(path('a.xml'), camt('S1', [line, more]));
      await look();
      assert.deepEqual(files(), ['a.xml']);
      assert.deepEqual(logged, ['a bank statement was ingested', CHANGED]);
      const left = readFileSync(path('a.xml'), 'utf8');
      assert.notEqual(left, file);
      await look();
      assert.deepEqual(files(), ['done/a.xml']);
      assert.equal(readFileSync(path('done', 'a.xml'), 'utf8'), left);
      const other = left.includes('Order 1009') ? 'Order 1009' : 'Order 1002';
      assert.deepEqual(await entries(), ['Order 1001', other]);
    });
  }

  test('that becomes whole while its beginning is refused is no failure', async (t) => {
    let isRead = () => {};
    const { put, look, path, files, entries, logged } = await setUp(t, ({ bankFiles }) => ({
      bankFiles: {
        ...bankFiles,
        fetchByHash: async (...args) => {
          isRead();
          return bankFiles.fetchByHash(...args);
        },
      },
    }));
    const whole = camt('S1', [line]);
    put('a.xml', whole.slice(0, -20));
    isRead = () => put('a.xml', whole);
    await look();
    assert.deepEqual([files(), logged], [['a.xml'], [CHANGED]]);
    isRead = () => {};
    await look();
    assert.deepEqual([files(), await entries()], [['done/a.xml'], ['Order 1001']]);
    assert.ok(!existsSync(path('failed')));
  });
});
