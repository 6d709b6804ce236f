/** Movements of money and their totals as commands read and show them. */
import { decimalAmount, formatAmount } from '../../checkout/money.ts';
import type { representMovement, representTotal } from '../../checkout/representation.ts';
import { formatSpan } from '../moment.ts';
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
  reference_id: 'Your reference of the session.',
  refund_status: '`pending` or `succeeded` for a refund; empty for other movements.',
  late: 'True for a payment after the end.',
  time_to_pay_ms:
    'Milliseconds from the creation of the session to the payment that completed it; null for other movements.',
  fee: 'Fee that the provider kept of a payment: its `amount` in minor units, and its own `currency`; null where none is known.',
} as const;

export function movementLine(movement: Movement): string {
  const { id, created_at, type, amount, currency, payin, rail, reference } = movement;
  const sign = type === 'payment' ? '' : '-';
  const columns = [id, created_at, `${sign}${formatAmount(amount, currency)}`, type, payin, rail, reference];
  if (movement.late) columns.push('late');
  if (movement.time_to_pay_ms !== null) columns.push(`paid after ${formatSpan(movement.time_to_pay_ms)}`);
  if (movement.fee !== null) columns.push(`fee ${formatAmount(movement.fee.amount, movement.fee.currency)}`);
  return columns.map(printable).join('  ');
}

export const totalKeys = {
  from: 'Start of the interval.',
  to: 'End of the interval, which does not belong to it.',
  currency: 'ISO 4217 currency code.',
  received: 'Payments: their `count`, and their `amount` in minor units.',
  late: 'Those of them that came after the end.',
  refunded: 'Refunds that have not failed.',
  reversed: 'Reversals that you have not won.',
  fees: 'Fees that are known of the payments, for each currency of fees: the `count` of payments, the `amount`, and the `currency`.',
  rails: 'The same sums of each rail, with its name as `rail`.',
  open: 'What active sessions of those below are still owed: their `count`, and the `amount`; null where they are too many to add up.',
  excess: 'What was paid beyond the amounts of those below, even if it went back; null likewise.',
  time_to_pay:
    'Sessions that a payment of the interval completed, by how long that took: `within_1_minute`, `within_10_minutes`, `within_1_hour`, `within_1_day` and `within_1_week`, of which each includes those before it, and `over_1_week`.',
  sessions: 'Sessions that were created in the interval, by their status now.',
} as const;

export function totalLine(total: Total): string {
  const { from, to, currency, received, refunded, reversed, fees, open, excess } = total;
  const { time_to_pay: times, sessions } = total;
  const sum = (name: string, { count, amount }: Total['received'], sign = '') =>
    `${name} ${count > 0 ? sign : ''}${decimalAmount(amount, currency)} (${count})`;
  return [
    `${from} to ${to}`,
    currency,
    sum('received', received),
    sum('refunded', refunded, '-'),
    sum('reversed', reversed, '-'),
    ...fees.map(({ count, amount, currency: own }) => `fees ${formatAmount(amount, own)} (${count})`),
    `paid within 1m ${times.within_1_minute}, 10m ${times.within_10_minutes}, 1h ${times.within_1_hour}, 1d ${times.within_1_day}, 1w ${times.within_1_week}, later ${times.over_1_week}`,
    `sessions ${sessions.created}, completed ${sessions.completed}`,
    open === null ? 'open too many' : sum('open', open),
    excess === null ? 'excess too many' : sum('excess', excess),
  ].join('  ');
}
