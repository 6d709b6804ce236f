/** Refunds as commands show them. */
import { formatAmount } from '../checkout/money.ts';

export type Refund = {
  readonly id: string;
  readonly payin: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
};

export const refundKeys = {
  id: 'Id of the refund, `rfd_…`.',
  payin: 'Id of the payin.',
  status: '`pending`, `succeeded` or `failed`.',
  amount: 'Amount, in minor units.',
  currency: 'Its currency.',
} as const;

export function lineOf({ id, status, amount, currency }: Refund): string {
  return [id, status, formatAmount(amount, currency)].join('  ');
}
