/**
 * Passwords that others try first: the common ones, and those that are made of them (OWASP ASVS 5.0, 6.2.4). The list is
 * read with the first password that somebody sets. `scripts/common-passwords.ts` makes it.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Bytes of a digest: one password in fifty million that is not in the list is taken for one that is. */
const DIGEST_BYTES = 5;

/** Characters of the shortest part that counts: shorter ones are parts of any words. */
export const SHORTEST_PART = 4;

/**
 * Characters of the longest part that is looked for, which all but some thirty of the list are within. One character may
 * become 18 by NFKC, and the thread that looks answers requests as well: the work must not grow with the square of that.
 */
export const LONGEST_PART = 36;

/** Digits and signs around a common password that make it no better; with more of them, it is another one. */
const MOST_AROUND = 8;

/** The longest text that is repeated, as in `abcabcabcabc`. */
const LONGEST_REPEATED = 6;

export const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer').subarray(0, DIGEST_BYTES);

let reading: Promise<Buffer> | null = null;

function list(): Promise<Buffer> {
  reading ??= readFile(new URL('common-passwords.bin', import.meta.url)).catch((error) => {
    reading = null;
    throw error;
  });
  return reading;
}

/** Number of passwords in the list. */
export const countOfCommon = async (): Promise<number> => (await list()).length / DIGEST_BYTES;

/** True for one of the list, in whatever spelling; for one with some digits or signs around; and for two of them together. */
export async function isCommon(password: string): Promise<boolean> {
  const all = await list();
  const text = password.normalize('NFKC').toLowerCase();
  const core = coreOf(text);
  const isBare = text.length - core.length <= MOST_AROUND;
  return [text, ...(isBare ? [core] : [])].some((each) => isMade(all, each));
}

function isMade(all: Buffer, text: string): boolean {
  const bare = text.replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (isListed(all, text) || isListed(all, bare)) return true;
  const repeated = repeatedIn(bare);
  if (repeated !== null && (repeated.length <= LONGEST_REPEATED || isListed(all, repeated))) return true;
  return halvesOf(bare).some(([one, other]) => isListed(all, one) && isListed(all, other));
}

/** The text in two parts, wherever both may be of the list. Exported for the test. */
export function halvesOf(text: string): ReadonlyArray<readonly [string, string]> {
  const first = Math.max(SHORTEST_PART, text.length - LONGEST_PART);
  const last = Math.min(LONGEST_PART, text.length - SHORTEST_PART);
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, at) => [text.slice(0, first + at), text.slice(first + at)]);
}

const LETTER = /\p{L}/u;

/** The text from its first letter to its last. */
function coreOf(text: string): string {
  const letters = [...text].map((each) => LETTER.test(each));
  return [...text].slice(letters.indexOf(true), letters.lastIndexOf(true) + 1).join('');
}

/** The shortest part that the whole is made of by repeating it; null if there is none. */
function repeatedIn(text: string): string | null {
  for (let length = 1; length <= Math.min(LONGEST_PART, text.length / 2); length++) {
    const part = text.slice(0, length);
    if (text === part.repeat(text.length / length)) return part;
  }
  return null;
}

/** Looks for the digest among those of the list, which are in order. */
function isListed(all: Buffer, text: string): boolean {
  if (text.length < SHORTEST_PART) return false;
  const wanted = digestOf(text);
  let [low, high] = [0, all.length / DIGEST_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = wanted.compare(all, middle * DIGEST_BYTES, (middle + 1) * DIGEST_BYTES);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
