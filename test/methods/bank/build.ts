/** Receiving accounts for tests. */
import type { AccountHolder, ReceivingAccount } from '../../../src/methods/bank/receiving-account.ts';

export const holder: AccountHolder = {
  name: 'Robert Schneider AG',
  street: 'Rue du Lac',
  buildingNumber: '1268',
  postalCode: '2501',
  city: 'Biel',
  country: 'CH',
};

export function account(parts: Partial<ReceivingAccount> = {}): ReceivingAccount {
  return {
    id: 'main',
    currency: 'EUR',
    holder,
    iban: null,
    bic: null,
    accountNumber: null,
    bankCode: null,
    bankName: null,
    qrIban: null,
    paynow: null,
    promptpay: null,
    pix: null,
    upi: null,
    ...parts,
  };
}

export const RF = 'RF18539007547034';
/** References of the same length as ours. */
export const OUR_RF = 'RF690123456789ABCDEFGH';
export const QRR = '210000000003139471430009017';
export const DE_IBAN = 'DE89370400440532013000';
export const CH_IBAN = 'CH9300762011623852957';
export const QR_IBAN = 'CH4431999123000889012';
