/** QR codes (ISO/IEC 18004) as vectors: sharp at every size. */
import { encode } from 'uqr';

/**
 * The modules of the code, `true` for dark, without a quiet zone. Error correction M, as the EPC code (EPC069-12) and the
 * Swiss QR-bill ask for; never raised beyond it, so that the code stays as coarse as it can be.
 */
export function modulesOf(payload: string): boolean[][] {
  return encode(payload, { ecc: 'M', boostEcc: false, border: 0 }).data;
}

/** Draws the modules into a square, dark runs of a line in one piece. */
export function drawModules(
  doc: PDFKit.PDFDocument,
  modules: readonly (readonly boolean[])[],
  x: number,
  y: number,
  size: number,
): void {
  const side = size / modules.length;
  for (const [line, row] of modules.entries()) {
    let from = 0;
    while (from < row.length) {
      const end = endOfRun(row, from);
      if (row[from]) doc.rect(x + from * side, y + line * side, (end - from) * side, side);
      from = end;
    }
  }
  doc.fill('#000000');
}

function endOfRun(row: readonly boolean[], from: number): number {
  let end = from + 1;
  while (end < row.length && row[end] === row[from]) end++;
  return end;
}
