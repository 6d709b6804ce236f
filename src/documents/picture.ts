/** Pictures in documents. No document fails because of one: what cannot be drawn is left out. */
import { readPng } from './png.ts';

/** A PNG or JPEG with the size that it says of itself, in pixels. */
export type Picture = { readonly bytes: Uint8Array; readonly width: number; readonly height: number };

type Place = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** True if the picture could be drawn. */
export function drawPicture(doc: PDFKit.PDFDocument, { bytes: given }: Picture, place: Place): boolean {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  try {
    if (bytes[0] === 0xff) drawJpeg(doc, bytes, place);
    else drawPng(doc, bytes, place);
    return true;
  } catch {
    return false;
  }
}

/** The library embeds a JPEG as it is, and turns it as its camera says. */
function drawJpeg(doc: PDFKit.PDFDocument, bytes: Buffer, { x, y, width, height }: Place): void {
  const { bits, components } = frameOf(bytes);
  if (bits !== 8 || ![1, 3, 4].includes(components)) throw new Error('no PDF shows such a JPEG');
  doc.image(bytes, x, y, { fit: [width, height], align: 'center' });
}

/** The start of frame (ITU-T T.81, annex B), before which every marker has a segment. */
function frameOf(bytes: Buffer): { readonly bits: number; readonly components: number } {
  let at = 2;
  while (bytes.readUInt8(at + 1) < 0xc0 || bytes.readUInt8(at + 1) > 0xc2) {
    // Fill bytes may stand before a marker.
    at += bytes[at + 1] === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return { bits: bytes.readUInt8(at + 4), components: bytes.readUInt8(at + 9) };
}

/** The library would decode some kinds of PNG later, where an error could not be caught, and others wrongly. */
function drawPng(doc: PDFKit.PDFDocument, bytes: Buffer, { x, y, width, height }: Place): void {
  const { colors, opacity, width: Width, height: Height } = readPng(bytes);
  const image = { Type: 'XObject', Subtype: 'Image', BitsPerComponent: 8, Width, Height };
  const mask = opacity && doc.ref({ ...image, ColorSpace: 'DeviceGray' });
  mask?.end(opacity);
  const drawn = doc.ref({ ...image, ColorSpace: 'DeviceRGB', ...(mask && { SMask: mask }) });
  drawn.end(colors);
  doc.page.xobjects.Logo = drawn;
  doc
    .save()
    .transform(width, 0, 0, -height, x, y + height)
    .addContent('/Logo Do')
    .restore();
}
