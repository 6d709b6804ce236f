/** Logos on documents: every kind of PNG is read, and a picture that is none costs the document nothing but itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MAX_LOGO_BYTES } from '../../src/accounts/logo.ts';
import { readPng, reduced } from '../../src/documents/png.ts';
import { invoicePdf, receiptPdf } from '../../src/documents/render-queue.ts';
import {
  chunk,
  exif,
  frameAt,
  header,
  jpeg,
  png,
  pngSignature,
  scanAt,
  segment,
  squares,
  withSegments,
} from '../support/image.ts';
import { invoiceOf, receiptOf } from './build.ts';
import { render } from './read-pdf.ts';

const [WIDTH, HEIGHT] = [11, 9];

/** Samples of a pixel by color type, and the depths of PNG (third edition, table 9). */
const kinds = [
  { type: 0, samples: 1, depths: [1, 2, 4, 8, 16] },
  { type: 2, samples: 3, depths: [8, 16] },
  { type: 3, samples: 1, depths: [1, 2, 4, 8] },
  { type: 4, samples: 2, depths: [8, 16] },
  { type: 6, samples: 4, depths: [8, 16] },
] as const;

const palette = Buffer.from(Array.from({ length: 768 }, (_, index) => (index * 37) % 256));

type Kind = { type: number; samples: number; depth: number; isInterlaced: boolean };

/** A sample of the image that is encoded, from 0 to the most that the depth has. */
const sampleAt = (x: number, y: number, sample: number, depth: number) =>
  (x * 7919 + y * 104_729 + sample * 1_299_709) % 2 ** depth;

const pngOf = (...chunks: readonly Buffer[]) => Buffer.concat([pngSignature, ...chunks, chunk('IEND')]);

/** Pixels in the order of Adam7, line by line. */
function linesIn({ isInterlaced }: Kind): [x: number, y: number][][] {
  const order = [
    ['1', 8, 8, 0, 0],
    ['2', 8, 8, 4, 0],
    ['3', 4, 8, 0, 4],
    ['4', 4, 4, 2, 0],
    ['5', 2, 4, 0, 2],
    ['6', 2, 2, 1, 0],
    ['7', 1, 2, 0, 1],
  ] as const;
  const lines: [number, number][][] = [];
  for (const [, stepX, stepY, left, top] of isInterlaced ? order : ([['', 1, 1, 0, 0]] as const)) {
    for (let y = top; y < HEIGHT; y += stepY) {
      const line: [number, number][] = [];
      for (let x = left; x < WIDTH; x += stepX) line.push([x, y]);
      if (line.length > 0) lines.push(line);
    }
    // The next pass has no line above its first.
    lines.push([]);
  }
  return lines;
}

function encoded(kind: Kind, more: readonly Buffer[] = []): Buffer {
  const { type, samples, depth, isInterlaced } = kind;
  const bytesBefore = Math.max(1, (samples * depth) / 8);
  const written: number[] = [];
  let above: number[] = [];
  let filter = 0;
  for (const pixels of linesIn(kind)) {
    if (pixels.length === 0) {
      above = [];
      continue;
    }
    let bits = '';
    for (const [x, y] of pixels) {
      for (let sample = 0; sample < samples; sample++)
        bits += sampleAt(x, y, sample, depth).toString(2).padStart(depth, '0');
    }
    const line = (bits.match(/.{1,8}/g) ?? []).map((each) => Number.parseInt(each.padEnd(8, '0'), 2));
    const predicted = line.map((_, at) => {
      const [a = 0, b = 0, c = 0] = [line[at - bytesBefore], above[at], above[at - bytesBefore]];
      const nearest = [a, b, c].sort(
        (one, other) => Math.abs(a + b - c - one) - Math.abs(a + b - c - other),
      )[0];
      return [0, a, b, Math.floor((a + b) / 2), nearest][filter] ?? 0;
    });
    written.push(filter, ...line.map((each, at) => (each - (predicted[at] ?? 0)) & 255));
    filter = (filter + 1) % 5;
    above = line;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([depth, type, 0, 0, isInterlaced ? 1 : 0], 8);
  const data = deflateSync(Buffer.from(written));
  const parts = [data.subarray(0, 20), data.subarray(20)].map((each) => chunk('IDAT', each));
  const plte = type === 3 ? [chunk('PLTE', palette.subarray(0, 3 * 2 ** depth))] : [];
  return Buffer.concat([pngSignature, chunk('IHDR', header), ...plte, ...more, ...parts, chunk('IEND')]);
}

/** Colors and opacity of a pixel as they were encoded, without `tRNS`. */
function pixelAt({ type, samples, depth }: Kind, x: number, y: number): number[] {
  const most = 2 ** depth - 1;
  const values = Array.from({ length: samples }, (_, sample) => sampleAt(x, y, sample, depth));
  if (type === 3) return [...palette.subarray((values[0] ?? 0) * 3, (values[0] ?? 0) * 3 + 3), 255];
  const [first = 0, second = 0, third = 0, fourth = most] = values.map((each) =>
    Math.round((each * 255) / most),
  );
  if (type === 2 || type === 6) return [first, second, third, samples === 4 ? fourth : 255];
  return [first, first, first, samples === 2 ? second : 255];
}

async function assertPixels(
  kind: Kind,
  bytes: Buffer,
  clear: (x: number, y: number) => number | null = () => null,
): Promise<void> {
  const { width, height, colors, opacity } = await readPng(bytes);
  assert.deepEqual([width, height], [WIDTH, HEIGHT]);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * WIDTH + x;
      const found = [...colors.subarray(at * 3, at * 3 + 3), opacity === null ? 255 : opacity[at]];
      const [red, green, blue, opaque] = pixelAt(kind, x, y);
      assert.deepEqual(found, [red, green, blue, clear(x, y) ?? opaque], `${x}, ${y}`);
    }
  }
}

suite('a PNG is read', () => {
  for (const { type, samples, depths } of kinds) {
    for (const depth of depths) {
      for (const isInterlaced of [false, true]) {
        test(`of color type ${type} and depth ${depth}${isInterlaced ? ', interlaced' : ''}`, async () => {
          const kind = { type, samples, depth, isInterlaced };
          await assertPixels(kind, encoded(kind));
        });
      }
    }
  }

  test('with a color that stands for no color, and with a palette of colors that are half there', async () => {
    const grey = { type: 0, samples: 1, depth: 4, isInterlaced: false };
    await assertPixels(grey, encoded(grey, [chunk('tRNS', Buffer.from([0, 7]))]), (x, y) =>
      sampleAt(x, y, 0, 4) === 7 ? 0 : null,
    );
    const colored = { type: 2, samples: 3, depth: 16, isInterlaced: false };
    const color = Buffer.alloc(6);
    for (const sample of [0, 1, 2]) color.writeUInt16BE(sampleAt(3, 2, sample, 16), sample * 2);
    await assertPixels(colored, encoded(colored, [chunk('tRNS', color)]), (x, y) =>
      x === 3 && y === 2 ? 0 : null,
    );
    const indexed = { type: 3, samples: 1, depth: 2, isInterlaced: false };
    await assertPixels(
      indexed,
      encoded(indexed, [chunk('tRNS', Buffer.from([0, 128]))]),
      (x, y) => [0, 128, 255, 255][sampleAt(x, y, 0, 2)] ?? null,
    );
  });

  test('as far as its header says, whatever is behind', async () => {
    const line = 1 + 32 * 4;
    const of = (data: Buffer) => pngOf(header({}), chunk('IDAT', data));
    for (const bytes of [0, 32 * line - 1]) {
      await assert.rejects(readPng(of(deflateSync(Buffer.alloc(bytes)))), /the pixels end too early/);
    }
    for (const bytes of [32 * line, 32 * line + 1, 50_000_000]) {
      const { colors } = await readPng(of(deflateSync(Buffer.alloc(bytes))));
      assert.deepEqual(colors, Buffer.alloc(32 * 32 * 3));
    }
    const behind = Buffer.concat([deflateSync(Buffer.alloc(32 * line)), Buffer.alloc(50_000, 0xee)]);
    assert.equal((await readPng(of(behind))).colors.length, 32 * 32 * 3);
  });

  test('with black where its palette has no such color', async () => {
    const [data, bits] = [Buffer.alloc(13), Buffer.from([0, 0b00_01_10_11])];
    data.set([0, 0, 0, 4, 0, 0, 0, 1, 2, 3]);
    const plte = chunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6]));
    const image = pngOf(chunk('IHDR', data), plte, chunk('IDAT', deflateSync(bits)));
    assert.deepEqual((await readPng(image)).colors, Buffer.from([1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0]));
  });
});

suite('a PNG of more pixels than its place has', () => {
  test('has each the average of those that it covers, where those that are not seen have no part', () => {
    const colors = Buffer.from([200, 0, 0, 0, 100, 0, 10, 20, 30, 0, 0, 40, 90, 90, 90, 50, 60, 70]);
    const pixels = { width: 3, height: 2, colors, opacity: Buffer.from([255, 255, 0, 255, 0, 0]) };
    const { opacity, ...one } = reduced(pixels, 1, 1);
    assert.deepEqual(one, { width: 1, height: 1, colors: Buffer.from([67, 33, 13]) });
    assert.deepEqual(opacity, Buffer.from([128]));
    // Each of the two has a pixel and a half of a line.
    assert.deepEqual(reduced(pixels, 2, 5), {
      ...{ width: 2, height: 2 },
      colors: Buffer.from([133, 33, 0, 0, 100, 0, 0, 0, 40, 0, 0, 0]),
      opacity: Buffer.from([255, 85, 170, 0]),
    });
    assert.equal(reduced({ ...pixels, opacity: null }, 2, 1).opacity, null);
    assert.equal(reduced(pixels, 3, 2), pixels);
  });

  test('is one color where it was one, whatever its size', () => {
    for (const [width, height, columns, rows] of [
      [1000, 7, 449, 7],
      [999, 1, 1, 1],
      [7, 1000, 3, 105],
      [450, 106, 450, 105],
    ] as const) {
      const colors = Buffer.alloc(width * height * 3, Buffer.from([1, 128, 255]));
      const opacity = Buffer.alloc(width * height, 77);
      assert.deepEqual(reduced({ width, height, colors, opacity }, columns, rows), {
        ...{ width: columns, height: rows },
        colors: Buffer.alloc(columns * rows * 3, Buffer.from([1, 128, 255])),
        opacity: Buffer.alloc(columns * rows, 77),
      });
    }
  });
});

suite('a document with a logo', () => {
  const green = { bytes: png({ width: 320, height: 80 }), width: 320, height: 80 };

  /** Width and height in points of what is green on the first page, from its left and upper end. */
  async function greenOf(bytes: Buffer): Promise<number[]> {
    const [page] = await render(bytes, { scale: 2, part: [0, 1] });
    assert.ok(page);
    const [xs, ys] = [new Set<number>(), new Set<number>()];
    for (let at = 0; at < page.width * page.height; at++) {
      const [red, middle, blue] = page.data.subarray(at * 4, at * 4 + 3);
      if (red !== 0x0b || middle !== 0x6b || blue !== 0x57) continue;
      xs.add(at % page.width);
      ys.add(Math.floor(at / page.width));
    }
    assert.ok(xs.size > 0, 'nothing is green');
    return [Math.min(...xs), Math.min(...ys), xs.size, ys.size].map((each) => Math.round(each / 2));
  }

  /** Within a point, as the edges of a picture fall between pixels. */
  function assertNear(found: readonly number[], expected: readonly number[]): void {
    const isNear = expected.every((each, index) => Math.abs(each - (found[index] ?? Number.NaN)) <= 1);
    assert.ok(isNear, `${found} instead of ${expected}`);
  }

  test('has it at the top, in its proportions, at the side where reading starts', async () => {
    assertNear(await greenOf(await receiptPdf({ ...receiptOf(), logo: green })), [57, 51, 168, 42]);
    const arabic = await greenOf(await invoicePdf({ ...invoiceOf({}, 'ar'), logo: green }));
    assertNear(arabic, [595 - 57 - 168, 51, 168, 42]);
    const tall = { bytes: png({ width: 60, height: 240 }), width: 60, height: 240 };
    assertNear(await greenOf(await invoicePdf({ ...invoiceOf(), logo: tall })), [57, 51, 11, 42]);
    const small = { bytes: png({ width: 32, height: 16 }), width: 32, height: 16 };
    assertNear(await greenOf(await invoicePdf({ ...invoiceOf(), logo: small })), [57, 51, 24, 12]);
  });

  test('has a JPEG as it is', async () => {
    const bytes = await receiptPdf({ ...receiptOf(), logo: { bytes: jpeg(), width: 1, height: 1 } });
    assert.ok(bytes.includes(jpeg()));
    assert.ok(bytes.includes('/DCTDecode'));
  });

  /** Four shades, and the corners in which they are in the order of reading, by orientation (Exif 2.32, 4.6.5). */
  const shades = [0, 80, 160, 220];
  const turned = ['0123', '1032', '3210', '2301', '0213', '2031', '3120', '1302'];

  for (const [index, corners] of turned.entries()) {
    test(`has a JPEG of orientation ${index + 1} as a browser shows it`, async () => {
      const [first = 0, second = 0, third = 0, fourth = 0] = shades;
      const image = squares([
        [first, first, second, second],
        [third, third, fourth, fourth],
      ]);
      const bytes = withSegments(image, exif(index + 1));
      const [width, height] = index < 4 ? [32, 16] : [16, 32];
      const file = await receiptPdf({ ...receiptOf(), logo: { bytes, width, height } });
      const [page] = await render(file, { scale: 4, part: [0, 1] });
      assert.ok(page);
      const shadeAt = (x: number, y: number) => {
        const at = Math.round((51 + y) * 4) * page.width + Math.round((56.7 + x) * 4);
        return page.data[at * 4] ?? Number.NaN;
      };
      const found = [0.25, 0.75].flatMap((y) =>
        [0.25, 0.75].map((x) => shadeAt(x * width * 0.75, y * height * 0.75)),
      );
      const expected = [...corners].map((each) => shades[Number(each)] ?? Number.NaN);
      const isNear = found.every((each, at) => Math.abs(each - (expected[at] ?? 0)) < 8);
      assert.ok(isNear, `${found} instead of ${expected}`);
      // Nothing is drawn beside it.
      for (const [x, y] of [
        [width * 0.75 + 2, 3],
        [3, height * 0.75 + 2],
      ] as const)
        assert.equal(shadeAt(x, y), 255, `${x}, ${y}`);
    });
  }

  test('has a PNG turned as a browser shows it, in as many pixels as its place has', async () => {
    const image = png({ width: 40, height: 1000 });
    const bytes = Buffer.concat([
      image.subarray(0, 33),
      chunk('eXIf', exif(8).subarray(10)),
      image.subarray(33),
    ]);
    const file = await receiptPdf({ ...receiptOf(), logo: { bytes, width: 1000, height: 40 } });
    assert.match(file.toString('latin1'), /\/Width 18\n\/Height 450\n/);
    assertNear(await greenOf(file), [57, 51, 180, 7]);
  });

  test('has a JPEG of the size that its frame says, whatever stands before it', async () => {
    const image = squares([[0, 0]]);
    for (const bytes of [
      withSegments(image, segment(0xcc, 0, 0)),
      withSegments(image, segment(0xfe, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0)),
      withSegments(image, Buffer.from([0xff, 0xff, 0xff])),
    ]) {
      const file = await receiptPdf({ ...receiptOf(), logo: { bytes, width: 16, height: 8 } });
      assert.match(imageIn(file), /\/Width 16\n\/Height 8\n\/ColorSpace \/DeviceGray\n/);
      const [page] = await render(file, { scale: 2, part: [0, 1] });
      assert.ok(page?.dark(60, 54));
    }
  });

  test('has inks as they are stored, inverted', async () => {
    const frame = segment(0xc0, 8, 0, 1, 0, 1, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0);
    const bytes = Buffer.concat([jpeg().subarray(0, frameAt), frame, jpeg().subarray(scanAt)]);
    const file = await receiptPdf({ ...receiptOf(), logo: { bytes, width: 1, height: 1 } });
    assert.match(imageIn(file), /\/DeviceCMYK\n(.*\n)*\/Decode \[1 0 1 0 1 0 1 0\]/);
  });

  /** The dictionary of the image with the embedded file. */
  function imageIn(file: Buffer): string {
    const end = file.indexOf('/DCTDecode');
    return file.toString('latin1', file.lastIndexOf('<<', end), file.indexOf('>>', end));
  }

  test('is hardly larger with one that is large, however little there is to compress in it', async () => {
    const without = await receiptPdf(receiptOf());
    const noise = Buffer.alloc(120_000);
    for (let at = 0, state = 1; at < noise.length; at++) {
      state = (state * 48_271) % 0x7fff_ffff;
      noise[at] = state >> 16;
    }
    /** Colors and opacities of a palette by chance, at places by chance. */
    const noiseOf = (width: number, height: number, depth: number) => {
      const data = Buffer.alloc(13);
      data.writeUInt32BE(width);
      data.writeUInt32BE(height, 4);
      data.set([depth, 3], 8);
      const bytes = Math.ceil((width * depth) / 8);
      const line = (y: number) => [Buffer.alloc(1), noise.subarray(y * bytes, (y + 1) * bytes)];
      const lines = Array.from({ length: height }, (_, y) => line(y)).flat();
      return pngOf(
        chunk('IHDR', data),
        chunk('PLTE', noise.subarray(0, 3 * 2 ** depth)),
        chunk('tRNS', noise.subarray(1000, 1000 + 2 ** depth)),
        chunk('IDAT', deflateSync(Buffer.concat(lines))),
      );
    };
    const images = [
      [png({ width: 1000, height: 1000 }), 1000, 1000],
      [noiseOf(1000, 240, 2), 1000, 240],
      [noiseOf(520, 120, 8), 520, 120],
      [noiseOf(449, 104, 8), 449, 104],
    ] as const;
    for (const [bytes, width, height] of images) {
      assert.ok(bytes.length <= MAX_LOGO_BYTES, `${bytes.length}`);
      const file = await receiptPdf({ ...receiptOf(), logo: { bytes, width, height } });
      assert.ok(file.length > without.length);
      assert.ok(file.length - without.length < 200 * 1024, `${file.length - without.length}`);
    }
  });

  test('is made without it where it cannot be drawn', async () => {
    const without = await receiptPdf(receiptOf());
    const strange = jpeg();
    strange[frameAt + 4] = 12;
    const twoColors = jpeg();
    twoColors[frameAt + 9] = 2;
    const twoFrames = withSegments(jpeg(), segment(0xc0, 8, 0, 8, 0, 8, 1, 1, 0x11, 0));
    const damaged = png();
    damaged.fill(0xee, 45, 60);
    const broken = pngOf(header({}), chunk('IDAT', Buffer.alloc(40, 0xee)));
    const empty = pngOf(header({}), chunk('IDAT'));
    for (const bytes of [
      damaged,
      broken,
      empty,
      png().subarray(0, 30),
      strange,
      twoColors,
      twoFrames,
      jpeg().subarray(0, 30),
      Buffer.from('x'),
    ]) {
      const logo = { bytes, width: 32, height: 32 };
      assert.ok((await receiptPdf({ ...receiptOf(), logo })).equals(without), bytes.toString('hex'));
    }
  });
});
