/**
 * Fonts of documents: Noto (SIL Open Font License), each family cut into files by ranges of Unicode. Families of which
 * all files are needed are packages; of the others `fonts/` has those that are (see `scripts/fonts.ts`). Only the files
 * that a text needs are read, and only the characters used end up in the document.
 */
import { readFile } from 'node:fs/promises';
import emoji from '@fontsource-variable/noto-emoji/unicode.json' with { type: 'json' };
import hebrew from '@fontsource-variable/noto-sans-hebrew/unicode.json' with { type: 'json' };
import japanese from '@fontsource-variable/noto-sans-jp/unicode.json' with { type: 'json' };
import korean from '@fontsource-variable/noto-sans-kr/unicode.json' with { type: 'json' };
import chinese from '@fontsource-variable/noto-sans-sc/unicode.json' with { type: 'json' };
import thai from '@fontsource-variable/noto-sans-thai/unicode.json' with { type: 'json' };
import { create } from 'fontkit';
import subsetFont from 'subset-font';
import sans from '../../fonts/noto-sans.json' with { type: 'json' };
import arabic from '../../fonts/noto-sans-arabic.json' with { type: 'json' };
import { createLru } from '../lib/lru.ts';

export type Weight = 'regular' | 'bold';

/** One font file at one weight. */
export type Face = {
  readonly name: string;
  /** TrueType, or null for a font that every reader of PDF has. */
  readonly bytes: Buffer | null;
  readonly has: (codePoint: number) => boolean;
};

type Texts = Readonly<Record<Weight, string>>;

/** The faces that a document has, by weight, in the order in which they are asked for a character. */
export type Faces = Readonly<Record<Weight, readonly Face[]>>;

/** The files of a family in their order, and for every 128 code points what of them is for which file. */
type Family = {
  readonly paths: readonly string[];
  readonly ranges: ReadonlyMap<number, readonly FontRange[]>;
};
type FontRange = { readonly from: number; readonly to: number; readonly path: string };

/** Directory of the font files in the repository. */
const OURS = '../../fonts/';

const WEIGHTS: Readonly<Record<Weight, number>> = { regular: 400, bold: 700 };

/** Files of the Han families at one weight have some 60 KB each, and a long document takes a few dozen. */
const MAX_KEPT_BYTES = 32_000_000;

/** The faces are put together with the first document: a service that makes none does not need them. */
const families = once(() => ({
  sans: family('noto-sans', sans, OURS),
  arabic: family('noto-sans-arabic', arabic, OURS),
  hebrew: family('noto-sans-hebrew', hebrew),
  thai: family('noto-sans-thai', thai),
  chinese: family('noto-sans-sc', chinese),
  japanese: family('noto-sans-jp', japanese),
  korean: family('noto-sans-kr', korean),
  emoji: family('noto-emoji', emoji),
}));

/** Files that are not needed again fall out; they are read anew then. */
const kept = createLru<string, Face>({ most: MAX_KEPT_BYTES, sizeOf: ({ bytes }) => bytes?.length ?? 1 });

async function faceOf(path: string, weight: Weight): Promise<Face> {
  const key = `${path} ${weight}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const face = await load(path, weight);
  kept.set(key, face);
  return face;
}

/**
 * The faces for everything that a document writes. Japanese and Chinese write many characters in forms of their own:
 * `language` (an id of a language of pages) says whose to take.
 */
export async function loadFaces(texts: Texts, language: string): Promise<Faces> {
  const everything = texts.regular + texts.bold;
  const order = familiesFor(everything, language);
  const bold = await facesFor(texts.bold, 'bold', order);
  // A character missing at the wanted weight is taken from the other.
  const regular = await facesFor(everything, 'regular', order);
  return { regular, bold: [...bold, ...regular] };
}

function familiesFor(text: string, language: string): Family[] {
  const { sans, arabic, hebrew, thai, chinese, japanese, korean, emoji } = families();
  const isJapanese =
    language === 'ja' || (language !== 'zh' && /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text));
  const han = isJapanese ? [japanese, chinese] : [chinese, japanese];
  return [sans, arabic, hebrew, thai, ...han, korean, emoji];
}

async function facesFor(text: string, weight: Weight, order: readonly Family[]): Promise<Face[]> {
  const found = new Map<string, Face>();
  for (const character of new Set(text)) {
    const codePoint = character.codePointAt(0) ?? 0;
    for (const path of claiming(order, codePoint)) {
      const face = found.get(path) ?? (await faceOf(path, weight));
      if (face?.has(codePoint)) {
        found.set(path, face);
        break;
      }
    }
  }
  // The order of the families, not of the text: the same characters are always taken from the same font.
  return order.flatMap(({ paths }) => paths.flatMap((path) => found.get(path) ?? []));
}

/** A range says which characters a file is for, not that it has them all. */
function claiming(order: readonly Family[], codePoint: number): string[] {
  return order.flatMap(({ ranges }) =>
    (ranges.get(codePoint >> 7) ?? [])
      .filter(({ from, to }) => codePoint >= from && codePoint <= to)
      .map(({ path }) => path),
  );
}

/** pdfkit cannot cut a variable font, so the one weight is fixed first, by HarfBuzz. */
async function load(path: string, weight: Weight): Promise<Face> {
  const options = {
    targetFormat: 'truetype',
    variationAxes: { wght: WEIGHTS[weight] },
    keepAllGlyphs: true,
    noHinting: true,
  } as const;
  const file = await readFile(
    new URL(path.startsWith('@') ? import.meta.resolve(path) : path, import.meta.url),
  );
  const bytes = await subsetFont(file, '', options);
  const font = create(bytes);
  const characters = new Set('characterSet' in font ? font.characterSet : []);
  return { name: `${path} ${weight}`, bytes, has: (codePoint) => characters.has(codePoint) };
}

/** `parts` are ranges by the name of the part: `latin`, or `[17]` for the numbered parts of the large families. */
function family(
  id: string,
  parts: Readonly<Record<string, string>>,
  place = `@fontsource-variable/${id}/files/`,
): Family {
  const paths: string[] = [];
  const ranges = new Map<number, FontRange[]>();
  for (const [part, list] of Object.entries(parts)) {
    const path = `${place}${id}-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`;
    paths.push(path);
    for (const [from, to] of list.split(',').map(rangeOf)) {
      for (let block = from >> 7; block <= to >> 7; block++) {
        const inBlock = ranges.get(block) ?? [];
        ranges.set(block, inBlock);
        inBlock.push({ from, to, path });
      }
    }
  }
  return { paths, ranges };
}

/** `U+20AC` or `U+0100-02BA`. */
function rangeOf(text: string): [number, number] {
  const [from = '', to = from] = text.replace('U+', '').split('-');
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Helvetica, which the payment part of the Swiss QR-bill has to be set in; readers of PDF bring it along. */
export const helvetica: Readonly<Record<Weight, Face>> = {
  regular: { name: 'Helvetica', bytes: null, has: isWindows1252 },
  bold: { name: 'Helvetica-Bold', bytes: null, has: isWindows1252 },
};

/** The characters above Latin-1 that the standard fonts of PDF have (ISO 32000-1, annex D.2, WinAnsiEncoding). */
const WINDOWS_1252 = new Set([...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'].map((character) => character.codePointAt(0)));

function isWindows1252(codePoint: number): boolean {
  return (
    (codePoint >= 0x20 && codePoint <= 0x7e) ||
    (codePoint >= 0xa1 && codePoint <= 0xff) ||
    WINDOWS_1252.has(codePoint)
  );
}
