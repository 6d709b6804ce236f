/**
 * The sheets of a document, filled from top to bottom. Places are counted from the side where reading starts, so that a
 * document that reads from right to left is the same one mirrored. All lengths are in points.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Paragraph } from './lines.ts';
import type { Pen } from './pen.ts';
import { drawPicture, type Picture } from './picture.ts';
import { drawModules, modulesOf } from './qr.ts';
import type { Direction, Style } from './runs.ts';

export const MM = 72 / 25.4;
/** A4. */
export const PAGE_WIDTH = 210 * MM;
export const PAGE_HEIGHT = 297 * MM;
const MARGIN = 20 * MM;
export const CONTENT_WIDTH = PAGE_WIDTH - 2 * MARGIN;
const TOP = 18 * MM;
const BOTTOM = PAGE_HEIGHT - 24 * MM;

export const BLACK = '#16191d';
export const GREY = '#5b6470';
const LIGHT = '#d5dae0';

export const body: Style = { size: 9 };
export const strong: Style = { size: 9, weight: 'bold' };
export const small: Style = { size: 7.5 };

/** No picture is larger than on a page: a pixel of CSS is 1/96 of an inch. */
const POINTS_OF_PIXEL = 0.75;

/** Scripts with marks above and below their letters need more room than Latin ones. */
const LEADING = 1.45;

export type Cell = {
  readonly text: string;
  readonly x: number;
  readonly width: number;
  readonly style?: Style;
  readonly colour?: string;
  /** `end` for amounts. */
  readonly align?: 'start' | 'end';
  /** Written smaller rather than in two lines. */
  readonly fit?: boolean;
};

const SMALLEST = 6;

export type Sheet = {
  readonly pen: Pen;
  readonly direction: Direction;
  /** Position of the next element, from the top of the page. */
  readonly y: () => number;
  readonly moveTo: (y: number) => void;
  readonly space: (height: number) => void;
  /** Begins a page unless so much is left of this one. */
  readonly room: (height: number) => void;
  /** Begins a page unless so much is left down to its very edge. */
  readonly foot: (height: number) => void;
  /** Cells beside each other, each with as many lines as it takes; long ones go on on the next page. */
  readonly row: (cells: readonly Cell[]) => void;
  readonly rule: (from?: number, width?: number) => void;
  /** A box of the height with text in it, where something has to be noticed. */
  readonly badge: (text: string) => void;
  /** Draws the picture in a box of this size at most, at the side where reading starts; false if it cannot be drawn. */
  readonly picture: (
    picture: Picture,
    box: { readonly width: number; readonly height: number },
  ) => Promise<boolean>;
  /** A QR code that fills the square; what is around it has to stay away by four modules. */
  readonly code: (payload: string, x: number, y: number, size: number) => void;
  /**
   * Writes the rows below the heading, which stands on top of every further page as well. Others get their turn between
   * two rows: a long document keeps nobody waiting.
   */
  readonly under: (heading: () => void, rows: Iterable<() => void>) => Promise<void>;
};

/** `onPage` writes the head of every page. */
export function newSheet(pen: Pen, direction: Direction, onPage: (sheet: Sheet) => void): Sheet {
  const { doc } = pen;
  let y = TOP;
  let isOpen = false;
  let heading: (() => void) | null = null;

  const fromLeft = (x: number, width = 0) =>
    direction === 'ltr' ? MARGIN + x : PAGE_WIDTH - MARGIN - x - width;

  const begin = () => {
    if (isOpen) doc.addPage();
    isOpen = true;
    y = TOP;
    onPage(sheet);
    heading?.();
  };
  const room = (height: number) => {
    if (y + height > BOTTOM) begin();
  };

  const styleOf = ({ text, width, style = body, fit }: Cell): Style => {
    const needed = fit ? pen.widthOf(text, style) : 0;
    return needed > width
      ? { ...style, size: Math.max(SMALLEST, (style.size * width * 0.99) / needed) }
      : style;
  };

  const lineOf = (cell: Cell, paragraph: Paragraph, index: number, height: number) => {
    const { x, width, style = body, colour = BLACK, align = 'start' } = cell;
    const fromRight = (direction === 'rtl') !== (align === 'end');
    const left = fromLeft(x, width);
    const place = { x: fromRight ? left + width : left, baseline: y + height * 0.74, fromRight, colour };
    pen.line(paragraph, index, place, style);
  };

  const row = (cells: readonly Cell[]) => {
    if (cells.length === 0) return;
    const columns = cells.map((given) => {
      const cell = { ...given, style: styleOf(given) };
      return { cell, paragraph: pen.paragraph(cell.text, cell.width, cell.style, 'auto') };
    });
    const height = Math.max(...cells.map(({ style = body }) => style.size * LEADING));
    const count = Math.max(0, ...columns.map(({ paragraph }) => paragraph.lines.length));
    // Kept in one piece as long as that leaves no great hole.
    if (count * height < PAGE_HEIGHT / 4) room(count * height);
    for (let index = 0; index < count; index++) {
      room(height);
      for (const { cell, paragraph } of columns) lineOf(cell, paragraph, index, height);
      y += height;
    }
  };

  const sheet: Sheet = {
    pen,
    direction,
    row,
    room,
    foot: (height) => {
      if (y > PAGE_HEIGHT - height) begin();
    },
    y: () => y,
    moveTo: (to) => {
      y = to;
    },
    space: (height) => {
      y += height;
    },
    rule: (from = 0, width = CONTENT_WIDTH) => {
      doc.rect(fromLeft(from, width), y - 0.25, width, 0.5).fill(LIGHT);
    },
    badge: (text) => {
      const style: Style = { size: 9, weight: 'bold' };
      const paragraph = pen.paragraph(text, CONTENT_WIDTH - 16, style, direction);
      const height = paragraph.lines.length * style.size * LEADING + 8;
      doc.roundedRect(MARGIN, y, CONTENT_WIDTH, height, 3).fillAndStroke('#fff4d6', '#b7791f');
      y += 4;
      for (const index of paragraph.lines.keys()) {
        const cell = { text, x: 8, width: CONTENT_WIDTH - 16, style, colour: '#7a4a00' };
        lineOf(cell, paragraph, index, style.size * LEADING);
        y += style.size * LEADING;
      }
      y += 4;
    },
    picture: async (picture, box) => {
      const scale = Math.min(POINTS_OF_PIXEL, box.width / picture.width, box.height / picture.height);
      const [width, height] = [picture.width * scale, picture.height * scale];
      const isDrawn = await drawPicture(doc, picture, { x: fromLeft(0, width), y, width, height });
      if (isDrawn) y += height;
      return isDrawn;
    },
    code: (payload, x, top, size) => {
      const modules = modulesOf(payload);
      drawModules(doc, modules, fromLeft(x, size), top, size);
    },
    under: async (write, rows) => {
      write();
      heading = write;
      for (const each of rows) {
        each();
        await nextTurn();
      }
      heading = null;
    },
  };
  begin();
  return sheet;
}

/** Footer of every page: the name of the document, and the page number. */
export function numberPages(
  { pen, direction }: Sheet,
  what: string,
  pageOf: (page: number, pages: number) => string,
  footOf: (page: number) => number = () => PAGE_HEIGHT - 12 * MM,
): void {
  const { doc } = pen;
  const { start, count } = doc.bufferedPageRange();
  const half = CONTENT_WIDTH / 2;
  for (let page = start; page < start + count; page++) {
    doc.switchToPage(page);
    const sides = [
      { text: what, fromRight: direction === 'rtl' },
      { text: pageOf(page - start + 1, count), fromRight: direction === 'ltr' },
    ];
    for (const { text, fromRight } of sides) {
      const paragraph = pen.paragraph(text, half, small, 'auto');
      const x = fromRight ? PAGE_WIDTH - MARGIN : MARGIN;
      pen.line(paragraph, 0, { x, baseline: footOf(page - start + 1), fromRight, colour: GREY }, small);
    }
  }
}
