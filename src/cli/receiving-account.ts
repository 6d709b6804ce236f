/** A receiving account as commands show it. */
import { methodsOf, type ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { serializeReceivingAccount } from '../methods/bank/receiving-account-schema.ts';
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

export function recordOf(account: ReceivingAccount) {
  return { ...serializeReceivingAccount(account), methods: methodsOf(account) };
}

export function lineOf(account: ReceivingAccount): string {
  const { id, currency, holder, iban, accountNumber, bic, bankCode } = account;
  const columns = [
    id,
    currency,
    iban ?? accountNumber ?? '',
    bic ?? bankCode ?? '',
    printable(holder.name),
    methodsOf(account).join(','),
  ];
  return columns.filter((text) => text !== '').join('  ');
}
