/**
 * Accent: the color that an account has chosen for its pages, as a stylesheet with the variables that depend on it. Whatever
 * color it is, text and controls stay legible in light and dark: it is darkened or lightened until it has the contrast that
 * WCAG 2.2 asks for, of texts 4.5 (1.4.3), of controls 3 (1.4.11).
 */
import { hash } from 'node:crypto';
import type { Asset } from '../lib/asset.ts';
import { createLru } from '../lib/lru.ts';

/** Red, green and blue, each from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

const TEXT_CONTRAST = 4.5;
const CONTROL_CONTRAST = 3;
/** Steps in which a color goes to black or white. */
const STEPS = 100;

/** Backgrounds of the stylesheet on which there are links and controls: the one nearest to the text's own end counts. */
const themes = {
  light: { end: BLACK, background: [238, 241, 239] as Rgb, card: WHITE, softness: 0.9 },
  dark: { end: WHITE, background: [25, 35, 31] as Rgb, card: [21, 29, 26] as Rgb, softness: 0.82 },
} as const;

const sheets = createLru<string, Asset>({ most: 100 });

/** The stylesheet of a color such as `#0b6b57`. Its address names the color, and changes with its content. */
export function accentSheet(color: string): Asset {
  const known = sheets.get(color);
  if (known !== undefined) return known;
  const made = sheetAt(color);
  sheets.set(color, made);
  return made;
}

function sheetAt(color: string): Asset {
  const body = Buffer.from(sheetOf(rgbOf(color)));
  const path = `/assets/accent-${color.slice(1)}-${hash('sha256', body).slice(0, 16)}.css`;
  return { path, type: 'text/css; charset=utf-8', body };
}

function sheetOf(color: Rgb): string {
  const light = variablesOf(color, themes.light);
  const dark = variablesOf(color, themes.dark);
  return `:root{${light}}@media screen and (prefers-color-scheme: dark){:root{${dark}}}`;
}

function variablesOf(
  color: Rgb,
  { end, background, card, softness }: (typeof themes)['light' | 'dark'],
): string {
  const soft = mixed(color, card, softness);
  // Text also stands on what is chosen, whose background is soft.
  const worst = contrast(soft, end) < contrast(background, end) ? soft : background;
  const fill = away(color, end, card, CONTROL_CONTRAST);
  const text = away(color, end, worst, TEXT_CONTRAST);
  const onFill = contrast(fill, WHITE) >= TEXT_CONTRAST ? WHITE : legible(fill);
  const variables = {
    accent: text,
    'accent-hover': mixed(text, end, 0.25),
    fill,
    // Away from the text on it.
    'fill-hover': mixed(fill, onFill === WHITE ? BLACK : WHITE, 0.2),
    'on-fill': onFill,
    soft,
  };
  return Object.entries(variables)
    .map(([name, value]) => `--${name}:${hexOf(value)};`)
    .join('');
}

/** The color, as far towards `end` as it has to go for that contrast. */
function away(color: Rgb, end: Rgb, background: Rgb, least: number): Rgb {
  let found = color;
  for (let step = 1; step <= STEPS && contrast(found, background) < least; step++)
    found = mixed(color, end, step / STEPS);
  return found;
}

/** Black or white, whichever can be read better. */
const legible = (background: Rgb): Rgb =>
  contrast(background, WHITE) > contrast(background, BLACK) ? WHITE : BLACK;

/** A color between the two; `share` is that of the other one. */
const mixed = (color: Rgb, other: Rgb, share: number): Rgb => {
  const part = (place: 0 | 1 | 2) => Math.round(color[place] + share * (other[place] - color[place]));
  return [part(0), part(1), part(2)];
};

/** Contrast of two colors, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance, from 0 to 1 (WCAG 2.2). */
function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const hexOf = (color: Rgb): string => `#${color.map((each) => each.toString(16).padStart(2, '0')).join('')}`;
