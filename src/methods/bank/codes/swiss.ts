/**
 * The Swiss QR Code: SIX, Swiss Implementation Guidelines for the QR-bill, versions 2.2 and 2.3, on the
 * data structure "Swiss Payments Code" (version 0200), with structured addresses as version 2.3 demands.
 */
import { decimalAmount } from '../../../checkout/money.ts';
import { isQrIban } from '../identifiers.ts';
import type { AccountHolder } from '../receiving-account.ts';
import { isCreditorReference, isQrReference } from '../references.ts';
import { cleanText } from './text.ts';

export type SwissTransfer = {
  readonly holder: AccountHolder;
  /** IBAN of Switzerland or Liechtenstein; a QR-IBAN for a QR reference, and only for one. */
  readonly iban: string;
  readonly currency: string;
  /** In Rappen or cents. */
  readonly amount: number;
  readonly reference: string;
};

const LARGEST_AMOUNT = 999_999_999_99;

/**
 * Characters of version 2.3: Basic Latin, Latin-1 Supplement, Latin Extended-A, four letters of Romanian, and the euro
 * sign.
 */
const ALLOWED = /^[\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u20ac]$/;

/** An address that is not used: its seven elements are there, and empty. */
const noAddress = ['', '', '', '', '', '', ''];

/** The text of the code, or null where the guidelines have none for this transfer. */
export function swissPayload({ holder, iban, currency, amount, reference }: SwissTransfer): string | null {
  const isPayable = amount >= 1 && amount <= LARGEST_AMOUNT && /^(CHF|EUR)$/.test(currency);
  const referenceType = referenceTypeOf(iban, reference);
  const name = cleanText(holder.name, ALLOWED, 70);
  const postalCode = cleanText(holder.postalCode, ALLOWED, 16);
  const city = cleanText(holder.city, ALLOWED, 35);
  if (!isPayable || referenceType === null || !/^(CH|LI)/.test(iban)) return null;
  if (name === '' || postalCode === '' || city === '') return null;
  return [
    'SPC', // Swiss Payments Code
    '0200', // version
    '1', // UTF-8, restricted to the characters above
    iban,
    'S', // structured address
    name,
    cleanText(holder.street, ALLOWED, 70),
    cleanText(holder.buildingNumber, ALLOWED, 16),
    postalCode,
    city,
    holder.country,
    ...noAddress, // ultimate creditor: for future use
    decimalAmount(amount, currency),
    currency,
    ...noAddress, // ultimate debtor: the payer's bank knows who pays
    referenceType,
    reference,
    '', // unstructured message
    'EPD', // end of payment data
  ].join('\n');
}

function referenceTypeOf(iban: string, reference: string): 'QRR' | 'SCOR' | null {
  if (isQrIban(iban)) return isQrReference(reference) ? 'QRR' : null;
  return isCreditorReference(reference) ? 'SCOR' : null;
}
