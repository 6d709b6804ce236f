/** A receiving account as commands show it. */
import type { representReceivingAccount } from '../accounts/representation.ts';
import { printable } from './printable.ts';

export const receivingAccountKeys = {
  id: 'Its id, which you chose.',
  currency: 'Its currency.',
  holder: 'Name and address of its holder.',
  iban: 'IBAN; this and each of the following is null where there is none.',
  bic: 'BIC.',
  account_number: 'Account number.',
  bank_code: 'Code of the bank, such as a routing number.',
  bank_name: 'Name of the bank.',
  qr_iban: 'Swiss QR-IBAN.',
  paynow: 'PayNow proxy.',
  promptpay: 'PromptPay proxy.',
  pix: 'Pix key.',
  upi: 'UPI id.',
  methods: 'The payment methods that it makes possible.',
} as const;

export function lineOf(shown: ReturnType<typeof representReceivingAccount>): string {
  const { id, currency, holder, iban, account_number, bic, bank_code, methods } = shown;
  const columns = [
    id,
    currency,
    iban ?? account_number ?? '',
    bic ?? bank_code ?? '',
    printable(holder.name),
    methods.join(','),
  ];
  return columns.filter((text) => text !== '').join('  ');
}
