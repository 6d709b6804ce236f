/**
 * PromptPay of Thailand: Bank of Thailand and Thai Bankers' Association, Thai QR Payment Standard, tag 29 (credit
 * transfer to a PromptPay id).
 */
import { emvPayload } from './emv.ts';

export type PromptPayTransfer = {
  /** Mobile number (0…), national or tax id (13 digits), or e-wallet id (15 digits). */
  readonly promptPay: string;
  readonly name: string;
  readonly city: string;
  /** In satang. */
  readonly amount: number;
  /**
   * At most 25 characters. It is in the code, but a credit transfer need not carry it: whether it comes out on the
   * payee's statement is up to the banks.
   */
  readonly reference: string;
};

/** The text of the code, or null where there is none for this transfer. */
export function promptPayPayload(transfer: PromptPayTransfer): string | null {
  const { promptPay, name, city, amount, reference } = transfer;
  return emvPayload({
    account: ['29', [['00', 'A000000677010111'], proxyOf(promptPay)]],
    initiation: '12',
    currencyNumber: '764',
    currency: 'THB',
    amount,
    country: 'TH',
    name,
    city,
    additional: [['05', reference]], // reference label
  });
}

function proxyOf(id: string): [string, string] {
  if (id.length === 15) return ['03', id];
  // A mobile number has 13 digits with the country in front of it in place of the 0.
  return id.length === 13 ? ['02', id] : ['01', `66${id.slice(1)}`.padStart(13, '0')];
}
