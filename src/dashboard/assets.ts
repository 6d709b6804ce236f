/** The stylesheet and the script of the dashboard. */
import { scriptOf, stylesheetOf } from '../lib/asset.ts';

const folder = new URL('assets/', import.meta.url);

/** From what all screens have to what few do: colors and texts, the frame, forms, tables and facts, lists, single screens. */
export const stylesheet = stylesheetOf(folder, [
  'ground.css',
  'frame.css',
  'forms.css',
  'records.css',
  'lists.css',
  'screens.css',
]);
export const script = scriptOf(folder, 'dashboard.js');
