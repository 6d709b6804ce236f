/** Texts of any characters of Unicode, also such that mean nothing or only together with others. */
import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * One code point that is a character. The same ones, in the same order, as fast-check's unit `binary`, which keeps a map of
 * all million of them: a second of processor time in each process that asks for it, and 80 MB.
 */
const character = fc
  .nat(0x10ffff - SURROGATES)
  .map((index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES), indexOf);

/** The inverse, by which fast-check shrinks what fails, and puts names such as `__proto__` among the texts. */
function indexOf(text: unknown): number {
  if (typeof text !== 'string') throw new Error('no text');
  const [character = '', ...more] = text;
  const point = character.codePointAt(0);
  if (point === undefined || more.length > 0 || !character.isWellFormed())
    throw new Error('no single character');
  return point < SURROGATES_FROM ? point : point - SURROGATES;
}

/** A text of any characters. */
export const anyText = ({ maxLength }: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(maxLength === undefined ? {} : { maxLength }) });
