/** Formats that sessions are exported in. */
import { decimalAmount } from '../../checkout/money.ts';
import { type Columns, csvHead, csvLines } from '../../lib/csv.ts';
import { jsonLine } from '../export.ts';
import type { Session } from './view.ts';

const columns: Columns<Session> = [
  ['created_at', ({ created_at }) => created_at],
  ['id', ({ id }) => id],
  ['reference_id', ({ reference_id }) => reference_id],
  ['description', ({ transaction_description }) => transaction_description],
  ['customer', ({ customer }) => customer],
  ['customer_name', ({ customer_details }) => customer_details.name],
  ['customer_email', ({ customer_details }) => customer_details.email],
  ['currency', ({ invoice_currency }) => invoice_currency],
  ['amount', ({ amount, invoice_currency }) => decimalAmount(amount, invoice_currency)],
  ['amount_paid', ({ amount_paid, invoice_currency }) => decimalAmount(amount_paid, invoice_currency)],
  ['status', ({ status }) => status],
  ['payment_status', ({ payment_status }) => payment_status],
  ['expires_at', ({ expires_at }) => expires_at ?? ''],
  ['url', ({ url }) => url],
];

export type FormatName = 'csv' | 'jsonl';

type Format = {
  readonly type: string;
  /** Beginning of the file, before all sessions. */
  readonly head: string;
  readonly linesOf: (sessions: readonly Session[]) => string;
};

export const formats: Readonly<Record<FormatName, Format>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvHead(columns),
    linesOf: (sessions) => csvLines(columns, sessions),
  },
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    head: '',
    linesOf: (sessions) => sessions.map(jsonLine).join(''),
  },
};
