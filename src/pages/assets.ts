/** The stylesheet and the script. Their addresses change with their content, so that browsers may keep them for good. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Asset = { readonly path: string; readonly type: string; readonly body: Buffer };

/** Indentation is a tenth of the stylesheet, and means nothing in it; in the script it may be a part of a text. */
export const stylesheet = asset('page.css', 'text/css; charset=utf-8', (text) => text.replace(/^ +/gm, ''));
export const script = asset('page.js', 'text/javascript; charset=utf-8');

function asset(file: string, type: string, served = (text: string) => text): Asset {
  const body = Buffer.from(served(readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8')));
  const extension = file.slice(file.lastIndexOf('.'));
  return { path: `/assets/${hash('sha256', body).slice(0, 16)}${extension}`, type, body };
}
