/** Files of banks. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { BankFile } from '../../src/banking/bank-file.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';
import { bankFile, load, type Open, T, write } from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';
import { ALL, assertPaged } from './pages.ts';

export function bankFileSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('files of banks', () => {
    const put = async (store: Store, tenant: Tenant, given: BankFile): Promise<BankFile> => {
      await write(store, tenant, { bankFile: given });
      return given;
    };

    it('are found by id and by the hash of their content', async ({ store, reopen, mine, live, theirs }) => {
      const read = await put(store, mine, bankFile('a'.repeat(64)));
      const data = { refunds: ['rfd_1'] };
      const content = '<?xml version="1.0"?>\n<Document>ü \u{1f9fe}</Document>';
      const made = await put(store, mine, bankFile('b'.repeat(64), { kind: 'payments', data, content }));
      for await (const each of alsoReopened({ store, reopen })) {
        for (const file of [read, made]) {
          assert.deepEqual(await each.bankFiles.fetch(mine, file.id), file);
          assert.deepEqual(await each.bankFiles.fetchByHash(mine, file.kind, file.hash), file);
          for (const tenant of [live, theirs]) {
            assert.equal(await each.bankFiles.fetch(tenant, file.id), null);
            assert.equal(await each.bankFiles.fetchByHash(tenant, file.kind, file.hash), null);
            assert.deepEqual((await each.bankFiles.list(tenant, file.kind, ALL)).rows, []);
          }
        }
        assert.equal(await each.bankFiles.fetchByHash(mine, 'payments', read.hash), null);
      }
    });

    it('that are ingested keep their id, and are no statements until then', async (given) => {
      const { store, reopen, mine, live } = given;
      const begun = await put(store, mine, bankFile('hash', { kind: 'ingesting', data: {} }));
      await assert.rejects(put(store, mine, bankFile('hash', { kind: 'ingesting' })));
      assert.deepEqual((await store.bankFiles.list(mine, 'statement', ALL)).rows, []);
      assert.equal(await store.bankFiles.fetchByHash(mine, 'statement', 'hash'), null);
      const known = async (tenant: Tenant) => [
        ...(await load(store, { tenant, statements: ['hash', 'other'] })).statements,
      ];
      assert.deepEqual(await known(mine), [['hash', begun]]);
      assert.deepEqual(await known(live), []);
      const done = { ...bankFile('hash'), id: begun.id, createdAt: T + 1, data: { entries: 3 } };
      await write(store, mine, { ingestedFile: done });
      assert.deepEqual(await known(mine), [['hash', done]]);
      const payments = await put(store, mine, bankFile('other', { kind: 'payments' }));
      assert.deepEqual(await known(mine), [['hash', done]]);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.bankFiles.fetchByHash(mine, 'statement', 'hash'), done);
        assert.deepEqual(await each.bankFiles.fetch(mine, payments.id), payments);
      }
    });

    it('never change, and are there once', async ({ store, mine, live }) => {
      const one = await put(store, mine, bankFile('hash'));
      await assert.rejects(put(store, mine, bankFile('hash')));
      await assert.rejects(put(store, mine, { ...one, hash: 'other' }));
      assert.deepEqual((await store.bankFiles.list(mine, 'statement', ALL)).rows, [one]);
      await put(store, mine, bankFile('hash', { kind: 'payments' }));
      await put(store, live, bankFile('hash'));
    });

    it('are listed by kind, newest first, page by page, without their content', async ({ store, mine }) => {
      const made: BankFile[] = [];
      for (let index = 0; index < 4; index++) {
        const createdAt = T + index;
        made.push(
          await put(store, mine, bankFile(`p${index}`, { kind: 'payments', createdAt, content: 'text' })),
        );
        await put(store, mine, bankFile(`s${index}`, { createdAt }));
      }
      const expected = made.toReversed().map((file) => ({ ...file, content: '' }));
      assert.deepEqual((await store.bankFiles.list(mine, 'payments', ALL)).rows, expected);
      await assertPaged((page) => store.bankFiles.list(mine, 'payments', page), inOrder(expected));
      assert.equal((await store.bankFiles.list(mine, 'statement', ALL)).rows.length, 4);
    });
  });
}
