/** Pictures of pages as pixels, so that a code is read from what a payer sees. */
import type { Locator } from 'playwright-core';
import { readPng } from '../../src/documents/png.ts';
import { readCode } from '../support/read-code.ts';

/** The text of the code in this part of a page, decoded from a screenshot. */
export async function readCodeOf(part: Locator): Promise<string> {
  const { width, height, colors } = await readPng(await part.screenshot());
  // A code is black and white: red says as much as all three colors.
  return readCode({ width, height, data: colors.filter((_, index) => index % 3 === 0) });
}
