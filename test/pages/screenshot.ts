/** Pictures of pages as pixels, so that a code is read from what a payer sees. */
import type { Locator } from 'playwright-core';
import { readCode } from '../support/read-code.ts';

/** The text of the code in this part of a page, decoded from a screenshot. */
export async function readCodeOf(part: Locator): Promise<string> {
  const picture = await part.screenshot();
  const browser = part.page().context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const page = await browser.newPage();
  const pixels = await page.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return { width, height, data: Array.from(context.getImageData(0, 0, width, height).data) };
  })()`);
  await page.close();
  return readCode({ ...pixels, data: Uint8ClampedArray.from(pixels.data) });
}
