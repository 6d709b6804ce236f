/** Lines that are printed in groups while more of them come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGroups } from '../../src/cli/reconcile/groups.ts';

test('groups are printed in the end, each under its heading', () => {
  const printed: string[] = [];
  const groups = createGroups((line) => printed.push(line));
  for (const [heading, line] of [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
  ] as const)
    groups.add(heading, line);
  assert.deepEqual(printed, []);
  groups.end();
  assert.deepEqual(printed, ['a', '  1', '  3', 'b', '  2']);
});

test('the longest group is printed before there are too many lines, and goes on further down', () => {
  const printed: string[] = [];
  const groups = createGroups((line) => printed.push(line));
  groups.add('few', 'first');
  for (let line = 1; line < 9_999; line++) groups.add('many', `${line}`);
  assert.deepEqual(printed, []);
  groups.add('few', 'second');
  assert.equal(printed.length, 1 + 9_998);
  assert.deepEqual([printed[0], printed[1], printed.at(-1)], ['many', '  1', '  9998']);
  // From here on, as many lines fit again.
  for (let line = 1; line < 9_998; line++) groups.add('many', `again ${line}`);
  assert.equal(printed.length, 9_999);
  groups.end();
  assert.deepEqual(printed.slice(9_999, 10_003), ['few', '  first', '  second', 'many']);
  assert.equal(printed.length, 9_999 + 3 + 1 + 9_997);
});
