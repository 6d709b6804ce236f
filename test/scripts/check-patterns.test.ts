/** The check of regular expressions finds slow ones. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { slownessOf, slowPatternsIn } from '../../scripts/check-patterns.ts';

suite('a pattern that is slow on some text is found', () => {
  for (const [pattern, flags, how] of [
    ['^(a+)+$', '', /^exponential/],
    ['^\\p{Cc}+|\\p{Cc}+$', 'gu', /^quadratic time by \\p\{Cc\}\+/],
    ['[eE].*$', '', /^quadratic time by \.\*/],
    ['^\\s*(\\d+)?\\s*$', '', /^quadratic time by \\s\* and \\s\*/],
  ] as const)
    test(`/${pattern}/${flags}`, () => assert.match(slownessOf(pattern, flags) ?? '', how));

  test('and one that is not slow on any is not', () => {
    for (const pattern of ['^a+$', '^[a-z]{2,4}(?:-[a-z]+)*$', '\\d{3}'])
      assert.equal(slownessOf(pattern, ''), null);
  });
});

test('the line of a literal is named, and comments and divisions are no patterns', () => {
  const text = ['const half: number = total / 2;', '// /(a+)+$/', 'const slow = /^(a+)+$/u;'].join('\n');
  assert.deepEqual(
    slowPatternsIn(text, 'x.ts').map((each) => each.split(' takes ')[0]),
    ['x.ts:3: /^(a+)+$/u'],
  );
});
