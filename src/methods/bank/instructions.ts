/** Instructions for a payer who pays by bank: the fields to fill in, and the code that saves the typing. Pure. */
import { decimalAmount, formatAmount } from '../../checkout/money.ts';
import type { PaymentCode } from './codes/draw.ts';
import { epcPayload } from './codes/epc.ts';
import { payNowPayload } from './codes/paynow.ts';
import { pixPayload } from './codes/pix.ts';
import { promptPayPayload } from './codes/promptpay.ts';
import { swissPayload } from './codes/swiss.ts';
import { upiLink } from './codes/upi.ts';
import { bic, iban, payNow, pix, promptPay, upi } from './identifiers.ts';
import {
  type AccountHolder,
  localBankTransfer,
  methodsOf,
  type ReceivingAccount,
} from './receiving-account.ts';
import { displayReference, type ReferenceKind } from './references.ts';

export type InstructionName =
  | 'payee'
  | 'payee_address'
  | 'iban'
  | 'account_number'
  | 'bank_code'
  | 'bic'
  | 'bank'
  /** A PayNow, PromptPay, Pix or UPI address; the method says which. */
  | 'proxy'
  | 'amount'
  | 'reference';

export type Instruction = {
  readonly name: InstructionName;
  /** Text to copy, in the form that banks expect: amounts with a point and without the currency. */
  readonly value: string;
  /** Text to read: in groups, amounts with their currency. */
  readonly display: string;
};

export type Instructions = {
  /** In the order of the forms of banks. */
  readonly fields: readonly Instruction[];
  /** Null if no standard covers the case. */
  readonly code: PaymentCode | null;
  readonly referenceKind: ReferenceKind;
};

export type Due = {
  /** In minor units of the account's currency, more than 0. */
  readonly amount: number;
  /** Reference of the kind of `referenceKindOf`, in electronic form. */
  readonly reference: string;
};

/** Kind of reference that this account accepts by this method. */
export function referenceKindOf(account: ReceivingAccount, methodId: string): ReferenceKind {
  return goesToQrIban(account, methodId) ? 'QRR' : 'RF';
}

/** Instructions for this method, or null if the account does not offer it. */
export function instructionsFor(account: ReceivingAccount, methodId: string, due: Due): Instructions | null {
  if (!methodsOf(account).includes(methodId)) return null;
  return {
    fields: [
      field('payee', account.holder.name),
      ...destination(account, methodId),
      field(
        'amount',
        decimalAmount(due.amount, account.currency),
        formatAmount(due.amount, account.currency),
      ),
      field('reference', due.reference, displayReference(due.reference)),
    ],
    code: codeFor(account, methodId, due),
    referenceKind: referenceKindOf(account, methodId),
  };
}

function goesToQrIban(account: ReceivingAccount, methodId: string): boolean {
  return account.qrIban !== null && methodId === localBankTransfer(account);
}

function field(name: InstructionName, value: string, display = value): Instruction {
  return { name, value, display };
}

function optional(name: InstructionName, value: string | null, display = (text: string) => text) {
  return value === null || value === '' ? [] : [field(name, value, display(value))];
}

function destination(account: ReceivingAccount, methodId: string): Instruction[] {
  switch (methodId) {
    case 'paynow_sgd':
      return optional('proxy', account.paynow, payNow.display);
    case 'promptpay_thb':
      return optional('proxy', account.promptpay, promptPay.display);
    case 'pix_brl':
      return optional('proxy', account.pix, pix.display);
    case 'upi_inr':
      return optional('proxy', account.upi, upi.display);
    case 'wire_transfer':
      return [
        ...optional('payee_address', addressOf(account.holder)),
        ...(account.iban === null ? nationalNumber(account) : optional('iban', account.iban, iban.display)),
        ...bank(account),
      ];
    default: {
      const ibanToUse = goesToQrIban(account, methodId) ? account.qrIban : account.iban;
      // An operator who gives both knows that payers of the country use the national number.
      const isNational = account.accountNumber !== null && !goesToQrIban(account, methodId);
      const number = isNational ? nationalNumber(account) : optional('iban', ibanToUse, iban.display);
      return [...number, ...bank(account)];
    }
  }
}

function nationalNumber({ accountNumber, bankCode }: ReceivingAccount): Instruction[] {
  return [...optional('account_number', accountNumber), ...optional('bank_code', bankCode)];
}

function bank(account: ReceivingAccount): Instruction[] {
  return [...optional('bic', account.bic, bic.display), ...optional('bank', account.bankName)];
}

/** Address in one line for a form, or empty if only the country is known. */
function addressOf({ street, buildingNumber, postalCode, city, country }: AccountHolder): string {
  const lines = [`${street} ${buildingNumber}`.trim(), `${postalCode} ${city}`.trim()];
  const known = lines.filter((line) => line !== '');
  return known.length === 0 ? '' : [...known, country].join(', ');
}

function codeFor(
  account: ReceivingAccount,
  methodId: string,
  { amount, reference }: Due,
): PaymentCode | null {
  const { name, city } = account.holder;
  const payee = { name, city, amount, reference };
  switch (methodId) {
    case 'paynow_sgd':
      return account.paynow === null
        ? null
        : coded('PayNow', payNowPayload({ ...payee, payNow: account.paynow }));
    case 'promptpay_thb':
      return account.promptpay === null
        ? null
        : coded('PromptPay', promptPayPayload({ ...payee, promptPay: account.promptpay }));
    case 'pix_brl':
      return account.pix === null ? null : coded('Pix BR Code', pixPayload({ ...payee, pix: account.pix }));
    case 'upi_inr':
      return account.upi === null ? null : coded('UPI', upiLink({ ...payee, upi: account.upi }));
    // The codes below start a transfer within the country or within SEPA; nobody scans one for a transfer abroad.
    case 'wire_transfer':
      return null;
    default:
      return transferCode(account, { amount, reference });
  }
}

function transferCode(account: ReceivingAccount, { amount, reference }: Due): PaymentCode | null {
  const { holder, currency, qrIban } = account;
  const target = qrIban ?? account.iban;
  if (target === null) return null;
  const swiss = () =>
    coded('Swiss QR-bill', swissPayload({ holder, iban: target, currency, amount, reference }));
  // An account with a QR-IBAN uses QR-bills, in euro as well.
  if (currency !== 'EUR' || qrIban !== null) return swiss();
  const { name } = holder;
  return (
    coded('EPC069-12', epcPayload({ name, iban: target, bic: account.bic, amount, reference })) ?? swiss()
  );
}

function coded(standard: PaymentCode['standard'], payload: string | null): PaymentCode | null {
  if (payload === null) return null;
  return { standard, payload, errorCorrection: 'M', swissCross: standard === 'Swiss QR-bill' };
}
