/** Formats of texts that several schemas use. */
import type { Format } from './schema-problems.ts';

/** A format from a function that returns the rest of the sentence "<field> …", or null for a text that is right. */
export function formatOf(problem: (text: string) => string | null): Format {
  return { check: (text) => problem(text) === null, detail: (text) => problem(text) ?? '' };
}

/** Control characters, line separators and unpaired surrogates: they would break codes, files and listings. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

export function lineProblem(text: string): string | null {
  return UNPRINTABLE.test(text) ? 'must have no control characters and no line breaks' : null;
}

/** One line of text. */
export const line = formatOf(lineProblem);

const EMAIL = /^[^\s@"<>()[\]\\,;:]+@[^\s@.]+(\.[^\s@.]+)+$/;

export function emailProblem(text: string): string | null {
  return EMAIL.test(text) ? null : 'must be an e-mail address';
}
