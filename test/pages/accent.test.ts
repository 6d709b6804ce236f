/** The color that an account has chosen: legible in both themes, whatever it is. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { accentSheet, contrast } from '../../src/pages/accent.ts';
import { stylesheet } from '../../src/pages/assets.ts';

type Rgb = Parameters<typeof contrast>[0];
type Variables = Readonly<Record<string, Rgb>>;

const rgb = (hex: string): Rgb => {
  const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex;
  const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

/** Colors of a stylesheet by the names of their variables, in the light and in the dark theme. */
function colorsOf(css: string): [light: Variables, dark: Variables] {
  const [onScreen = ''] = css.split('@media print');
  const [light = '', dark = ''] = onScreen.split(/@media .*\(prefers-color-scheme: dark\)/);
  const variables = (part: string) =>
    Object.fromEntries(
      [...part.matchAll(/--([\w-]+): ?(#[0-9a-f]{3,6});/g)].map(([, name = '', hex = '']) => [
        name,
        rgb(hex),
      ]),
    );
  return [variables(light), variables(dark)];
}

const usual = colorsOf(stylesheet.body.toString());
const sheet = (color: string) => colorsOf(accentSheet(color).body.toString());
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const extremes = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#00ff00', '#808080', '#0b6b57'];

function assertLegible(chosen: string): void {
  for (const [theme, own] of sheet(chosen).entries()) {
    const all = { ...usual[theme], ...own } as Record<string, Rgb>;
    const of = (one: string, other: string) => contrast(all[one] as Rgb, all[other] as Rgb);
    const about = `${chosen}, ${theme === 0 ? 'light' : 'dark'}: ${JSON.stringify(own)}`;
    for (const background of ['card', 'page', 'tint', 'soft']) {
      assert.ok(of('accent', background) >= 4.5, `links on ${background}, ${about}`);
      assert.ok(of('accent-hover', background) >= 4.5, `links under the pointer on ${background}, ${about}`);
    }
    assert.ok(of('text', 'soft') >= 4.5, `text on what is chosen, ${about}`);
    assert.ok(of('fill', 'card') >= 3, `buttons on the card, ${about}`);
    assert.ok(of('on-fill', 'fill') >= 4.5, `text on buttons, ${about}`);
    assert.ok(of('on-fill', 'fill-hover') >= 4.5, `text on buttons under the pointer, ${about}`);
  }
}

suite('the accent of an account', () => {
  test('is legible whatever color it is', () => {
    extremes.forEach(assertLegible);
    fc.assert(fc.property(color, assertLegible), { numRuns: 500 });
  });

  test('is the very color where that is legible', () => {
    const [light, dark] = sheet('#0b6b57');
    assert.deepEqual([light.accent, light.fill], [rgb('#0b6b57'), rgb('#0b6b57')]);
    assert.notDeepEqual(dark.accent, light.accent);
    // Buttons need less contrast than texts.
    const [{ accent, fill } = {} as Variables] = sheet('#e8590c');
    assert.deepEqual(fill, rgb('#e8590c'));
    assert.notDeepEqual(accent, fill);
  });

  test('has variables of the pages, and an address of its own', () => {
    const [light, dark] = sheet('#7b2cbf');
    assert.deepEqual(Object.keys(light), ['accent', 'accent-hover', 'fill', 'fill-hover', 'on-fill', 'soft']);
    const css = stylesheet.body.toString();
    for (const name of Object.keys(light)) {
      assert.ok(css.includes(`\n--${name}: `) && css.includes(`: var(--${name});`), name);
    }
    assert.deepEqual(Object.keys(dark), Object.keys(light));
    assert.match(accentSheet('#7b2cbf').path, /^\/assets\/accent-7b2cbf-[0-9a-f]{16}\.css$/);
  });
});
