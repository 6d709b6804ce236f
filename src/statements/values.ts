/** Values of statements: amounts, dates, references and texts. Pure. */
import { currencyExponent, decimalAmount, MAX_AMOUNT } from '../checkout/money.ts';
import type { Direction, Fail } from './entry.ts';

/** Text of the file for use in a message: short, and without anything that could disturb a terminal. */
export function quoted(text: string): string {
  return JSON.stringify(tidied(text.length > 60 ? `${text.slice(0, 60)}…` : text));
}

/** Everything between two words: blanks, line breaks, control characters, and marks that turn the direction of text. */
const GAPS = /[\s\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF]+/gu;

/** Nearly all texts are like this already. */
const TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Shorter strings are copied by the engine, whatever they are a part of. */
const COPIED_LENGTH = 12;

/**
 * The text on one line, with one blank between words. It is a copy, since a part of a string keeps the whole alive, and
 * the whole is a piece of the file.
 */
export function tidied(text: string): string {
  const tidy = TIDY.test(text) ? text : text.replace(GAPS, ' ').trim();
  return tidy.length <= COPIED_LENGTH ? tidy : Buffer.from(tidy).toString();
}

/** Text for comparison, without blanks and in upper case: accounts, BICs and structured references. */
export function compact(text: string): string {
  return tidied(text).replaceAll(' ', '').toUpperCase();
}

const NOT_GIVEN = /^(NOTPROVIDED|NOTAVAILABLE|NOT PROVIDED|NONREF|NOREF|NON REF)$/i;

/** A reference, or an empty text if it only states that there is none. */
export function given(reference: string): string {
  const text = tidied(reference);
  return NOT_GIVEN.test(text) ? '' : text;
}

/** True if a reference says anything: `0` and `-` cannot. */
export function isUsable(reference: string): boolean {
  return /[1-9a-z]/i.test(reference);
}

/** A structured reference, or an empty text where a bank fills the field without one: `NOTPROVIDED`, `0`. */
export function structuredReference(text: string): string {
  const reference = compact(given(text));
  return isUsable(reference) ? reference : '';
}

/** Number of digits after the decimal separator. Throws if the currency is not in ISO 4217. */
function exponentOf(currency: string, fail: Fail): number {
  return currencyExponent(currency) ?? fail(`the currency ${quoted(currency)} is not in ISO 4217`);
}

const DECIMAL = /^(\d*)(?:\.(\d*))?$/;

/**
 * Minor units of a decimal with a point and without a sign, exactly: `minorUnits('12.3', 'EUR')` is 1230. Digits beyond
 * the currency's minor unit may only be zeros.
 */
export function minorUnits(text: string, currency: string, fail: Fail): number {
  const exponent = exponentOf(currency, fail);
  const found = DECIMAL.exec(text);
  const [, whole = '', fraction = ''] = found ?? [];
  if (whole === '' && fraction === '') return fail(`the amount ${quoted(text)} is not a number`);
  const kept = fraction.slice(0, exponent).padEnd(exponent, '0');
  if (/[1-9]/.test(fraction.slice(exponent))) {
    return fail(`the amount ${quoted(text)} has more digits than ${currency} has`);
  }
  const digits = `${whole}${kept}`.replace(/^0+/, '');
  const amount = digits.length > 15 ? Number.POSITIVE_INFINITY : Number(digits);
  return amount <= MAX_AMOUNT
    ? amount
    : fail(`the amount ${quoted(text)} exceeds the largest possible amount`);
}

/** Decimal text of a signed amount, for messages. */
function signedAmount(amount: bigint | number, currency: string): string {
  const size = decimalAmount(Math.abs(Number(amount)), currency);
  return `${amount < 0 ? '-' : ''}${size} ${currency}`;
}

/** Effect of an entry on a balance. */
export function signed(amount: number, direction: Direction): number {
  return direction === 'credit' ? amount : -amount;
}

/** `calendarDate(2024, 2, 29)` is `"2024-02-29"`, and null for a day that no calendar has. */
export function calendarDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1900 ? date.toISOString().slice(0, 10) : null;
}

/** Digits are enough for the order of things: YYYY, MM and DD as texts. */
export function dateOf(year: string, month: string, day: string): string | null {
  return calendarDate(Number(year), Number(month), Number(day));
}

/** Two digits of a year: those from 80 are of the last century, as SWIFT reads them. */
export function fullYear(twoDigits: string): number {
  return Number(twoDigits) + (Number(twoDigits) >= 80 ? 1900 : 2000);
}

/**
 * Checks the entries against the balances: a file that has lost some of its entries must not pass. The sum is a bigint,
 * since a million entries may add up to more than a number can count exactly.
 */
export function checkBalance(
  { opening, sum, closing }: { opening: number; sum: bigint; closing: number },
  currency: string,
  fail: Fail,
): void {
  const reached = BigInt(opening) + sum;
  if (reached === BigInt(closing)) return;
  const [from, to, is] = [opening, closing, reached].map((amount) => signedAmount(amount, currency));
  fail(`the entries do not add up to the closing balance: from ${from} they lead to ${is}, not to ${to}`);
}
