/** Writes text into a PDF: measures it, breaks it into lines and draws it run by run. */
import PDFDocument from 'pdfkit';
import { rest } from '../lib/rest.ts';
import type { Face, Faces } from './fonts.ts';
import { linesOf, type Paragraph } from './lines.ts';
import {
  charactersOf,
  type Direction,
  levelsOf,
  REPLACEMENT,
  type Run,
  runsOf,
  type Style,
  visualRuns,
} from './runs.ts';

export type Pen = {
  readonly doc: PDFKit.PDFDocument;
  /** The text broken into lines of the width; `auto` takes the direction from its first letter. */
  readonly paragraph: (text: string, width: number, style: Style, direction: Direction | 'auto') => Paragraph;
  /** Draws one line of a paragraph with its left end (or its right one) at x. */
  readonly line: (paragraph: Paragraph, index: number, at: Place, style: Style) => void;
  readonly widthOf: (text: string, style: Style) => number;
};

type Place = {
  readonly x: number;
  readonly baseline: number;
  /** True if x is the right end of the line. */
  readonly fromRight: boolean;
  readonly colour: string;
};

type Metadata = {
  readonly title: string;
  readonly author: string;
  /** BCP 47. */
  readonly language: string;
  readonly createdAt: number;
};

/** Letters whose places in the text and on the line differ; readers need to be told what the text is. */
const REORDERED = /[\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{sc=Thai}]/u;

/** Fonts apply their usual features when the list is there, and the run is then laid out as a whole. */
const features: PDFKit.Mixins.OpenTypeFeatures[] = [];

/** Lines come ready made; what pdfkit would measure for underlines and links is not needed. */
const drawn = { lineBreak: false, baseline: 'alphabetic', features, textWidth: 0, wordCount: 0 } as const;

export function newPen(faces: Faces, { title, author, language, createdAt }: Metadata): Pen {
  const date = new Date(createdAt);
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    lang: language,
    displayTitle: true,
    pdfVersion: '1.7',
    info: { Title: title, Author: author, Creator: 'opentill', CreationDate: date, ModDate: date },
  });
  const registered = new Set<Face>();
  const widths = new Map<Face, Map<string, number | null>>();

  const use = ({ face }: Run): void => {
    if (face.bytes !== null && !registered.has(face)) doc.registerFont(face.name, face.bytes);
    registered.add(face);
    doc.font(face.name);
  };

  /** Widths of runs at 1000 points, measured once; null of one that the font engine cannot lay out. */
  const measured = (run: Run): number | null => {
    rest();
    const known = widths.get(run.face) ?? new Map<string, number | null>();
    widths.set(run.face, known);
    let width = known.get(run.text);
    if (width === undefined) {
      use(run);
      doc.fontSize(1000);
      try {
        width = doc.widthOfString(run.text, { features });
      } catch {
        // It fails at a mark that its font places on nothing, or on a letter that the font has no place at.
        width = null;
      }
      known.set(run.text, width);
    }
    return width;
  };

  const widthOfRun = (run: Run, size: number): number => ((measured(run) ?? 0) * size) / 1000;

  /** The runs as far as they can be laid out: of one that cannot, each character that can, and boxes for the others. */
  const drawable = (runs: readonly Run[], style: Style): Run[] =>
    runs.flatMap((run) =>
      measured(run) !== null
        ? [run]
        : charactersOf(run).flatMap((each) =>
            measured(each) === null ? runsOf(faces, style, REPLACEMENT) : [each],
          ),
    );

  const sum = (runs: readonly Run[], size: number) =>
    runs.reduce((total, run) => total + widthOfRun(run, size), 0);
  const widthOf = (text: string, style: Style) =>
    sum(drawable(runsOf(faces, style, text), style), style.size);

  return {
    doc,
    widthOf,
    paragraph: (text, width, style, direction) => ({
      text,
      levels: levelsOf(text, direction),
      lines: linesOf(text, width, language, (each) => widthOf(each, style)),
    }),
    line: ({ text, levels, lines }, index, { x, baseline, fromRight, colour }, style) => {
      const line = lines[index];
      if (!line) return;
      const runs = drawable(visualRuns(faces, style, text, levels, line.start, line.end), style);
      const written = text.slice(line.start, line.end);
      const isReordered = REORDERED.test(written);
      if (isReordered) doc.markContent('Span', { actual: written });
      let left = fromRight ? x - sum(runs, style.size) : x;
      for (const [number, run] of runs.entries()) {
        rest();
        use(run);
        doc.fontSize(style.size).fillColor(colour);
        doc.text(run.text, left, baseline, drawn);
        if (number < runs.length - 1) left += widthOfRun(run, style.size);
      }
      if (isReordered) doc.endMarkedContent();
    },
  };
}

/** The finished document. */
export function bytesOf({ doc }: Pen): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    doc.on('data', (part: Buffer) => parts.push(part));
    doc.on('end', () => resolve(Buffer.concat(parts)));
    doc.on('error', reject);
    doc.end();
  });
}
