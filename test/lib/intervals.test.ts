/** Days, weeks, months and years of a calendar. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type IntervalUnit, splitByCalendar, timeOfDays } from '../../src/lib/intervals.ts';

async function split(from: string, to: string, unit: IntervalUnit, timeZone = 'UTC', most = 10) {
  const whole = { from: Date.parse(from), to: Date.parse(to) };
  const intervals = await splitByCalendar(whole, { unit, timeZone, most });
  return intervals.map((each) => [new Date(each.from).toISOString(), new Date(each.to).toISOString()]);
}

/** The bounds, of which each interval but the first begins where the one before it ends. */
async function bounds(...given: Parameters<typeof split>): Promise<string[]> {
  const intervals = await split(...given);
  for (const [index, [start]] of intervals.entries())
    if (index > 0) assert.equal(start, intervals[index - 1]?.[1]);
  return [intervals[0]?.[0] ?? '', ...intervals.map(([, end]) => end ?? '')].map((each) => each.slice(0, 16));
}

suite('intervals of a calendar', () => {
  test('are cut off at both ends', async () => {
    assert.deepEqual(await bounds('2030-01-30T15:00Z', '2030-02-01T08:00Z', 'day'), [
      '2030-01-30T15:00',
      '2030-01-31T00:00',
      '2030-02-01T00:00',
      '2030-02-01T08:00',
    ]);
    assert.deepEqual(await split('2030-01-30T15:00Z', '2030-01-30T16:00Z', 'year'), [
      ['2030-01-30T15:00:00.000Z', '2030-01-30T16:00:00.000Z'],
    ]);
  });

  test('are those of months of any length, of weeks from Monday, and of years', async () => {
    assert.deepEqual(await bounds('2027-12-31T00:00Z', '2028-03-01T00:00Z', 'month'), [
      '2027-12-31T00:00',
      '2028-01-01T00:00',
      '2028-02-01T00:00',
      '2028-03-01T00:00',
    ]);
    // 6 and 13 January 2030 are Sundays.
    assert.deepEqual(await bounds('2030-01-05T12:00Z', '2030-01-14T12:00Z', 'week'), [
      '2030-01-05T12:00',
      '2030-01-07T00:00',
      '2030-01-14T00:00',
      '2030-01-14T12:00',
    ]);
    assert.deepEqual(await bounds('2029-12-31T00:00Z', '2030-01-07T00:00Z', 'week'), [
      '2029-12-31T00:00',
      '2030-01-07T00:00',
    ]);
    assert.deepEqual(await bounds('2028-02-29T00:00Z', '2030-06-01T00:00Z', 'year'), [
      '2028-02-29T00:00',
      '2029-01-01T00:00',
      '2030-01-01T00:00',
      '2030-06-01T00:00',
    ]);
  });

  test('begin at midnight of the time zone, on days with 23 and 25 hours too', async () => {
    assert.deepEqual(await bounds('2030-03-29T23:00Z', '2030-04-01T22:00Z', 'day', 'Europe/Berlin'), [
      '2030-03-29T23:00',
      '2030-03-30T23:00',
      '2030-03-31T22:00',
      '2030-04-01T22:00',
    ]);
    assert.deepEqual(await bounds('2030-10-26T22:00Z', '2030-10-28T23:00Z', 'day', 'Europe/Berlin'), [
      '2030-10-26T22:00',
      '2030-10-27T23:00',
      '2030-10-28T23:00',
    ]);
    // In Beirut the clocks go from midnight to one.
    assert.deepEqual(await bounds('2022-03-26T12:00Z', '2022-03-28T12:00Z', 'day', 'Asia/Beirut'), [
      '2022-03-26T12:00',
      '2022-03-26T22:00',
      '2022-03-27T21:00',
      '2022-03-28T12:00',
    ]);
  });

  test('are one more than the limit where there are more', async () => {
    assert.equal((await split('0000-01-01T00:00Z', '9999-12-31T00:00Z', 'day', 'UTC', 3)).length, 4);
    assert.equal((await split('2030-01-01T00:00Z', '2030-01-04T00:00Z', 'day', 'UTC', 3)).length, 3);
  });

  test('are none of an empty time, and of no zone that nobody knows', async () => {
    assert.deepEqual(await split('2030-01-01T00:00Z', '2030-01-01T00:00Z', 'day'), []);
    await assert.rejects(split('2030-01-01T00:00Z', '2030-01-02T00:00Z', 'day', 'Mars/Base'), RangeError);
  });
});

suite('a time of days', () => {
  test('begins and ends at midnight of the zone, over a change of its clocks as well', async () => {
    const { from, to, lastDay } = await timeOfDays('2030-03-01', '2030-04-01', 'Europe/Berlin');
    assert.deepEqual(
      [new Date(from).toISOString(), new Date(to).toISOString(), lastDay],
      ['2030-02-28T23:00:00.000Z', '2030-03-31T22:00:00.000Z', '2030-03-31'],
    );
  });

  for (const [from, before, zone] of [
    ['2030-02-30', '2030-03-01', 'UTC'],
    ['2030-01-01', '2030-13-01', 'UTC'],
    ['2030-01-01', '2030-02-01', 'Mars/Base'],
  ] as const) {
    test(`is none from ${from} to ${before} in ${zone}`, async () => {
      await assert.rejects(timeOfDays(from, before, zone), RangeError);
    });
  }
});
