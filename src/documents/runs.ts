/**
 * Text as it is written: cut into runs of one font, in the order in which they stand on the line. The order follows the
 * Unicode Bidirectional Algorithm (UAX 9); the shapes of letters inside a run are the font's business.
 */
import bidiFactory, { type EmbeddingLevels } from 'bidi-js';
import { type Face, type Faces, helvetica, type Weight } from './fonts.ts';

export type Direction = 'ltr' | 'rtl';

export type Style = {
  /** In points. */
  readonly size: number;
  readonly weight?: Weight;
  /** Set in Helvetica as far as that has the characters. */
  readonly helvetica?: boolean;
};

/** Characters of one font that are drawn in one go. */
export type Run = { readonly face: Face; readonly text: string };

/** Its types speak of a module with a default export; what Node gets is the function itself. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Characters without a shape of their own: marks of direction, joiners, selectors of variants. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Belongs to whatever stands before it, so that a run is not cut at every blank. */
const NEUTRAL = /^[\p{White_Space}\p{P}]+$/u;

/** The font engine turns a run around by itself when its first letters are of one of these scripts. */
const RIGHT_TO_LEFT =
  /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/** Right-to-left characters, marks of direction and Arabic digits: text without any of them is shown in reading order. */
const MAY_REORDER =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The box that says that a character is missing; every face of Latin letters has it as its first glyph. */
export const REPLACEMENT = '\ufffd';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Grapheme: what a reader sees as one character. */
export function graphemesOf(text: string): string[] {
  return PRINTABLE_ASCII.test(text)
    ? text.split('')
    : Array.from(graphemes.segment(text), ({ segment }) => segment);
}

export function levelsOf(text: string, direction: Direction | 'auto'): EmbeddingLevels {
  const isPlain = direction !== 'rtl' && !MAY_REORDER.test(text);
  return isPlain
    ? { levels: new Uint8Array(text.length), paragraphs: [] }
    : bidi.getEmbeddingLevels(text, direction);
}

/** The runs of `text` from `start` to before `end`, as they stand from left to right. */
export function visualRuns(
  faces: Faces,
  style: Style,
  text: string,
  levels: EmbeddingLevels,
  start: number,
  end: number,
): Run[] {
  return reordered(levelRuns(levels.levels, start, end)).flatMap(({ from, to, level }) => {
    const piece = text.slice(from, to);
    if (level % 2 === 0) return runsOf(faces, style, piece).map((run) => ordered(run, false));
    const mirrored = [...piece].map((each) => bidi.getMirroredCharacter(each) ?? each).join('');
    return runsOf(faces, style, mirrored)
      .map((run) => ordered(run, true))
      .reverse();
  });
}

/** The runs of a text in the order in which it is read. */
export function runsOf(faces: Faces, style: Style, text: string): Run[] {
  const runs: { face: Face; text: string }[] = [];
  for (const grapheme of graphemesOf(text.replace(DIRECTION, ''))) {
    const last = runs.at(-1);
    const { face, text: shown } = shownBy(faces, style, grapheme, last?.face);
    if (last?.face === face) last.text += shown;
    else if (shown !== '') runs.push({ face, text: shown });
  }
  return runs;
}

/** Found once for each document: most texts are made of few characters. */
const shown = new WeakMap<Faces, Map<string, Run>>();

/** The grapheme with the font that has it, which is the one before it where that will do. */
function shownBy(faces: Faces, style: Style, grapheme: string, before: Face | undefined): Run {
  if (before && NEUTRAL.test(grapheme) && hasAll(before, visibleOf(grapheme)))
    return inFace(before, grapheme);
  const known = shown.get(faces) ?? new Map<string, Run>();
  shown.set(faces, known);
  const key = `${style.weight === 'bold'} ${style.helvetica === true} ${grapheme}`;
  const run = known.get(key) ?? found(facesOf(faces, style), grapheme);
  known.set(key, run);
  return run;
}

function found(available: readonly Face[], grapheme: string): Run {
  const visible = visibleOf(grapheme);
  const face =
    available.find((each) => hasAll(each, visible)) ??
    available.find((each) => visible.length > 1 && has(each, visible[0] ?? ''));
  if (face) return inFace(face, grapheme);
  const other = available.find((each) => has(each, REPLACEMENT));
  return other ? { face: other, text: REPLACEMENT } : { face: helvetica.regular, text: '?' };
}

function visibleOf(grapheme: string): string[] {
  return [...grapheme].filter((each) => !INVISIBLE.test(each));
}

function hasAll(face: Face, characters: readonly string[]): boolean {
  return characters.every((each) => has(face, each));
}

/** The text without joiners, selectors and combining marks that the font lacks. */
function inFace(face: Face, grapheme: string): Run {
  return { face, text: [...grapheme].filter((each) => has(face, each)).join('') };
}

function facesOf(faces: Faces, { weight = 'regular', helvetica: isHelvetica }: Style): readonly Face[] {
  return isHelvetica ? [helvetica[weight], ...faces[weight]] : faces[weight];
}

function has(face: Face, character: string): boolean {
  return face.has(character.codePointAt(0) ?? -1);
}

type LevelRun = { readonly from: number; readonly to: number; readonly level: number };

function levelRuns(levels: Uint8Array, start: number, end: number): LevelRun[] {
  const runs: LevelRun[] = [];
  for (let from = start; from < end; ) {
    const level = levels[from] ?? 0;
    let to = from + 1;
    while (to < end && levels[to] === level) to++;
    runs.push({ from, to, level });
    from = to;
  }
  return runs;
}

/** Rule L2 of the algorithm: from the highest level to the lowest odd one, turn around what is at least that high. */
function reordered(runs: readonly LevelRun[]): LevelRun[] {
  const line = [...runs];
  const highest = Math.max(0, ...line.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < line.length; from++) {
      let to = from;
      while (to < line.length && (line[to]?.level ?? 0) >= level) to++;
      line.splice(from, to - from, ...line.slice(from, to).reverse());
      from = to;
    }
  }
  return line;
}

/** Runs of single characters that stand as those of the run do, whose letters no longer join. */
export function charactersOf({ face, text }: Run): Run[] {
  const characters = [...text];
  if (RIGHT_TO_LEFT.test(text)) characters.reverse();
  return characters.map((each) => ({ face, text: each }));
}

/** The text as the font engine has to get it to show it in this order. */
function ordered({ face, text }: Run, rightToLeft: boolean): Run {
  if (RIGHT_TO_LEFT.test(text) === rightToLeft) return { face, text };
  return { face, text: graphemesOf(text).reverse().join('') };
}
