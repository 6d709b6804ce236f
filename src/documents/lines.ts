/** Text broken into lines of a width. */
import type { EmbeddingLevels } from 'bidi-js';
import { graphemesOf } from './runs.ts';

/** A line: from its first character to behind its last one, without trailing blanks. */
export type Line = { readonly start: number; readonly end: number };

/** A paragraph with what its lines are drawn from. */
export type Paragraph = {
  readonly text: string;
  readonly levels: EmbeddingLevels;
  readonly lines: readonly Line[];
};

/** Scripts that are written without blanks; their words are found with a dictionary. */
const WITHOUT_BLANKS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const OPENING = /[\p{Ps}\p{Pi}]$/u;
/** Characters that may not begin a line: closing marks, and others such as 。 and 、. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ー々]/u;

const segmenters = new Map<string, Intl.Segmenter>();

/** Lines as full as possible. A word that fits on no line is broken. `widthOf` measures text. */
export function linesOf(
  text: string,
  width: number,
  language: string,
  widthOf: (text: string) => number,
): Line[] {
  const lines: Line[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  const close = () => {
    if (end > start) lines.push({ start, end: start + text.slice(start, end).trimEnd().length });
    start = end;
    used = 0;
  };
  const add = (unit: string, unitWidth: number) => {
    end += unit.length;
    used += unitWidth;
  };
  for (const unit of unitsOf(text, language)) {
    const bare = unit.trimEnd();
    const bareWidth = widthOf(bare);
    if (used + bareWidth > width) close();
    if (bareWidth <= width) {
      add(unit, unit === bare ? bareWidth : widthOf(unit));
      continue;
    }
    for (const grapheme of graphemesOf(unit)) {
      const graphemeWidth = widthOf(grapheme);
      if (used + graphemeWidth > width && used > 0) close();
      add(grapheme, graphemeWidth);
    }
  }
  close();
  return lines;
}

/** Text that stays together, with the blanks behind it. */
function unitsOf(text: string, language: string): string[] {
  const units: string[] = [];
  for (const { segment } of segmenterFor(language).segment(text)) {
    const last = units.at(-1);
    if (last === undefined || mayBreak(last, segment)) units.push(segment);
    else units[units.length - 1] = last + segment;
  }
  return units;
}

function mayBreak(before: string, after: string): boolean {
  if (/^\s/.test(after)) return false;
  // A blank that is not to be broken at belongs to the words on both its sides.
  if (/\s$/.test(before)) return !/[\u00a0\u202f]$/.test(before);
  if (CLOSING.test(after) || OPENING.test(before)) return false;
  return /[-/]$/.test(before) || WITHOUT_BLANKS.test(before.slice(-1)) || WITHOUT_BLANKS.test(after);
}

function segmenterFor(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
  }
  return segmenter;
}
