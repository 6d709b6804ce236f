/** The rows by which refunds and awaited transfers are found, and units that concern several sessions. */

import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Attempt, Refund } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { RefundFilter, Store, Unit } from '../../src/store/store.ts';
import {
  add,
  bankEntry,
  bankFile,
  change,
  changed,
  eventOf,
  load,
  type Open,
  refund,
  session,
  standing,
  T,
} from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';
import { ALL, assertPaged, bug, failing } from './pages.ts';

export function moneySuite(open: Open): void {
  const it = onSharedStore(open);

  suite('refunds', () => {
    const at = (seconds: number, given: Partial<Refund> = {}) =>
      refund({ createdAt: T + seconds * 1000, ...given });

    it('lead to their session as it is', async ({ store, reopen, mine, live, theirs }) => {
      const before = await add(store, session(mine, { refunds: [at(0)] }));
      const one = await change(store, before, { refunds: [...before.refunds, at(1)] });
      for await (const each of alsoReopened({ store, reopen })) {
        for (const { id } of one.refunds) {
          assert.deepEqual(await each.checkouts.fetchByRefund(mine, id), one);
          assert.equal(await each.checkouts.fetchByRefund(live, id), null);
          assert.equal(await each.checkouts.fetchByRefund(theirs, id), null);
        }
        assert.equal(await each.checkouts.fetchByRefund(mine, refund().id), null);
        assert.deepEqual((await each.refunds.list(mine, {}, ALL)).rows, [
          { id: one.refunds[1]?.id, checkout: one },
          { id: one.refunds[0]?.id, checkout: one },
        ]);
        for (const tenant of [live, theirs]) {
          const filters = [{}, { checkout: one.id }, { rail: 'sandbox' }, { isPending: true }] as const;
          for (const filter of filters)
            assert.deepEqual((await each.refunds.list(tenant, filter, ALL)).rows, []);
        }
      }
    });

    it('are listed newest first, by session, rail and what is pending, page by page', async (given) => {
      const { store, mine } = given;
      const [a, b, c, d, e, f] = [
        at(0),
        at(1, { rail: 'bank' }),
        at(2, { status: 'succeeded' }),
        at(3, { rail: 'bank', status: 'failed' }),
        at(4, { rail: 'bank' }),
        at(5),
      ] as const;
      const one = await add(store, session(mine, { refunds: [a, c, e] }));
      await add(store, session(mine, { refunds: [b, d, f] }));
      const cases: ReadonlyArray<[RefundFilter, Refund[]]> = [
        [{}, [f, e, d, c, b, a]],
        [{ checkout: one.id }, [e, c, a]],
        [{ checkout: one.id, isPending: true }, [e, a]],
        [{ checkout: one.id, rail: 'bank' }, [e]],
        [{ checkout: one.id, rail: 'sandbox', isPending: true }, [a]],
        [{ rail: 'bank' }, [e, d, b]],
        [{ rail: 'sandbox' }, [f, c, a]],
        [{ isPending: true }, [f, e, b, a]],
        [{ rail: 'bank', isPending: true }, [e, b]],
        [{ rail: 'stripe' }, []],
      ];
      for (const [filter, expected] of cases) {
        assert.deepEqual(inOrder((await store.refunds.list(mine, filter, ALL)).rows), inOrder(expected));
        await assertPaged((page) => store.refunds.list(mine, filter, page), inOrder(expected));
      }
    });

    it('of long sessions end a page after a megabyte', async ({ store, mine }) => {
      const refunds = Array.from({ length: 8 }, (_, index) => at(index));
      for (const refund of refunds)
        await add(store, session(mine, { description: 'x'.repeat(300_000), refunds: [refund] }));
      const all = { limit: 100 };
      const first = await store.refunds.list(mine, {}, all);
      assert.deepEqual(inOrder(first.rows), inOrder(refunds.slice(4).reverse()));
      assert.ok(first.hasMore);
      const last = await store.refunds.list(mine, {}, { ...all, after: `${first.rows.at(-1)?.id}` });
      assert.deepEqual(inOrder(last.rows), inOrder(refunds.slice(0, 4).reverse()));
      assert.ok(!last.hasMore);
    });

    it('are pending until their session says otherwise', async ({ store, mine }) => {
      const [first, second] = [at(0), at(1)];
      const pending = async () => inOrder((await store.refunds.list(mine, { isPending: true }, ALL)).rows);
      let one = await add(store, session(mine, { refunds: [first, second] }));
      const move = async (given: readonly Refund[]) => {
        one = await change(store, one, { refunds: given });
        assert.deepEqual((await store.refunds.list(mine, {}, ALL)).rows.length, 2);
      };
      await move([{ ...first, reference: 're_1' }, second]);
      assert.deepEqual(await pending(), inOrder([second, first]));
      await move([{ ...first, status: 'succeeded' }, second]);
      assert.deepEqual(await pending(), [second.id]);
      await move([
        { ...first, status: 'failed' },
        { ...second, status: 'succeeded' },
      ]);
      assert.deepEqual(await pending(), []);
      assert.deepEqual(await store.checkouts.fetchByRefund(mine, first.id), one);
    });
  });

  suite('awaited transfers', () => {
    const awaiting = async (store: Store, tenant: Tenant, amount: number, currency = 'EUR', limit = 10) =>
      (await store.checkouts.listAwaiting(tenant, currency, amount, limit)).map(({ attempt }) => attempt);

    it('are found by amount and currency, the newest first', async (given) => {
      const { store, reopen, mine, live, theirs } = given;
      const [a, b, c] = [standing('a'), standing('b'), standing('c', { amount: 999 })] as const;
      const one = await add(store, session(mine, { attempts: [a, c] }));
      const other = await add(store, session(mine, { attempts: [b] }));
      await add(store, session(mine, { currency: 'USD', attempts: [standing('d')] }));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.checkouts.listAwaiting(mine, 'EUR', 1000, 10), [
          { checkout: other.id, attempt: b.id },
          { checkout: one.id, attempt: a.id },
        ]);
        assert.deepEqual(await awaiting(each, mine, 1000, 'EUR', 1), [b.id]);
        assert.deepEqual(await awaiting(each, mine, 999), [c.id]);
        assert.equal((await awaiting(each, mine, 1000, 'USD')).length, 1);
        assert.deepEqual(await awaiting(each, mine, 1001), []);
        for (const tenant of [live, theirs]) assert.deepEqual(await awaiting(each, tenant, 1000), []);
      }
    });

    const gone: ReadonlyArray<[string, Partial<Attempt>]> = [
      ['was cancelled', { status: 'cancelled' }],
      ['has succeeded', { status: 'succeeded' }],
      ['has failed', { status: 'failed' }],
      ['is in flight', { status: 'processing' }],
    ];
    for (const [what, moved] of gone) {
      it(`are those of attempts that stand open: none that ${what}`, async ({ store, mine }) => {
        const [a, b] = [standing('a'), standing('b')];
        const one = await add(store, session(mine, { attempts: [a, b] }));
        assert.deepEqual(await awaiting(store, mine, 1000), [b.id, a.id]);
        await change(store, one, { attempts: [{ ...a, ...moved }, b] });
        assert.deepEqual(await awaiting(store, mine, 1000), [b.id]);
        const never = standing('c', moved);
        await add(store, session(mine, { attempts: [never, standing('d', { traits: {} })] }));
        assert.deepEqual(await awaiting(store, mine, 1000), [b.id]);
      });
    }

    it('stay as they are asked for while the session changes', async ({ store, mine }) => {
      const [a, b] = [standing('a'), standing('b', { amount: 300 })];
      const drafted = await add(store, session(mine));
      assert.deepEqual(await awaiting(store, mine, 1000), []);
      const started = await change(store, drafted, { attempts: [a] });
      const raised = await change(store, started, { amount: 1300, metadata: { raised: true } });
      assert.deepEqual([await awaiting(store, mine, 1000), await awaiting(store, mine, 1300)], [[a.id], []]);
      const both = await change(store, raised, { attempts: [a, b] });
      assert.deepEqual(
        [await awaiting(store, mine, 1000), await awaiting(store, mine, 300)],
        [[a.id], [b.id]],
      );
      const dollars = await change(store, both, { currency: 'USD' });
      assert.deepEqual([await awaiting(store, mine, 1000), await awaiting(store, mine, 300)], [[], []]);
      assert.deepEqual(await awaiting(store, mine, 300, 'USD'), [b.id]);
      await change(store, dollars, {
        lifecycle: { state: 'expired', at: T + 1, by: 'time' },
        attempts: [a, b].map((each) => ({ ...each, status: 'cancelled' as const })),
      });
      assert.deepEqual(await awaiting(store, mine, 1000, 'USD'), []);
      assert.deepEqual(await awaiting(store, mine, 300, 'USD'), []);
    });

    it('are as before if the batch fails', async ({ store, mine }) => {
      const one = await add(store, session(mine, { attempts: [standing('a')] }));
      const [{ id }] = one.attempts as [Attempt];
      const after = changed(one, { attempts: [], refunds: [refund()] });
      const unit = { needs: { tenant: mine }, decide: () => [{ checkout: { before: one, after } }] };
      await assert.rejects(store.commit([unit, failing(mine)]), bug);
      assert.deepEqual(await awaiting(store, mine, 1000), [id]);
      assert.deepEqual((await store.refunds.list(mine, {}, ALL)).rows, []);
    });
  });

  it('whose an attempt or payment of a rail is can be asked', async ({ store, mine, live, theirs }) => {
    const one = await add(store, session(mine, { attempts: [standing('RF1')] }));
    assert.equal(await store.checkouts.idByReference(mine, 'bank', 'RF1'), one.id);
    const paid = await change(store, one, {
      payments: [{ rail: 'bank', reference: 'e1', attempt: 'pat_x', amount: 1, bookedAt: T, late: false }],
    });
    assert.equal(await store.checkouts.idByReference(mine, 'bank', 'e1'), paid.id);
    assert.equal(await store.checkouts.idByReference(mine, 'bank', 'e2'), null);
    assert.equal(await store.checkouts.idByReference(mine, 'stripe', 'RF1'), null);
    for (const tenant of [live, theirs])
      assert.equal(await store.checkouts.idByReference(tenant, 'bank', 'RF1'), null);
  });

  suite('a unit that concerns several sessions', () => {
    /** Adds one to the amount of each of these that it is shown, and notes what that was. */
    const incrementing = (tenant: Tenant, wanted: readonly CheckoutId[], seen: number[][] = []): Unit => ({
      needs: { tenant, checkouts: wanted },
      decide({ checkouts }) {
        seen.push(wanted.map((id) => checkouts.get(id)?.amount ?? -1));
        return [...checkouts.values()].map((before) => {
          const after = changed(before, { amount: before.amount + 1 });
          return { checkout: { before, after }, events: [eventOf(after)] };
        });
      },
    });
    const amounts = async (store: Store, tenant: Tenant, all: readonly CheckoutId[]) =>
      Promise.all(all.map(async (id) => (await store.checkouts.fetch(tenant, id))?.amount));

    it('writes all of them, each with its events, and the next unit sees that', async (given) => {
      const { store, reopen, mine } = given;
      const all = inOrder([await add(store, session(mine)), await add(store, session(mine, { amount: 5 }))]);
      const seen: number[][] = [];
      const again = incrementing(mine, all.toReversed(), seen);
      await store.commit([incrementing(mine, all, seen), again]);
      assert.deepEqual(seen, [
        [1000, 5],
        [6, 1001],
      ]);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await amounts(each, mine, all), [1002, 7]);
        for (const id of all) {
          const { rows } = await each.events.timeline(mine, id, null, 10);
          assert.deepEqual(
            rows.map(({ sequence }) => sequence),
            [3, 2, 1],
          );
        }
        assert.equal((await each.events.list(mine, {}, 0, 10)).rows.length, 6);
      }
    });

    it('is shown its own, and none of another account or mode', async ({ store, mine, live, theirs }) => {
      const one = await add(store, session(mine));
      const shown = await load(store, { tenant: mine, checkouts: [one.id, 'chk_none'] });
      assert.deepEqual([...shown.checkouts], [[one.id, one]]);
      assert.equal((await load(store, { tenant: mine })).checkouts.size, 0);
      for (const tenant of [live, theirs]) {
        assert.equal((await load(store, { tenant, checkouts: [one.id] })).checkouts.size, 0);
      }
    });

    it('writes none of them if one cannot be written', async ({ store, reopen, mine }) => {
      const one = await add(store, session(mine));
      const taken = await add(store, session(mine, { attempts: [standing('taken')] }));
      const fresh = session(mine);
      const unit: Unit = {
        needs: { tenant: mine, checkouts: [one.id, taken.id] },
        decide: () => [
          { checkout: { before: one, after: changed(one, { amount: 7 }) }, bankEntry: bankEntry('entry') },
          { checkout: { before: null, after: fresh }, bankFile: bankFile('hash') },
          {
            checkout: {
              before: taken,
              after: changed(taken, { attempts: [...taken.attempts, standing('taken')] }),
            },
          },
        ],
      };
      await assert.rejects(store.commit([unit]));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.checkouts.fetch(mine, one.id), one);
        assert.deepEqual(await each.checkouts.fetch(mine, taken.id), taken);
        assert.equal(await each.checkouts.fetch(mine, fresh.id), null);
        assert.equal(await each.bankEntries.fetchByReference(mine, 'entry'), null);
        assert.equal(await each.bankFiles.fetchByHash(mine, 'statement', 'hash'), null);
        assert.equal((await each.checkouts.listAwaiting(mine, 'EUR', 1000, 10)).length, 1);
      }
    });

    it('of nothing writes nothing', async ({ store, mine }) => {
      await store.commit([incrementing(mine, [])]);
      assert.deepEqual((await store.events.list(mine, {}, 0, 10)).rows, []);
    });

    it('decides on what others have left behind, at the same time and in any order', async (given) => {
      const { store, another, mine } = given;
      const all = inOrder([await add(store, session(mine)), await add(store, session(mine))]);
      const stores = [store, await another()];
      for (let round = 0; round < 5; round++) {
        // SQLite's one process is the only one that changes sessions.
        const writers = store.batching.apart ? stores : [store, store];
        await Promise.all(
          writers.map((each, index) =>
            each.commit([incrementing(mine, index === 0 ? all : all.toReversed())]),
          ),
        );
      }
      assert.deepEqual(await amounts(store, mine, all), [1010, 1010]);
    });
  });
}
