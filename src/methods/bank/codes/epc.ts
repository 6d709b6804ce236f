/**
 * The code for SEPA credit transfers ("GiroCode", "Scan2Pay", "Zahlen mit Code"): European Payments Council, EPC069-12,
 * Quick Response Code: Guidelines to Enable Data Capture for the Initiation of a SEPA Credit Transfer, versions 2.1
 * and 3.0, on the data elements of version 002.
 */
import { decimalAmount } from '../../../checkout/money.ts';
import { cleanText, cutText } from './text.ts';

export type EpcTransfer = {
  readonly name: string;
  readonly iban: string;
  readonly bic: string | null;
  /** In cents. */
  readonly amount: number;
  /** A creditor reference (ISO 11649). */
  readonly reference: string;
};

const LARGEST_AMOUNT = 999_999_999_99;
const MAX_BYTES = 331;
const MAX_NAME_LENGTH = 70;

/** The European Economic Area: a bank is known by the IBAN alone. */
const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
);
/** The rest of the area of SEPA (EPC409-09, List of SEPA scheme countries): transfers need the BIC. */
const SEPA_BESIDE_EEA = 'AD AL CH GB GI MC MD ME MK RS SM VA'.split(' ');

const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]$/u;

/** The text of the code, or null where the guidelines have none for this transfer. */
export function epcPayload({ name, iban, bic, amount, reference }: EpcTransfer): string | null {
  const country = iban.slice(0, 2);
  const isReachable = EEA.includes(country) || (SEPA_BESIDE_EEA.includes(country) && bic !== null);
  if (!isReachable || amount < 1 || amount > LARGEST_AMOUNT) return null;
  const payload = (payee: string) =>
    [
      'BCD', // service tag
      '002', // version: the BIC may be absent
      '1', // character set: UTF-8
      'SCT', // SEPA credit transfer
      bic ?? '',
      payee,
      iban,
      `EUR${decimalAmount(amount, 'EUR')}`,
      '', // purpose
      reference, // and so no text: it is one or the other
    ].join('\n');
  // Only a name in letters of several bytes makes the code too long.
  let payee = cleanText(name, PRINTABLE, MAX_NAME_LENGTH);
  while (Buffer.byteLength(payload(payee)) > MAX_BYTES) payee = cutText(payee, [...payee].length - 1);
  return payee === '' ? null : payload(payee);
}
