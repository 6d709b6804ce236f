/** The stylesheet and the script of the dashboard. */
import { assetOf } from '../lib/asset.ts';

const folder = new URL('assets/', import.meta.url);

export const stylesheet = assetOf(folder, 'dashboard.css', 'text/css; charset=utf-8', (text) =>
  text.replace(/^ +/gm, ''),
);
export const script = assetOf(folder, 'dashboard.js', 'text/javascript; charset=utf-8');
