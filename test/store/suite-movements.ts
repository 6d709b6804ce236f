/** Movements of money in lists, and the totals that are made of them and of sessions. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import fc from 'fast-check';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import { type ListedMovement, movementsOf } from '../../src/checkout/movements.ts';
import type { Checkout, Reversal } from '../../src/checkout/session.ts';
import { totalsOf } from '../../src/checkout/totals.ts';
import type { MovementFilter } from '../../src/store/store.ts';
import { add, attempt, change, type Open, payment, refund, session, T } from './build.ts';
import { inOrder } from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';
import { ALL, assertPaged } from './pages.ts';

const at = (seconds: number) => T + seconds * 1000;
/** The time in which PostgreSQL counts sessions together. */
const BLOCK = 2 ** 20;

function reversal(reference: string, given: Partial<Reversal> = {}): Reversal {
  const facts = { kind: 'return', rail: 'bank', reference, attempt: 'pat_1', reason: '' } as const;
  return { ...facts, amount: 70, status: 'lost', createdAt: T, ...given };
}

/** Movements as lists have them, with what the session and the refund are now. */
const listed = (session: Checkout): ListedMovement[] =>
  movementsOf(session).map((movement) => {
    const status = session.refunds.find(({ id }) => id === movement.reference)?.status;
    const isKnown = status === 'pending' || status === 'succeeded';
    return { ...movement, referenceId: session.referenceId, refundStatus: isKnown ? status : null };
  });

const newestFirst = (...sessions: readonly Checkout[]): ListedMovement[] =>
  sessions.flatMap(listed).sort((one, other) => (one.id < other.id ? 1 : -1));

export function movementSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('movements of money', () => {
    it('are those of their session as it is', async ({ store, reopen, mine, live, theirs }) => {
      const before = await add(
        store,
        session(mine, {
          payments: [payment('one', { bookedAt: at(1) })],
          refunds: [refund({ createdAt: at(2) })],
          reversals: [reversal('rv', { createdAt: at(3), status: 'open' })],
        }),
      );
      assert.equal((await store.movements.list(mine, {}, ALL)).rows.length, 3);
      const [dispute] = before.reversals;
      const [pending] = before.refunds;
      if (dispute === undefined || pending === undefined) throw new Error('neither was made');
      const after = await change(store, before, {
        payments: [...before.payments, payment('two', { bookedAt: at(4), late: true })],
        refunds: [{ ...pending, status: 'failed' }],
        reversals: [{ ...dispute, amount: 71 }],
      });
      const expected = newestFirst(after);
      assert.deepEqual(
        expected.map(({ type, amount, late }) => [type, amount, late]),
        [
          ['payment', 1000, true],
          ['reversal', 71, false],
          ['payment', 1000, false],
        ],
      );
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual((await each.movements.list(mine, {}, ALL)).rows, expected);
        for (const tenant of [live, theirs])
          assert.deepEqual((await each.movements.list(tenant, {}, ALL)).rows, []);
      }
    });

    it('say how long it took to complete the session, as it is known now', async ({
      store,
      reopen,
      mine,
    }) => {
      const [first, second] = [
        payment('b', { amount: 400, bookedAt: at(1) }),
        payment('c', { bookedAt: at(5) }),
      ];
      const before = await add(store, session(mine, { payments: [first] }));
      const times = async (from = store) =>
        (await from.movements.list(mine, {}, ALL)).rows
          .map(({ reference, timeToPayMs }) => `${reference} ${timeToPayMs}`)
          .sort();
      assert.deepEqual(await times(), ['b null']);
      const completed = await change(store, before, {
        payments: [first, second],
        lifecycle: { state: 'completed', at: at(5) },
      });
      assert.deepEqual(await times(), ['b null', 'c 5000']);
      // Of two at the same time the first by reference counts, so that a row that is there already changes.
      const same = payment('a', { bookedAt: at(5) });
      await change(store, completed, { payments: [...completed.payments, same] });
      for await (const each of alsoReopened({ store, reopen }))
        assert.deepEqual(await times(each), ['a 5000', 'b null', 'c null']);
    });

    it('have the fee of their payment, as it was told last', async ({ store, reopen, mine }) => {
      const payments = [payment('a', { bookedAt: at(1) }), payment('b', { bookedAt: at(2) })];
      const before = await add(store, session(mine, { payments }));
      const fees = async (from = store) =>
        (await from.movements.list(mine, {}, ALL)).rows.map(({ fee, feeCurrency }) => [fee, feeCurrency]);
      const none = [null, null];
      assert.deepEqual(await fees(), [none, none]);
      const told = (reference: string, amount: number, currency: string) => ({
        fees: [{ rail: 'sandbox', reference, amount, currency }],
      });
      const first = await change(store, before, told('a', 0, 'EUR'));
      assert.deepEqual(await fees(), [none, [0, 'EUR']]);
      const more = await change(store, first, told('a', 59, 'EUR'));
      assert.deepEqual(await fees(), [none, [59, 'EUR']]);
      const after = await change(store, more, told('a', 59, 'USD'));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await fees(each), [none, [59, 'USD']]);
        assert.deepEqual((await each.checkouts.fetch(mine, after.id))?.fees, after.fees);
      }
    });

    it('are gone once a refund has failed, or a reversal is won', async ({ store, mine }) => {
      const [pending, dispute] = [refund(), reversal('rv', { status: 'open' })];
      const before = await add(store, session(mine, { refunds: [pending], reversals: [dispute] }));
      const types = async () =>
        (await store.movements.list(mine, {}, ALL)).rows.map(({ type }) => type).sort();
      assert.deepEqual(await types(), ['refund', 'reversal']);
      const failed = await change(store, before, { refunds: [{ ...pending, status: 'failed' }] });
      assert.deepEqual(await types(), ['reversal']);
      await change(store, failed, { reversals: [{ ...dispute, status: 'won' }] });
      assert.deepEqual(await types(), []);
    });

    it('are listed newest first, by session, rail, reference, type, currency, time and what was late, page by page', async (given) => {
      const { store, mine } = given;
      const euros = await add(
        store,
        session(mine, {
          payments: [payment('a', { bookedAt: at(1) }), payment('b', { bookedAt: at(5), late: true })],
          refunds: [refund({ createdAt: at(3) }), refund({ createdAt: at(7), status: 'succeeded' })],
        }),
      );
      const dollars = await add(
        store,
        session(mine, {
          currency: 'USD',
          referenceId: 'order-2',
          payments: [payment('c', { bookedAt: at(2) }), payment('d', { bookedAt: at(6), late: true })],
          reversals: [reversal('e', { createdAt: at(4) })],
        }),
      );
      const all = newestFirst(euros, dollars);
      const cases: ReadonlyArray<[MovementFilter, (each: ListedMovement) => boolean]> = [
        [{}, () => true],
        [{ type: 'payment' }, ({ type }) => type === 'payment'],
        [{ type: 'refund' }, ({ type }) => type === 'refund'],
        [{ type: 'reversal' }, ({ type }) => type === 'reversal'],
        [{ type: 'reversal', currency: 'EUR' }, () => false],
        [{ currency: 'USD' }, ({ currency }) => currency === 'USD'],
        [{ checkout: euros.id }, ({ currency }) => currency === 'EUR'],
        [{ checkout: dollars.id, type: 'payment' }, ({ reference }) => 'cd'.includes(reference)],
        [{ rail: 'bank' }, ({ reference }) => reference === 'e'],
        [{ reference: 'd' }, ({ reference }) => reference === 'd'],
        [{ reference: 'd', checkout: euros.id }, () => false],
        [{ late: true }, ({ late }) => late],
        [{ late: false, type: 'payment' }, ({ late, type }) => !late && type === 'payment'],
        [{ late: true, currency: 'EUR' }, ({ late, currency }) => late && currency === 'EUR'],
        [
          { createdFrom: at(2), createdBefore: at(5) },
          ({ createdAt }) => createdAt >= at(2) && createdAt < at(5),
        ],
        [
          { createdFrom: at(3), type: 'refund', currency: 'EUR' },
          ({ type, createdAt }) => type === 'refund' && createdAt >= at(3),
        ],
      ];
      for (const [filter, fits] of cases) {
        const expected = all.filter(fits);
        assert.deepEqual((await store.movements.list(mine, filter, ALL)).rows, expected);
        await assertPaged((page) => store.movements.list(mine, filter, page), inOrder(expected));
      }
    });

    it('are summed up by interval and currency, with what came back and what was late apart', async ({
      store,
      mine,
      live,
    }) => {
      await add(
        store,
        session(mine, {
          payments: [
            payment('a', { bookedAt: at(0) }),
            payment('b', { bookedAt: at(9), amount: 5 }),
            payment('c', { bookedAt: at(9), late: true }),
            payment('d', { bookedAt: at(10) }),
            payment('before', { bookedAt: at(-1) }),
            payment('behind', { bookedAt: at(20) }),
          ],
          refunds: [refund({ createdAt: at(5) })],
        }),
      );
      await add(store, session(mine, { currency: 'USD', reversals: [reversal('e', { createdAt: at(12) })] }));
      const intervals = [
        { from: at(0), to: at(10) },
        { from: at(10), to: at(20) },
      ];
      const sums = async (currency?: string) =>
        (await store.totals.movements(mine, { intervals, ...(currency === undefined ? {} : { currency }) }))
          .map(({ interval, currency, of, count, amount }) =>
            [interval, currency, of, count, amount].join(' '),
          )
          .sort();
      const euros = ['0 EUR all 4 2105', '0 EUR late 1 1000', '0 EUR refund 1 100', '1 EUR all 1 1000'];
      assert.deepEqual(await sums(), [...euros, '1 USD all 1 70', '1 USD reversal 1 70']);
      assert.deepEqual(await sums('EUR'), euros);
      assert.deepEqual(await sums('JPY'), []);
      assert.deepEqual(await store.totals.movements(live, { intervals }), []);
      const [first, second, third, ...others] = totalsOf(
        intervals,
        await store.totals.movements(mine, { intervals }),
        [],
        [],
      );
      assert.deepEqual(others, []);
      assert.deepEqual(first?.received, { count: 3, amount: 2005n });
      assert.deepEqual(
        [first?.late, first?.refunded],
        [
          { count: 1, amount: 1000n },
          { count: 1, amount: 100n },
        ],
      );
      assert.deepEqual(second?.received, { count: 1, amount: 1000n });
      assert.deepEqual([third?.currency, third?.received], ['USD', { count: 0, amount: 0n }]);
      assert.deepEqual(third?.reversed, { count: 1, amount: 70n });
    });

    it('are counted by the time to pay, each time with those that are shorter', async ({ store, mine }) => {
      const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
      const took = [0, ...[minute, 10 * minute, hour, day, 7 * day].flatMap((ms) => [ms, ms + 1])];
      for (const [n, ms] of took.entries()) {
        const lifecycle = { state: 'completed', at: T } as const;
        // All are paid in the first interval, whenever they were created.
        const payments = [payment(`${n}`, { bookedAt: T }), payment(`${n} again`, { bookedAt: T + 1 })];
        await add(store, session(mine, { createdAt: T - ms, lifecycle, payments }));
      }
      const dollars = { currency: 'USD', createdAt: at(10), refunds: [refund({ createdAt: at(11) })] };
      const lifecycle = { state: 'completed', at: at(75) } as const;
      await add(
        store,
        session(mine, { ...dollars, lifecycle, payments: [payment('d', { bookedAt: at(75), late: true })] }),
      );
      await add(store, session(mine, { ...dollars, payments: [payment('e', { bookedAt: at(75) })] }));
      const intervals = [
        { from: T, to: at(10) },
        { from: at(10), to: at(100) },
      ];
      const sums = await store.totals.movements(mine, { intervals });
      assert.deepEqual(
        sums
          .flatMap((each) => (each.of === 'all' ? [each] : []))
          .map((each) =>
            [
              `${each.interval} ${each.currency}:`,
              each.within1Minute,
              each.within10Minutes,
              each.within1Hour,
              each.within1Day,
              each.within1Week,
              each.over1Week,
            ].join(' '),
          )
          .sort(),
        ['0 EUR: 2 4 6 8 10 1', '1 USD: 0 1 1 1 1 0'],
      );
    });

    it('are summed up by rail, which come to the sums of all', async ({ store, mine, live }) => {
      const drawn = fc.record({
        currency: fc.constantFrom('EUR', 'USD'),
        rail: fc.constantFrom('bank', 'sandbox', 'stripe'),
        late: fc.boolean(),
        seconds: fc.nat(29),
        amount: fc.integer({ min: 1, max: 3_000_000 }),
        fee: fc.option(fc.integer({ min: 0, max: 2_000_000 })),
        goesBack: fc.boolean(),
      });
      for (const [n, each] of fc.sample(drawn, { numRuns: 60, seed: 11 }).entries()) {
        const { currency, rail, late, seconds, amount, fee, goesBack } = each;
        const line = payment(`${n}`, { rail, late, amount, bookedAt: at(seconds) });
        const reference = line.reference;
        const given = {
          attempts: [attempt(`a${n}`, { rail })],
          payments: [line],
          ...(fee === null ? {} : { fees: [{ rail, reference, amount: fee, currency: 'EUR' }] }),
          ...(goesBack ? { refunds: [refund({ rail, amount: 1, createdAt: at(seconds + 1) })] } : {}),
        };
        await add(store, session(n % 10 === 0 ? live : mine, { currency, ...given }));
      }
      const intervals = [
        { from: at(0), to: at(10) },
        { from: at(10), to: at(31) },
      ];
      const { rows } = await store.movements.list(mine, {}, ALL);
      const sum = (all: readonly ListedMovement[]) => ({
        count: all.length,
        amount: all.reduce((total, { amount }) => total + BigInt(amount), 0n),
      });
      const totals = totalsOf(intervals, await store.totals.movements(mine, { intervals }), [], []);
      assert.equal(totals.length, 4);
      for (const { from, to, currency, rails, ...whole } of totals) {
        const all = rows.filter(
          (row) => row.currency === currency && row.createdAt >= from && row.createdAt < to,
        );
        const names = [...new Set(all.map(({ rail }) => rail))].sort();
        assert.deepEqual(
          rails.map(({ rail }) => rail),
          names,
        );
        for (const { rail, received, late, refunded, reversed, fees } of rails) {
          const own = all.filter((row) => row.rail === rail);
          assert.deepEqual(received, sum(own.filter(({ type }) => type === 'payment')));
          assert.deepEqual(late, sum(own.filter((row) => row.late)));
          assert.deepEqual(refunded, sum(own.filter(({ type }) => type === 'refund')));
          assert.deepEqual(reversed, { count: 0, amount: 0n });
          const known = own.filter(({ fee }) => fee !== null);
          const kept = known.reduce((total, { fee }) => total + BigInt(fee ?? 0), 0n);
          const expected = { currency: 'EUR', count: known.length, amount: kept };
          assert.deepEqual(fees, known.length === 0 ? [] : [expected]);
        }
        for (const part of ['received', 'late', 'refunded'] as const) {
          const amount = rails.reduce((total, each) => total + each[part].amount, 0n);
          assert.equal(amount, whole[part].amount);
        }
      }
    });

    it('are summed up with their fees, each currency of fees by itself', async ({ store, mine, live }) => {
      const currencies = fc.constantFrom('EUR', 'USD', 'JPY');
      const paid = fc.record({
        currency: currencies,
        late: fc.boolean(),
        seconds: fc.nat(29),
        fee: fc.option(fc.record({ amount: fc.nat(2_000_000), currency: currencies })),
      });
      for (const [n, { currency, late, seconds, fee }] of fc
        .sample(paid, { numRuns: 60, seed: 7 })
        .entries()) {
        const line = payment(`${n}`, { late, bookedAt: at(seconds) });
        const fees = fee === null ? {} : { fees: [{ rail: line.rail, reference: line.reference, ...fee }] };
        await add(store, session(n % 10 === 0 ? live : mine, { currency, payments: [line], ...fees }));
      }
      const intervals = [
        { from: at(0), to: at(10) },
        { from: at(10), to: at(20) },
      ];
      const { rows } = await store.movements.list(mine, {}, ALL);
      for (const filter of [{ intervals }, { intervals, currency: 'USD' }]) {
        const totals = totalsOf(intervals, await store.totals.movements(mine, filter), [], []);
        assert.ok(totals.some(({ fees }) => fees.length === 3));
        for (const { from, to, currency, received, fees } of totals) {
          const all = rows.filter(
            (each) => each.currency === currency && each.createdAt >= from && each.createdAt < to,
          );
          const known = Map.groupBy(
            all.filter(({ fee }) => fee !== null),
            ({ feeCurrency }) => feeCurrency,
          );
          assert.equal(received.count, all.length);
          assert.deepEqual(
            fees,
            [...known]
              .map(([feeCurrency, those]) => ({
                currency: feeCurrency,
                count: those.length,
                amount: those.reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n),
              }))
              .sort((one, other) => (`${one.currency}` < `${other.currency}` ? -1 : 1)),
          );
        }
      }
    });

    it('are summed up exactly, however large', async ({ store, mine }) => {
      for (const each of ['a', 'b', 'c']) {
        const payments = Array.from({ length: 9 }, (_, n) => payment(`${each}${n}`, { amount: MAX_AMOUNT }));
        const fees = payments.map(({ rail, reference, amount }) => ({
          rail,
          reference,
          amount,
          currency: 'EUR',
        }));
        await add(store, session(mine, { payments, fees }));
      }
      const sums = await store.totals.movements(mine, { intervals: [{ from: T, to: T + 1 }] });
      const most = 27n * BigInt(MAX_AMOUNT);
      assert.deepEqual(
        sums.map(({ of, count, amount }) => [of, count, amount]),
        [
          ['all', 27, most],
          ['fee', 27, most],
        ],
      );
    });
  });

  suite('numbers of sessions', () => {
    it('are of those that were created in an interval, as they are now', async ({
      store,
      mine,
      live,
      theirs,
    }) => {
      const paid = {
        attempts: [attempt('a')],
        payments: [payment('a')],
        lifecycle: { state: 'completed', at: T },
      } as const;
      const all: readonly Checkout[] = [
        session(mine, { createdAt: at(0) }),
        session(mine, { createdAt: at(9), ...paid }),
        session(mine, { createdAt: at(10), payments: [payment('b', { amount: 1 })] }),
        session(mine, { createdAt: at(10) }),
        session(mine, {
          createdAt: at(11),
          currency: 'USD',
          lifecycle: { state: 'expired', at: T, by: 'time' },
        }),
        session(mine, { createdAt: at(12), payments: [payment('c', { amount: 1001 })] }),
        session(mine, { createdAt: at(20) }),
        session(live, { createdAt: at(0) }),
      ];
      for (const each of all) await add(store, each);
      const intervals = [
        { from: at(0), to: at(10) },
        { from: at(10), to: at(20) },
      ];
      const counts = (await store.totals.sessions(mine, { intervals })).map(
        ({ interval, currency, status, partiallyPaid, paidInExcess, count }) =>
          [interval, currency, status, partiallyPaid, paidInExcess, count].join(' '),
      );
      assert.deepEqual(counts.sort(), [
        '0 EUR active false false 1',
        '0 EUR completed false false 1',
        '1 EUR active false false 1',
        '1 EUR active false true 1',
        '1 EUR active true false 1',
        '1 USD expired false false 1',
      ]);
      const dollars = await store.totals.sessions(mine, { intervals, currency: 'USD' });
      assert.deepEqual(
        dollars.map(({ count }) => count),
        [1],
      );
      assert.deepEqual(await store.totals.sessions(theirs, { intervals }), []);
    });

    it('are right wherever the intervals begin and end', async ({ store, mine, live }) => {
      const begin = T - (T % BLOCK);
      const ofBlocks = [0, 1, 2, 3].flatMap((n) => [n * BLOCK, n * BLOCK + 1, (n + 1) * BLOCK - 1]);
      const drawn = fc.record({
        currency: fc.constantFrom('EUR', 'JPY'),
        state: fc.constantFrom('active', 'completed', 'expired'),
        paid: fc.constantFrom(null, 1, 1000, 1001),
        after: fc.oneof(fc.constantFrom(...ofBlocks), fc.nat(4 * BLOCK - 1)),
      });
      const all: Checkout[] = [];
      for (const [n, { currency, state, paid, after }] of fc
        .sample(drawn, { numRuns: 150, seed: 3 })
        .entries()) {
        const lifecycle = {
          active: { state: 'active' },
          completed: { state: 'completed', at: begin },
          expired: { state: 'expired', at: begin, by: n % 2 === 0 ? 'time' : 'merchant' },
        } as const;
        const payments = paid === null ? [] : [payment(`${n}`, { amount: paid })];
        const given = { currency, createdAt: begin + after, lifecycle: lifecycle[state], payments };
        all.push(
          await add(store, session(n % 10 === 0 ? live : mine, { ...given, attempts: [attempt(`${n}`)] })),
        );
      }
      const times = [
        [0, 4],
        [0, 1, 2, 4],
        [1, 2],
        [1 / BLOCK, 4 - 1 / BLOCK],
        [0.5, 1 + 1 / BLOCK, 3.25, 3.5, 4],
        [1 - 1 / BLOCK, 1, 1 + 1 / BLOCK],
        [-3000, 0, 2.5, 900_000],
      ];
      for (const bounds of times) {
        const at = bounds.map((each) => begin + Math.round(each * BLOCK));
        const intervals = at.slice(1).map((to, place) => ({ from: at[place] ?? 0, to }));
        for (const currency of [undefined, 'EUR']) {
          const expected = new Map<string, number>();
          for (const [interval, { from, to }] of intervals.entries()) {
            for (const each of all) {
              const isAsked = currency === undefined || each.currency === currency;
              if (each.tenant !== mine || !isAsked || each.createdAt < from || each.createdAt >= to) continue;
              const paid = each.payments[0]?.amount ?? 0;
              const state = [paid > 0 && paid < each.amount, paid > each.amount];
              const name = [interval, each.currency, each.lifecycle.state, ...state].join(' ');
              expected.set(name, (expected.get(name) ?? 0) + 1);
            }
          }
          const found = new Map<string, number>();
          for (const { count, ...each } of await store.totals.sessions(mine, {
            intervals,
            ...(currency === undefined ? {} : { currency }),
          })) {
            const { interval, currency, status, partiallyPaid, paidInExcess } = each;
            const name = [interval, currency, status, partiallyPaid, paidInExcess].join(' ');
            found.set(name, (found.get(name) ?? 0) + count);
          }
          assert.deepEqual([...found].sort(), [...expected].sort(), bounds.join());
        }
      }
    });

    it('are owed and paid beyond their amounts, as the sessions say themselves', async ({
      store,
      mine,
      live,
      theirs,
    }) => {
      const drawn = fc.record({
        currency: fc.constantFrom('EUR', 'JPY'),
        state: fc.constantFrom('active', 'completed', 'expired'),
        amount: fc.constantFrom(0, 1, 1000, 2_000_001, MAX_AMOUNT),
        paid: fc.constantFrom(null, 1, 999, 1000, 1001, 3_000_000),
        seconds: fc.nat(29),
      });
      const all: Checkout[] = [];
      for (const [n, each] of fc.sample(drawn, { numRuns: 200, seed: 5 }).entries()) {
        const { currency, state, amount, paid, seconds } = each;
        const lifecycle = {
          active: { state: 'active' },
          completed: { state: 'completed', at: at(30) },
          expired: { state: 'expired', at: at(30), by: 'time' },
        } as const;
        const given = {
          currency,
          amount,
          createdAt: at(seconds),
          lifecycle: lifecycle[state],
          ...(paid === null
            ? {}
            : { attempts: [attempt(`${n}`)], payments: [payment(`${n}`, { amount: paid })] }),
        };
        all.push(await add(store, session(n % 10 === 0 ? live : mine, given)));
      }
      // A draft owes nothing, and is not among those that are too many.
      all.push(await add(store, session(mine, { currency: 'EUR', amount: 0, createdAt: at(5) })));
      // A session that changes changes what it is owed.
      for (const before of all.filter(({ tenant, amount }) => tenant === mine && amount === 2_000_001)) {
        const after = await change(store, before, { amount: 1500 });
        all[all.indexOf(before)] = after;
      }
      const intervals = [
        { from: at(0), to: at(10) },
        { from: at(10), to: at(20) },
      ];
      const paidOf = ({ payments }: Checkout) => payments.reduce((sum, { amount }) => sum + amount, 0);
      const sumOf = (amounts: readonly number[]) => {
        const owed = amounts.filter((each) => each > 0);
        return { count: owed.length, amount: owed.reduce((sum, each) => sum + BigInt(each), 0n) };
      };
      const expected = intervals.flatMap(({ from, to }, interval) =>
        ['EUR', 'JPY'].map((currency) => {
          const own = all.filter(
            (each) =>
              each.tenant === mine &&
              each.currency === currency &&
              each.createdAt >= from &&
              each.createdAt < to,
          );
          const active = own.filter(({ lifecycle }) => lifecycle.state === 'active');
          return {
            interval,
            currency,
            open: sumOf(active.map((each) => each.amount - paidOf(each))),
            excess: sumOf(own.map((each) => paidOf(each) - each.amount)),
          };
        }),
      );
      assert.ok(expected.every(({ open, excess }) => open.count > 0 && excess.count > 0));
      const inOrder = (sums: typeof expected) =>
        sums.toSorted(
          (one, other) => one.interval - other.interval || (one.currency < other.currency ? -1 : 1),
        );
      assert.deepEqual(inOrder((await store.totals.due(mine, { intervals })) ?? []), expected);
      assert.deepEqual(
        inOrder((await store.totals.due(mine, { intervals, currency: 'JPY' })) ?? []),
        expected.filter(({ currency }) => currency === 'JPY'),
      );
      assert.deepEqual(await store.totals.due(theirs, { intervals }), []);
      // All are looked at for both sums; a session in excess may be active, but not by the rules.
      const found = all.filter(
        ({ tenant, createdAt, lifecycle, ...each }) =>
          tenant === mine &&
          createdAt < at(20) &&
          ((lifecycle.state === 'active' &&
            each.amount > paidOf({ ...each, tenant, createdAt, lifecycle })) ||
            paidOf({ ...each, tenant, createdAt, lifecycle }) > each.amount),
      ).length;
      assert.equal(await store.totals.due(mine, { intervals }, found - 1), null);
      assert.deepEqual(inOrder((await store.totals.due(mine, { intervals }, found)) ?? []), expected);
      // The same of whole blocks of time, of which PostgreSQL may know without a look that they are too many.
      const from = T - (T % BLOCK);
      const whole = { intervals: [{ from, to: from + 2 * BLOCK }] };
      const owing = (sums: typeof expected | null) =>
        (sums ?? []).reduce((sum, { open, excess }) => sum + open.count + excess.count, 0);
      const sums = (await store.totals.due(mine, whole)) as typeof expected;
      const most = owing(sums);
      // Those that are few are found in another way than many.
      const many = (await store.totals.due(mine, whole, most, 0)) as typeof expected;
      assert.deepEqual(inOrder(many), inOrder(sums));
      const yen = { ...whole, currency: 'JPY' };
      assert.deepEqual(await store.totals.due(mine, yen, most, 0), await store.totals.due(mine, yen));
      assert.ok(most > found);
      assert.equal(await store.totals.due(mine, whole, most - 1), null);
      assert.equal(owing((await store.totals.due(mine, whole, most)) as typeof expected), most);
      assert.equal(await store.totals.due(mine, whole, 1), null);
      // However many drafts there are.
      for (const amount of [0, 0, 0, 0, 0, 1]) await add(store, session(theirs, { amount, createdAt: T }));
      const [only] = (await store.totals.due(theirs, whole, 2)) ?? [];
      assert.deepEqual(only?.open, { count: 1, amount: 1n });
    });
  });
}
