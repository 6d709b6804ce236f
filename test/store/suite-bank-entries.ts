/** Bank entries. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { BankEntry } from '../../src/banking/entry.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { BankEntryFilter, Store, Unit } from '../../src/store/store.ts';
import { add, bankEntry, changed, eventOf, load, type Open, session, standing, T, write } from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onFreshStores, onSharedStore } from './each.ts';
import { ALL, assertPaged, bug, failing } from './pages.ts';

export function bankEntrySuite(open: Open): void {
  const it = onSharedStore(open);
  const itAlone = onFreshStores(open);

  suite('bank entries', () => {
    const put = async (store: Store, tenant: Tenant, given: BankEntry): Promise<BankEntry> => {
      await write(store, tenant, { bankEntry: given });
      return given;
    };

    it('come back field by field', async ({ store, reopen, mine, live, theirs }) => {
      const { id: attempt } = standing('RF1');
      const one = bankEntry('2030-01-15/1', {
        tries: 3,
        remittance: 'ü "\u{1f9fe}" \u0000',
        parts: [{ checkout: 'chk_1', attempt, amount: 7, payment: 'ntc_1.1' }],
        suggestions: [{ checkout: 'chk_2', score: 70 }],
        sentBack: { amount: 1, state: 'pending', reason: '', file: '' },
      });
      const other = bankEntry('2030-01-15/2', { state: 'done', dueAt: null, problem: 'no_match' });
      for (const each of [one, other]) await put(store, mine, each);
      for await (const each of alsoReopened({ store, reopen })) {
        for (const expected of [one, other]) {
          const { id, reference } = expected;
          assert.deepEqual(await each.bankEntries.fetch(mine, id), expected);
          assert.deepEqual(await each.bankEntries.fetchByReference(mine, reference), expected);
          const loaded = await load(each, { tenant: mine, bankEntries: [reference] });
          assert.deepEqual([...loaded.bankEntries], [[reference, expected]]);
          for (const tenant of [live, theirs]) {
            assert.equal(await each.bankEntries.fetch(tenant, id), null);
            assert.equal(await each.bankEntries.fetchByReference(tenant, reference), null);
            assert.equal((await load(each, { tenant, bankEntries: [reference] })).bankEntries.size, 0);
            assert.deepEqual((await each.bankEntries.list(tenant, {}, ALL)).rows, []);
            assert.deepEqual(await each.bankEntries.listDue(tenant, T + 1e9, 10), []);
          }
        }
        assert.equal((await load(each, { tenant: mine })).bankEntries.size, 0);
      }
    });

    it('change under their id', async ({ store, reopen, mine }) => {
      const one = await put(store, mine, bankEntry('entry'));
      const open = await put(store, mine, { ...one, state: 'open', dueAt: null, tries: 1, note: 'Asked.' });
      assert.deepEqual(await store.bankEntries.fetch(mine, one.id), open);
      const done = await put(store, mine, { ...open, state: 'done' });
      assert.deepEqual((await (await reopen()).bankEntries.list(mine, {}, ALL)).rows, [done]);
    });

    itAlone('are counted for operators while they wait for a person', async ({ store, mine, live }) => {
      await put(store, mine, bankEntry('waits'));
      await put(store, mine, bankEntry('one', { state: 'open', dueAt: null }));
      const other = await put(store, live, bankEntry('two', { state: 'open', dueAt: null }));
      assert.equal((await store.gauges()).openBankEntries, 2);
      assert.equal((await store.gauges()).openProviderEvents, 0);
      await put(store, live, { ...other, state: 'ignored' });
      assert.equal((await store.gauges()).openBankEntries, 1);
    });

    it('are known by their reference once', async ({ store, mine, live, theirs }) => {
      const one = await put(store, mine, bankEntry('entry'));
      await assert.rejects(put(store, mine, bankEntry('entry', { note: 'other' })));
      assert.deepEqual((await store.bankEntries.list(mine, {}, ALL)).rows, [one]);
      await put(store, mine, bankEntry('Entry'));
      for (const tenant of [live, theirs]) await put(store, tenant, bankEntry('entry'));
    });

    it('are there for a unit that needs several, as those before it have left them', async ({
      store,
      mine,
      live,
    }) => {
      const one = await put(store, mine, bankEntry('one'));
      const other = await put(store, mine, bankEntry('other'));
      const bankEntries = ['one', 'other', 'one', 'unknown'];
      const needed = async (tenant: Tenant) => (await load(store, { tenant, bankEntries })).bankEntries;
      assert.deepEqual(
        new Map(await needed(mine)),
        new Map([
          ['one', one],
          ['other', other],
        ]),
      );
      assert.equal((await needed(live)).size, 0);
      const done: BankEntry = { ...one, state: 'done', dueAt: null };
      let seen: BankEntry | undefined;
      await store.commit([
        { needs: { tenant: mine, bankEntries }, decide: () => [{ bankEntry: done }] },
        {
          needs: { tenant: mine, bankEntries },
          decide: ({ bankEntries: found }) => {
            seen = found.get('one');
            return [];
          },
        },
      ]);
      assert.deepEqual(seen, done);
    });

    it('are listed newest first, all or by state, page by page', async ({ store, mine }) => {
      const states = ['waiting', 'open', 'done', 'ignored', 'open', 'done', 'waiting'] as const;
      const made: BankEntry[] = [];
      for (const [index, state] of states.entries()) {
        const dueAt = state === 'waiting' ? T : null;
        made.push(
          await put(store, mine, bankEntry(`entry ${index}`, { state, dueAt, receivedAt: T + index })),
        );
      }
      const newest = made.toReversed();
      const cases: ReadonlyArray<[BankEntryFilter, BankEntry[]]> = [
        [{}, newest],
        ...[...new Set(states)].map((state): [BankEntryFilter, BankEntry[]] => [
          { state },
          newest.filter((each) => each.state === state),
        ]),
      ];
      for (const [filter, expected] of cases) {
        assert.deepEqual((await store.bankEntries.list(mine, filter, ALL)).rows, expected);
        await assertPaged((page) => store.bankEntries.list(mine, filter, page), inOrder(expected));
      }
    });

    it('are due at their time, the longest due first, until they have another', async ({
      store,
      reopen,
      mine,
    }) => {
      const made: BankEntry[] = [];
      for (const after of [30, 10, 40, 20]) {
        made.push(await put(store, mine, bankEntry(`entry ${after}`, { dueAt: T + after })));
      }
      const [third, first, fourth, second] = made as [BankEntry, BankEntry, BankEntry, BankEntry];
      await put(store, mine, bankEntry('done', { state: 'done', dueAt: null }));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.bankEntries.listDue(mine, T + 9, 10), []);
        assert.deepEqual(await each.bankEntries.listDue(mine, T + 30, 10), [first, second, third]);
        assert.deepEqual(await each.bankEntries.listDue(mine, T + 99, 2), [first, second]);
        const except = [first.id, second.id];
        assert.deepEqual(await each.bankEntries.listDue(mine, T + 99, 1, except), [third]);
      }
      const again = await reopen();
      await put(again, mine, { ...first, dueAt: T + 50, tries: 1 });
      await put(again, mine, { ...second, state: 'ignored', dueAt: null });
      assert.deepEqual(
        inOrder(await again.bankEntries.listDue(mine, T + 99, 10)),
        inOrder([third, fourth, first]),
      );
    });

    it('are seen by the units behind in the same batch, together with what they have done', async (given) => {
      const { store, mine, theirs } = given;
      const one = await add(store, session(mine));
      const seen: Array<BankEntry['state'] | null> = [];
      const entry = bankEntry('entry');
      const needs = { tenant: mine, checkouts: [one.id], bankEntries: ['entry'] };
      const unit = (after: BankEntry): Unit => ({
        needs,
        decide({ bankEntries, checkouts }) {
          seen.push(bankEntries.get('entry')?.state ?? null);
          const before = checkouts.get(one.id) as Checkout;
          const next = changed(before, { amount: before.amount + 1 });
          return [{ checkout: { before, after: next }, events: [eventOf(next)], bankEntry: after }];
        },
      });
      const done: BankEntry = { ...entry, state: 'done', dueAt: null };
      const look: Unit = {
        needs: { ...needs, tenant: store.batching.mixed ? theirs : mine },
        decide({ bankEntries }) {
          seen.push(bankEntries.get('entry')?.state ?? null);
          return [];
        },
      };
      await store.commit([unit(entry), unit(done), look]);
      assert.deepEqual(seen, [null, 'waiting', store.batching.mixed ? null : 'done']);
      assert.deepEqual(await store.bankEntries.fetchByReference(mine, 'entry'), done);
      assert.equal((await store.checkouts.fetch(mine, one.id))?.amount, 1002);
    });

    it('are not there if their batch fails', async ({ store, mine }) => {
      const known = await put(store, mine, bankEntry('known'));
      const unit = (given: BankEntry): Unit => ({
        needs: { tenant: mine },
        decide: () => [{ bankEntry: given }],
      });
      const units = [unit(bankEntry('new')), unit({ ...known, state: 'done', dueAt: null }), failing(mine)];
      await assert.rejects(store.commit(units), bug);
      assert.deepEqual((await store.bankEntries.list(mine, {}, ALL)).rows, [known]);
    });

    it('that are new come in many at a time', async ({ store, mine }) => {
      const count = 600;
      const units = Array.from({ length: count }, (_, index): Unit => {
        const entry = bankEntry(`entry ${index}`, { receivedAt: T + index });
        return {
          needs: { tenant: mine, bankEntries: [entry.reference] },
          decide: ({ bankEntries }) => (bankEntries.has(entry.reference) ? [] : [{ bankEntry: entry }]),
        };
      });
      await store.commit(units);
      // The same statement again: nothing is new.
      await store.commit(units);
      const { rows } = await store.bankEntries.list(mine, { state: 'waiting' }, { limit: count });
      assert.deepEqual(
        rows.map(({ reference }) => reference),
        Array.from({ length: count }, (_, index) => `entry ${count - 1 - index}`),
      );
    });
  });
}
