/** Refunds at Stripe: made once, however often they are requested. */

import type Stripe from 'stripe';
import type { Checkout, Refund } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { RefundAnswer } from '../method.ts';
import { toStripeAmount } from './amounts.ts';
import { type Ask, alertOf, StripeTrouble } from './client.ts';
import { metadataOf } from './page.ts';
import { refundAnswer, refundFailed, refundPending } from './refund-answer.ts';

/** Age from which an earlier try may have been made whose answer was lost. */
const SECOND_TRY_MS = 30_000;

/**
 * Stripe forgets an idempotency key when it is older than 24 hours, see
 * https://docs.stripe.com/api/idempotent_requests. Until then it repeats its answer to the first try, even an error.
 */
const KEY_LIFETIME_MS = 23 * 60 * 60_000;

/** A payment cannot have had more refunds than fit on one page of the list. */
const REFUNDS_OF_A_PAYMENT = 100;

export async function refundAtStripe(
  ask: Ask,
  checkout: Checkout,
  refund: Refund,
  nowMs: TenantTime,
): Promise<RefundAnswer> {
  const pending = refundPending(refund.createdAt, nowMs);
  try {
    const found = refund.reference
      ? await retrieve(ask, checkout, refund.reference)
      : await make(ask, checkout, refund, nowMs);
    return typeof found === 'string' ? refundFailed(found) : refundAnswer(found, refund, nowMs);
  } catch (error) {
    if (!(error instanceof StripeTrouble)) throw error;
    const reference = refund.reference;
    // Only the question was refused: the refund itself may be fine.
    return { ...pending, reference, ...alertOf(refund.id, error) };
  }
}

/** The refund, or the reason why there can be none. */
async function make(
  ask: Ask,
  checkout: Checkout,
  refund: Refund,
  nowMs: TenantTime,
): Promise<Stripe.Refund | string> {
  const { currency, tenant, payments } = checkout;
  const intent = payments.find((each) => each.attempt === refund.attempt && each.rail === refund.rail);
  if (!intent) return 'Stripe has no payment for this attempt.';
  const amount = toStripeAmount(refund.amount, currency);
  if (amount === null) return `Stripe cannot express this amount of ${currency}.`;

  const age = nowMs - refund.createdAt;
  const days = Math.floor(age / KEY_LIFETIME_MS);
  if (age >= SECOND_TRY_MS) {
    const earlier = await findRefund(ask, checkout, refund, intent.reference);
    if (earlier) return earlier;
  }
  const made = ask(tenant, (stripe) =>
    stripe.refunds.create(
      {
        payment_intent: intent.reference,
        amount,
        metadata: { ...metadataOf(checkout, { id: refund.attempt }), refund: refund.id },
      },
      { idempotencyKey: days > 0 ? `${refund.id}-${days}` : refund.id },
    ),
  );
  return made.catch(async (error: StripeTrouble) => {
    if (error.kind !== 'refused' && error.kind !== 'key_reused') throw error;
    // There may be nothing left because an earlier try has taken it.
    const earlier = await findRefund(ask, checkout, refund, intent.reference);
    if (earlier) return earlier;
    if (error.kind === 'key_reused') throw error;
    return refusalInWords(error);
  });
}

async function findRefund(
  ask: Ask,
  { tenant }: Checkout,
  refund: Refund,
  intent: string,
): Promise<Stripe.Refund | undefined> {
  const { data } = await ask(tenant, (stripe) =>
    stripe.refunds.list({ payment_intent: intent, limit: REFUNDS_OF_A_PAYMENT }),
  );
  return data.find(({ metadata }) => metadata?.refund === refund.id);
}

async function retrieve(ask: Ask, { tenant }: Checkout, reference: string): Promise<Stripe.Refund> {
  return ask(tenant, (stripe) => stripe.refunds.retrieve(reference));
}

function refusalInWords({ code, parameter, message }: StripeTrouble): string {
  if (code === 'charge_already_refunded') return 'Stripe has refunded all of the payment already.';
  if (code === 'charge_disputed') return 'The payment is disputed: Stripe no longer refunds it.';
  if (code === 'amount_too_large' || parameter === 'amount') {
    return `Stripe has a smaller rest of the payment: ${message}`;
  }
  return `Stripe refuses the refund: ${message}`;
}
