import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Customer } from '../../src/checkout/customer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { CheckoutFilter, Store } from '../../src/store/store.ts';
import { add, change, customer, load, type Open, payment, session, T, write } from './build.ts';
import { type Given, onSharedStore } from './each.ts';

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

export function listSuite(open: Open): void {
  const it = onSharedStore(open);

  /** Sessions made a second apart, so that the first of the list is the last of these. */
  async function addAll(
    { store, mine }: Given,
    given: ReadonlyArray<Partial<Checkout>>,
  ): Promise<Checkout[]> {
    const made: Checkout[] = [];
    for (const [index, each] of given.entries()) {
      made.push(
        await add(store, session(mine, { createdAt: T + index * 1000, referenceId: `r${index}`, ...each })),
      );
    }
    return made;
  }

  suite('a list of sessions', () => {
    const all = { limit: 100 };

    it('finds by a beginning that was cut in the middle of a character', async (given) => {
      const { store, mine } = given;
      const long = `${'a'.repeat(63)}\u{1f9fe} and more`;
      const [one] = (await addAll(given, [{ description: long }, { description: 'other' }])) as [Checkout];
      const again = await change(store, one, { description: `${long}.`, amount: 7 });
      for (const search of [long.slice(0, 10), long]) {
        assert.deepEqual((await store.checkouts.list(mine, { search }, all)).rows, [again]);
      }
    });

    it('is newest first, of one account and mode', async (given) => {
      const { store, mine, live, theirs } = given;
      const made = await addAll(given, [{}, {}, {}]);
      await add(store, session(live));
      const { rows, hasMore } = await store.checkouts.list(mine, {}, all);
      assert.deepEqual(rows, made.toReversed());
      assert.equal(hasMore, false);
      assert.equal((await store.checkouts.list(live, {}, all)).rows.length, 1);
      assert.deepEqual(await store.checkouts.list(theirs, {}, all), { rows: [], hasMore: false });
    });

    it('is paged in both directions', async (given) => {
      const { store, mine } = given;
      const [a, b, c, d, e] = ids(await addAll(given, [{}, {}, {}, {}, {}])) as [
        string,
        string,
        string,
        string,
        string,
      ];
      const page = async (request: { limit: number; after?: string; before?: string }) => {
        const { rows, hasMore } = await store.checkouts.list(mine, {}, request);
        return [ids(rows), hasMore];
      };
      assert.deepEqual(await page({ limit: 2 }), [[e, d], true]);
      assert.deepEqual(await page({ limit: 2, after: d }), [[c, b], true]);
      assert.deepEqual(await page({ limit: 2, after: b }), [[a], false]);
      assert.deepEqual(await page({ limit: 2, after: a }), [[], false]);
      assert.deepEqual(await page({ limit: 2, before: a }), [[c, b], true]);
      assert.deepEqual(await page({ limit: 2, before: c }), [[e, d], false]);
      assert.deepEqual(await page({ limit: 3, before: c }), [[e, d], false]);
      assert.deepEqual(await page({ limit: 2, before: e }), [[], false]);
      assert.deepEqual(await page({ limit: 5 }), [[e, d, c, b, a], false]);
    });

    it('keeps its place while sessions are added and change', async (given) => {
      const { store, mine } = given;
      const made = await addAll(given, [{}, {}, {}, {}]);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let more = true; more; ) {
        const { rows, hasMore } = await store.checkouts.list(
          mine,
          {},
          { limit: 1, ...(cursor ? { after: cursor } : {}) },
        );
        seen.push(...ids(rows));
        cursor = seen.at(-1);
        more = hasMore;
        const [first] = made;
        if (seen.length === 1 && first) made[0] = await change(store, first, { amount: 5 });
        await add(store, session(mine, { createdAt: T + 3_600_000 }));
      }
      assert.deepEqual(seen, ids(made).toReversed());
    });

    /** Each filter with those of the sessions 0, 1, 2 … that it lets through. */
    const paid = [payment('p', { amount: 400 })];
    const address = {
      customer: '',
      name: 'X',
      country: '',
      phone: null,
      billingDetails: null,
      shippingDetails: null,
    };
    const sessions: ReadonlyArray<Partial<Checkout>> = [
      { currency: 'EUR', amount: 100, referenceId: 'Order-1', description: '2 x Ångström Lamp' },
      { currency: 'USD', amount: 200, lifecycle: { state: 'completed', at: T }, payments: paid },
      {
        amount: 300,
        lifecycle: { state: 'expired', at: T, by: 'merchant' },
        payer: { ...address, email: 'Ada@Example.com', customer: 'cus_1' },
      },
      {
        amount: 400,
        lifecycle: { state: 'expired', at: T, by: 'time' },
        metadata: { shop: 'north', paid: true, count: 3, note: { deep: 1 } },
      },
      { amount: 500, payments: [payment('q', { amount: 499 })], metadata: { shop: 'south', count: '3' } },
      {
        amount: 600,
        referenceId: 'Order-10',
        metadata: { shop: 'north', '100%': 'a_b' },
        description: '50% off_now',
      },
    ];
    const cases: ReadonlyArray<[CheckoutFilter, number[]]> = [
      [{ status: 'active' }, [5, 4, 0]],
      [{ status: 'completed' }, [1]],
      [{ status: 'expired' }, [3, 2]],
      [{ paymentStatus: 'unpaid' }, [5, 4, 2, 0]],
      [{ paymentStatus: 'paid' }, [1]],
      [{ paymentStatus: 'expired' }, [3]],
      [{ currency: 'USD' }, [1]],
      [{ currency: 'JPY' }, []],
      [{ referenceId: 'Order-1' }, [0]],
      [{ referenceId: 'order-1' }, []],
      [{ customer: 'cus_1' }, [2]],
      [{ customer: 'cus_2' }, []],
      [{ createdFrom: T + 4000 }, [5, 4]],
      [{ createdBefore: T + 1000 }, [0]],
      [{ createdFrom: T + 1000, createdBefore: T + 3000 }, [2, 1]],
      [{ createdFrom: 0, createdBefore: T }, []],
      [{ amountFrom: 500 }, [5, 4]],
      [{ amountTo: 200 }, [1, 0]],
      [{ amountFrom: 200, amountTo: 300 }, [2, 1]],
      [{ partiallyPaid: true }, [4]],
      [{ partiallyPaid: false }, [5, 3, 2, 1, 0]],
      [{ paidInExcess: true }, [1]],
      [{ paidInExcess: false }, [5, 4, 3, 2, 0]],
      [{ metadata: [['shop', 'north']] }, [5, 3]],
      [{ metadata: [['shop', 'nort']] }, []],
      [
        {
          metadata: [
            ['shop', 'north'],
            ['paid', 'true'],
          ],
        },
        [3],
      ],
      [{ metadata: [['count', '3']] }, [4, 3]],
      [{ metadata: [['100%', 'a_b']] }, [5]],
      [{ metadata: [['note', '[object Object]']] }, []],
      [{ search: 'Order-1' }, [5, 0]],
      [{ search: 'Order-10' }, [5]],
      [{ search: 'ADA@' }, [2]],
      [{ search: '2 x ång' }, [0]],
      [{ search: 'x ång' }, []],
      [{ search: '50% OFF_' }, [5]],
      [{ search: '%' }, []],
      [{ search: '_' }, []],
      [{ search: 'chk_' }, [5, 4, 3, 2, 1, 0]],
      [{ search: 'Order', status: 'active', amountFrom: 600 }, [5]],
      [
        {
          status: 'active',
          currency: 'EUR',
          partiallyPaid: false,
          metadata: [['shop', 'north']],
          amountTo: 600,
        },
        [5],
      ],
      [{ referenceId: `' OR 1=1 --` }, []],
    ];
    it('has filters, which combine', async (given) => {
      const { store, reopen, mine, theirs } = given;
      const made = await addAll(given, sessions);
      const whole = made[3]?.id.toUpperCase() as string;
      const reopened = await reopen();
      for (const each of [reopened, reopened]) {
        for (const [filter, expected] of cases) {
          const { rows, hasMore } = await each.checkouts.list(mine, filter, all);
          const found = rows.map(({ id }) => made.findIndex((one) => one.id === id));
          assert.deepEqual(found, expected, JSON.stringify(filter));
          assert.deepEqual(
            rows,
            expected.map((index) => made[index]),
          );
          assert.equal(hasMore, false);
          assert.deepEqual((await each.checkouts.list(theirs, filter, all)).rows, []);
        }
        assert.deepEqual(ids((await each.checkouts.list(mine, { search: whole }, all)).rows), [made[3]?.id]);
        for (const one of made) await each.checkouts.fetch(mine, one.id);
      }
      assert.ok(store);
    });

    it('is paged with a filter too', async (given) => {
      const { store, mine } = given;
      const currencies = ['EUR', 'USD', 'EUR', 'USD', 'EUR'];
      const [a, , c, , e] = ids(
        await addAll(
          given,
          currencies.map((currency) => ({ currency })),
        ),
      );
      const filter = { currency: 'EUR' };
      const first = await store.checkouts.list(mine, filter, { limit: 2 });
      assert.deepEqual([ids(first.rows), first.hasMore], [[e, c], true]);
      const second = await store.checkouts.list(mine, filter, { limit: 2, after: c as string });
      assert.deepEqual([ids(second.rows), second.hasMore], [[a], false]);
      const back = await store.checkouts.list(mine, filter, { limit: 1, before: a as string });
      assert.deepEqual([ids(back.rows), back.hasMore], [[c], true]);
    });

    it('follows the changes of a session', async (given) => {
      const { store, mine } = given;
      const [one] = (await addAll(given, [{ metadata: { shop: 'north', gone: 1 } }])) as [Checkout];
      await change(store, one, {
        amount: 400,
        metadata: { shop: 'south' },
        payments: paid,
        lifecycle: { state: 'completed', at: T },
        description: 'other',
      });
      const matches = async (filter: CheckoutFilter) =>
        (await store.checkouts.list(mine, filter, all)).rows.length;
      for (const now of [
        { status: 'completed' },
        { paymentStatus: 'paid' },
        { amountFrom: 400, amountTo: 400 },
        { metadata: [['shop', 'south']] },
        { search: 'other' },
      ] as const) {
        assert.equal(await matches(now), 1, JSON.stringify(now));
      }
      for (const before of [
        { status: 'active' },
        { paymentStatus: 'unpaid' },
        { amountFrom: 401 },
        { metadata: [['shop', 'north']] },
        { metadata: [['gone', '1']] },
        { search: '2 x' },
      ] as const) {
        assert.equal(await matches(before), 0, JSON.stringify(before));
      }
    });
  });

  suite('customers', () => {
    const put = async (store: Store, one: Customer): Promise<Customer> => {
      await write(store, one.tenant, { customer: one });
      return one;
    };

    it('are found by id and by address in their account and mode', async ({
      store,
      reopen,
      mine,
      live,
      theirs,
    }) => {
      const phone = { callingCode: '44', number: '1' };
      const metadata = { vip: { since: 2020 } };
      const one = await put(store, customer(mine, { email: 'Ada@Example.com', phone, metadata }));
      const again = await reopen();
      assert.deepEqual(await again.customers.fetch(mine, one.id), one);
      const byAddress = { tenant: mine, customersByEmail: ['ada@example.com'] };
      assert.deepEqual((await load(again, byAddress)).customersByEmail.get('ada@example.com'), one);
      for (const tenant of [live, theirs]) {
        assert.equal(await again.customers.fetch(tenant, one.id), null);
        assert.equal((await load(again, { ...byAddress, tenant })).customersByEmail.size, 0);
        assert.equal((await load(again, { tenant, customers: [one.id] })).customers.size, 0);
        assert.deepEqual((await again.customers.list(tenant, {}, { limit: 9 })).rows, []);
      }
    });

    it('change and keep their id', async ({ store, mine }) => {
      const one = await put(store, customer(mine));
      const renamed = await put(store, { ...one, name: 'Augusta', email: 'augusta@example.com' });
      assert.deepEqual(await store.customers.fetch(mine, one.id), renamed);
      const byAddress = await load(store, { tenant: mine, customersByEmail: ['ada@example.com'] });
      assert.equal(byAddress.customersByEmail.size, 0);
      assert.deepEqual((await store.customers.list(mine, {}, { limit: 9 })).rows, [renamed]);
    });

    it('have an address each, whatever its case', async ({ store, mine, live, theirs }) => {
      await put(store, customer(mine));
      const customerByEmail = customer(mine, { email: 'ADA@example.com' });
      await assert.rejects(put(store, customerByEmail));
      assert.equal(await store.customers.fetch(mine, customerByEmail.id), null);
      await put(store, customer(live));
      await put(store, customer(theirs));
      await put(store, customer(mine, { email: '' }));
      await put(store, customer(mine, { email: '' }));
      assert.equal((await load(store, { tenant: mine, customersByEmail: [''] })).customersByEmail.size, 0);
    });

    it('are listed newest first, page by page, and by address', async ({ store, mine }) => {
      const made: Customer[] = [];
      for (let i = 0; i < 5; i++) {
        made.push(await put(store, customer(mine, { createdAt: T + i, email: `c${i}@example.com` })));
      }
      const [a, b, c, d, e] = ids(made) as [string, string, string, string, string];
      const page = async (request: { limit: number; after?: string; before?: string }) => {
        const { rows, hasMore } = await store.customers.list(mine, {}, request);
        return [ids(rows), hasMore];
      };
      assert.deepEqual(await page({ limit: 2 }), [[e, d], true]);
      assert.deepEqual(await page({ limit: 3, after: d }), [[c, b, a], false]);
      assert.deepEqual(await page({ limit: 2, before: a }), [[c, b], true]);
      assert.deepEqual(await page({ limit: 2, before: c }), [[e, d], false]);
      const byAddress = await store.customers.list(mine, { email: 'C3@example.com' }, { limit: 9 });
      assert.deepEqual(byAddress, { rows: [made[3]], hasMore: false });
      assert.deepEqual((await store.customers.list(mine, { email: 'c3' }, { limit: 9 })).rows, []);
    });
  });
}
