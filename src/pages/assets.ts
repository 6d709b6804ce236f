/** The stylesheet and the script. Their addresses change with their content, so that browsers may keep them for good. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Asset = { readonly path: string; readonly type: string; readonly body: Buffer };

export const stylesheet = asset('page.css', 'text/css; charset=utf-8');
export const script = asset('page.js', 'text/javascript; charset=utf-8');

function asset(file: string, type: string): Asset {
  const body = readFileSync(new URL(`assets/${file}`, import.meta.url));
  const extension = file.slice(file.lastIndexOf('.'));
  return { path: `/assets/${hash('sha256', body).slice(0, 16)}${extension}`, type, body };
}
