/** State of an attempt, read from Stripe's data, which `page.ts` fetches. */

import type Stripe from 'stripe';
import { formatAmount } from '../../checkout/money.ts';
import type { Attempt, Checkout, Fee } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { RailAnswer, RailReversal, RefundNews } from '../method.ts';
import { fromStripeAmount } from './amounts.ts';
import { backOff } from './back-off.ts';
import { type StripeTrouble, shortened, toldOf } from './client.ts';
import type { Page } from './page.ts';
import { refundAnswer } from './refund-answer.ts';

/** Interval of checking an open page, in case its events do not arrive. */
const LOOK_AGAIN_MS = 10 * 60_000;

/** Objects that exist beside the page once money has moved. */
export type Aftermath = {
  readonly refunds: readonly Stripe.Refund[];
  readonly disputes: readonly Stripe.Dispute[];
  /** Line of the balance for the payment, with its fee; null: not there yet, or not asked for. */
  readonly balance: Stripe.BalanceTransaction | null;
  /** Reason why Stripe does not tell of the balance; null: there is none. */
  readonly untold: StripeTrouble | null;
};

/** There is nothing beside the page, or it is not asked for. */
export const noAftermath: Aftermath = { refunds: [], disputes: [], balance: null, untold: null };

export type Asked = { readonly checkout: Checkout; readonly attempt: Attempt; readonly nowMs: TenantTime };

/** The payer has not paid yet. */
export function waiting({ nowMs }: Pick<Asked, 'nowMs'>): RailAnswer {
  return { status: 'requires_action', reason: '', syncAt: nowMs + LOOK_AGAIN_MS, payment: null };
}

export function failed(reason: string): RailAnswer {
  return { status: 'failed', reason, syncAt: null, payment: null };
}

/** Nothing new is known: an attempt that waits for its payer goes on waiting, everything else is unknown. */
export function notKnown({ attempt, nowMs }: Asked): RailAnswer {
  const isWaiting = attempt.status === 'requires_action';
  const age = nowMs - attempt.createdAt;
  return {
    status: isWaiting ? 'requires_action' : 'unknown',
    reason: '',
    syncAt: nowMs + (isWaiting ? Math.min(backOff(age), LOOK_AGAIN_MS) : backOff(age)),
    payment: null,
  };
}

/** The data makes no sense here: an operator has to look, and the attempt stays as it was. */
export function puzzled(asked: Asked, alert: string): RailAnswer {
  const { attempt, nowMs } = asked;
  const syncAt = nowMs + backOff(nowMs - attempt.createdAt);
  return {
    status: attempt.status,
    reason: '',
    untold: 'answer_unclear',
    syncAt,
    payment: null,
    alert: `${attempt.id}: ${alert}`,
  };
}

/** The payment of a page, if it has come that far; a page that was asked for without it has none. */
export function intentOf({ payment_intent: intent }: Page): Stripe.PaymentIntent | null {
  return typeof intent === 'object' ? intent : null;
}

/** Reason why the page cannot belong to this attempt, or null. */
export function strangeness({ checkout, attempt }: Asked, page: Page): string | null {
  if (page.client_reference_id !== attempt.id)
    return `the page ${page.id} of Stripe belongs to another attempt`;
  if (page.livemode !== (checkout.tenant.mode === 'live')) {
    return `the key of Stripe belongs to the other mode: ${page.id} is ${page.livemode ? 'live' : 'test'}`;
  }
  return null;
}

export function answerFor(asked: Asked, page: Page, aftermath: Aftermath): RailAnswer {
  const strange = strangeness(asked, page);
  if (strange !== null) return puzzled(asked, strange);
  // The money decides first, whatever the state of the page.
  if (page.payment_status === 'paid') return paid(asked, page, aftermath);
  switch (page.status) {
    case 'open':
      return waiting(asked);
    case 'expired':
      return closed(asked);
    case 'complete':
      return page.payment_status === 'unpaid' ? unpaid(asked, page) : unknownState(asked, page);
    default:
      return unknownState(asked, page);
  }
}

function closed({ attempt }: Asked): RailAnswer {
  if (attempt.status !== 'cancelled') return failed('The payment page has expired.');
  return { status: 'cancelled', reason: '', syncAt: null, payment: null };
}

function unknownState(asked: Asked, { id, status, payment_status: paymentStatus }: Page): RailAnswer {
  return puzzled(asked, `the page ${id} of Stripe is in an unknown state: ${status}, ${paymentStatus}`);
}

/** The payer has done everything, and the money is not there yet. */
function unpaid(asked: Asked, page: Page): RailAnswer {
  const intent = intentOf(page);
  switch (intent?.status) {
    case 'canceled':
    case 'requires_payment_method':
      return failed(shortened(intent.last_payment_error?.message || 'The payment was declined.'));
    case undefined:
    case 'processing':
    case 'requires_action':
    case 'requires_confirmation': {
      const { attempt, nowMs } = asked;
      const syncAt = nowMs + backOff(nowMs - attempt.createdAt);
      return { status: 'processing', reason: '', syncAt, payment: null };
    }
    default:
      return puzzled(asked, `${intent?.id} of Stripe is in an unknown state: ${intent?.status}`);
  }
}

function paid(asked: Asked, page: Page, aftermath: Aftermath): RailAnswer {
  const { checkout, attempt } = asked;
  const intent = intentOf(page);
  if (intent?.status !== 'succeeded') {
    return puzzled(asked, `the page ${page.id} of Stripe is paid by a payment that is ${intent?.status}`);
  }
  const { id, currency, amount_received: received } = intent;
  if (currency !== checkout.currency.toLowerCase()) {
    return puzzled(asked, `${id} of Stripe has brought ${currency.toUpperCase()}, not ${checkout.currency}`);
  }
  const amount = fromStripeAmount(received, checkout.currency);
  if (amount === null || amount <= 0) {
    return puzzled(asked, `${id} of Stripe has brought ${received} in its units, which is no amount`);
  }
  const { balance, untold } = aftermath;
  const fee = balance && feeIn(balance);
  const reason = untold && toldOf(untold);
  const alerts = [
    ...(amount === attempt.amount ? [] : [wrongAmount(asked, id, amount)]),
    ...(reason === null ? [] : [`Stripe does not tell the fee of ${id}: ${reason}`]),
    ...(balance && !fee ? [`the fee of ${id} is ${balance.fee} ${balance.currency} in Stripe's units`] : []),
    ...aftermath.disputes.flatMap((each) => alertsOf(each, checkout.currency, amount)),
  ];
  return {
    status: 'succeeded',
    reason: '',
    syncAt: null,
    payment: { reference: id, amount, ...(fee ? { fee } : {}) },
    refunds: aftermath.refunds.flatMap((each) => newsOf(asked, each)),
    reversals: [
      ...aftermath.disputes.flatMap((each) => reversalOfDispute(each, checkout.currency, amount)),
      ...aftermath.refunds.flatMap((each) => reversalOfRefund(asked, each)),
    ],
    ...(alerts.length > 0 ? { alert: `${attempt.id}: ${alerts.join('; ')}` } : {}),
  };
}

/** Fee of a payment, in the currency that Stripe pays out in; null if it is no amount of it. */
function feeIn({ fee, currency: code }: Stripe.BalanceTransaction): Pick<Fee, 'amount' | 'currency'> | null {
  const currency = code.toUpperCase();
  const amount = fromStripeAmount(fee, currency);
  return amount === null || amount < 0 ? null : { amount, currency };
}

function wrongAmount({ checkout: { currency }, attempt }: Asked, intent: string, amount: number): string {
  const asked = formatAmount(attempt.amount, currency);
  return `${intent} of Stripe has brought ${formatAmount(amount, currency)} instead of ${asked}`;
}

/** Our refund that Stripe reports, by its metadata or its id. */
function ownRefund({ checkout }: Asked, { id, metadata }: Stripe.Refund): string | null {
  const own = checkout.refunds.find((each) => each.id === metadata?.refund || each.reference === id);
  return own?.id ?? null;
}

function newsOf(asked: Asked, refund: Stripe.Refund): RefundNews[] {
  const { checkout, nowMs } = asked;
  const own = checkout.refunds.find(({ id }) => id === ownRefund(asked, refund));
  return own ? [{ refund: own.id, ...refundAnswer(refund, own, nowMs) }] : [];
}

/**
 * A refund made at Stripe and not here: its money is gone all the same and reduces what can still be refunded. A refund
 * of ours that is newer than the loaded session carries its id, and is not one of these.
 */
function reversalOfRefund(asked: Asked, refund: Stripe.Refund): RailReversal[] {
  if (ownRefund(asked, refund) !== null || refund.metadata?.refund) return [];
  const amount = fromStripeAmount(refund.amount, asked.checkout.currency);
  if (amount === null) return [];
  const status = refundStatuses[refund.status ?? ''] ?? 'open';
  return [{ kind: 'return', reference: refund.id, amount, reason: 'Refunded at Stripe, not here.', status }];
}

const refundStatuses: Readonly<Record<string, RailReversal['status']>> = {
  succeeded: 'lost',
  failed: 'won',
  canceled: 'won',
};

/**
 * https://docs.stripe.com/api/disputes/object#dispute_object-status. `inquiry`: the bank asks before it takes anything
 * (https://docs.stripe.com/disputes/how-disputes-work); the payment can be refunded, and a refund of all of it ends the
 * inquiry. One that escalates goes on as `needs_response`, by the same id. `prevented` is a dispute that a refund came
 * before: the refund is what takes the money.
 */
const disputeStatuses: Readonly<Record<string, RailReversal['status'] | 'inquiry'>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'inquiry',
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  prevented: 'won',
  won: 'won',
  lost: 'lost',
};

/** Disputed amount; null, which means all of the payment, if it is in another currency or in a part of its unit. */
function disputedAmount({ amount, currency }: Stripe.Dispute, expected: string): number | null {
  return currency === expected.toLowerCase() ? fromStripeAmount(amount, expected) : null;
}

/** Nothing of an inquiry, whatever becomes of it: only a dispute takes money, and only from then on it is told. */
function reversalOfDispute(dispute: Stripe.Dispute, currency: string, whole: number): RailReversal[] {
  const { id: reference, reason } = dispute;
  const status = disputeStatuses[dispute.status] ?? 'open';
  if (status === 'inquiry') return [];
  return [{ kind: 'dispute', reference, amount: disputedAmount(dispute, currency) ?? whole, reason, status }];
}

/** An inquiry has no other way to a person than the operator's: nothing has become of the money yet. */
function alertsOf(dispute: Stripe.Dispute, currency: string, whole: number): string[] {
  const { id, status, amount } = dispute;
  const disputed = disputedAmount(dispute, currency);
  if (disputeStatuses[status] === 'inquiry') {
    const about = formatAmount(disputed ?? whole, currency);
    return status === 'warning_needs_response'
      ? [`the inquiry ${id} of Stripe about ${about} waits for an answer or a refund`]
      : [];
  }
  return [
    ...(disputeStatuses[status] === undefined
      ? [`the dispute ${id} of Stripe is in an unknown state: ${status}`]
      : []),
    ...(disputed === null
      ? [`the dispute ${id} of Stripe is about ${amount} ${dispute.currency.toUpperCase()} in its units`]
      : []),
  ];
}
