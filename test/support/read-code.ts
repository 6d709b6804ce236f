/** Reads payment codes as a telephone would: by a decoder that has nothing in common with what draws them. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** Four bytes to a pixel (red, green, blue, opacity), or one (from black to white). */
export type Pixels = {
  readonly data: Uint8ClampedArray | Uint8Array;
  readonly width: number;
  readonly height: number;
};

/** Something painted over the modules of a code; as many modules from its upper left corner. */
type Patch = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: 'black' | 'white';
};

let isPrepared: Promise<unknown> | null = null;

/** The decoder is loaded from the package; by itself it would ask for it over the network. */
async function prepare(): Promise<void> {
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const { buffer: wasmBinary, byteOffset, byteLength } = await readFile(file);
  const overrides = { wasmBinary: wasmBinary.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer };
  await prepareZXingModule({ overrides, fireImmediately: true });
}

/** The text of the only QR code in a picture. Rejects if there is none, or more than one. */
export async function readCode(pixels: Pixels): Promise<string> {
  isPrepared ??= prepare();
  await isPrepared;
  const { width, height } = pixels;
  const image = { data: coloured(pixels), width, height, colorSpace: 'srgb' } as Parameters<
    typeof readBarcodes
  >[0];
  const found = await readBarcodes(image, { formats: ['QRCode'], tryHarder: true, maxNumberOfSymbols: 2 });
  const [code] = found;
  if (code === undefined || found.length > 1) throw new Error(`There are ${found.length} codes to be read.`);
  return new TextDecoder('utf-8', { fatal: true }).decode(code.bytes);
}

/** The text of a code with these modules (by row and column, true for black, without a quiet zone). */
export function readMatrix(
  modules: readonly (readonly boolean[])[],
  patches: readonly Patch[] = [],
): Promise<string> {
  return readCode(pixelsOf(modules, patches));
}

const PIXELS_PER_MODULE = 6;
const QUIET_MODULES = 4;

function pixelsOf(modules: readonly (readonly boolean[])[], patches: readonly Patch[]): Pixels {
  const width = (modules.length + 2 * QUIET_MODULES) * PIXELS_PER_MODULE;
  const data = new Uint8Array(width * width).fill(255);
  function paint({ x, y, width: wide, height: high, colour }: Patch): void {
    const at = (position: number) => Math.round((position + QUIET_MODULES) * PIXELS_PER_MODULE);
    for (let row = at(y); row < at(y + high); row++) {
      data.fill(colour === 'black' ? 0 : 255, row * width + at(x), row * width + at(x + wide));
    }
  }
  for (const [y, row] of modules.entries()) {
    for (const [x, isBlack] of row.entries())
      if (isBlack) paint({ x, y, width: 1, height: 1, colour: 'black' });
  }
  patches.forEach(paint);
  return { data, width, height: width };
}

function coloured({ data, width, height }: Pixels): Uint8ClampedArray<ArrayBuffer> {
  if (data.length === width * height * 4) return new Uint8ClampedArray(data);
  if (data.length !== width * height) throw new Error('A pixel is one byte or four.');
  const colours = new Uint8ClampedArray(width * height * 4);
  for (const [index, grey] of data.entries()) {
    colours.fill(grey, index * 4, index * 4 + 3);
    colours[index * 4 + 3] = 255;
  }
  return colours;
}
