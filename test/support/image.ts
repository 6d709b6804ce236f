/** Images as clients upload them: real ones, whatever their size, and the parts that they consist of. */
import { crc32, deflateSync } from 'node:zlib';

type Size = { readonly width?: number; readonly height?: number };

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A chunk of a PNG with its length and checksum. */
export function chunk(kind: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length);
  bytes.write(kind, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

export function header({ width = 32, height = 32 }: Size): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  // Eight bits each of red, green, blue and opacity.
  data.set([8, 6, 0, 0, 0], 8);
  return chunk('IHDR', data);
}

/** A PNG of one color, such as `#0b6b57`; `padding` is bytes that it has beside its pixels. */
export function png({
  width = 32,
  height = 32,
  color = '#0b6b57',
  padding = 0,
}: Size & { readonly color?: string; readonly padding?: number } = {}): Buffer {
  const pixel = Buffer.from(`${color.slice(1)}ff`, 'hex');
  const line = Buffer.concat([Buffer.alloc(1), ...Array<Buffer>(width).fill(pixel)]);
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(height).fill(line)));
  const text = padding === 0 ? [] : [chunk('tEXt', Buffer.alloc(padding, 'x'))];
  return Buffer.concat([
    pngSignature,
    header({ width, height }),
    ...text,
    chunk('IDAT', pixels),
    chunk('IEND'),
  ]);
}

const whitePixel = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP////////////////////////////////////////////////////////////////////////////////////' +
    '//wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxD/2Q==',
  'base64',
);
/** Where the JPEG has its start of frame, and its coded data. */
export const frameAt = whitePixel.indexOf(Buffer.from('ffc2', 'hex'));
export const scanAt = whitePixel.indexOf(Buffer.from('ffda', 'hex'));

/** A segment of a JPEG with its marker. */
export function segment(marker: number, ...data: readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
}

/** Exif data of one entry, in the order of bytes that is named. */
export function exif(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const numbers = [2, 42, 4, 8, 2, 1, 2, 0x0112, 2, 3, 4, 1, 2, orientation, 2, 0, 4, 0];
  const tiff = Buffer.alloc(26);
  let at = tiff.write(order, 'latin1');
  for (let each = 0; each < numbers.length; each += 2) {
    const [size = 0, value = 0] = numbers.slice(each);
    at = order === 'II' ? tiff.writeUIntLE(value, at, size) : tiff.writeUIntBE(value, at, size);
  }
  return segment(0xe1, ...Buffer.from('Exif\0\0', 'latin1'), ...tiff);
}

/** A JPEG of squares in shades of grey, from 0 to 255, with a side of eight pixels each. */
export function squares(rows: readonly (readonly number[])[]): Buffer {
  let before = 128;
  let bits = '';
  for (const shade of rows.flat()) {
    // The sum of a square, in eighths of a pixel, as the difference from the one before: its length in bits, and the bits.
    const difference = shade - before;
    const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
    const value = difference < 0 ? difference + 2 ** size - 1 : difference;
    bits += `${size.toString(2).padStart(4, '0')}${size === 0 ? '' : value.toString(2).padStart(size, '0')}0`;
    before = shade;
  }
  const coded = (bits.match(/.{1,8}/g) ?? []).flatMap((each) => {
    const byte = Number.parseInt(each.padEnd(8, '1'), 2);
    return byte === 0xff ? [0xff, 0] : [byte];
  });
  const [width, height] = [(rows[0]?.length ?? 0) * 8, rows.length * 8];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array<number>(64).fill(8)),
    segment(0xc0, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0),
    // Nine lengths in four bits each; the end of a square in one.
    segment(0xc4, 0, 0, 0, 0, 9, ...Array<number>(12).fill(0), 0, 1, 2, 3, 4, 5, 6, 7, 8),
    segment(0xc4, 0x10, 1, ...Array<number>(15).fill(0), 0),
    segment(0xda, 1, 1, 0, 0, 63, 0),
    Buffer.from([...coded, 0xff, 0xd9]),
  ]);
}

/** The image with further segments behind its first marker. */
export const withSegments = (image: Buffer, ...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([image.subarray(0, 2), ...segments, image.subarray(2)]);

/** A JPEG: a white pixel, which says that it has another size where one is given. */
export function jpeg({ width = 1, height = 1 }: Size = {}): Buffer {
  const bytes = Buffer.from(whitePixel);
  bytes.writeUInt16BE(height, frameAt + 5);
  bytes.writeUInt16BE(width, frameAt + 7);
  return bytes;
}
