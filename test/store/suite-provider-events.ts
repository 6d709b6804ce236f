/** Provider events. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import { add, changed, eventOf, load, type Open, providerEvent, session, T, write } from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onFreshStores, onSharedStore } from './each.ts';
import { bug, failing } from './pages.ts';

export function providerEventSuite(open: Open): void {
  const it = onSharedStore(open);
  const itAlone = onFreshStores(open);

  suite('provider events', () => {
    const put = async (store: Store, tenant: Tenant, given: ProviderEvent): Promise<ProviderEvent> => {
      await write(store, tenant, { providerEvent: given });
      return given;
    };
    const found = async (store: Store, tenant: Tenant, { rail, reference }: ProviderEvent) => {
      const loaded = await load(store, { tenant, providerEvents: [{ rail, reference }] });
      return loaded.providerEvents.get(railKey({ rail, reference })) ?? null;
    };

    it('come back field by field', async ({ store, reopen, mine, live, theirs }) => {
      const body = '{ "id": "evt_1",\n\t"text": "ü \u{1f9fe} \\u0000 \\\\" }\r\n';
      const one = providerEvent('evt_1', { tries: 3, reason: 'no_answer', paymentReference: 'pi_1', body });
      const other = providerEvent('evt_2', {
        ...{ rail: 'other', state: 'done', dueAt: null, attemptReference: null, body: '' },
      });
      for (const each of [one, other]) await put(store, mine, each);
      for await (const each of alsoReopened({ store, reopen })) {
        for (const expected of [one, other]) assert.deepEqual(await found(each, mine, expected), expected);
        assert.deepEqual(await each.providerEvents.listDue(mine, T + 1e9, 10), [one]);
        for (const tenant of [live, theirs]) {
          assert.equal(await found(each, tenant, one), null);
          assert.deepEqual(await each.providerEvents.listDue(tenant, T + 1e9, 10), []);
        }
        assert.equal(await found(each, mine, { ...one, rail: other.rail }), null);
        assert.equal((await load(each, { tenant: mine })).providerEvents.size, 0);
      }
    });

    it('change under their id, but never in what came', async ({ store, reopen, mine }) => {
      const one = await put(store, mine, providerEvent('evt_1', { paymentReference: 'pi_1' }));
      const looked = { ...one, state: 'open', dueAt: null, tries: 1, reason: 'key_refused' } as const;
      const came = { rail: 'other', reference: 'evt_2', receivedAt: T + 1, body: '{}' };
      await put(store, mine, { ...looked, ...came, attemptReference: null, paymentReference: null });
      assert.deepEqual(await found(await reopen(), mine, one), looked);
    });

    itAlone('are counted for operators while they wait for a person', async ({ store, mine, live }) => {
      await put(store, mine, providerEvent('waits'));
      await put(store, mine, providerEvent('one', { state: 'open', dueAt: null }));
      const other = await put(store, live, providerEvent('two', { state: 'open', dueAt: null }));
      assert.equal((await store.gauges()).openProviderEvents, 2);
      assert.equal((await store.gauges()).openBankEntries, 0);
      await put(store, live, { ...other, state: 'done' });
      assert.equal((await store.gauges()).openProviderEvents, 1);
    });

    it('are listed while they wait, with their kind and without what came, each tenant its own', async (given) => {
      const { store, mine, live, theirs } = given;
      const open = { state: 'open', dueAt: null, tries: 9 } as const;
      const one = await put(
        store,
        mine,
        providerEvent('evt_1', { ...open, body: '{"type":"charge.failed"}' }),
      );
      const kinds = ['{"type":7}', '{"type":"who is it <b>"}', '{"type":"', 'null', '[]', ''];
      const others: ProviderEvent[] = [];
      for (const [index, body] of kinds.entries())
        others.push(await put(store, mine, providerEvent(`other ${index}`, { ...open, body })));
      const waiting = await put(store, mine, providerEvent('evt_2', { dueAt: T + 5, tries: 1 }));
      await put(store, mine, providerEvent('evt_3', { state: 'done', dueAt: null }));
      for (const tenant of [live, theirs]) await put(store, tenant, providerEvent('evt_4', open));
      const listed = ({ body: _, ...event }: ProviderEvent, kind = '') => ({ ...event, kind });
      const list = async (state: 'open' | 'waiting', page: PageRequest) => {
        const { rows, hasMore } = await store.providerEvents.list(mine, { state }, page);
        return [rows, hasMore];
      };
      const all = [...others.toReversed().map((each) => listed(each)), listed(one, 'charge.failed')];
      assert.deepEqual(await list('open', { limit: 100 }), [all, false]);
      assert.deepEqual(await list('waiting', { limit: 100 }), [[listed(waiting)], false]);
      assert.deepEqual(await list('open', { limit: 2, after: all[1]?.id ?? '' }), [all.slice(2, 4), true]);
      assert.deepEqual(await list('open', { limit: 2, before: all[3]?.id ?? '' }), [all.slice(1, 3), true]);
      assert.deepEqual(await list('open', { limit: 2, after: one.id }), [[], false]);
    });

    it('are known by their reference once in a rail', async ({ store, mine, live, theirs }) => {
      const one = await put(store, mine, providerEvent('evt'));
      await assert.rejects(put(store, mine, providerEvent('evt', { body: 'other' })));
      assert.deepEqual(await found(store, mine, one), one);
      await put(store, mine, providerEvent('evt', { rail: 'other' }));
      await put(store, mine, providerEvent('Evt'));
      for (const tenant of [live, theirs]) await put(store, tenant, providerEvent('evt'));
    });

    it('are there for a unit that needs several', async ({ store, mine, live }) => {
      const one = await put(store, mine, providerEvent('one'));
      const other = await put(store, mine, providerEvent('other', { rail: 'other' }));
      const providerEvents = [one, other, providerEvent('unknown')].map(({ rail, reference }) => ({
        rail,
        reference,
      }));
      const needed = async (tenant: Tenant) => (await load(store, { tenant, providerEvents })).providerEvents;
      assert.deepEqual(
        new Map(await needed(mine)),
        new Map([one, other].map((each) => [railKey(each), each])),
      );
      assert.equal((await needed(live)).size, 0);
    });

    it('are due at their time, the longest due first, until they have another', async ({
      store,
      reopen,
      mine,
    }) => {
      const made: ProviderEvent[] = [];
      for (const after of [30, 10, 40, 20]) {
        made.push(await put(store, mine, providerEvent(`evt ${after}`, { dueAt: T + after })));
      }
      const [third, first, fourth, second] = made as [
        ProviderEvent,
        ProviderEvent,
        ProviderEvent,
        ProviderEvent,
      ];
      await put(store, mine, providerEvent('done', { state: 'done', dueAt: null }));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.providerEvents.listDue(mine, T + 9, 10), []);
        assert.deepEqual(await each.providerEvents.listDue(mine, T + 30, 10), [first, second, third]);
        assert.deepEqual(await each.providerEvents.listDue(mine, T + 99, 2), [first, second]);
        assert.deepEqual(await each.providerEvents.listDue(mine, T + 99, 2, [first.id]), [second, third]);
      }
      const again = await reopen();
      await put(again, mine, { ...first, dueAt: T + 50, tries: 1 });
      await put(again, mine, { ...second, state: 'open', dueAt: null });
      assert.deepEqual(
        inOrder(await again.providerEvents.listDue(mine, T + 99, 10)),
        inOrder([third, fourth, first]),
      );
    });

    it('are seen by the units behind in the same batch, together with what they have done', async (given) => {
      const { store, mine, theirs } = given;
      const one = await add(store, session(mine));
      const seen: Array<ProviderEvent['state'] | null> = [];
      const event = providerEvent('evt');
      const needs = { tenant: mine, checkouts: [one.id], providerEvents: [event] };
      const unit = (after: ProviderEvent): Unit => ({
        needs,
        decide({ providerEvents, checkouts }) {
          seen.push(providerEvents.get(railKey(event))?.state ?? null);
          const before = checkouts.get(one.id) as Checkout;
          const next = changed(before, { amount: before.amount + 1 });
          return [{ checkout: { before, after: next }, events: [eventOf(next)], providerEvent: after }];
        },
      });
      const done: ProviderEvent = { ...event, state: 'done', dueAt: null };
      const look: Unit = {
        needs: { ...needs, tenant: store.batching.mixed ? theirs : mine },
        decide({ providerEvents }) {
          seen.push(providerEvents.get(railKey(event))?.state ?? null);
          return [];
        },
      };
      await store.commit([unit(event), unit(done), look]);
      assert.deepEqual(seen, [null, 'waiting', store.batching.mixed ? null : 'done']);
      assert.deepEqual(await found(store, mine, event), done);
      assert.equal((await store.checkouts.fetch(mine, one.id))?.amount, 1002);
    });

    it('are not there if their batch fails', async ({ store, mine }) => {
      const known = await put(store, mine, providerEvent('known'));
      const unit = (given: ProviderEvent): Unit => ({
        needs: { tenant: mine },
        decide: () => [{ providerEvent: given }],
      });
      const added = providerEvent('new');
      const units = [unit(added), unit({ ...known, state: 'done', dueAt: null }), failing(mine)];
      await assert.rejects(store.commit(units), bug);
      assert.deepEqual([await found(store, mine, known), await found(store, mine, added)], [known, null]);
    });
  });
}
