/**
 * Movements of money: payments as they were booked, and what of them went back or was taken back. They follow from the
 * session. A refund counts from the request on, as its money is spoken for, until it has failed; a reversal until the
 * merchant has won: so the movements of a session come to what its attempts hold (see `heldOf`).
 */
import { derivedId } from '../lib/id.ts';
import type { CheckoutId, MovementId } from './ids.ts';
import type { Checkout } from './session.ts';
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
};

export function movementsOf(checkout: Checkout): Movement[] {
  const { id, currency, payments, refunds, reversals } = checkout;
  const movement = (
    type: MovementType,
    createdAt: TenantTime,
    rail: string,
    reference: string,
    amount: number,
    late = false,
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
    late,
  });
  return [
    ...payments.map(({ rail, reference, bookedAt, amount, late }) =>
      movement('payment', bookedAt, rail, reference, amount, late),
    ),
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
