/** The stylesheet and the script of the payer's page. */
import { scriptOf, stylesheetOf } from '../lib/asset.ts';

const folder = new URL('assets/', import.meta.url);

/** Colors and texts, what is sold, how it is paid, facts and the footer; last what differs by screen, settings and paper. */
export const stylesheet = stylesheetOf(folder, [
  'ground.css',
  'summary.css',
  'panel.css',
  'facts.css',
  'media.css',
]);
export const script = scriptOf(folder, 'page.js');
