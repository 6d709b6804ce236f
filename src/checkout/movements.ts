/**
 * Movements of money: payments as they were booked, and what of them went back or was taken back. They follow from the
 * session. A refund counts from the request on, as its money is spoken for, until it has failed; a reversal until the
 * merchant has won: so the movements of a session come to what its attempts hold (see `heldOf`).
 */
import { derivedId } from '../lib/id.ts';
import type { CheckoutId, MovementId } from './ids.ts';
import type { Checkout, Payment } from './session.ts';
import { feeOf } from './statuses.ts';
import type { TenantTime } from './tenant.ts';

export const movementTypes = ['payment', 'refund', 'reversal'] as const;
export type MovementType = (typeof movementTypes)[number];

export type Movement = {
  readonly id: MovementId;
  readonly type: MovementType;
  readonly createdAt: TenantTime;
  readonly checkout: CheckoutId;
  readonly rail: string;
  /** The rail's own id of the payment or reversal; that of the refund. */
  readonly reference: string;
  readonly currency: string;
  /** In minor units, positive whichever way the money went. */
  readonly amount: number;
  /** True for a payment that was booked after the session had expired or the attempt had been given up. */
  readonly late: boolean;
  /** Milliseconds from the creation of the session to the payment that completed it; null for every other movement. */
  readonly timeToPayMs: number | null;
  /** Fee that the provider kept of a payment, in minor units of its own currency; both null where none is known. */
  readonly fee: number | null;
  readonly feeCurrency: string | null;
};

/** A movement in a list, beside facts of its session that may change. */
export type ListedMovement = Movement & {
  /** The merchant's own reference of the session. */
  readonly referenceId: string;
  /** State of the refund; null for every other movement. */
  readonly refundStatus: 'pending' | 'succeeded' | null;
};

export function movementsOf(checkout: Checkout): Movement[] {
  const { id, currency, payments, refunds, reversals } = checkout;
  const completing = completingOf(checkout);
  const movement = (
    type: MovementType,
    createdAt: TenantTime,
    rail: string,
    reference: string,
    amount: number,
    more: Partial<Pick<Movement, 'late' | 'timeToPayMs' | 'fee' | 'feeCurrency'>> = {},
  ): Movement => ({
    // A payment and a reversal are unique by type, rail and reference, a refund by its id.
    id: derivedId('mov', createdAt, `${type} ${rail} ${reference}`),
    type,
    createdAt,
    checkout: id,
    rail,
    reference,
    currency,
    amount,
    late: false,
    timeToPayMs: null,
    fee: null,
    feeCurrency: null,
    ...more,
  });
  return [
    ...payments.map((payment) => {
      const { rail, reference, bookedAt, amount, late } = payment;
      const timeToPayMs = payment === completing ? Math.max(0, bookedAt - checkout.createdAt) : null;
      const { amount: fee = null, currency: feeCurrency = null } = feeOf(checkout, payment) ?? {};
      return movement('payment', bookedAt, rail, reference, amount, { late, timeToPayMs, fee, feeCurrency });
    }),
    ...refunds
      .filter(({ status }) => status !== 'failed')
      .map(({ id: refund, rail, createdAt, amount }) => movement('refund', createdAt, rail, refund, amount)),
    ...reversals
      .filter(({ status }) => status !== 'won')
      .map(({ rail, reference, createdAt, amount }) =>
        movement('reversal', createdAt, rail, reference, amount),
      ),
  ];
}

/**
 * The payment that completed the session, which no command does without one: a payment that was booked at the time of
 * completion. The order of payments tells nothing, as `db check` reads them in any. Of several with that time, which all
 * took as long, it is the first by rail and reference.
 */
function completingOf({ lifecycle, payments }: Checkout): Payment | null {
  if (lifecycle.state !== 'completed') return null;
  const [first = null] = payments
    .filter(({ bookedAt }) => bookedAt === lifecycle.at)
    .sort((one, other) => compare(one.rail, other.rail) || compare(one.reference, other.reference));
  return first;
}

/** In the order of code units, which is the same everywhere. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
