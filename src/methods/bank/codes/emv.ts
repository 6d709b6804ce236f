/**
 * Common part of PayNow, PromptPay and Pix: EMVCo, EMV QR Code Specification for Payment Systems, Merchant-Presented
 * Mode, version 1.1, on the data objects.
 */
import { decimalAmount } from '../../../checkout/money.ts';
import { ASCII, cleanText } from './text.ts';

/** An id of two digits, and a value of at most 99 characters or further data objects. */
export type DataObject = readonly [id: string, value: string | readonly DataObject[]];

export type EmvPayment = {
  /** The method's own template, between 26 and 51. */
  readonly account: DataObject;
  /** For one payment only (12), or not said. */
  readonly initiation: '12' | null;
  /** ISO 4217: its number, and its code for the amount. */
  readonly currencyNumber: string;
  readonly currency: string;
  /** In minor units. */
  readonly amount: number;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly name: string;
  readonly city: string;
  /** Content of the template for additional data (62). */
  readonly additional: readonly DataObject[];
};

const LONGEST_AMOUNT = 13;
const LONGEST_ADDITIONAL = 25;

/** For a name of which no letter can be written in ASCII: the element has to be there. */
const NOT_AVAILABLE = 'NA';

/** The text of the code, or null where the specification has no room for the amount or the reference. */
export function emvPayload(payment: EmvPayment): string | null {
  const { account, initiation, currencyNumber, currency, country, additional } = payment;
  const amount = decimalAmount(payment.amount, currency);
  if (payment.amount < 1 || amount.length > LONGEST_AMOUNT) return null;
  if (additional.some(([, value]) => value.length > LONGEST_ADDITIONAL)) return null;
  const payload = encode([
    ['00', '01'], // payload format indicator
    ...(initiation === null ? [] : [['01', initiation] as const]),
    account,
    ['52', '0000'], // merchant category: not given
    ['53', currencyNumber],
    ['54', amount],
    ['58', country],
    ['59', cleanText(payment.name, ASCII, 25) || NOT_AVAILABLE],
    ['60', cleanText(payment.city, ASCII, 15) || NOT_AVAILABLE],
    ['62', additional],
  ]);
  // The checksum covers its own id and length.
  const body = `${payload}6304`;
  return `${body}${crc16(body).toString(16).toUpperCase().padStart(4, '0')}`;
}

function encode(objects: readonly DataObject[]): string {
  return objects
    .map(([id, value]) => {
      const text = typeof value === 'string' ? value : encode(value);
      return `${id}${String(text.length).padStart(2, '0')}${text}`;
    })
    .join('');
}

/** ISO/IEC 13239 with the polynomial 1021 and the initial value FFFF, over the characters of an ASCII text. */
export function crc16(text: string): number {
  let crc = 0xffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index) << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}
