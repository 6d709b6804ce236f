/**
 * Rail of bank transfers: nobody is asked when a payment starts. The payer gets the details of an account and a
 * reference, and bank statements show what has arrived (see `src/banking`).
 */

import type { Attempt, JsonObject } from '../../checkout/session.ts';
import { randomText } from '../../lib/id.ts';
import type { Method } from '../catalogue.ts';
import type { Occasion, Rail } from '../method.ts';
import { type Instructions, instructionsFor, referenceKindOf } from './instructions.ts';
import { BANK, methodsOf, type ReceivingAccount } from './receiving-account.ts';
import { newReference } from './references.ts';

/** Account that accepts transfers by this method, or undefined. */
function receivingAccount(
  { id }: Method,
  { account, mode, currency }: Pick<Occasion, 'account' | 'mode' | 'currency'>,
): ReceivingAccount | undefined {
  return account.settings[mode].receivingAccounts.find(
    (each) => each.currency === currency && methodsOf(each).includes(id),
  );
}

const TRANSFERS = /^(wire_transfer|local_bank_transfer_[a-z]{3}|paynow_sgd|promptpay_thb|pix_brl|upi_inr)$/;

export const bank: Rail = {
  name: BANK,
  capabilities: { traits: { standing: true }, refunds: 'file', leavesPage: false },

  offers: (method, occasion) => receivingAccount(method, occasion) !== undefined,

  missing: (method, { currency }) =>
    TRANSFERS.test(method.id) ? `a receiving account in ${currency} (opentill bank account set)` : null,

  plan(_checkout, method, occasion) {
    const account = receivingAccount(method, occasion);
    if (!account) throw new Error(`no receiving account for ${method.id} in ${occasion.currency}`);
    const reference = newReference(referenceKindOf(account, method.id), randomText);
    // The instructions of a payer must not change while the transfer is on its way, whatever the operator configures.
    return {
      reference,
      status: 'requires_action',
      syncAt: null,
      details: { account: account as JsonObject },
    };
  },

  /** There is nobody to ask: the operator provides the statements. */
  sync: async (_checkout, { status, reason }) => ({ status, reason, syncAt: null, payment: null }),

  /** The operator sends the refund to the bank in a payment file; the statement with its booking settles it. */
  refund: async (_checkout, { reference }) => ({ status: 'pending', reference, failure: '', syncAt: null }),
};

/** Details of the transfer for the payer, or null for an attempt of another rail. */
export function transferOf({ rail, details, method, amount, reference }: Attempt): Instructions | null {
  if (rail !== BANK || details.account === undefined) return null;
  const account = details.account as ReceivingAccount;
  return instructionsFor(account, method, { amount, reference });
}
