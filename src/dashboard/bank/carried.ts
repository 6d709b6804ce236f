/**
 * A file between its preview and its import. A small one goes along in the page, compressed: nothing of it is kept on the
 * server, and any instance can take it back. A larger one is chosen once more; its digest says if it is the same.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** Size of a file that may be carried, and of its text in the page. */
export const MAX_CARRIED_BYTES = 1_048_576;
const MAX_TEXT = 65_536;

/** The text of the file for a page, or null if it is too large. */
export async function packed(content: Buffer | null): Promise<string | null> {
  if (content === null) return null;
  const text = (await compress(content)).toString('base64url');
  return text.length <= MAX_TEXT ? text : null;
}

/** The file in a text that `packed` has made; null for any other text. */
export async function unpacked(text: string): Promise<Buffer | null> {
  if (text.length > MAX_TEXT) return null;
  try {
    return await expand(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_CARRIED_BYTES });
  } catch {
    return null;
  }
}
