/** The stylesheet and the script of the payer's page. */
import { assetOf } from '../lib/asset.ts';

const folder = new URL('assets/', import.meta.url);

/** Indentation is a tenth of the stylesheet, and means nothing in it; in the script it may be a part of a text. */
export const stylesheet = assetOf(folder, 'page.css', 'text/css; charset=utf-8', (text) =>
  text.replace(/^ +/gm, ''),
);
export const script = assetOf(folder, 'page.js', 'text/javascript; charset=utf-8');
