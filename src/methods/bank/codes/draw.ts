/** Payment codes as pictures: modules for renderers (the PDF), and SVG for pages. */
import { encode } from 'uqr';

export type PaymentCode = {
  readonly standard: 'EPC069-12' | 'Swiss QR-bill' | 'PayNow' | 'PromptPay' | 'Pix BR Code' | 'UPI';
  /** Content of the code. */
  readonly payload: string;
  /** ISO/IEC 18004: M restores about 15 % of the code, and is what the standards ask for. */
  readonly errorCorrection: 'M';
  /** The cross that makes a Swiss QR Code known covers its middle. */
  readonly swissCross: boolean;
};

/** Parts of a code that are needed to draw it. */
export type Drawn = Pick<PaymentCode, 'payload' | 'errorCorrection' | 'swissCross'>;

/** In modules, from the upper left corner of the code. */
export type Rectangle = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: 'black' | 'white';
};

/** Quiet zone around a code, in modules (ISO/IEC 18004, on the quiet zone). */
export const QUIET_ZONE = 4;

/** The modules of a code by row and column, true for black, without the quiet zone. */
export function modulesOf({ payload, errorCorrection }: Drawn): boolean[][] {
  return encode(payload, { ecc: errorCorrection, border: 0 }).data;
}

/**
 * The Swiss cross for the middle of a code of so many modules, in the order in which its parts are painted: 7 mm of 46,
 * whatever the number of modules (Swiss Implementation Guidelines QR-bill, on the recognition symbol). The parts have the
 * proportions of the model that SIX publishes: a white margin, a black square, and a white cross in it.
 */
export function swissCross(size: number): Rectangle[] {
  const unit = (size * 7) / 46 / 19.8;
  const middle = size / 2;
  const centred = (width: number, height: number, colour: Rectangle['colour']): Rectangle => ({
    x: middle - (width * unit) / 2,
    y: middle - (height * unit) / 2,
    width: width * unit,
    height: height * unit,
    colour,
  });
  return [
    centred(19.8, 19.8, 'white'),
    centred(17, 17, 'black'),
    centred(3.3, 11, 'white'),
    centred(11, 3.3, 'white'),
  ];
}

/** The code with its quiet zone as a document of SVG that scales to whatever size it is given. */
export function drawCode(code: Drawn): string {
  const modules = modulesOf(code);
  const size = modules.length + 2 * QUIET_ZONE;
  const cross = code.swissCross ? swissCross(modules.length) : [];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/>`,
    `<path fill="#000" d="${modules.map(rowPath).join('')}"/>`,
    ...cross.map(rectangle),
    '</svg>',
  ].join('');
}

/** Neighbours are drawn in one go, so that no hairline is seen between them. */
function rowPath(row: readonly boolean[], y: number): string {
  const bits = row.map((isBlack) => (isBlack ? '1' : '0')).join('');
  return [...bits.matchAll(/1+/g)]
    .map(({ index, 0: run }) => `M${index + QUIET_ZONE} ${y + QUIET_ZONE}h${run.length}v1h-${run.length}z`)
    .join('');
}

function rectangle({ x, y, width, height, colour }: Rectangle): string {
  const [left, top, wide, high] = [x + QUIET_ZONE, y + QUIET_ZONE, width, height].map((value) =>
    Number(value.toFixed(3)),
  );
  return `<rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="${colour === 'black' ? '#000' : '#fff'}"/>`;
}
