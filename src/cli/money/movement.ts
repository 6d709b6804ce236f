/** Movements of money and their totals as commands read and show them. */
import { decimalAmount, formatAmount } from '../../checkout/money.ts';
import type { representMovement, representTotal } from '../../checkout/representation.ts';
import { printable } from '../printable.ts';

export type Movement = ReturnType<typeof representMovement>;
export type Total = ReturnType<typeof representTotal>;

export const movementKeys = {
  id: 'Id of the movement, `mov_…`.',
  created_at: 'Time of the payment, refund or reversal.',
  type: '`payment`, `refund` or `reversal`.',
  amount: 'Amount in minor units; positive whichever way the money went.',
  currency: 'ISO 4217 currency code.',
  payin: 'Id of the session.',
  rail: 'The rail.',
  reference: 'Id of the payment or reversal at the rail, or of the refund.',
  late: 'True for a payment after the end.',
} as const;

export function movementLine(movement: Movement): string {
  const { id, created_at, type, amount, currency, payin, rail, reference, late } = movement;
  const sign = type === 'payment' ? '' : '-';
  const columns = [id, created_at, `${sign}${formatAmount(amount, currency)}`, type, payin, rail, reference];
  return [...columns, ...(late ? ['late'] : [])].map(printable).join('  ');
}

export const totalKeys = {
  from: 'Start of the interval.',
  to: 'End of the interval, which does not belong to it.',
  currency: 'ISO 4217 currency code.',
  received: 'Payments: their `count`, and their `amount` in minor units.',
  late: 'Those of them that came after the end.',
  refunded: 'Refunds that have not failed.',
  reversed: 'Reversals that you have not won.',
  sessions: 'Sessions that were created in the interval, by their status now.',
} as const;

export function totalLine({ from, to, currency, received, refunded, reversed, sessions }: Total): string {
  const sum = (name: string, { count, amount }: Total['received'], sign = '') =>
    `${name} ${count > 0 ? sign : ''}${decimalAmount(amount, currency)} (${count})`;
  return [
    `${from} to ${to}`,
    currency,
    sum('received', received),
    sum('refunded', refunded, '-'),
    sum('reversed', reversed, '-'),
    `sessions ${sessions.created}, completed ${sessions.completed}`,
  ].join('  ');
}
