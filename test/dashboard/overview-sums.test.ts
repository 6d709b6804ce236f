/** Periods of the overview, and what is made of the sums of their days. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { timestamp } from '../../src/checkout/representation.ts';
import { periodNames, periodOf } from '../../src/dashboard/overview/period.ts';
import { sections } from '../../src/dashboard/overview/sections.ts';
import {
  durationOf,
  intervalsOf,
  paidShare,
  timesToPay,
  wholeOf,
} from '../../src/dashboard/overview/sums.ts';

import { textOf } from '../../src/lib/html.ts';

const at = (text: string) => Date.parse(`${text}Z`);

async function known(id: string, now: number) {
  const period = await periodOf(id, now);
  assert.ok(period);
  return period;
}

suite('a period', () => {
  test('ends with today, whole days in UTC', async () => {
    for (const now of [at('2030-03-01T00:00:00'), at('2030-03-01T23:59:59.999')]) {
      const week = await known('7d', now);
      assert.deepEqual([week.from, week.to], [at('2030-02-23T00:00:00'), at('2030-03-02T00:00:00')]);
      assert.equal(week.intervals.length, 7);
    }
  });

  test('of months begins with the first of one, whatever day it is', async () => {
    for (const [now, first] of [
      ['2030-01-31T12:00:00', '2029-02-01T00:00:00'],
      ['2028-02-29T23:00:00', '2027-03-01T00:00:00'],
      ['2030-12-01T00:00:00', '2030-01-01T00:00:00'],
    ] as const) {
      const year = await known('12m', at(now));
      assert.equal(timestamp(year.from), timestamp(at(first)));
      assert.equal(year.intervals.length, 12);
    }
  });

  test('has no gap, and all of its intervals', async () => {
    for (const [id] of periodNames)
      for (let day = 0; day < 400; day += 13) {
        const { from, to, intervals } = await known(id, at('2030-01-01T08:00:00') + day * 86_400_000);
        assert.equal(intervals[0]?.from, from);
        assert.equal(intervals.at(-1)?.to, to);
        for (const [place, interval] of intervals.entries())
          assert.equal(intervals[place + 1]?.from ?? to, interval.to);
      }
  });

  test('has a name that is known', async () => {
    for (const id of ['', '1d', '30D', 'toString', '__proto__']) assert.equal(await periodOf(id, 0), null);
  });
});

suite('sums', () => {
  const sum = (count: number) => ({ count, amount: count * 100 });
  const total = (from: number, scale: number) => ({
    object: 'total',
    from: timestamp(from),
    to: '',
    currency: 'EUR',
    received: sum(4 * scale),
    late: sum(scale),
    refunded: sum(2 * scale),
    reversed: sum(0),
    fees: [],
    rails: [],
    open: { count: 0, amount: 0 },
    excess: { count: 0, amount: 0 },
    time_to_pay: {
      within_1_minute: scale,
      within_10_minutes: 3 * scale,
      within_1_hour: 3 * scale,
      within_1_day: 4 * scale,
      within_1_week: 9 * scale,
      over_1_week: 2 * scale,
    },
    sessions: {
      created: 8 * scale,
      active: scale,
      completed: 2 * scale,
      expired: 5 * scale,
      partially_paid: scale,
      paid_in_excess: scale,
    },
  });

  /** An overview without anything beside the sums. */
  const overview = {
    time_to_pay: { count: 0, median_ms: null, p90_ms: null },
    deliveries: { delivered: 0, pending: 0, failed: 0 },
  } as unknown as Parameters<typeof sections>[0]['overview'];

  test('of intervals without anything are 0, and the whole is that of all', async () => {
    const period = await known('7d', at('2030-01-08T00:00:00'));
    const intervals = intervalsOf(period, [
      total(at('2030-01-03T00:00:00'), 1),
      total(at('2030-01-08T00:00:00'), 10),
    ]);
    assert.deepEqual(
      intervals.map(({ day, received }) => [day, received.count]),
      [0, 4, 0, 0, 0, 0, 40].map((count, index) => [`2030-01-0${index + 2}`, count]),
    );
    const whole = wholeOf(intervals);
    const {
      received: all,
      late: after,
      refunded: back,
      reversed: lost,
      time_to_pay,
      sessions,
    } = total(0, 11);
    const large = ({ count, amount }: { count: number; amount: number }) => ({
      count,
      amount: BigInt(amount),
    });
    assert.deepEqual(whole, {
      ...{ received: large(all), late: large(after), refunded: large(back), reversed: large(lost) },
      ...{ time_to_pay, sessions },
    });
    assert.equal(paidShare(whole), 0.25);
    assert.deepEqual(
      timesToPay(whole).map(([, count]) => count),
      [11, 22, 0, 11, 55, 22],
    );
    assert.equal(paidShare(wholeOf([])), null);
  });

  test('of large amounts are exact', async () => {
    const period = await known('7d', at('2030-01-08T00:00:00'));
    const most = (day: number) => ({
      ...total(at(`2030-01-0${day}T00:00:00`), 1),
      received: { count: 1, amount: Number.MAX_SAFE_INTEGER },
    });
    const intervals = intervalsOf(period, [3, 4, 5].map(most));
    assert.deepEqual(wholeOf(intervals).received, { count: 3, amount: 27_021_597_764_222_973n });
    const shown = textOf(sections({ period, currency: 'EUR', intervals, overview }));
    assert.match(shown, /€270,215,977,642,229\.73<\/strong> in 3 payments/);
  });

  test('in a currency without decimals have an axis without them', async () => {
    const period = await known('7d', at('2030-01-08T00:00:00'));
    const ticksIn = (currency: string) => {
      const shown = textOf(sections({ period, currency, intervals: intervalsOf(period, []), overview }));
      const [, volume = ''] = /aria-labelledby="volume-title([\s\S]*?)<\/svg>/.exec(shown) ?? [];
      return [...volume.matchAll(/text-anchor="end">([^<]*)/g)].map(([, tick]) => tick);
    };
    assert.deepEqual(ticksIn('JPY'), ['¥0', '¥1']);
    assert.ok(ticksIn('EUR').length > 2);
  });

  test('times are told in their two largest units', () => {
    for (const [ms, text] of [
      [0, 'less than 1 s'],
      [499, 'less than 1 s'],
      [42_000, '42 s'],
      [163_000, '2 min 43 s'],
      [600_000, '10 min'],
      [3_990_000, '1 h 6 min'],
      [3_601_000, '1 h'],
      [90_000_000, '1 d 1 h'],
      [8_640_000_000, '100 d'],
    ] as const)
      assert.equal(durationOf(ms), text);
  });
});
