/** Locale of a payer: the language, and the regional format of amounts and times. */

import { currencyExponent, decimalAmount } from '../checkout/money.ts';
import { createLru } from '../lib/lru.ts';
import { english, type Language, languageById } from './languages/all.ts';

export type Locale = {
  readonly language: Language;
  /** Language with the payer's region, for the format of numbers and times: `de-CH`. */
  readonly formatTag: string;
  /** Query that keeps a language chosen on the page: `?lang=de`, or empty. */
  readonly query: string;
};

/** Cached headers, at most. Browsers send the same few; a rare one is simply parsed again. */
const MAX_LOCALES = 500;
const MAX_FORMATTERS = 500;
const MAX_HEADER_LENGTH = 200;

const locales = createLru<string, Locale>({ most: MAX_LOCALES });
const moneyFormatters = createLru<string, Intl.NumberFormat>({ most: MAX_FORMATTERS });
const countFormatters = createLru<string, Intl.NumberFormat>({ most: MAX_FORMATTERS });
const timeFormatters = createLru<string, Intl.DateTimeFormat>({ most: MAX_FORMATTERS });

/** `chosen` is the language selected on the page itself; it takes precedence over those of the browser. */
export function localeOf(acceptLanguage: string | undefined, chosen: unknown): Locale {
  const header = (acceptLanguage ?? '').slice(0, MAX_HEADER_LENGTH);
  const override = typeof chosen === 'string' ? languageById.get(chosen) : undefined;
  const key = `${override?.id ?? ''} ${header}`;
  const known = locales.get(key);
  if (known) return known;
  const locale = negotiate(header, override);
  locales.set(key, locale);
  return locale;
}

function negotiate(header: string, override: Language | undefined): Locale {
  const ranges = header
    .split(',')
    .map((part) => {
      // What follows the language and tells more than a country (es-419, de-1996) is passed over (RFC 4647, section 3.4).
      const [, base = '', region = '', quality = '1'] =
        /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}))?(?:-[a-z0-9]{1,8})*(?:;q=([01](?:\.\d{0,3})?))?$/i.exec(
          part.replace(/\s/g, ''),
        ) ?? [];
      return { base: base.toLowerCase(), region: region.toUpperCase(), quality: Number(quality) };
    })
    .filter(({ base, quality }) => languageById.has(base) && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  const language = override ?? languageById.get(ranges[0]?.base ?? '') ?? english;
  const region = ranges.find(({ base, region: named }) => base === language.id && named !== '')?.region;
  return {
    language,
    formatTag: region === undefined ? language.tag : `${language.tag}-${region}`,
    query: override ? `?lang=${override.id}` : '',
  };
}

/** Amount in the payer's format, with the digits of its currency; exact for every amount. */
export function money({ formatTag }: Locale, amount: number | bigint, currency: string): string {
  const key = `${formatTag} ${currency}`;
  let formatter = moneyFormatters.get(key);
  if (!formatter) {
    const digits = currencyExponent(currency) ?? 2;
    formatter = new Intl.NumberFormat(formatTag, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    moneyFormatters.set(key, formatter);
  }
  // Text stays exact; a number of 15 digits with a fraction would not.
  return formatter.format(decimalAmount(amount, currency) as Intl.StringNumericLiteral);
}

/** Day and time in UTC; the script of the page rewrites it in the payer's own time zone. */
export function moment({ formatTag }: Locale, ms: number): string {
  let formatter = timeFormatters.get(formatTag);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat(formatTag, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    });
    timeFormatters.set(formatTag, formatter);
  }
  return formatter.format(ms);
}

/** A count in the payer's format. */
export function count({ formatTag }: Locale, value: number): string {
  let formatter = countFormatters.get(formatTag);
  if (!formatter) {
    formatter = new Intl.NumberFormat(formatTag);
    countFormatters.set(formatTag, formatter);
  }
  return formatter.format(value);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** Isolates a name or an amount inside a sentence, so that it does not change the direction of the text around it. */
export function isolated({ language }: Locale, text: string): string {
  if (language.direction === 'ltr' && !RIGHT_TO_LEFT.test(text)) return text;
  return `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}`;
}
