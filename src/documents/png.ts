/** Pixels of a PNG (W3C, third edition), which a PDF has to have apart: the colors, and how opaque each pixel is. */
import { createInflate } from 'node:zlib';
import { rest } from '../lib/rest.ts';

export type Pixels = {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, in 8 bits each. */
  readonly colors: Buffer;
  /** 8 bits for each pixel; null if all are opaque. */
  readonly opacity: Buffer | null;
};

type Header = {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly type: number;
  readonly isInterlaced: boolean;
};

/** Samples of a pixel, and the depths that they may have, by color type (table 9). */
const samplesOf: Readonly<Record<number, { readonly count: number; readonly depths: readonly number[] }>> = {
  0: { count: 1, depths: [1, 2, 4, 8, 16] },
  2: { count: 3, depths: [8, 16] },
  3: { count: 1, depths: [1, 2, 4, 8] },
  4: { count: 2, depths: [8, 16] },
  6: { count: 4, depths: [8, 16] },
};
const PALETTE = 3;

/** Passes, as the first column and row of each and the steps to its next ones (section 8). */
const inOrder = [[0, 0, 1, 1]] as const;
const interlaced = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * Rejects where it is none. As in browsers, data behind the last pixel count for nothing, and an index behind the end of the
 * palette is black.
 */
export async function readPng(bytes: Buffer): Promise<Pixels> {
  const chunks = chunksOf(bytes);
  const header = headerOf(chunks.get('IHDR') ?? Buffer.alloc(0));
  const { width, height, depth, type } = header;
  const count = samplesOf[type]?.count ?? 0;
  const passes = (header.isInterlaced ? interlaced : inOrder)
    .map(([x, y, stepX, stepY]) => ({
      ...{ x, y, stepX, stepY },
      columns: Math.ceil((width - x) / stepX),
      rows: Math.ceil((height - y) / stepY),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map((pass) => ({ ...pass, lineBytes: Math.ceil((pass.columns * count * depth) / 8) }));
  const size = passes.reduce((sum, { rows, lineBytes }) => sum + rows * (1 + lineBytes), 0);
  const data = await inflated(chunks.get('IDAT') ?? Buffer.alloc(0), size);

  const colors = Buffer.alloc(width * height * 3);
  const opacity = Buffer.alloc(width * height);
  const paint = painter(header, chunks);
  const bytesBefore = Math.max(1, (count * depth) / 8);
  let at = 0;
  for (const { x, y, stepX, stepY, columns, rows, lineBytes } of passes) {
    let above: Buffer = Buffer.alloc(lineBytes);
    for (let row = 0; row < rows; row++) {
      rest();
      const line = data.subarray(at + 1, at + 1 + lineBytes);
      unfilter(data[at] ?? 0, line, above, bytesBefore);
      for (let column = 0; column < columns; column++) {
        const pixel = (y + row * stepY) * width + x + column * stepX;
        opacity[pixel] = paint(line, column, colors, pixel * 3);
      }
      above = line;
      at += 1 + lineBytes;
    }
  }
  return { width, height, colors, opacity: opacity.every((each) => each === 255) ? null : opacity };
}

/** The first bytes that the data inflate to. No more is inflated than fits into the buffer of the library beside them. */
async function inflated(data: Buffer, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let at = 0;
  const inflate = createInflate();
  inflate.end(data);
  for await (const part of inflate) {
    at += (part as Buffer).copy(bytes, at);
    if (at === size) return bytes;
  }
  throw new Error('the pixels end too early');
}

/** Data by kind; that of several chunks of a kind is joined. */
function chunksOf(bytes: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer[]>();
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
    const known = found.get(kind);
    if (known === undefined) found.set(kind, [data]);
    else known.push(data);
  }
  return new Map([...found].map(([kind, all]) => [kind, Buffer.concat(all)]));
}

function headerOf(data: Buffer): Header {
  const [depth = 0, type = 0, , , interlace = 0] = data.subarray(8);
  if (samplesOf[type]?.depths.includes(depth) !== true) throw new Error('there are no such samples');
  return {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    depth,
    type,
    isInterlaced: interlace === 1,
  };
}

/** Undoes the filter of a line in place (section 9). */
function unfilter(filter: number, line: Buffer, above: Buffer, bytesBefore: number): void {
  if (filter > 4) throw new Error('there is no such filter');
  for (let at = 0; filter > 0 && at < line.length; at++) {
    const left = line[at - bytesBefore] ?? 0;
    const up = above[at] ?? 0;
    line[at] = (line[at] ?? 0) + predicted(filter, left, up, above[at - bytesBefore] ?? 0);
  }
}

/** A byte as the filter tells it from its neighbors. Nothing is allocated for the bytes of an image. */
function predicted(filter: number, left: number, up: number, upperLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const toLeft = Math.abs(up - upperLeft);
  const toUp = Math.abs(left - upperLeft);
  const toUpperLeft = Math.abs(left + up - 2 * upperLeft);
  if (toLeft <= toUp && toLeft <= toUpperLeft) return left;
  return toUp <= toUpperLeft ? up : upperLeft;
}

type Paint = (line: Buffer, column: number, colors: Buffer, at: number) => number;

/** A function that writes the color of a pixel to its place, and answers how opaque the pixel is. */
function painter({ depth, type }: Header, chunks: ReadonlyMap<string, Buffer>): Paint {
  const count = samplesOf[type]?.count ?? 0;
  const palette = chunks.get('PLTE');
  const transparency = chunks.get('tRNS');
  if (type === PALETTE && palette === undefined) throw new Error('there is no palette');
  const most = 2 ** depth - 1;
  const sample = (line: Buffer, index: number): number => {
    if (depth === 8) return line[index] ?? 0;
    if (depth === 16) return line.readUInt16BE(index * 2);
    const bit = index * depth;
    return ((line[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & most;
  };
  const scaled = (value: number) => Math.round((value * 255) / most);
  const clear =
    transparency &&
    Array.from({ length: transparency.length >> 1 }, (_, index) => transparency.readUInt16BE(index * 2));

  if (type === PALETTE) {
    return (line, column, colors, at) => {
      const index = sample(line, column);
      for (let each = 0; each < 3; each++) colors[at + each] = palette?.[index * 3 + each] ?? 0;
      return transparency?.[index] ?? 255;
    };
  }
  const hasColor = type === 2 || type === 6;
  const hasOpacity = type === 4 || type === 6;
  return (line, column, colors, at) => {
    const first = column * count;
    let isClear = clear !== undefined && !hasOpacity;
    for (let each = 0; each < 3; each++) {
      const index = hasColor ? each : 0;
      const value = sample(line, first + index);
      if (isClear && clear?.[index] !== value) isClear = false;
      colors[at + each] = scaled(value);
    }
    if (hasOpacity) return scaled(sample(line, first + count - 1));
    return isClear ? 0 : 255;
  };
}

/**
 * The image in no more columns and rows than these. Each pixel is the average of the area that it covers, in which one
 * counts as much as it is opaque: the color of a pixel that nobody sees has no part in it.
 */
export function reduced(pixels: Pixels, mostColumns: number, mostRows: number): Pixels {
  const [width, height] = [Math.min(pixels.width, mostColumns), Math.min(pixels.height, mostRows)];
  if (width === pixels.width && height === pixels.height) return pixels;
  const sums = new Float64Array(width * height * 4);
  const line = new Float64Array(width * 4);
  const values = new Float64Array(4);
  for (let y = 0; y < pixels.height; y++) {
    rest();
    line.fill(0);
    for (let x = 0; x < pixels.width; x++) {
      const at = y * pixels.width + x;
      const opaque = pixels.opacity?.[at] ?? 255;
      for (let each = 0; each < 3; each++) values[each] = (pixels.colors[at * 3 + each] ?? 0) * opaque;
      values[3] = opaque;
      share(values, x, pixels.width, line, width);
    }
    share(line, y, pixels.height, sums, height);
  }
  const colors = Buffer.alloc(width * height * 3);
  const opacity = Buffer.alloc(width * height);
  for (let at = 0; at < opacity.length; at++) {
    const opaque = sums[at * 4 + 3] ?? 0;
    opacity[at] = Math.round(opaque / (pixels.width * pixels.height));
    for (let each = 0; each < 3 && opaque > 0; each++)
      colors[at * 3 + each] = Math.round((sums[at * 4 + each] ?? 0) / opaque);
  }
  return { width, height, colors, opacity: pixels.opacity && opacity };
}

/**
 * Adds the values of one of `count` neighbors to the sums of the `places` that it covers, two at most, as there are no more
 * places than neighbors. It has as many shares as there are places, so that all sums are of whole numbers.
 */
function share(values: Float64Array, index: number, count: number, sums: Float64Array, places: number): void {
  const place = Math.floor((index * places) / count);
  const inNext = Math.max(0, (index + 1) * places - (place + 1) * count);
  const at = place * values.length;
  for (let each = 0; each < values.length; each++) {
    const value = values[each] ?? 0;
    sums[at + each] = (sums[at + each] ?? 0) + value * (places - inNext);
    // Behind the last place nothing is left to share.
    if (inNext > 0) sums[at + values.length + each] = (sums[at + values.length + each] ?? 0) + value * inNext;
  }
}
