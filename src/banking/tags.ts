/** Tags of bank entries, refunds and payments to be made: by them a decision says what it was made on. Pure. */
import type { Refund } from '../checkout/session.ts';
import { tagOf } from '../lib/condition.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { BankEntry } from './entry.ts';
import type { CreditTransfer } from './payment-file.ts';

/**
 * The tag of what was decided about an entry, and of what became of that. That it was looked up again, and which sessions it
 * may be for, is no part of it: nobody has decided anything by that.
 */
export const entryTag = ({ id, state, parts, sentBack, takenApartBy }: BankEntry): string =>
  tagOf({ id, state: state === 'waiting' ? 'open' : state, parts, sentBack, takenApartBy });

/** The tag of what became of a refund: a file for the bank may have it, and it may have ended. */
export const refundTag = ({ id, status, paymentFile }: Refund): string => tagOf({ id, status, paymentFile });

/** The tag of payments that one file has, in whatever order: of all that the bank is told of them and of the account. */
export const paymentsTag = (
  { id, currency, holder, iban, accountNumber, bic }: ReceivingAccount,
  payments: readonly CreditTransfer[],
): string =>
  tagOf({
    account: [id, currency, holder.name, iban, accountNumber, bic],
    payments: Object.fromEntries(
      payments.map(({ id, amount, creditor, remittance }) => [
        id,
        [amount, creditor.name, creditor.account, creditor.bic, remittance],
      ]),
    ),
  });
