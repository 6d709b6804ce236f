/** Numbers of the overview, as the rows of all kinds have them. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import fc from 'fast-check';
import { add, type Open, payment, session, T } from './build.ts';
import { onSharedStore } from './each.ts';

/** The value that so many of a hundred are not above, of values that are rounded down to three digits. */
function percentile(values: readonly number[], percent: number): number | null {
  const inOrder = values
    .map((value) => {
      const digits = String(value);
      return Number(digits.slice(0, 3).padEnd(digits.length, '0'));
    })
    .sort((one, other) => one - other);
  return inOrder[Math.ceil((inOrder.length * percent) / 100) - 1] ?? null;
}

export function overviewSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('the overview', () => {
    it('has the median of times to pay, and what nine of ten were within', async ({ store, mine, live }) => {
      const paid: { currency: string; ms: number; at: number }[] = [];
      const some = fc.array(
        fc.record({
          currency: fc.constantFrom('EUR', 'JPY'),
          ms: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 3_000_000_000 })),
        }),
        { minLength: 1, maxLength: 6 },
      );
      const known = async (currency: string, from: number, to: number, tenant = mine) =>
        store.overview.timeToPay(tenant, { from, to, currency });
      assert.deepEqual(await known('EUR', 0, T * 2), { count: 0, medianMs: null, p90Ms: null });
      for (const batch of fc.sample(some, 12)) {
        for (const { currency, ms } of batch) {
          const bookedAt = T + ms;
          const payments = [payment(`p${paid.length}`, { bookedAt })];
          await add(
            store,
            session(mine, { currency, payments, lifecycle: { state: 'completed', at: bookedAt } }),
          );
          paid.push({ currency, ms, at: bookedAt });
        }
        for (const currency of ['EUR', 'JPY']) {
          const ofCurrency = paid.filter((each) => each.currency === currency);
          const middle = T + (ofCurrency[0]?.ms ?? 0);
          for (const [from, to] of [
            [0, T * 2],
            [T, middle],
            [middle, T * 2],
          ] as const) {
            const times = ofCurrency.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
            assert.deepEqual(await known(currency, from, to), {
              count: times.length,
              medianMs: percentile(times, 50),
              p90Ms: percentile(times, 90),
            });
          }
        }
      }
      assert.equal((await known('EUR', 0, T * 2, live)).count, 0);
    });

    it('names the currencies of sessions', async ({ store, mine, theirs }) => {
      assert.deepEqual(await store.overview.currencies(mine), []);
      for (const currency of ['USD', 'EUR', 'USD', 'JPY']) await add(store, session(mine, { currency }));
      await add(store, session(theirs, { currency: 'GBP' }));
      assert.deepEqual(await store.overview.currencies(mine), ['EUR', 'JPY', 'USD']);
    });
  });
}
