/** Money of a session as its payer reads it: one description for receipts, invoices and pages. */
import { totalOf } from '../checkout/items.ts';
import type { Checkout } from '../checkout/session.ts';
import {
  amountDue,
  amountPaid,
  amountRefunded,
  amountTakenBack,
  excessOf,
  payerReferenceOf,
} from '../checkout/statuses.ts';
import type { Locale } from '../i18n/locale.ts';
import { paymentMethodName } from '../i18n/method-names.ts';

/** Money that moved. `what` is a text in the payer's language, `at` in milliseconds since the epoch. */
export type Movement = {
  readonly at: number;
  readonly what: string;
  readonly reference: string;
  /** In minor units. */
  readonly amount: number;
};

/** A sum in minor units with its label, below zero for a discount; `isTotal` for what matters most. */
export type Sum = { readonly label: string; readonly amount: number; readonly isTotal?: boolean };

export function paymentsOf(checkout: Checkout, { language }: Locale): Movement[] {
  return checkout.payments.map((payment) => ({
    at: payment.bookedAt,
    what: paymentMethodName(language.messages, checkout, payment),
    reference: payerReferenceOf(checkout, payment),
    amount: payment.amount,
  }));
}

/**
 * Refunds that are under way or done, and what the bank or the card network has taken back. A refund that failed is for
 * the merchant to mend, and a reversal that is won has moved no money in the end.
 */
export function goneBack(checkout: Checkout, { language }: Locale): Movement[] {
  const { takenBack, document } = language.messages;
  return [
    ...checkout.refunds.flatMap(({ status, createdAt: at, id, reference, amount }) => {
      if (status === 'failed') return [];
      // While the refund waits in a payment file, its reference is that of the file.
      const known = status === 'pending' ? id : reference || id;
      return { at, what: document.refundStatuses[status], reference: known, amount };
    }),
    ...checkout.reversals
      .filter(({ status }) => status !== 'won')
      .map((reversal) => ({
        at: reversal.createdAt,
        what: takenBack,
        reference: payerReferenceOf(checkout, reversal),
        amount: reversal.amount,
      })),
  ].sort((one, other) => one.at - other.at);
}

/** Sums of what came and went; those of nothing are left out. */
export function movedSums(checkout: Checkout, { language }: Locale): Sum[] {
  const { paid, takenBack, document } = language.messages;
  return filled([
    { label: paid, amount: amountPaid(checkout) },
    { label: document.refunded, amount: amountRefunded(checkout) },
    { label: takenBack, amount: amountTakenBack(checkout) },
  ]);
}

/** Composition of the total, what of it came and went, and what is still due, as long as it can be paid, or too much. */
export function sumsOf(checkout: Checkout, locale: Locale): Sum[] {
  const { amount, items, lifecycle } = checkout;
  const { messages } = locale.language;
  const beyond = items.length === 0 ? 0 : amount - (totalOf(items) ?? amount);
  const isPartlyPaid = lifecycle.state === 'active' && amountPaid(checkout) > 0;
  return [
    ...filled([{ label: beyond > 0 ? messages.otherCharges : messages.discount, amount: beyond }]),
    { label: messages.total, amount, isTotal: true },
    ...movedSums(checkout, locale),
    ...filled([
      { label: messages.remaining, amount: isPartlyPaid ? amountDue(checkout) : 0, isTotal: true },
      { label: messages.document.excess, amount: excessOf(checkout) },
    ]),
  ];
}

const filled = (sums: readonly Sum[]): Sum[] => sums.filter(({ amount }) => amount !== 0);
