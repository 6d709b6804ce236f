/** The payment code of a page as a telephone sees it: from the picture alone, by a decoder that is not ours. */
import type { Pixels } from '../../test/support/read-code.ts';

/** Text of the only QR code in a picture. */
export type Decode = (pixels: Pixels) => Promise<string>;

const PIXELS_PER_UNIT = 6;

/**
 * The picture that a browser would paint of the drawing: one byte for each pixel, from black to white. As much of SVG as
 * the codes of pages are made of: paths of `M`, `h`, `v` and `z` around rectangles, in black or white.
 */
export function rasterised(svg: string): Pixels {
  const [, wide = '0', high = '0'] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  const width = Number(wide) * PIXELS_PER_UNIT;
  const height = Number(high) * PIXELS_PER_UNIT;
  // Grey, so that what is painted neither black nor white is no part of a code.
  const data = new Uint8Array(width * height).fill(128);
  for (const [path] of svg.matchAll(/<path [^>]*>/g)) {
    const shade = /fill="#fff"/.test(path) ? 255 : 0;
    const shape = / d="([^"]*)"/.exec(path)?.[1] ?? '';
    for (const [, ...numbers] of shape.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      const [x = 0, y = 0, across = 0, down = 0] = numbers.map((each) => Number(each) * PIXELS_PER_UNIT);
      for (let row = y; row < y + down; row++) data.fill(shade, row * width + x, row * width + x + across);
    }
  }
  return { data, width, height };
}

/** The fields of EPC069-12 (version 002), each on a line of its own, in this order. */
export const epcFields = [
  'service tag',
  'version',
  'character set',
  'identification',
  'BIC of the payee',
  'name of the payee',
  'IBAN of the payee',
  'amount',
  'purpose',
  'structured reference',
] as const;

/** Validates the check digits of a creditor reference (ISO 11649; modulo 97-10 of ISO/IEC 7064). */
export function isCreditorReference(text: string): boolean {
  const digits = [...(text.slice(4) + text.slice(0, 4))].map((each) => Number.parseInt(each, 36)).join('');
  return /^RF\d{2}[0-9A-Z]{1,21}$/.test(text) && BigInt(digits) % 97n === 1n;
}
