/** Values beside objects: of copies, and of those that have several. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBeside, createBesideCopied } from '../../src/lib/beside.ts';

for (const [create, isCopied] of [
  [() => createBeside<object, number>('n'), true],
  [() => createBesideCopied<object, number>(), false],
] as const) {
  test(`a value beside an object is its own, and ${isCopied ? '' : 'not '}that of its copies`, () => {
    const [one, other] = [create(), create()];
    const object = { id: 'chk_1' };
    assert.equal(one.get(object), undefined);
    one.set(object, 1);
    other.set(object, 2);
    assert.deepEqual([one.get(object), other.get(object)], [1, 2]);
    const copy = { ...object };
    assert.equal(one.get(copy), isCopied ? 1 : undefined);
    one.set(copy, 4);
    one.set(copy, 5);
    assert.deepEqual([one.get(object), one.get(copy)], [1, 5]);
    assert.equal(JSON.stringify(copy), '{"id":"chk_1"}');
    assert.equal(one.get({ ...copy }), isCopied ? 5 : undefined);
  });
}

test('an object that is frozen holds one that copies do not have', () => {
  const beside = createBesideCopied<object, number>();
  const frozen = Object.freeze({ id: 'chk_1' });
  beside.set(frozen, 1);
  assert.equal(beside.get(frozen), 1);
  assert.deepEqual(frozen, { id: 'chk_1' });
  assert.equal(beside.get(structuredClone(frozen)), undefined);
});
