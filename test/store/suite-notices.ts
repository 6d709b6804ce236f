/** Notices of rails, and files of banks. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { BankFile } from '../../src/banking/bank-file.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Notice } from '../../src/methods/provider-event.ts';
import { type NoticeFilter, railKey, type Store, type Unit } from '../../src/store/store.ts';
import { add, bankFile, changed, eventOf, load, notice, type Open, session, T, write } from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onFreshStores } from './each.ts';
import { ALL, assertPaged, bug, failing } from './pages.ts';

export function noticeSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('notices', () => {
    const put = async (store: Store, tenant: Tenant, given: Notice): Promise<Notice> => {
      await write(store, tenant, { notice: given });
      return given;
    };

    it('come back field by field', async ({ store, reopen, mine, live, theirs }) => {
      const one = notice('2030-01-15/1', { tries: 3, data: { text: 'ü "\u{1f9fe}"', list: [1, null, {}] } });
      const other = notice('evt_1', { rail: 'stripe', state: 'done', dueAt: null, data: {} });
      for (const each of [one, other]) await put(store, mine, each);
      for await (const each of alsoReopened({ store, reopen })) {
        for (const expected of [one, other]) {
          const { id, rail, reference } = expected;
          assert.deepEqual(await each.notices.fetch(mine, id), expected);
          assert.deepEqual(await each.notices.fetchByReference(mine, rail, reference), expected);
          const loaded = await load(each, { tenant: mine, notices: [{ rail, reference }] });
          assert.deepEqual([...loaded.notices], [[railKey(expected), expected]]);
          for (const tenant of [live, theirs]) {
            assert.equal(await each.notices.fetch(tenant, id), null);
            assert.equal(await each.notices.fetchByReference(tenant, rail, reference), null);
            assert.equal((await load(each, { tenant, notices: [{ rail, reference }] })).notices.size, 0);
            assert.deepEqual((await each.notices.list(tenant, { rail }, ALL)).rows, []);
            assert.deepEqual(await each.notices.listDue(tenant, T + 1e9, 10), []);
          }
        }
        assert.equal(await each.notices.fetchByReference(mine, 'stripe', one.reference), null);
        assert.equal((await load(each, { tenant: mine })).notices.size, 0);
      }
    });

    it('change under their id', async ({ store, reopen, mine }) => {
      const one = await put(store, mine, notice('entry'));
      const open = await put(store, mine, {
        ...one,
        state: 'open',
        dueAt: null,
        tries: 1,
        data: { of: 'chk' },
      });
      assert.deepEqual(await store.notices.fetch(mine, one.id), open);
      const done = await put(store, mine, { ...open, state: 'done' });
      assert.deepEqual((await (await reopen()).notices.list(mine, { rail: 'bank' }, ALL)).rows, [done]);
    });

    it('are counted for operators while they wait for a person', async ({ store, mine, live }) => {
      await put(store, mine, notice('waits'));
      await put(store, mine, notice('one', { state: 'open', dueAt: null }));
      const other = await put(store, live, notice('two', { state: 'open', dueAt: null }));
      assert.equal((await store.gauges()).openNotices, 2);
      await put(store, live, { ...other, state: 'ignored' });
      assert.equal((await store.gauges()).openNotices, 1);
    });

    it('are known by their reference once in a rail', async ({ store, mine, live, theirs }) => {
      const one = await put(store, mine, notice('entry'));
      await assert.rejects(put(store, mine, notice('entry', { data: { other: true } })));
      assert.deepEqual((await store.notices.list(mine, { rail: 'bank' }, ALL)).rows, [one]);
      await put(store, mine, notice('entry', { rail: 'stripe' }));
      await put(store, mine, notice('Entry'));
      for (const tenant of [live, theirs]) await put(store, tenant, notice('entry'));
    });

    it('are there for a unit that needs several, as those before it have left them', async ({
      store,
      mine,
      live,
    }) => {
      const one = await put(store, mine, notice('one'));
      const other = await put(store, mine, notice('other', { rail: 'stripe' }));
      const notices = [one, other, notice('unknown')].map(({ rail, reference }) => ({ rail, reference }));
      const needed = async (tenant: Tenant) => [...(await load(store, { tenant, notices })).notices];
      assert.deepEqual(
        new Map(await needed(mine)),
        new Map([one, other].map((each) => [railKey(each), each])),
      );
      assert.deepEqual(await needed(live), []);
      assert.deepEqual([...(await load(store, { tenant: mine })).notices], []);
      const done: Notice = { ...one, state: 'done', dueAt: null };
      let seen: Notice | undefined;
      await store.commit([
        { needs: { tenant: mine, notices }, decide: () => [{ notice: done }] },
        {
          needs: { tenant: mine, notices },
          decide: ({ notices: found }) => {
            seen = found.get(railKey(one));
            return [];
          },
        },
      ]);
      assert.deepEqual(seen, done);
    });

    it('are listed newest first by rail and state, page by page', async ({ store, mine }) => {
      const states = ['waiting', 'open', 'done', 'ignored', 'open', 'done', 'waiting'] as const;
      const made: Notice[] = [];
      for (const [index, state] of states.entries()) {
        const dueAt = state === 'waiting' ? T : null;
        const receivedAt = T + index;
        made.push(await put(store, mine, notice(`entry ${index}`, { state, dueAt, receivedAt })));
        await put(store, mine, notice(`event ${index}`, { rail: 'stripe', state: 'open', dueAt: null }));
      }
      const newest = made.toReversed();
      const cases: ReadonlyArray<[NoticeFilter, Notice[]]> = [
        [{ rail: 'bank' }, newest],
        ...[...new Set(states)].map((state): [NoticeFilter, Notice[]] => [
          { rail: 'bank', state },
          newest.filter((each) => each.state === state),
        ]),
        [{ rail: 'stripe', state: 'done' }, []],
      ];
      for (const [filter, expected] of cases) {
        assert.deepEqual((await store.notices.list(mine, filter, ALL)).rows, expected);
        await assertPaged((page) => store.notices.list(mine, filter, page), inOrder(expected));
      }
    });

    it('are due at their time, the longest due first, until they have another', async ({
      store,
      reopen,
      mine,
    }) => {
      const made: Notice[] = [];
      for (const after of [30, 10, 40, 20]) {
        made.push(await put(store, mine, notice(`entry ${after}`, { dueAt: T + after })));
      }
      const [third, first, fourth, second] = made as [Notice, Notice, Notice, Notice];
      await put(store, mine, notice('done', { state: 'done', dueAt: null }));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.notices.listDue(mine, T + 9, 10), []);
        assert.deepEqual(await each.notices.listDue(mine, T + 30, 10), [first, second, third]);
        assert.deepEqual(await each.notices.listDue(mine, T + 99, 2), [first, second]);
      }
      const again = await reopen();
      await put(again, mine, { ...first, dueAt: T + 50, tries: 1 });
      await put(again, mine, { ...second, state: 'ignored', dueAt: null });
      assert.deepEqual(
        inOrder(await again.notices.listDue(mine, T + 99, 10)),
        inOrder([third, fourth, first]),
      );
    });

    it('are seen by the units behind in the same batch, together with what they have done', async (given) => {
      const { store, mine, theirs } = given;
      const one = await add(store, session(mine));
      const seen: Array<Notice['state'] | null> = [];
      const entry = notice('entry');
      const needs = { tenant: mine, checkouts: [one.id], notices: [{ rail: 'bank', reference: 'entry' }] };
      const unit = (after: Notice): Unit => ({
        needs,
        decide({ notices, checkouts }) {
          seen.push(notices.get(railKey(entry))?.state ?? null);
          const before = checkouts.get(one.id) as Checkout;
          const next = changed(before, { amount: before.amount + 1 });
          return [{ checkout: { before, after: next }, events: [eventOf(next)], notice: after }];
        },
      });
      const done: Notice = { ...entry, state: 'done', dueAt: null };
      const look: Unit = {
        needs: { ...needs, tenant: store.batching.mixed ? theirs : mine },
        decide({ notices }) {
          seen.push(notices.get(railKey(entry))?.state ?? null);
          return [];
        },
      };
      await store.commit([unit(entry), unit(done), look]);
      assert.deepEqual(seen, [null, 'waiting', store.batching.mixed ? null : 'done']);
      assert.deepEqual(await store.notices.fetchByReference(mine, 'bank', 'entry'), done);
      assert.equal((await store.checkouts.fetch(mine, one.id))?.amount, 1002);
    });

    it('are not there if their batch fails', async ({ store, mine }) => {
      const known = await put(store, mine, notice('known'));
      const unit = (given: Notice): Unit => ({
        needs: { tenant: mine },
        decide: () => [{ notice: given }],
      });
      const units = [unit(notice('new')), unit({ ...known, state: 'done', dueAt: null }), failing(mine)];
      await assert.rejects(store.commit(units), bug);
      assert.deepEqual((await store.notices.list(mine, { rail: 'bank' }, ALL)).rows, [known]);
    });

    it('that are new come in many at a time', async ({ store, mine }) => {
      const count = 600;
      const units = Array.from({ length: count }, (_, index): Unit => {
        const entry = notice(`entry ${index}`, { receivedAt: T + index });
        return {
          needs: { tenant: mine, notices: [entry] },
          decide: ({ notices }) => (notices.has(railKey(entry)) ? [] : [{ notice: entry }]),
        };
      });
      await store.commit(units);
      // The same statement again: nothing is new.
      await store.commit(units);
      const { rows } = await store.notices.list(mine, { rail: 'bank', state: 'waiting' }, { limit: count });
      assert.deepEqual(
        rows.map(({ reference }) => reference),
        Array.from({ length: count }, (_, index) => `entry ${count - 1 - index}`),
      );
    });
  });

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
