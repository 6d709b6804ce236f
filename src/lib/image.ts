/**
 * Reads what a PNG or JPEG says of itself: from its header, and from the chain of chunks or segments to its end, so that
 * none passes that was cut off or has something else behind it. Each byte is looked at once at most. Pure.
 */
import { crc32 } from 'node:zlib';

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const CUT = 'ends too early: it was cut off';

type Size = {
  /** Width and height in pixels as they are stored, before the image is turned. */
  readonly width: number;
  readonly height: number;
};
type Frame = Size & {
  /** Samples of a pixel: grey, three colors, or four inks. */
  readonly components: 1 | 3 | 4;
};
/** Type, size and orientation of an image, as it says of itself. */
export type Image = {
  /** Turn and mirroring that viewers apply (Exif 2.32, 4.6.5), from 1 to 8. */
  readonly orientation: number;
} & (({ readonly type: 'image/png' } & Size) | ({ readonly type: 'image/jpeg' } & Frame));

/** True if the image lies on its side as it is stored. */
export const swapsSides = ({ orientation }: Image): boolean => orientation >= 5;

/** The image, or the rest of the sentence "The body …" if it is none that browsers show. */
export function readImage(bytes: Buffer): Image | string {
  if (bytes.length === 0) return 'is empty';
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return readPngHeader(bytes);
  if (bytes[0] === 0xff && bytes[1] === SOI) return readJpegHeader(bytes);
  return 'must be a PNG or JPEG image, and begins as neither';
}

/** Bytes of a chunk beside its data: length and type before it, and a checksum behind it. */
const AROUND_CHUNK = 12;
const IHDR_BYTES = 13;

/** PNG (W3C, third edition, section 5): a signature, then chunks from IHDR to IEND. */
function readPngHeader(bytes: Buffer): Image | string {
  let size: Size | null = null;
  let orientation: number | null = null;
  let hasPixels = false;
  for (let at = PNG_SIGNATURE.length; at + AROUND_CHUNK <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + AROUND_CHUNK + length;
    if (end > bytes.length) return CUT;
    const kind = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return 'is damaged';
    if (size === null) {
      if (kind !== 'IHDR' || length !== IHDR_BYTES) return 'is a PNG without a header';
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    // Motion beside a form has to be stoppable (WCAG 2.2.2), and that of an image is not.
    if (kind === 'acTL') return 'must not be animated';
    if (kind === 'eXIf' && !hasPixels) orientation ??= orientationIn(bytes.subarray(at + 8, end - 4));
    if (kind === 'IDAT') hasPixels = true;
    if (kind === 'IEND') {
      const whole = hasPixels
        ? ({ type: 'image/png', ...size, orientation: orientation ?? 1 } as const)
        : null;
      return ended(whole, end === bytes.length);
    }
    at = end;
  }
  return CUT;
}

/** The image that has come to its end, where the bytes are to end as well. */
function ended(image: Image | null, isLast: boolean): Image | string {
  if (!isLast) return 'goes on behind the end of its image';
  return image ?? 'is damaged: it has no pixels';
}

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP1 = 0xe1;

/** Start of frame; three of these markers are of something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** The last of the codings that browsers read: baseline, extended and progressive. */
const PROGRESSIVE = 0xc2;

/** Markers with a segment that decoders know or skip; at any other they give up. */
const hasSegment = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) ||
  (marker >= SOS && marker <= 0xdd) ||
  (marker >= 0xe0 && marker <= 0xef) ||
  marker === 0xfe;

/** Within coded data, a stuffed byte, a restart marker or a fill byte follows 0xff. */
const isWithinScan = (marker: number): boolean =>
  marker === 0x00 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);

/** JPEG (ITU-T T.81, annex B): markers from SOI to EOI, most with a segment; coded data follows that of each scan. */
function readJpegHeader(bytes: Buffer): Image | string {
  let frame: Frame | null = null;
  let orientation: number | null = null;
  let hasPixels = false;
  for (let at = 2; at + 2 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return 'is damaged';
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === EOI) {
      const whole =
        hasPixels && frame
          ? ({ type: 'image/jpeg', ...frame, orientation: orientation ?? 1 } as const)
          : null;
      return ended(whole, at + 2 === bytes.length);
    }
    if (!hasSegment(marker)) return 'is damaged';
    if (at + 4 > bytes.length) return CUT;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end > bytes.length) return CUT;
    if (end < at + 4) return 'is damaged';
    const segment = bytes.subarray(at + 4, end);
    if (isFrame(marker)) {
      if (marker > PROGRESSIVE) return UNSHOWN;
      const read: Frame | string = frame === null ? frameIn(segment) : 'is damaged: it has two frames';
      if (typeof read === 'string') return read;
      frame = read;
    }
    if (marker === APP1 && !hasPixels && segment.subarray(0, EXIF.length).equals(EXIF))
      orientation ??= orientationIn(segment.subarray(EXIF.length));
    if (marker === SOS && frame === null) return 'is damaged';
    if (marker === SOS) hasPixels = true;
    at = marker === SOS ? endOfScan(bytes, end) : end;
  }
  return CUT;
}

const UNSHOWN = 'is a JPEG of a kind that browsers do not show';
/** Bytes of a frame before its components, and of each of them. */
const FRAME_BYTES = 6;
const COMPONENT_BYTES = 3;

function frameIn(segment: Buffer): Frame | string {
  const components = segment[FRAME_BYTES - 1] ?? 0;
  if (segment.length !== FRAME_BYTES + COMPONENT_BYTES * components) return 'is damaged';
  if (segment[0] !== 8 || (components !== 1 && components !== 3 && components !== 4)) return UNSHOWN;
  return { width: segment.readUInt16BE(3), height: segment.readUInt16BE(1), components };
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const TIFF_VERSION = 42;
const ENTRY_BYTES = 12;
const ORIENTATION = 0x0112;
const SHORT = 3;

/** Orientation in the first directory of Exif data (TIFF 6.0, section 2): 1, upright, where they do not say it. */
function orientationIn(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1;
  const isLittle = order === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const start = long(4);
  if (short(2) !== TIFF_VERSION || start + 2 > tiff.length) return 1;
  const end = Math.min(tiff.length, start + 2 + ENTRY_BYTES * short(start));
  for (let at = start + 2; at + ENTRY_BYTES <= end; at += ENTRY_BYTES) {
    if (short(at) !== ORIENTATION || short(at + 2) !== SHORT || long(at + 4) !== 1) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Place of the marker that ends coded data, or the end of all. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next !== undefined && !isWithinScan(next)) return at;
  }
  return bytes.length;
}
