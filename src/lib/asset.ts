/** Files that browsers load. Their addresses change with their content, so that browsers may keep them for good. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Asset = { readonly path: string; readonly type: string; readonly body: Buffer };

/**
 * One stylesheet of several files of a folder, whose address ends with a slash. Rules of later files win, so the order
 * counts. Indentation is a tenth of a stylesheet, and means nothing in it.
 */
export function stylesheetOf(folder: URL, files: readonly string[]): Asset {
  const text = files.map((file) => textOf(folder, file)).join('\n');
  return assetOf(text.replace(/^ +/gm, ''), 'css', 'text/css; charset=utf-8');
}

/** The script as it is in its file: there, indentation may be a part of a text. */
export function scriptOf(folder: URL, file: string): Asset {
  return assetOf(textOf(folder, file), 'js', 'text/javascript; charset=utf-8');
}

function textOf(folder: URL, file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

function assetOf(text: string, extension: string, type: string): Asset {
  const body = Buffer.from(text);
  return { path: `/assets/${hash('sha256', body).slice(0, 16)}.${extension}`, type, body };
}
