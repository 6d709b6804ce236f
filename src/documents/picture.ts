/** Pictures in documents. No document fails because of one: what cannot be drawn is left out. */
import { type Image, readImage, swapsSides } from '../lib/image.ts';
import { readPng, reduced } from './png.ts';

/** A PNG or JPEG with the size in which it is shown, in pixels. */
export type Picture = { readonly bytes: Uint8Array; readonly width: number; readonly height: number };

type Place = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/**
 * Pixels of a PNG in a point, at most: 180 in an inch. The largest place of a logo has some 47,000 then, which no compression
 * makes larger than 190 KB.
 */
const PIXELS_OF_POINT = 2.5;

/** First four numbers of the matrices that turn the square of one by one, by orientation: its y axis points downwards here. */
const turns = [
  [1, 0, 0, -1],
  [-1, 0, 0, -1],
  [-1, 0, 0, 1],
  [1, 0, 0, 1],
  [0, 1, -1, 0],
  [0, 1, 1, 0],
  [0, -1, 1, 0],
  [0, -1, -1, 0],
] as const;

/** True if the picture could be drawn. */
export async function drawPicture(
  doc: PDFKit.PDFDocument,
  { bytes: given }: Picture,
  place: Place,
): Promise<boolean> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  try {
    const image = readImage(bytes);
    if (typeof image === 'string') return false;
    const drawn =
      image.type === 'image/jpeg' ? embedJpeg(doc, bytes, image) : await embedPng(doc, bytes, image, place);
    show(doc, drawn, place, image.orientation);
    return true;
  } catch {
    return false;
  }
}

const colorSpaces = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' } as const;

/** A JPEG is embedded as it is. The library would read the size of some otherwise than we do. */
function embedJpeg(
  doc: PDFKit.PDFDocument,
  bytes: Buffer,
  { width, height, components }: Extract<Image, { type: 'image/jpeg' }>,
): PDFKit.PDFKitReference {
  const drawn = doc.ref({
    ...imageOf(width, height, colorSpaces[components]),
    Filter: 'DCTDecode',
    // Inks are stored inverted, as all programs do.
    ...(components === 4 && { Decode: [1, 0, 1, 0, 1, 0, 1, 0] }),
  });
  drawn.end(bytes);
  return drawn;
}

/** The library would decode some kinds of PNG later, where an error could not be caught, and others wrongly. */
async function embedPng(
  doc: PDFKit.PDFDocument,
  bytes: Buffer,
  image: Image,
  place: Place,
): Promise<PDFKit.PDFKitReference> {
  const [across, down] = swapsSides(image) ? [place.height, place.width] : [place.width, place.height];
  const most = (points: number) => Math.ceil(points * PIXELS_OF_POINT);
  const { colors, opacity, width, height } = reduced(await readPng(bytes), most(across), most(down));
  const mask = opacity && doc.ref(imageOf(width, height, 'DeviceGray'));
  mask?.end(opacity);
  const drawn = doc.ref({ ...imageOf(width, height, 'DeviceRGB'), ...(mask && { SMask: mask }) });
  drawn.end(colors);
  return drawn;
}

function imageOf(Width: number, Height: number, ColorSpace: string) {
  return { Type: 'XObject', Subtype: 'Image', BitsPerComponent: 8, Width, Height, ColorSpace };
}

function show(
  doc: PDFKit.PDFDocument,
  image: PDFKit.PDFKitReference,
  { x, y, width, height }: Place,
  orientation: number,
): void {
  const [a, b, c, d] = turns[orientation - 1] ?? turns[0];
  doc.page.xobjects.Logo = image;
  doc
    .save()
    .transform(
      ...[width * a, height * b, width * c, height * d],
      ...[x + (width * (1 - a - c)) / 2, y + (height * (1 - b - d)) / 2],
    )
    .addContent('/Logo Do')
    .restore();
}
