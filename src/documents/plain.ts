/** Text from elsewhere, made fit for a line of a document. */

/** Longer than anything the API lets in; what is stored is bounded here again. */
const MAX_LENGTH = 5_000;

/** Line breaks, tabs and other controls (Cc), line and paragraph separators. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/**
 * Characters that change the order of the text around them: marks, embeddings, overrides and isolates (UAX 9, section
 * 2).
 */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Halves of characters, and code points that are none and never will be. */
const NO_CHARACTERS = /[\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Marks of one letter that stand on top of each other; no language has more, and they would climb over other lines. */
const PILES_OF_MARKS = /(\p{Mn}{4})\p{Mn}+/gu;

/** One line of composed characters that keeps to itself: it has no controls and cannot reorder its neighbours. */
export function plain(text: string): string {
  const line = text
    .slice(0, MAX_LENGTH)
    .normalize('NFC')
    .replace(DIRECTION, '')
    .replace(CONTROLS, ' ')
    .replace(NO_CHARACTERS, '\ufffd')
    .replace(PILES_OF_MARKS, '$1')
    .trim();
  return text.length > MAX_LENGTH ? `${line}…` : line;
}
