/** Line breaks, with every character as wide as any other. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { linesOf } from '../../src/documents/lines.ts';

function broken(text: string, width: number, language = 'en'): string[] {
  return linesOf(text, width, language, ({ length }) => length).map(({ start, end }) =>
    text.slice(start, end),
  );
}

suite('a line', () => {
  const rows: ReadonlyArray<[what: string, text: string, width: number, lines: string[], language?: string]> =
    [
      ['holds as many words as fit exactly', 'one two three', 7, ['one two', 'three']],
      ['ends before the word that does not fit', 'one two', 6, ['one', 'two']],
      ['needs no room for the blank behind its last word', 'one   two', 3, ['one', 'two']],
      ['breaks a word that fits on no line', 'abcdefgh', 3, ['abc', 'def', 'gh']],
      ['begins with a word that fits on no line', 'ab cdefgh', 3, ['ab', 'cde', 'fgh']],
      ['goes on behind the rest of a broken word', 'abcd e fg', 3, ['abc', 'd e', 'fg']],
      ['takes one character at least', 'ab', 0.5, ['a', 'b']],
      ['keeps a letter and its accent together', 'e\u0301'.repeat(3), 3, ['e\u0301', 'e\u0301', 'e\u0301']],
      ['may end behind a hyphen or a slash', 'self-service and/or', 8, ['self-', 'service', 'and/or']],
      ['is not broken at a blank that holds words together', 'a 10\u00a0000 b', 6, ['a', '10\u00a0000', 'b']],
      ['keeps marks with the words that they enclose', 'yes (no).', 5, ['yes', '(no).']],
      ['of Han characters ends between words', '漢字漢字', 3, ['漢字', '漢字'], 'ja'],
      ['does not begin with a closing mark', '漢字。漢字', 3, ['漢字。', '漢字'], 'ja'],
      ['of Thai ends between words', 'ภาษาไทย', 4, ['ภาษา', 'ไทย'], 'th'],
      ['may end before and behind Han characters', 'abc漢字def', 3, ['abc', '漢字', 'def'], 'ja'],
      ['is not there without text', '', 3, []],
    ];
  for (const [what, text, width, lines, language] of rows) {
    test(what, () => assert.deepEqual(broken(text, width, language), lines));
  }
});
