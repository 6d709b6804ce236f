/**
 * Amounts in hundredths of a currency's unit, however many decimals it has: the unit of clients of other v3 services.
 * 2,400 JPY are 240000 and 5.12 KWD are 512; in currencies with two decimals it is the minor unit. Only the border
 * knows of it: inside, amounts count minor units.
 */
import { currencies, currencyExponent, MAX_AMOUNT } from './money.ts';

/** Fields of requests and answers that hold an amount. */
export const AMOUNTS: ReadonlySet<string> = new Set([
  'amount',
  'amount_in',
  'amount_left',
  'amount_out',
  'amount_paid',
  'amount_refunded',
  'amount_unassigned',
  'unit_price',
]);

/** Fields of answers that hold the currency of the amounts beside and below them. */
const CURRENCIES = ['invoice_currency', 'charge_currency', 'currency'] as const;

/**
 * Greatest distance from an integer at which a number is that integer: 19.99 × 100 is 1998.9999999999998 in floating
 * point.
 */
const NEAR = 1e-6;

/** Minor units as hundredths, exact for every amount: more than two decimals of the currency become decimals here. */
export function toHundredths(amount: number, currency: string): number {
  const exponent = currencyExponent(currency) ?? 2;
  return exponent <= 2 ? amount * 10 ** (2 - exponent) : amount / 10 ** (exponent - 2);
}

/** Hundredths as minor units, or why this currency cannot have that amount, as the rest of a sentence. */
export function fromHundredths(given: number, currency: string): number | string {
  const exponent = currencyExponent(currency) ?? 2;
  const hundredths = integerNear(given);
  const scaled = exponent <= 2 ? hundredths / 10 ** (2 - exponent) : hundredths * 10 ** (exponent - 2);
  const amount = Math.round(scaled);
  // A double keeps the digits of the largest amounts, but not the fraction that is left by a division.
  const isHeld = Math.abs(scaled - amount) <= NEAR || toHundredths(amount, currency) === hundredths;
  if (!isHeld) {
    return exponent === 2
      ? 'must be a whole number'
      : `must be a multiple of ${toHundredths(1, currency)}: it counts hundredths, and ${currency} has ${exponent || 'no'} decimals`;
  }
  return amount > MAX_AMOUNT ? `must be at most ${toHundredths(MAX_AMOUNT, currency)}` : amount;
}

/** The integer that a number is meant to be, or the number. */
export function integerNear(value: number): number {
  const integer = Math.round(value);
  return Math.abs(value - integer) <= NEAR ? integer : value;
}

const otherDecimals = currencies.filter((currency) => currencyExponent(currency) !== 2);
const MAY_DIFFER = new RegExp(`"(?:${CURRENCIES.join('|')})":"(?:${otherDecimals.join('|')})"`);

/** An answer, or an event, with its amounts in hundredths. `json` has them in minor units. */
export function inHundredths(json: string): string {
  return MAY_DIFFER.test(json) ? JSON.stringify(converted(JSON.parse(json), null)) : json;
}

function converted(value: unknown, outer: string | null): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(each, outer));
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  const own = CURRENCIES.map((name) => fields[name]).find((each) => typeof each === 'string');
  const currency = typeof own === 'string' ? own : outer;
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => {
      if (name === 'metadata') return [name, each];
      const isAmount = currency !== null && AMOUNTS.has(name) && typeof each === 'number';
      return [name, isAmount ? toHundredths(each, currency) : converted(each, currency)];
    }),
  );
}
