/** State of a refund, read from Stripe's data. Pure. */

import type Stripe from 'stripe';
import type { Refund } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { RefundAnswer } from '../method.ts';
import { backOff } from './back-off.ts';

/** https://docs.stripe.com/api/refunds/object#refund_object-failure_reason */
const failures: Readonly<Record<string, string>> = {
  charge_for_pending_refund_disputed: 'The payment was disputed while the refund was under way.',
  declined: 'The bank of the card declined the refund.',
  expired_or_canceled_card: 'The card has expired or was cancelled.',
  insufficient_funds: 'The balance at Stripe was not enough.',
  lost_or_stolen_card: 'The card was reported lost or stolen.',
  merchant_request: 'The refund was cancelled at the request of the merchant.',
};

export function refundAnswer(refund: Stripe.Refund, { createdAt }: Refund, nowMs: TenantTime): RefundAnswer {
  const { id, status, failure_reason: failure = '' } = refund;
  const settled = { reference: id, failure: '', syncAt: null };
  switch (status) {
    case 'succeeded':
      return { ...settled, status };
    case 'failed':
      return {
        ...settled,
        status,
        failure: failures[failure] ?? 'The refund failed; Stripe does not say why.',
      };
    case 'canceled':
      return {
        ...settled,
        status: 'failed',
        failure: failures[failure] ?? 'The refund was cancelled at Stripe.',
      };
    case 'pending':
    case 'requires_action':
      return { ...refundPending(createdAt, nowMs), reference: id };
    default:
      return {
        ...refundPending(createdAt, nowMs),
        reference: id,
        alert: `the refund ${id} of Stripe is in an unknown state: ${status}`,
      };
  }
}

export function refundPending(createdAt: TenantTime, nowMs: TenantTime): RefundAnswer {
  return { status: 'pending', reference: '', failure: '', syncAt: nowMs + backOff(nowMs - createdAt) };
}

export function refundFailed(failure: string): RefundAnswer {
  return { status: 'failed', reference: '', failure, syncAt: null };
}
