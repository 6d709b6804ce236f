/** JSON without loss: refuses what `JSON.parse` would silently drop, round or merge. */

import type { Problem } from '../checkout/refusals.ts';
import { escapedName } from '../lib/schema-problems.ts';
import { trimWhere } from '../lib/trim.ts';
import { fieldsError, MAX_ITEMS, RequestError } from './errors.ts';

/** Levels of nesting in any body; metadata has its own, smaller bound. */
const MAX_DEPTH = 20;
/**
 * Fields in any body, those of objects within it too. Metadata can hold 2,700 of them, a patch can remove as many and set
 * as many, and all else that is known comes to 600.
 */
export const MAX_FIELDS = 6_000;
/** Objects and lists in any body, those within others too: three for each field. */
export const MAX_CONTAINERS = 18_000;
/** Decimal digits that a double (IEEE 754 binary64) always keeps. */
const EXACT_DIGITS = 15;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The value of a body in UTF-8. Throws a RequestError that names every problem and its place. */
export function readJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw badJson('The body is not valid UTF-8.');
  }
  const detail = excessOf(text);
  if (detail !== null) throw fieldsError([{ pointer: '', detail }]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badJson('The body is not valid JSON.');
  }
  const problems = isHarmless(text, value) ? [] : hazards(text);
  if (problems.length > 0) throw fieldsError(problems);
  return value;
}

function badJson(message: string): RequestError {
  return new RequestError('bad_json', [{ reason: 'bad_json', message, remarks: '' }]);
}

/**
 * The bound of valid bodies that a text is beyond; null where there is none. It is asked before the text is parsed: to
 * make an object of 30,000 fields takes 20 ms, and each later look at all of them as long again; 100,000 lists, one in
 * the other, take 6 ms.
 */
function excessOf(text: string): string | null {
  // Each field, object and list takes a character at least.
  if (text.length <= MAX_FIELDS) return null;
  let fields = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) {
      if (++fields > MAX_FIELDS)
        return `must have at most ${MAX_FIELDS} fields, including those of nested objects`;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++containers > MAX_CONTAINERS)
        return `must have at most ${MAX_CONTAINERS} objects and lists, including nested ones`;
    }
  }
  return null;
}

/** The place of the quote that ends the string which begins here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * Whether a text that is known to be JSON is surely free of all hazards: it has no escapes, no long numbers and no
 * exponents, is not deep, and has as many names as its value. Nearly all bodies are; only the others need a close look.
 * (Measured: reading such a body takes less than half the time.)
 */
function isHarmless(text: string, value: unknown): boolean {
  // Without backslashes, every quote begins or ends a string: the loop below relies on that.
  if (/\\|\d[eE]|__proto__/.test(text)) return false;
  let names = 0;
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = text.indexOf('"', at + 1);
      digits = 0;
    } else if (code === COLON) names++;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return false;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
    else if ((code >= DIGIT_0 && code <= DIGIT_9) || code === POINT) {
      if (++digits > EXACT_DIGITS) return false;
    } else digits = 0;
  }
  return names === countNames(value);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const POINT = 0x2e;

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const each of value) count += countNames(each);
  else for (const name in value) count += 1 + countNames((value as Record<string, unknown>)[name]);
  return count;
}

/**
 * Walks over a text that is known to be JSON and notes the places where the parsed value differs from what was written,
 * or is a danger to other readers of it: as many as an answer has room for.
 */
function hazards(text: string): Problem[] {
  const problems: Problem[] = [];
  const path: Array<string | number> = [];
  let at = 0;

  function note(detail: string): void {
    problems.push({ pointer: pointerOf(path), detail });
    if (problems.length >= MAX_ITEMS) throw endOfWalk;
  }

  function skipSpace(): void {
    while (text.charCodeAt(at) <= 0x20) at++;
  }

  /** Moves behind the string that starts here and returns it raw, without its quotes. */
  function string(): string {
    const start = at + 1;
    const end = endOfString(text, at);
    at = end + 1;
    return text.slice(start, end);
  }

  function checkText(raw: string): string {
    if (!raw.includes('\\')) {
      if (!raw.isWellFormed()) note('has an unpaired surrogate');
      return raw;
    }
    const decoded = JSON.parse(`"${raw}"`) as string;
    if (decoded.includes('\0')) note('has a NUL character');
    if (!decoded.isWellFormed()) note('has an unpaired surrogate');
    return decoded;
  }

  function number(): void {
    NUMBER.lastIndex = at;
    const [literal = '', mantissa = ''] = NUMBER.exec(text) ?? [];
    at = NUMBER.lastIndex;
    const value = Number(literal);
    // Nearly all numbers are short, and need no further check.
    if (mantissa.length <= EXACT_DIGITS && Number.isFinite(value)) return;
    const digits = trimWhere(mantissa.replace(/\D/g, ''), (digit) => digit === '0');
    if (!Number.isFinite(value)) note('is too large a number');
    else if (/^-?\d+$/.test(literal) ? !Number.isSafeInteger(value) : !isExact(literal, digits, value)) {
      note('has more digits than a number can keep exactly');
    }
  }

  function object(depth: number): void {
    const seen = new Set<string>();
    at++;
    for (skipSpace(); text[at] !== '}'; skipSpace()) {
      const key = checkText(string());
      path.push(key);
      if (seen.has(key)) note('occurs twice');
      if (key === '__proto__') note('is a reserved name');
      seen.add(key);
      skipSpace();
      at++; // the colon
      value(depth);
      path.pop();
      skipSpace();
      if (text[at] === ',') at++;
    }
    at++;
  }

  function array(depth: number): void {
    at++;
    let index = 0;
    for (skipSpace(); text[at] !== ']'; skipSpace()) {
      path.push(index++);
      value(depth);
      path.pop();
      skipSpace();
      if (text[at] === ',') at++;
    }
    at++;
  }

  function value(depth: number): void {
    skipSpace();
    const first = text[at];
    if (first === '"') checkText(string());
    else if (first === '{' || first === '[') {
      if (depth >= MAX_DEPTH) {
        note(`is nested more than ${MAX_DEPTH} levels deep`);
        // Anything deeper no longer matters.
        throw endOfWalk;
      }
      if (first === '{') object(depth + 1);
      else array(depth + 1);
    } else if (first === 't' || first === 'n') at += 4;
    else if (first === 'f') at += 5;
    else number();
  }

  try {
    value(0);
  } catch (error) {
    if (error !== endOfWalk) throw error;
  }
  return problems;
}

const endOfWalk = Symbol('end of the walk');

/** A number as JSON writes it, and its mantissa. */
const NUMBER = /(-?\d+(?:\.\d+)?)(?:[eE][-+]?\d+)?/y;

/** True if a double has this decimal fraction: one that was written by a program comes out again as it went in. */
function isExact(literal: string, digits: string, value: number): boolean {
  return digits.length <= EXACT_DIGITS || String(value) === literal;
}

/** RFC 6901; a long name is shortened. */
export function pointerOf(path: ReadonlyArray<string | number>): string {
  return path.map((part) => `/${escapedName(String(part))}`).join('');
}
