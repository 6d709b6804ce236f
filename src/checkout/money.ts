/**
 * Money is an integer count of a currency's minor unit (ISO 4217): 1234 is 12.34 USD, 1234 JPY, 1.234 KWD.
 * Nothing in this service ever holds an amount as a fraction.
 */

/** The largest amount a session, an item or a payment may have, in minor units. Well inside 2^53. */
export const MAX_AMOUNT = 999_999_999_999_999;

const EXPONENT_0 = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const EXPONENT_2 =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF ' +
  'CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL ' +
  'HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU ' +
  'MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR ' +
  'SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED ' +
  'VES WST XAD XCD XCG YER ZAR ZMW ZWG';
const EXPONENT_3 = 'BHD IQD JOD KWD LYD OMR TND';
const EXPONENT_4 = 'CLF UYW';

/** ISO 4217 list one without the codes that have no minor unit (precious metals, test and accounting units). */
const exponents: ReadonlyMap<string, number> = new Map(
  (
    [
      [EXPONENT_0, 0],
      [EXPONENT_2, 2],
      [EXPONENT_3, 3],
      [EXPONENT_4, 4],
    ] as const
  ).flatMap(([codes, exponent]) => codes.split(' ').map((code) => [code, exponent] as const)),
);

/** All currency codes that an invoice may have, upper-case, sorted. */
export const currencies: readonly string[] = [...exponents.keys()].sort();

/** Number of digits after the decimal separator, or undefined for a code that is no ISO 4217 currency. */
export function currencyExponent(currency: string): number | undefined {
  return exponents.get(currency);
}

/** `formatAmount(1234, 'KWD')` is `"1.234 KWD"`: for logs and descriptions; pages use the payer's own format. */
export function formatAmount(amount: number, currency: string): string {
  return `${decimalAmount(amount, currency)} ${currency}`;
}

/** `decimalAmount(1234, 'KWD')` is `"1.234"`, exact for every amount. */
export function decimalAmount(amount: number | bigint, currency: string): string {
  const exponent = currencyExponent(currency) ?? 2;
  if (exponent === 0) return String(amount);
  const digits = String(amount).padStart(exponent + 1, '0');
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
