/** The queue of work that takes long: whose turn it is, and who gives way where there is no room. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createTurns, type Waiting } from '../../src/lib/turns.ts';

type Job = Waiting & { readonly name: string };

function setUp(limits: { maxWaiting?: number; maxWaitingOfTenant?: number } = {}) {
  const turns = createTurns<Job>(
    { maxWaiting: 10, maxWaitingOfTenant: 10, ...limits },
    () => new Error('full'),
  );
  const refused: string[] = [];
  /** Jobs such as `a1`, of the tenant `a`. */
  const jobs = (names: readonly string[]) =>
    names.map(
      (name): Job => ({
        name,
        tenant: name.charAt(0),
        reject: (error) => refused.push(`${name} ${error.message}`),
      }),
    );
  const enter = (...names: readonly string[]) => {
    const entered = jobs(names);
    for (const job of entered) turns.enter(job);
    return entered;
  };
  const take = (...busy: readonly string[]) => turns.takeNext((tenant) => busy.includes(tenant))?.name;
  const has = (...busy: readonly string[]) => turns.hasNext((tenant) => busy.includes(tenant));
  return { turns, refused, enter, take, has };
}

suite('who waits', () => {
  test('has turns with the others, each in the order of its own', () => {
    const { enter, take } = setUp();
    enter('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    const taken = Array.from({ length: 7 }, () => take());
    assert.deepEqual(taken, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
  });

  test('is passed over while something of the same tenant is under way', () => {
    const { enter, take, has } = setUp();
    enter('a1', 'b1');
    assert.equal(take('a'), 'b1');
    assert.equal(take('a'), undefined);
    assert.equal(has('a'), false);
    assert.equal(has(), true);
    assert.equal(take(), 'a1');
    assert.equal(has(), false);
  });

  test('can leave, once, and makes room', () => {
    const { turns, enter, take } = setUp({ maxWaiting: 2 });
    const [first, second] = enter('a1', 'a2');
    assert.ok(first && second);
    assert.throws(() => enter('a3'), /full/);
    assert.deepEqual([turns.leave(first), turns.leave(first)], [true, false]);
    enter('a3');
    assert.throws(() => enter('a4'), /full/);
    assert.equal(take(), 'a2');
    assert.equal(turns.leave(second), false);
    assert.equal(take(), 'a3');
  });

  test('of whom all have left has no turn', () => {
    const { turns, enter, has } = setUp();
    const [job] = enter('a1');
    assert.ok(job && turns.leave(job));
    assert.equal(has(), false);
  });
});

suite('where there is no room', () => {
  test('nobody has more than so many', () => {
    const { refused, enter, take } = setUp({ maxWaitingOfTenant: 2 });
    enter('a1', 'a2', 'b1');
    assert.throws(() => enter('a3'), /full/);
    assert.deepEqual(refused, []);
    assert.equal(take(), 'a1');
    enter('a3');
  });

  test('the last of who waits with the most gives way, to one who then has no more', () => {
    const { refused, enter, take } = setUp({ maxWaiting: 4 });
    enter('b1', 'a1', 'a2', 'a3');
    enter('c1');
    assert.deepEqual(refused, ['a3 full']);
    assert.throws(() => enter('b2'), /full/);
    enter('d1');
    assert.deepEqual(refused, ['a3 full', 'a2 full']);
    assert.throws(() => enter('e1'), /full/, 'nobody gives way of whom only one waits');
    assert.deepEqual([take(), take(), take(), take()], ['b1', 'a1', 'c1', 'd1']);
  });

  test('all can be taken at once, and there is room again', () => {
    const { turns, enter, take } = setUp({ maxWaiting: 2 });
    enter('a1', 'b1');
    assert.deepEqual(
      turns.takeAll().map(({ name }) => name),
      ['a1', 'b1'],
    );
    assert.equal(take(), undefined);
    enter('a1', 'b1');
    assert.throws(() => enter('c1'), /full/);
  });
});
