/** Public representation of bank entries and bank files. */
import { timestamp } from '../checkout/representation.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { BankFile } from './bank-file.ts';
import { type BankEntry, isIncoming, unassigned } from './entry.ts';
import type { Outgoing } from './outgoing.ts';
import { paymentsTag } from './tags.ts';

export function representEntry(entry: BankEntry) {
  const { counterparty, returned, sentBack } = entry;
  return {
    id: entry.id,
    object: 'bank_entry',
    created_at: timestamp(entry.receivedAt),
    status: entry.state,
    problem: entry.problem ?? '',
    direction: entry.direction,
    amount: entry.amount,
    amount_unassigned: entry.state !== 'ignored' && isIncoming(entry) ? unassigned(entry) : 0,
    currency: entry.currency,
    booked_on: entry.bookedOn,
    value_on: entry.valueOn,
    receiving_account: entry.account,
    statement: entry.statement,
    counterparty: { name: counterparty.name, account: counterparty.account, bic: counterparty.bic },
    creditor_reference: entry.creditorReference,
    end_to_end_id: entry.endToEndId,
    remittance: entry.remittance,
    bank_reference: entry.bankReference,
    transaction_code: entry.transactionCode,
    is_reversal: entry.isReversal,
    return_reason: returned === null ? '' : `${returned.reasonCode} ${returned.reasonText}`.trim(),
    concerns: entry.concerns,
    taken_apart_by: entry.takenApartBy,
    parts: entry.parts.map(({ checkout, attempt, amount, payment }) => ({
      payin: checkout,
      payment_attempt: attempt,
      amount,
      payment,
    })),
    suggestions: entry.suggestions.map(({ checkout, score }) => ({ payin: checkout, score })),
    sent_back:
      sentBack === null
        ? null
        : {
            amount: sentBack.amount,
            status: sentBack.state,
            reason: sentBack.reason,
            payment_file: sentBack.file,
          },
    note: entry.note,
  };
}

/** Limit of what a preview tells of that cannot be sent. */
const MAX_LEFT_OUT = 100;

export function representOutgoing({
  account,
  refunds,
  returns,
  leftOut,
  total,
}: Outgoing & { readonly account: ReceivingAccount; readonly total: number }) {
  return {
    object: 'payment_file_preview',
    receiving_account: account.id,
    currency: account.currency,
    count: refunds.length + returns.length,
    amount: total,
    version: paymentsTag(account, [...refunds, ...returns]),
    left_out: leftOut.slice(0, MAX_LEFT_OUT).map(({ id, reason }) => ({ id, reason })),
  };
}

export function representBankFile(file: BankFile) {
  return {
    id: file.id,
    object: file.kind === 'statement' ? 'bank_statement' : 'payment_file',
    created_at: timestamp(file.createdAt),
    sha256: file.hash,
    ...file.data,
  };
}
