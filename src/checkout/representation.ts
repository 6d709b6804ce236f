/** Public representation of a session and its parts, and of a customer: API, webhooks and SDK share it. */
import type { Customer } from './customer.ts';
import type { Item } from './items.ts';
import { decimalAmount, formatAmount } from './money.ts';
import type { ListedMovement, Movement } from './movements.ts';
import type { Attempt, Checkout, Payer, Phone, Refund, Reversal } from './session.ts';
import {
  amountPaid,
  amountRefunded,
  isPaidInExcess,
  isPartiallyPaid,
  openTransfer,
  payinStatusOf,
  paymentStatusOf,
  statusOf,
} from './statuses.ts';
import type { Moved, Sum, Total } from './totals.ts';

/** `checkoutUrl` is the address under which payers reach this service, without a trailing slash. */
export function representCheckout(checkout: Checkout, checkoutUrl: string) {
  const url = paymentUrl(checkout, checkoutUrl);
  return {
    id: checkout.id,
    object: 'checkout',
    invoice_currency: checkout.currency,
    amount: checkout.amount,
    amount_paid: amountPaid(checkout),
    customer: checkout.payer.customer,
    customer_details: representPayer(checkout.payer),
    billing_details: checkout.payer.billingDetails,
    shipping_details: checkout.payer.shippingDetails,
    items: checkout.items.map(representItem),
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
    webhook_url: checkout.webhookUrl,
    payment_methods: checkout.methods,
    transaction_description: checkout.description,
    expires_at: checkout.expiresAt === null ? null : timestamp(checkout.expiresAt),
    created_at: timestamp(checkout.createdAt),
    url,
    token: checkout.token,
    status: statusOf(checkout),
    payment_status: paymentStatusOf(checkout),
    payment_status_description: paymentStatusDescription(checkout),
    payin: checkout.id,
    payment_attempts: checkout.attempts.map((attempt) => representAttempt(checkout, attempt)),
    latest_payment_attempt: checkout.attempts.at(-1)?.id ?? '',
    partially_paid: isPartiallyPaid(checkout),
    paid_in_excess: isPaidInExcess(checkout),
    transaction_documents: transactionDocuments(checkout, url),
    reference_id: checkout.referenceId,
    metadata: checkout.metadata,
  };
}

export function representItem({ name, description = '', quantity, unitPrice }: Item) {
  return { name, description, quantity, unit_price: unitPrice, amount: quantity * unitPrice };
}

export function representAttempt(checkout: Checkout, attempt: Attempt) {
  return {
    id: attempt.id,
    object: 'payment_attempt',
    created_at: timestamp(attempt.createdAt),
    amount: attempt.amount,
    charge_currency: checkout.currency,
    payin: checkout.id,
    checkout: checkout.id,
    reference_id: checkout.referenceId,
    customer: checkout.payer.customer,
    status: attempt.status,
    status_description: attemptDescription(checkout, attempt),
    payment_method_details: { type: attempt.method, rail: attempt.rail, reference: attempt.reference },
    refunded: isRefunded(checkout, attempt),
    metadata: attempt.metadata ?? {},
  };
}

/** True if everything that the attempt has brought has gone back. */
function isRefunded(checkout: Checkout, { id }: Attempt): boolean {
  const received = sumOf(checkout.payments.filter(({ attempt }) => attempt === id));
  const given = sumOf(
    checkout.refunds.filter(({ attempt, status }) => attempt === id && status === 'succeeded'),
  );
  return received > 0 && given >= received;
}

function sumOf(parts: ReadonlyArray<{ readonly amount: number }>): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

export function representRefund(checkout: Checkout, refund: Refund) {
  return {
    id: refund.id,
    object: 'refund',
    created_at: timestamp(refund.createdAt),
    amount: refund.amount,
    currency: checkout.currency,
    payin: checkout.id,
    payment_attempt: refund.attempt,
    reference_id: checkout.referenceId,
    status: refund.status,
    status_description: refund.failure,
    reason: refund.reason,
    remarks: refund.remarks,
    reference: refund.reference,
    payment_file: refund.paymentFile ?? '',
    bank_entries: refund.bankEntries ?? [],
    webhook_url: refund.webhookUrl,
    metadata: refund.metadata,
  };
}

export function representReversal(checkout: Checkout, reversal: Reversal) {
  return {
    object: 'reversal',
    kind: reversal.kind,
    reference: reversal.reference,
    created_at: timestamp(reversal.createdAt),
    amount: reversal.amount,
    currency: checkout.currency,
    payin: checkout.id,
    payment_attempt: reversal.attempt,
    status: reversal.status,
    reason: reversal.reason,
  };
}

export function representPayin(checkout: Checkout, checkoutUrl: string) {
  const whole = representCheckout(checkout, checkoutUrl);
  return {
    id: checkout.id,
    object: 'payin',
    checkout: checkout.id,
    created_at: whole.created_at,
    status: payinStatusOf(checkout),
    status_description: whole.payment_status_description,
    invoice_currency: whole.invoice_currency,
    amount: whole.amount,
    amount_paid: whole.amount_paid,
    partially_paid: whole.partially_paid,
    paid_in_excess: whole.paid_in_excess,
    amount_refunded: amountRefunded(checkout),
    refunds: checkout.refunds.map((refund) => representRefund(checkout, refund)),
    reversals: checkout.reversals.map((reversal) => representReversal(checkout, reversal)),
    customer: whole.customer,
    customer_details: whole.customer_details,
    billing_details: whole.billing_details,
    shipping_details: whole.shipping_details,
    items: whole.items,
    client_token: whole.token,
    success_url: whole.success_url,
    cancel_url: whole.cancel_url,
    webhook_url: whole.webhook_url,
    transaction_description: whole.transaction_description,
    payment_attempts: whole.payment_attempts,
    latest_payment_attempt: whole.latest_payment_attempt,
    transaction_documents: whole.transaction_documents,
    reference_id: whole.reference_id,
    metadata: whole.metadata,
  };
}

export function representMovement(movement: ListedMovement) {
  return {
    id: movement.id,
    object: 'movement',
    created_at: timestamp(movement.createdAt),
    type: movement.type,
    amount: movement.amount,
    currency: movement.currency,
    payin: movement.checkout,
    rail: movement.rail,
    reference: movement.reference,
    reference_id: movement.referenceId,
    refund_status: movement.refundStatus ?? '',
    late: movement.late,
    time_to_pay_ms: movement.timeToPayMs,
    fee: representFee(movement),
  };
}

/** The fee of a movement, which has both its amount and its currency, or neither. */
function representFee({ fee, feeCurrency }: Movement) {
  return fee === null || feeCurrency === null ? null : { amount: fee, currency: feeCurrency };
}

const representSum = ({ count, amount }: Sum) => ({ count, amount: Number(amount) });

function representMoved({ received, late, refunded, reversed, fees }: Moved) {
  return {
    received: representSum(received),
    late: representSum(late),
    refunded: representSum(refunded),
    reversed: representSum(reversed),
    fees: fees.map((fee) => ({ ...representSum(fee), currency: fee.currency })),
  };
}

/** Sums that are too large for a number are for the caller to refuse. */
export function representTotal(total: Total) {
  const { from, to, currency, rails, open, excess, timeToPay, sessions } = total;
  return {
    object: 'total',
    from: timestamp(from),
    to: timestamp(to),
    currency,
    ...representMoved(total),
    rails: rails.map((each) => ({ rail: each.rail, ...representMoved(each) })),
    open: open && representSum(open),
    excess: excess && representSum(excess),
    time_to_pay: {
      within_1_minute: timeToPay.within1Minute,
      within_10_minutes: timeToPay.within10Minutes,
      within_1_hour: timeToPay.within1Hour,
      within_1_day: timeToPay.within1Day,
      within_1_week: timeToPay.within1Week,
      over_1_week: timeToPay.over1Week,
    },
    sessions: {
      created: sessions.created,
      active: sessions.active,
      completed: sessions.completed,
      expired: sessions.expired,
      partially_paid: sessions.partiallyPaid,
      paid_in_excess: sessions.paidInExcess,
    },
  };
}

export function representCustomer(customer: Customer) {
  return {
    id: customer.id,
    object: 'customer',
    created_at: timestamp(customer.createdAt),
    name: customer.name,
    email: customer.email,
    country: customer.country,
    phone: serializePhone(customer.phone),
    billing: customer.billing,
    shipping: customer.shipping,
    reference_id: customer.referenceId,
    metadata: customer.metadata,
  };
}

/** Address of the payer's page: `{checkout_url}/transaction/<token>`. */
export function paymentUrl(checkout: Checkout, checkoutUrl: string): string {
  return `${checkoutUrl}/transaction/${checkout.token}`;
}

/** ISO 8601 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

function representPayer(payer: Payer) {
  return {
    customer: payer.customer,
    name: payer.name,
    email: payer.email,
    country: payer.country,
    phone: serializePhone(payer.phone),
    billing_details: payer.billingDetails,
    shipping_details: payer.shippingDetails,
  };
}

export function serializePhone(phone: Phone | null) {
  return phone === null ? null : { calling_code: phone.callingCode, number: phone.number };
}

/** A receipt from the first payment on, and an invoice while a transfer is awaited. */
function transactionDocuments(checkout: Checkout, url: string) {
  return [
    ...(checkout.payments.length > 0 ? [{ type: 'receipt', url: `${url}/receipt.pdf` }] : []),
    ...(openTransfer(checkout) ? [{ type: 'invoice', url: `${url}/invoice.pdf` }] : []),
  ];
}

const reversalSentences = {
  dispute: {
    open: (amount: string) => `The payer disputes ${amount}.`,
    lost: (amount: string) => `The payer has disputed ${amount} and got it back.`,
  },
  return: {
    open: (amount: string) => `The bank wants ${amount} back.`,
    lost: (amount: string) => `The bank took back ${amount}.`,
  },
};

function paymentStatusDescription(checkout: Checkout): string {
  const paid = amountPaid(checkout);
  const sentences: string[] = [];
  if (isPartiallyPaid(checkout)) {
    sentences.push(`${decimalAmount(paid, checkout.currency)} of ${total(checkout)} is paid.`);
  }
  if (isPaidInExcess(checkout)) {
    sentences.push(`Paid ${formatAmount(paid - checkout.amount, checkout.currency)} in excess.`);
  }
  const refunded = amountRefunded(checkout);
  if (refunded > 0) sentences.push(`Refunded ${formatAmount(refunded, checkout.currency)}.`);
  for (const { kind, status, amount } of checkout.reversals) {
    if (status !== 'won') {
      sentences.push(reversalSentences[kind][status](formatAmount(amount, checkout.currency)));
    }
  }
  if (checkout.payments.some((payment) => payment.late)) {
    sentences.push('Money arrived late, after the session had expired or the attempt had ended.');
  }
  return sentences.join(' ');
}

function attemptDescription(checkout: Checkout, attempt: Attempt): string {
  if (attempt.status !== 'succeeded') return attempt.reason;
  const received = sumOf(checkout.payments.filter((payment) => payment.attempt === attempt.id));
  return received === attempt.amount
    ? ''
    : `Received ${decimalAmount(received, checkout.currency)} of ${formatAmount(attempt.amount, checkout.currency)}.`;
}

function total(checkout: Checkout): string {
  return formatAmount(checkout.amount, checkout.currency);
}
