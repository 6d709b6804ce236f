/**
 * PayNow of Singapore: Monetary Authority of Singapore and IMDA, Singapore Quick Response Code (SGQR) Specifications,
 * with the template of the Association of Banks in Singapore (`SG.PAYNOW`).
 */
import { isMobileNumber } from '../identifiers.ts';
import { emvPayload } from './emv.ts';

export type PayNowTransfer = {
  /** UEN, or mobile number with +65. */
  readonly payNow: string;
  readonly name: string;
  /** In cents of SGD. */
  readonly amount: number;
  /** At most 25 characters; it reaches the payee as the bill number. */
  readonly reference: string;
};

/** The text of the code, or null where there is none for this transfer. */
export function payNowPayload({ payNow, name, amount, reference }: PayNowTransfer): string | null {
  return emvPayload({
    account: [
      '26',
      [
        ['00', 'SG.PAYNOW'],
        ['01', isMobileNumber(payNow) ? '0' : '2'],
        ['02', payNow],
        ['03', '0'], // the payer cannot change the amount
      ],
    ],
    initiation: '12',
    currencyNumber: '702',
    currency: 'SGD',
    amount,
    country: 'SG',
    name,
    city: 'Singapore',
    additional: [['01', reference]],
  });
}
