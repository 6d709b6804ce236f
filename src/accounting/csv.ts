/** Movements as CSV, for spreadsheets and programs that have columns chosen at the import. */
import { decimalAmount } from '../checkout/money.ts';
import { type Columns, csvOf } from '../lib/csv.ts';
import type { DayOf, Movement, Movements } from './movement.ts';

const columnsFor = (dayOf: DayOf): Columns<Movement> => [
  ['date', ({ created_at }) => dayOf(created_at)],
  ['created_at', ({ created_at }) => created_at],
  ['id', ({ id }) => id],
  ['type', ({ type }) => type],
  ['currency', ({ currency }) => currency],
  ['amount', ({ amount, currency }) => decimalAmount(amount, currency)],
  ['fee_currency', ({ fee }) => fee?.currency ?? ''],
  ['fee', ({ fee }) => (fee === null ? '' : decimalAmount(fee.amount, fee.currency))],
  ['rail', ({ rail }) => rail],
  ['reference', ({ reference }) => reference],
  ['payin', ({ payin }) => payin],
  ['reference_id', ({ reference_id }) => reference_id],
  ['refund_status', ({ refund_status }) => refund_status],
  ['late', ({ late }) => String(late)],
];

export const movementsAsCsv = (movements: Movements, dayOf: DayOf): AsyncGenerator<string> =>
  csvOf(columnsFor(dayOf), movements);
