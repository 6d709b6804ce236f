/** A bounded queue of several owners: nobody fills the room of the others, and each has its part of what is taken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFairQueue } from '../../src/lib/fair-queue.ts';

test('takes one of each owner in turn, in the order in which they came', () => {
  const queue = createFairQueue<string>({ ofOne: 9, inAll: 99 });
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
    assert.equal(queue.add(item.charAt(0), item), true);
  assert.deepEqual(queue.take(4), ['a1', 'b1', 'c1', 'a2']);
  queue.add('b', 'b2');
  assert.deepEqual(queue.take(9), ['c2', 'a3', 'b2']);
  assert.deepEqual([queue.take(9), queue.size()], [[], 0]);
});

test('who had no turn is first in the next round', () => {
  const queue = createFairQueue<string>({ ofOne: 9, inAll: 99 });
  for (const item of ['a1', 'a2', 'b1', 'b2']) queue.add(item.charAt(0), item);
  assert.deepEqual(queue.take(1), ['a1']);
  assert.deepEqual(queue.take(1), ['b1']);
  assert.deepEqual(queue.take(1), ['a2']);
});

test('an owner has so many at most', () => {
  const queue = createFairQueue<number>({ ofOne: 2, inAll: 9 });
  assert.deepEqual(
    [1, 2, 3].map((item) => queue.add('a', item)),
    [true, true, false],
  );
  assert.deepEqual(queue.take(9), [1, 2]);
});

test('where all of it is full, whoever has the most gives way to whoever has less', () => {
  const queue = createFairQueue<string>({ ofOne: 9, inAll: 4 });
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
  assert.equal(queue.add('a', 'a5'), false);
  assert.equal(queue.add('b', 'b1'), false, 'one of the other is dropped for it');
  assert.equal(queue.add('b', 'b2'), false);
  assert.equal(queue.add('b', 'b3'), false, 'both have as many');
  assert.deepEqual([queue.size(), queue.take(9)], [4, ['a1', 'b1', 'a2', 'b2']]);
});

test('who has one more does not give way: the other would then have as many more', () => {
  const queue = createFairQueue<string>({ ofOne: 9, inAll: 5 });
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(item.charAt(0), item);
  assert.equal(queue.add('b', 'b3'), false);
  assert.deepEqual(queue.take(9), ['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('counts what it drops, whatever comes', () => {
  const step = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(5));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = createFairQueue<string>({ ofOne: 4, inAll: 10 });
      let [added, dropped, taken] = [0, 0, 0];
      for (const each of steps) {
        if (typeof each === 'number') taken += queue.take(each).length;
        else {
          added++;
          if (!queue.add(each, each)) dropped++;
        }
        assert.ok(queue.size() <= 10);
        assert.equal(queue.size(), added - dropped - taken);
      }
    }),
  );
});
