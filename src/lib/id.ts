import { hash, randomBytes } from 'node:crypto';

/** Crockford's base 32, lower-case: no i, l, o, u. Its order is the order of the numbers. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;
const COUNTER_LENGTH = 4;
const RANDOM_LENGTH = 12;
const COUNTER_LIMIT = 32 ** COUNTER_LENGTH;

export type IdPrefix =
  | 'chk'
  | 'cus'
  | 'pat'
  | 'rfd'
  | 'mov'
  | 'evt'
  | 'whe'
  | 'whd'
  | 'ntc'
  | 'bfl'
  | 'pev'
  | 'aud'
  | 'rql'
  | 'usr'
  | 'sgn';

/** An id with this prefix: the compiler tells the id of a session from that of an event. */
export type Id<P extends IdPrefix> = `${P}_${string}`;

/** Form of an id after its prefix: 26 characters. */
export const ID_LENGTH = TIME_LENGTH + COUNTER_LENGTH + RANDOM_LENGTH;

/** Random characters in stock. */
let pool = '';
let poolAt = 0;
let counterMs = Number.NaN;
let counterMsText = '';
let counter = 0;

/** Begins counter and stock anew: a simulation makes the same ids from the same random bytes. */
export function restartIds(): void {
  pool = '';
  poolAt = 0;
  counterMs = Number.NaN;
  counter = 0;
}

/**
 * A new id such as `chk_01k9…`: the time in milliseconds (48 bits), a counter that orders the ids which one process
 * makes in the same millisecond, and 60 random bits. Ids sort by time, so lists need no other order. The counter goes on
 * from one millisecond to the next: tenants with test clocks are in several at once, and come back to each.
 */
export function newId<P extends IdPrefix>(prefix: P, nowMs: number): Id<P> {
  if (nowMs !== counterMs) {
    // Half of it is more than a millisecond needs: it does not begin anew within one.
    if (counter >= COUNTER_LIMIT / 2) counter = 0;
    counterMs = nowMs;
    counterMsText = encode(nowMs, TIME_LENGTH);
  }
  counter = (counter + 1) % COUNTER_LIMIT;
  return `${prefix}_${counterMsText}${encode(counter, COUNTER_LENGTH)}${randomText(RANDOM_LENGTH)}`;
}

/** The smallest id that can be made at `ms`: ids made earlier sort before it, ids made later after it. */
export function firstIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${encode(Math.max(0, ms), TIME_LENGTH)}`;
}

/** The id of what follows from something else: always the same for the same time and text. */
export function derivedId<P extends IdPrefix>(prefix: P, ms: number, text: string): Id<P> {
  const digest = hash('sha256', text, 'buffer').subarray(0, COUNTER_LENGTH + RANDOM_LENGTH);
  return `${prefix}_${encode(Math.max(0, ms), TIME_LENGTH)}${textOfBytes(digest)}`;
}

/** `length` characters of base 32, five random bits each. */
export function randomText(length: number): string {
  if (poolAt + length > pool.length) {
    pool = textOfBytes(randomBytes(Math.max(4096, length)));
    poolAt = 0;
  }
  const text = pool.slice(poolAt, poolAt + length);
  poolAt += length;
  return text;
}

/** A character of base 32 for each byte, of which five bits count. */
export function textOfBytes(bytes: Uint8Array): string {
  const characters = Buffer.from(bytes);
  for (const [place, byte] of characters.entries()) characters[place] = ALPHABET.charCodeAt(byte & 31);
  return characters.toString('latin1');
}

/** `value` in base 32, padded to `length` digits. */
function encode(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
