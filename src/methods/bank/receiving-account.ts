/** Accounts that receive money, and the methods that they offer. Pure. */
import type { ReceivingAccount } from './receiving-account-schema.ts';

export type { ReceivingAccount } from './receiving-account-schema.ts';

/** Name of the rail of bank transfers, in attempts, the ledger and entries. */
export const BANK = 'bank';

/** The recipient of the money. Parts that are not known are empty. */
export type AccountHolder = ReceivingAccount['holder'];

/** Ids of the payment methods that pay into this account; see `methods/catalogue.ts`. */
export function methodsOf(account: ReceivingAccount): string[] {
  const hasNumber = account.iban !== null || account.accountNumber !== null;
  return [
    ...(account.paynow === null ? [] : ['paynow_sgd']),
    ...(account.promptpay === null ? [] : ['promptpay_thb']),
    ...(account.pix === null ? [] : ['pix_brl']),
    ...(account.upi === null ? [] : ['upi_inr']),
    ...(hasNumber ? [localBankTransfer(account)] : []),
    // Abroad, only the BIC identifies a bank.
    ...(hasNumber && account.bic !== null ? ['wire_transfer'] : []),
  ];
}

export function localBankTransfer({ currency }: Pick<ReceivingAccount, 'currency'>): string {
  return `local_bank_transfer_${currency.toLowerCase()}`;
}
