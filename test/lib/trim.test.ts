import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { trimWhere } from '../../src/lib/trim.ts';

suite('trimming', () => {
  const isSlash = (character: string) => character === '/';
  for (const [text, trimmed] of [
    ['', ''],
    ['/', ''],
    ['///', ''],
    ['a', 'a'],
    ['//a/b//', 'a/b'],
    ['a//', 'a'],
    ['//a', 'a'],
  ] as const)
    test(JSON.stringify(text), () => assert.equal(trimWhere(text, isSlash), trimmed));
});
