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

/** A JPEG: a white pixel, which says that it has another size where one is given. */
export function jpeg({ width = 1, height = 1 }: Size = {}): Buffer {
  const bytes = Buffer.from(whitePixel);
  bytes.writeUInt16BE(height, frameAt + 5);
  bytes.writeUInt16BE(width, frameAt + 7);
  return bytes;
}
