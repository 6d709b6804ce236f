/** Reads documents back with parsers that have nothing in common with what writes them. */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { getDocumentProxy } from 'unpdf';
import type { Pixels } from '../support/read-code.ts';

/** Text as it stands on a page, with the place of its beginning in points from the lower left corner. */
export type PlacedText = {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};

export type ReadPage = {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly PlacedText[];
};

type ContentItem = { readonly str: string; readonly transform: readonly number[]; readonly width: number };

/** The pages with their texts, and what the document says of itself. */
export async function readPdf(bytes: Buffer) {
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pages: ReadPage[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const [, , width = 0, height = 0] = page.view;
    const { items } = await page.getTextContent();
    const texts = (items as ContentItem[])
      .filter(({ str }) => str !== '')
      .map(({ str, transform, width: wide }) => ({
        text: str,
        x: transform[4] ?? 0,
        y: transform[5] ?? 0,
        width: wide,
      }));
    pages.push({ width, height, texts });
  }
  const { info } = await pdf.getMetadata();
  return { pages, info: info as Readonly<Record<string, unknown>> };
}

/** All text of all pages without blanks, which say little about what a reader sees. */
export function lettersOf(pages: readonly ReadPage[]): string {
  return packed(pages.flatMap(({ texts }) => texts.map(({ text }) => text)).join(''));
}

export function packed(text: string): string {
  return text.normalize('NFKC').replace(/[\s\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/g, '');
}

export type Picture = Pixels & {
  /** Pixels to a point. */
  readonly scale: number;
  readonly dark: (x: number, y: number) => boolean;
};

/** Enough to read codes. */
const SCALE = 2.5;

let library: Promise<PDFiumLibrary> | undefined;

type Rendering = {
  readonly scale?: number;
  /** The pages that are wanted, as of `slice`; all, unless it is given. */
  readonly part?: readonly [from: number, to?: number];
};

/** The pages as pictures; places in them are in points from the upper left corner. */
export async function render(
  bytes: Buffer,
  { scale = SCALE, part = [0] }: Rendering = {},
): Promise<Picture[]> {
  const document = await opened(bytes);
  const pictures: Picture[] = [];
  for (const index of [...Array(document.getPageCount()).keys()].slice(...part)) {
    const { data, width, height } = await document
      .getPage(index)
      .render({ scale, render: async (each) => each.data });
    const dark = (x: number, y: number) => {
      const at = (Math.floor(y * scale) * width + Math.floor(x * scale)) * 4;
      return Math.min(data[at] ?? 255, data[at + 1] ?? 255, data[at + 2] ?? 255) < 200;
    };
    pictures.push({ data, width, height, scale, dark });
  }
  document.destroy();
  return pictures;
}

/** The number of pages that are there to be drawn. */
export async function countPages(bytes: Buffer): Promise<number> {
  const document = await opened(bytes);
  const count = document.getPageCount();
  document.destroy();
  return count;
}

async function opened(bytes: Buffer): Promise<PDFiumDocument> {
  library ??= PDFiumLibrary.init();
  return (await library).loadDocument(bytes);
}

/** Asserts empty margins of the page: at the sides, and above and below, in points. */
export function assertMargins({ dark, scale, width, height }: Picture, sides: number, above: number): void {
  const [wide, high] = [width / scale, height / scale];
  for (let y = 0; y < high; y += 0.5) {
    const isInside = y > above && y < high - above;
    for (let x = 0; x < wide; x += 0.5) {
      if (isInside && x > sides && x < wide - sides) x = wide - sides;
      if (dark(x, y)) assert.fail(`something is drawn at ${x}, ${y}`);
    }
  }
}

/** The text that a PDF declares for its rearranged lines (ISO 32000-1, section 14.9.4), in order. */
export function actualTexts(bytes: Buffer): string[] {
  return contentsOf(bytes).flatMap((content) =>
    [...content.matchAll(/\/ActualText \(((?:\\.|[^\\)])*)\)/gs)].map(([, literal = '']) => {
      const units = Buffer.from(literal.replace(/\\(.)/gs, unescaped), 'latin1').swap16();
      return units.toString('utf16le').replace(/^\ufeff/, '');
    }),
  );
}

/** Rectangles as wide as a column and more, in the order in which they are drawn: `x y width height`, in points. */
export function rulesOf(bytes: Buffer): string[] {
  return contentsOf(bytes).flatMap((content) =>
    [...content.matchAll(/^(\S+) (\S+) (\S+) (\S+) re$/gm)]
      .map(([, ...numbers]) => numbers.map(Number))
      .filter(([, , width = 0]) => width > 60)
      .map((numbers) => numbers.map((each) => each.toFixed(1)).join(' ')),
  );
}

function unescaped(_: string, character: string): string {
  const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  return controls[character] ?? character;
}

function contentsOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  return [...text.matchAll(/\/FlateDecode\s*>>\s*stream\n/g)].map(({ index, 0: { length } }) => {
    const end = text.indexOf('endstream', index);
    return inflateSync(bytes.subarray(index + length, end)).toString('latin1');
  });
}
