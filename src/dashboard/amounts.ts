/** Amounts as people type them into a form: in major units, with a decimal point. */
import { currencyExponent, decimalAmount } from '../checkout/money.ts';
import type { Mistake } from './api.ts';

/** The amount in minor units, or what is wrong with the text. */
export type ReadAmount = { readonly amount: number } | { readonly wrong: string };

/** Digits of the largest amount. */
const MAX_DIGITS = 15;

/** `readAmount('12.5', 'EUR')` is `{ amount: 1250 }`: exact, or refused. The currency has to be one that there is. */
export function readAmount(text: string, currency: string): ReadAmount {
  const exponent = currencyExponent(currency) ?? 2;
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || fraction.length > exponent) {
    const how = exponent === 0 ? 'no decimal point' : `at most ${exponent} digits behind a decimal point`;
    return { wrong: `An amount in ${currency} has ${how}, such as ${decimalAmount(1250, currency)}.` };
  }
  const digits = `${whole}${fraction.padEnd(exponent, '0')}`.replace(/^0+(?=\d)/, '');
  return digits.length > MAX_DIGITS ? { wrong: 'This amount is too large.' } : { amount: Number(digits) };
}

/** A value that no request may have: the API refuses it together with all else that is wrong. */
const REFUSED = {};

/**
 * Amount as it was typed into a field, for a request of the API. Notes what is wrong with it. An empty text stays
 * so, which the API takes for an absent field.
 */
export function amountFrom(
  text: string | undefined,
  currency: string,
  pointer: string,
  own: Mistake[],
): unknown {
  const typed = text?.trim() ?? '';
  if (typed === '') return typed;
  // A currency that there is not is told by the API; any amount does, so that it tells of nothing that depends on it.
  if (currencyExponent(currency) === undefined) return 1;
  const read = readAmount(typed, currency);
  if ('amount' in read) return read.amount;
  own.push({ message: read.wrong, pointer });
  return REFUSED;
}
