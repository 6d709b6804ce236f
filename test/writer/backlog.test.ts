/** The limit of waiting changes, by the time that the last batches took. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { createBacklog, MAX_BATCH } from '../../src/writer/backlog.ts';

const large: Tenant = { account: 1, mode: 'live' };
const small: Tenant = { account: 2, mode: 'live' };

function setUp(cold = 0) {
  let now = 0;
  const backlog = createBacklog(() => now, cold);
  const add = (tenant: Tenant, count: number) => {
    for (let n = 0; n < count; n++) backlog.added(tenant);
  };
  /** Takes batches, each after as many milliseconds. */
  function take(batches: number, each: number, size: number, tenant = large): void {
    for (let n = 0; n < batches; n++) {
      now += each;
      backlog.taken(Array<Tenant>(size).fill(tenant));
    }
  }
  return { backlog, add, take };
}

suite('the backlog of changes', () => {
  test('is too long if what waits takes more than 0.3 s', () => {
    const { backlog, add, take } = setUp();
    add(large, 10 * MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), false, 'nobody knows yet how long a change takes');
    add(large, 50 * MAX_BATCH);
    // A change takes 0.2 ms, so that 1,500 take 0.3 s.
    take(50, 0.2 * MAX_BATCH, MAX_BATCH);
    add(large, 1_500 - 10 * MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), false);
    add(large, 1);
    assert.equal(backlog.isTooLongFor(large, 0), true);
    take(1, 0.2 * MAX_BATCH, 1);
    assert.equal(backlog.isTooLongFor(large, 0), false);
  });

  test('is not too long right behind a start, whose first changes are slow', () => {
    const { backlog, add, take } = setUp(500);
    add(large, 500);
    take(7, 7 * MAX_BATCH, MAX_BATCH);
    add(large, 1_000);
    assert.deepEqual([backlog.isLong(1_000), backlog.isTooLongFor(large, 1_000)], [false, false]);
    take(1, 7 * MAX_BATCH, 500 - 7 * MAX_BATCH);
    assert.deepEqual([backlog.isLong(0), backlog.isTooLongFor(large, 0)], [true, true]);
  });

  test('is not too long because of one slow batch, as the first is', () => {
    const { backlog, add, take } = setUp();
    add(large, 4 * MAX_BATCH);
    take(1, 1, MAX_BATCH);
    // A change took 7 ms, and 128 that take as long would take 0.9 s.
    take(1, 7 * MAX_BATCH, MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), false);
    add(large, 4 * MAX_BATCH);
    take(4, 7 * MAX_BATCH, MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), true, 'it goes on');
  });

  test('is too long for a change that has waited for more than 0.3 s to begin, whatever else waits', () => {
    const { backlog, add, take } = setUp();
    assert.deepEqual([backlog.isLong(300), backlog.isTooLongFor(small, 300)], [false, false]);
    assert.deepEqual([backlog.isLong(301), backlog.isTooLongFor(small, 301)], [true, true]);
    add(large, 10 * MAX_BATCH);
    take(3, 100, MAX_BATCH);
    assert.deepEqual([backlog.isTooLongFor(small, 300), backlog.isTooLongFor(small, 301)], [false, true]);
  });

  test('is too long only for tenants with the most of it', () => {
    const { backlog, add, take } = setUp();
    add(large, 20 * MAX_BATCH);
    add(small, 3);
    take(3, 100, MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), true);
    assert.equal(backlog.isTooLongFor(small, 0), false);
    assert.equal(backlog.isTooLongFor({ account: 1, mode: 'test' }, 0), false, 'modes are told apart');
    add(small, 20 * MAX_BATCH);
    assert.equal(backlog.isTooLongFor(small, 0), true);
  });

  test('counts only tenants of which something waits', () => {
    const { backlog, add, take } = setUp();
    add(large, 10 * MAX_BATCH);
    add(small, 1);
    take(1, 100, 1, small);
    take(3, 100, MAX_BATCH);
    const third: Tenant = { account: 3, mode: 'live' };
    add(third, 3.5 * MAX_BATCH);
    assert.equal(backlog.isTooLongFor(third, 0), false, 'of two that wait, it has a third');
    assert.equal(backlog.isTooLongFor(large, 0), true);
  });

  test('is never too long for a batch, and a stall is forgotten', () => {
    const { backlog, add, take } = setUp();
    add(large, 2 * MAX_BATCH + 1);
    take(2, 60_000, MAX_BATCH);
    assert.equal(backlog.isTooLongFor(large, 0), false, 'one waits');
    add(large, MAX_BATCH - 1);
    assert.equal(backlog.isTooLongFor(large, 0), false, 'a batch waits');
    add(large, 1);
    assert.equal(backlog.isTooLongFor(large, 0), true);
    for (let n = 0; n < 40; n++) {
      add(large, 1);
      take(1, 1, 1);
      take(1, 1, 1);
      add(large, 1);
    }
    assert.equal(backlog.isTooLongFor(large, 0), false, 'the last batches were quick');
  });

  test('goes by a batch that left a single one behind, and by none in which nothing was', () => {
    const { backlog, add, take } = setUp();
    add(large, 2);
    take(1, 1, 1);
    add(large, 2 * MAX_BATCH);
    take(1, 60_000, 1);
    assert.equal(backlog.isTooLongFor(large, 0), true);
    const other = setUp();
    other.add(large, 3 * MAX_BATCH);
    other.take(1, 1, 0);
    other.take(1, 1, 1);
    assert.equal(other.backlog.isTooLongFor(large, 0), false);
  });

  test('does not count the time in which nothing waited', () => {
    const { backlog, add, take } = setUp();
    add(large, MAX_BATCH);
    take(1, 1, MAX_BATCH);
    add(large, 2 * MAX_BATCH + 1);
    take(1, 3_600_000, 1);
    assert.equal(backlog.isTooLongFor(large, 0), false);
  });
});
