/**
 * Amounts as Stripe counts them. Its units are not always the minor units of ISO 4217, so every amount is converted on
 * the way out and on the way in, exactly or not at all. Pure.
 *
 * The rules are those of https://docs.stripe.com/currencies: zero-decimal currencies, three-decimal currencies, special
 * cases, and the smallest and largest charge.
 */
import { currencyExponent } from '../../checkout/money.ts';

/** Stripe counts these in whole units, as ISO 4217 does, but for the ariary. */
const ZERO_DECIMAL = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF';

/** Currencies without a minor unit in ISO 4217 that Stripe counts in hundredths, of which it takes whole units only. */
const HUNDREDTHS_OF_WHOLE_UNITS = 'ISK UGX';

/** The last digit has to be 0. */
const THREE_DECIMAL = 'BHD JOD KWD OMR TND';

/** HUF and TWD are whole units in payouts only. */
const TWO_DECIMAL =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE ' +
  'CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD ' +
  'KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK ' +
  'PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU ' +
  'UZS WST XCD XCG YER ZAR ZMW';

type Unit = {
  /** Digits after the decimal separator in Stripe's unit. */
  readonly exponent: number;
  /** Divisor of valid amounts in Stripe's unit. */
  readonly step: number;
};

const units: ReadonlyMap<string, Unit> = new Map(
  (
    [
      [ZERO_DECIMAL, { exponent: 0, step: 1 }],
      [HUNDREDTHS_OF_WHOLE_UNITS, { exponent: 2, step: 100 }],
      [TWO_DECIMAL, { exponent: 2, step: 1 }],
      [THREE_DECIMAL, { exponent: 3, step: 10 }],
    ] as const
  ).flatMap(([codes, unit]) => codes.split(' ').map((code) => [code, unit] as const)),
);

/**
 * The largest charge of a card, in Stripe's unit and every currency: twelve digits, see
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. The page takes only cards: the limits of other
 * methods, for most currencies eight digits, do not concern it. A network may allow less (American Express: nine digits
 * in most currencies); Stripe's page then declines that card, and the payer takes another.
 */
const LARGEST = 999_999_999_999;

/**
 * The smallest charge in Stripe's unit, as far as it is published at the same address; of any other currency the least
 * that can be expressed. What is less than that in the currency that the merchant is paid out in is refused by Stripe
 * all the same.
 */
const smallest: Readonly<Record<string, number>> = {
  AED: 200,
  ARS: 50,
  AUD: 50,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  COP: 50,
  CZK: 1500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17500,
  IDR: 50,
  ILS: 50,
  INR: 50,
  JPY: 50,
  KRW: 50,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PHP: 50,
  PLN: 200,
  RON: 200,
  RUB: 50,
  SEK: 300,
  SGD: 50,
  THB: 1000,
  USD: 50,
  ZAR: 50,
};

/** True if Stripe accepts cards in this currency (ISO 4217, upper-case). */
export function takesCurrency(currency: string): boolean {
  return units.has(currency);
}

/**
 * Minor units of ISO 4217 in Stripe's unit: 500 ISK are 50000, 1200 MGA (12.00) are 12. Null where Stripe cannot express
 * the amount: 1234 KWD (1.234), 1250 MGA (12.50), a currency that it does not take.
 */
export function toStripeAmount(amount: number, currency: string): number | null {
  const unit = units.get(currency);
  if (unit === undefined) return null;
  const converted = shift(amount, unit.exponent - exponentOf(currency));
  return converted !== null && converted % unit.step === 0 ? converted : null;
}

/** An amount in Stripe's unit in minor units of ISO 4217, or null where it is no whole number of them. */
export function fromStripeAmount(amount: number, currency: string): number | null {
  const unit = units.get(currency);
  return unit === undefined ? null : shift(amount, exponentOf(currency) - unit.exponent);
}

/** True if Stripe would charge this amount: expressible, neither too small nor too large. */
export function canCharge(amount: number, currency: string): boolean {
  const converted = toStripeAmount(amount, currency);
  return converted !== null && converted >= (smallest[currency] ?? 1) && converted <= LARGEST;
}

/** Times a power of ten, in whole numbers. */
function shift(amount: number, digits: number): number | null {
  const factor = 10 ** Math.abs(digits);
  if (digits < 0) return amount % factor === 0 ? amount / factor : null;
  const product = amount * factor;
  return Number.isSafeInteger(product) ? product : null;
}

function exponentOf(currency: string): number {
  return currencyExponent(currency) ?? 2;
}
