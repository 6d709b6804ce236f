import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { type Checkout, defaultPolicy, type Lifecycle } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { success } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/id.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import {
  add,
  answer,
  answerIn,
  attempt,
  change,
  changed,
  customer,
  eventOf,
  load,
  type Open,
  payment,
  refund,
  session,
  standing,
  T,
  write,
} from './build.ts';
import { deliveriesOf } from './deliveries.ts';
import { alsoReopened, onFreshStores, onSharedStore } from './each.ts';

export function commitSuite(open: Open): void {
  const it = onSharedStore(open);
  const itAlone = onFreshStores(open);
  const page = { limit: 100 };

  suite('what is written', () => {
    it('comes back as it was, field by field, also after a restart', async ({ store, reopen, mine }) => {
      const whole = session(mine, {
        currency: 'KWD',
        amount: 999_999_999_999_999,
        items: [
          { name: 'Ünïcödé \u{1f9fe} "quoted"', quantity: 3, unitPrice: 0, description: 'with\nlines' },
        ],
        metadata: { nested: { list: [1, true, null, { deep: '' }] }, number: 1.5, 'a.b': 'dot' },
        payer: {
          customer: newId('cus', T),
          name: 'Ada',
          email: 'Ada@Example.com',
          country: 'GB',
          phone: { callingCode: '44', number: '123' },
          billingDetails: { name: 'Ada', address: { line1: 'Street 1' } },
          shippingDetails: null,
        },
        successUrl: 'https://shop.example/thanks?a=1&b=2',
        cancelUrl: 'https://shop.example/basket',
        webhookUrl: 'https://shop.example/hook',
        methods: ['card', 'wire_transfer'],
        expiresAt: T + 1,
        lifecycle: { state: 'expired', at: T + 2, by: 'time' },
        attempts: [
          attempt('ref-1', { status: 'failed', reason: 'declined' }),
          attempt('ref-2', { syncAt: T + 5 }),
          standing('ref-3', { traits: { standing: true, toldOfCancel: true, graceMs: 0 } }),
        ],
        refunds: [
          refund({ status: 'failed', failure: 'account closed', metadata: { why: ['ü', null] } }),
          refund({ reference: 're_1', remarks: 'x', webhookUrl: 'https://shop.example/r', syncAt: T + 9 }),
        ],
        reversals: [
          {
            kind: 'dispute',
            rail: 'stripe',
            reference: 'dp_1',
            attempt: 'pat_1',
            amount: 2,
            reason: 'fraudulent',
            status: 'open',
            createdAt: T + 11,
          },
        ],
        policy: { ...defaultPolicy, underpaymentToleranceBasisPoints: 50, graceMinutes: { bank: 5 } },
        payments: [
          payment('pay-2', { amount: 1, bookedAt: T + 9 }),
          payment('pay-1', { amount: 2, bookedAt: T + 9, late: true }),
          // The clock was set back meanwhile.
          payment('pay-3', { amount: 3, bookedAt: T + 8, rail: 'bank' }),
        ],
      });
      await add(store, whole);
      assert.deepEqual(await store.checkouts.fetch(mine, whole.id), whole);
      assert.deepEqual(await (await reopen()).checkouts.fetch(mine, whole.id), whole);
    });

    const ends: Lifecycle[] = [
      { state: 'active' },
      { state: 'completed', at: T + 1 },
      { state: 'expired', at: T + 2, by: 'merchant' },
    ];
    for (const lifecycle of ends) {
      it(`comes back after a change to ${lifecycle.state}`, async ({ store, reopen, mine }) => {
        const before = await add(store, session(mine, { metadata: { old: 1, kept: 'x' } }));
        const after = await change(store, before, {
          lifecycle,
          metadata: { kept: 'x', added: true },
          attempts: [attempt('ref')],
          payments: [payment('pay', { amount: 250 })],
          amount: 2000,
        });
        assert.deepEqual(await store.checkouts.fetch(mine, before.id), after);
        assert.deepEqual(await (await reopen()).checkouts.fetch(mine, before.id), after);
      });
    }

    it('is found under its own account and mode only', async ({ store, mine, live, theirs }) => {
      const { id } = await add(store, session(mine));
      for (const tenant of [live, theirs]) {
        assert.equal(await store.checkouts.fetch(tenant, id), null);
        assert.equal((await load(store, { tenant, checkouts: [id] })).checkouts.size, 0);
      }
      assert.equal(await store.checkouts.fetch(mine, newId('chk', T)), null);
    });
  });

  suite('a batch', () => {
    it('is committed whole', async ({ store, mine }) => {
      const units = [1, 2, 3].map((amount): Unit => {
        const one = session(mine, { amount });
        const writes = { checkout: { before: null, after: one }, events: [eventOf(one)] };
        return { needs: { tenant: mine }, decide: () => [writes] };
      });
      await store.commit(units);
      assert.deepEqual(
        (await store.checkouts.list(mine, {}, page)).rows.map(({ amount }) => amount).sort(),
        [1, 2, 3],
      );
    });

    it('of none is a success', ({ store }) => store.commit([]));

    itAlone('leaves nothing behind if one of its units throws', async ({ store, reopen, mine }) => {
      const old = await add(store, session(mine));
      const fresh = session(mine);
      const after = changed(old, { amount: 2 });
      const bug = new Error('a bug');
      const units: Unit[] = [
        {
          needs: { tenant: mine, checkouts: [old.id] },
          decide: () => [
            {
              checkout: { before: old, after },
              events: [eventOf(after)],
              deliveries: deliveriesOf([eventOf(after)]),
              answer: answer('key'),
              customer: customer(mine),
              clockMove: { at: T, advanceMs: 5000 },
            },
          ],
        },
        { needs: { tenant: mine }, decide: () => [{ checkout: { before: null, after: fresh } }] },
        {
          needs: { tenant: mine, checkouts: [old.id] },
          decide() {
            throw bug;
          },
        },
      ];
      await assert.rejects(store.commit(units), bug);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.checkouts.fetch(mine, old.id), old);
        assert.equal(await each.checkouts.fetch(mine, fresh.id), null);
        assert.equal((await each.events.list(mine, {}, 0, 10)).rows.length, 1);
        assert.equal((await each.customers.list(mine, {}, page)).rows.length, 0);
        assert.equal((await each.accounts.fetch(mine.account))?.testClockOffsetMs, 0);
        assert.equal((await each.gauges()).pendingDeliveries, 0);
        const idempotency = { key: 'key', operation: 'POST /v3/checkout', requestHash: '' };
        const loaded = await load(each, { tenant: mine, checkouts: [old.id], answers: [idempotency] });
        assert.deepEqual(loaded.checkouts.get(old.id), old);
        assert.equal(answerIn(loaded), null);
      }
    });

    it('leaves nothing behind if the database refuses one of its units', async ({ store, mine }) => {
      const [first, second] = [session(mine), session(mine)].map((one) => ({
        ...one,
        payments: [payment('pay')],
      }));
      assert.ok(first && second);
      const units = [first, second].map((after): Unit => {
        return { needs: { tenant: mine }, decide: () => [{ checkout: { before: null, after } }] };
      });
      await assert.rejects(store.commit(units));
      assert.equal(await store.checkouts.fetch(mine, first.id), null);
      await add(store, first);
      assert.deepEqual(await store.checkouts.fetch(mine, first.id), first);
    });

    it('is decided on what is stored, whatever another process has made of it since it was read', async (given) => {
      const { store, another, mine } = given;
      const other = await another();
      const one = await add(store, session(mine));
      assert.equal((await other.checkouts.fetch(mine, one.id))?.version, 1);
      const decidedOn = new Map<string, number>();
      const book = (reference: string): Unit => ({
        needs: { tenant: mine, checkouts: [one.id] },
        decide({ checkouts }) {
          const before = checkouts.get(one.id) as Checkout;
          decidedOn.set(reference, before.version);
          const after = changed(before, { payments: [...before.payments, payment(reference)] });
          return [{ checkout: { before, after }, events: [eventOf(after, 'checkout.paid')] }];
        },
      });
      await store.commit([book('first')]);
      await other.commit([book('second'), book('third')]);
      await store.commit([book('fourth')]);
      assert.deepEqual([...decidedOn.values()], [1, 2, 3, 4]);
      const stored = await (await given.reopen()).checkouts.fetch(mine, one.id);
      assert.equal(stored?.version, 5);
      assert.deepEqual(
        stored.payments.map(({ reference }) => reference),
        ['first', 'second', 'third', 'fourth'],
      );
    });

    it('shows no unit what another account or mode has just written', async ({
      store,
      mine,
      live,
      theirs,
    }) => {
      const first = session(mine);
      const seen: number[] = [];
      const look = (tenant: typeof mine): Unit => ({
        needs: { tenant, checkouts: [first.id] },
        decide({ checkouts }) {
          seen.push(checkouts.size);
          return [];
        },
      });
      const write: Unit = {
        needs: { tenant: mine },
        decide: () => [{ checkout: { before: null, after: first }, events: [eventOf(first)] }],
      };
      // A store that does not mix tenants in a batch has nothing to keep apart in it.
      if (store.batching.mixed) await store.commit([write, look(mine), look(live), look(theirs)]);
      else for (const unit of [write, look(mine), look(live), look(theirs)]) await store.commit([unit]);
      assert.deepEqual(seen, [1, 0, 0]);
    });

    it('shows each unit what those before it have written', async ({ store, mine }) => {
      const known = customer(mine, { email: 'Ada@Example.com' });
      const first = session(mine, { attempts: [attempt('ref')], payments: [payment('pay')] });
      const stored = answer('key', { headers: { 'x-é': 'ü' }, body: '{"text":"ß"}' });
      const { key, operation, requestHash } = stored;
      const seen: unknown[] = [];
      const look = (needs: Omit<Unit['needs'], 'tenant'>): Unit => ({
        needs: { tenant: mine, ...needs },
        decide(loaded) {
          const { checkouts, customers, customersByEmail, owners } = loaded;
          seen.push([[...checkouts], [...customers], [...customersByEmail], [...owners], answerIn(loaded)]);
          return [];
        },
      });
      const second = changed(first, { amount: 7 });
      const everything = {
        checkouts: [first.id],
        customers: [known.id],
        customersByEmail: ['ada@example.com'],
        owners: [{ rail: 'sandbox', reference: 'ref' }],
        answers: [{ key, operation, requestHash: 'other' }],
      };
      await store.commit([
        look(everything),
        {
          needs: { tenant: mine },
          decide: () => [
            {
              checkout: { before: null, after: first },
              events: [eventOf(first)],
              customer: known,
              answer: stored,
            },
          ],
        },
        look(everything),
        {
          needs: { tenant: mine, checkouts: [first.id] },
          decide: ({ checkouts }) => {
            const before = checkouts.get(first.id) ?? null;
            assert.deepEqual(before, first);
            return [{ checkout: { before, after: second }, events: [eventOf(second)] }];
          },
        },
        look({ checkouts: [first.id], owners: [{ rail: 'sandbox', reference: 'pay' }] }),
        look({ checkouts: [first.id, newId('chk', T)] }),
        look({}),
      ]);
      const { headers, body, statusCode } = stored;
      const owner = (reference: string) => [[railKey({ rail: 'sandbox', reference }), first.id]];
      const given = { requestHash, statusCode, headers, body };
      const nothing = [[], [], [], [], null];
      assert.deepEqual(seen, [
        nothing,
        [[[first.id, first]], [[known.id, known]], [['ada@example.com', known]], owner('ref'), given],
        [[[first.id, second]], [], [], owner('pay'), null],
        [[[first.id, second]], [], [], [], null],
        nothing,
      ]);
      assert.deepEqual(await store.checkouts.fetch(mine, first.id), second);
    });
  });

  suite('a stored answer', () => {
    it('is found by its key and operation, in its account and mode', async ({
      store,
      reopen,
      mine,
      live,
      theirs,
    }) => {
      const stored = answer('order-1', { body: '{"bytes":"ü 😀  as they are"}' });
      await write(store, mine, { answer: stored });
      const again = await reopen();
      const { key, operation, requestHash, createdAt: _, ...rest } = stored;
      const idempotency = { key, operation, requestHash: 'whatever' };
      const found = await load(again, { tenant: mine, answers: [idempotency] });
      assert.deepEqual(answerIn(found), { requestHash, ...rest });
      for (const tenant of [live, theirs]) {
        assert.equal(answerIn(await load(again, { tenant, answers: [idempotency] })), null);
        await write(again, tenant, { answer: stored });
      }
      const elsewhere = { ...idempotency, operation: 'PUT /v3/checkout/chk_1' };
      for (const other of [elsewhere, { ...idempotency, key: 'Order-1' }]) {
        assert.equal(answerIn(await load(again, { tenant: mine, answers: [other] })), null);
      }
    });

    it('is whole again with the data of its event, whatever has caused that', async ({ store, mine }) => {
      const one = session(mine);
      const event = eventOf(one, 'checkout.updated', { cause: 'asked' });
      const data = JSON.stringify(JSON.parse(event.body).data);
      const stored = answer('key', success('CHECKOUT.UPDATE', data));
      await write(store, mine, { checkout: { before: null, after: one }, events: [event], answer: stored });
      const { key, operation, requestHash } = stored;
      const loaded = await load(store, { tenant: mine, answers: [{ key, operation, requestHash }] });
      assert.equal(answerIn(loaded)?.body, stored.body);
    });

    it('is never replaced', async ({ store, mine }) => {
      await write(store, mine, { answer: answer('key', { body: 'first' }) });
      await assert.rejects(write(store, mine, { answer: answer('key', { body: 'second' }) }));
      const { key, operation, requestHash } = answer('key');
      const loaded = await load(store, { tenant: mine, answers: [{ key, operation, requestHash }] });
      assert.equal(answerIn(loaded)?.body, 'first');
    });
  });

  suite('an answer in the place of another', () => {
    const made = (location: string, requestHash: string) =>
      answer('key', { requestHash, body: location, headers: { location } });
    const bodyIn = async (store: Store, tenant: Tenant) => {
      const { key, operation, requestHash } = answer('key');
      return answerIn(await load(store, { tenant, answers: [{ key, operation, requestHash }] }))?.body;
    };

    it('goes there once, for the very answer that it names', async ({ store, mine, live }) => {
      const first = made('/1', 'a');
      const others = [made('/3', 'a'), made('/1', 'b')];
      await write(store, mine, { answer: first });
      await write(store, live, { answer: first });
      for (const replaces of others) {
        await assert.rejects(write(store, mine, { answer: { ...made('/2', 'b'), replaces } }));
      }
      await write(store, mine, { answer: { ...made('/2', 'b'), replaces: first } });
      await assert.rejects(write(store, mine, { answer: { ...made('/4', 'c'), replaces: first } }));
      assert.equal(await bodyIn(store, mine), '/2');
      assert.equal(await bodyIn(store, live), '/1', 'another mode keeps its own');
    });

    it('is a first one where the other has been forgotten', async ({ store, mine }) => {
      await write(store, mine, { answer: { ...made('/2', 'b'), replaces: made('/1', 'a') } });
      assert.equal(await bodyIn(store, mine), '/2');
    });
  });

  suite('the ledger', () => {
    it('takes a payment of a rail once in an account and mode', async ({ store, mine, live, theirs }) => {
      await add(store, session(mine, { payments: [payment('pay')] }));
      const twice = session(mine, { payments: [payment('pay', { amount: 5 })] });
      await assert.rejects(add(store, twice));
      assert.equal(await store.checkouts.fetch(mine, twice.id), null);
      assert.equal((await store.events.list(mine, {}, 0, 10)).rows.length, 1);
      await add(store, session(mine, { payments: [payment('pay', { rail: 'bank' })] }));
      await add(store, session(mine, { payments: [payment('Pay')] }));
      await add(store, session(live, { payments: [payment('pay')] }));
      await add(store, session(theirs, { payments: [payment('pay')] }));
    });

    it('grows with the session and keeps its order', async ({ store, reopen, mine }) => {
      let one = await add(store, session(mine, { amount: 300 }));
      for (const reference of ['c', 'a', 'b']) {
        one = await change(store, one, { payments: [...one.payments, payment(reference, { amount: 100 })] });
      }
      assert.deepEqual((await (await reopen()).checkouts.fetch(mine, one.id))?.payments, one.payments);
    });

    it('tells whose a payment or attempt of a rail is', async ({ store, mine, live, theirs }) => {
      const one = await add(store, session(mine, { attempts: [attempt('ref')], payments: [payment('pay')] }));
      const ownerOf = async (rail: string, reference: string, tenant = mine) =>
        (await load(store, { tenant, owners: [{ rail, reference }] })).owners.get(
          railKey({ rail, reference }),
        ) ?? null;
      assert.equal(await ownerOf('sandbox', 'ref'), one.id);
      assert.equal(await ownerOf('sandbox', 'pay'), one.id);
      assert.equal(await ownerOf('bank', 'pay'), null);
      assert.equal(await ownerOf('sandbox', 'ref', live), null);
      assert.equal(await ownerOf('sandbox', 'pay', theirs), null);
    });
  });

  it('an attempt leads to its session', async ({ store, mine, live, theirs }) => {
    const first = attempt('ref-1');
    const second = attempt('ref-2');
    const before = await add(store, session(mine, { attempts: [first] }));
    const one = await change(store, before, { attempts: [{ ...first, status: 'failed' }, second] });
    for (const { id } of [first, second]) {
      assert.deepEqual(await store.checkouts.fetchByAttempt(mine, id), one);
      assert.equal(await store.checkouts.fetchByAttempt(live, id), null);
      assert.equal(await store.checkouts.fetchByAttempt(theirs, id), null);
    }
    assert.equal(await store.checkouts.fetchByAttempt(mine, newId('pat', T)), null);
  });
}
