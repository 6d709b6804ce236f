/** Files that browsers load. Their addresses change with their content, so that browsers may keep them for good. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Asset = { readonly path: string; readonly type: string; readonly body: Buffer };

/** The file as it is served, from a folder that ends with a slash. */
export function assetOf(folder: URL, file: string, type: string, served = (text: string) => text): Asset {
  const body = Buffer.from(served(readFileSync(new URL(file, folder), 'utf8')));
  const extension = file.slice(file.lastIndexOf('.'));
  return { path: `/assets/${hash('sha256', body).slice(0, 16)}${extension}`, type, body };
}
