/** Bank entries as commands show them. */
import { formatAmount } from '../../checkout/money.ts';
import { idOf } from '../declare/values.ts';
import { printable } from '../printable.ts';

export type Entry = {
  readonly id: string;
  readonly status: string;
  readonly problem: string;
  readonly direction: 'credit' | 'debit';
  readonly amount: number;
  readonly amount_unassigned: number;
  readonly currency: string;
  readonly booked_on: string;
  readonly receiving_account: string;
  readonly counterparty: { readonly name: string; readonly account: string; readonly bic: string };
  readonly creditor_reference: string;
  readonly remittance: string;
  readonly return_reason: string;
  readonly suggestions: ReadonlyArray<{ readonly payin: string; readonly score: number }>;
  readonly sent_back: { readonly amount: number; readonly status: string } | null;
};

export const entryId = idOf('ntc', 'a bank entry');

export const entryKeys = {
  id: 'Id of the bank entry, `ntc_…`.',
  status: '`open`, `waiting`, `done` or `ignored`.',
  problem: 'Reason why it is open, or empty.',
  direction: '`credit` or `debit`.',
  amount: 'Amount, in minor units.',
  amount_unassigned: 'Amount that is not assigned yet.',
  currency: 'Its currency.',
  booked_on: 'Date on which the bank booked it.',
  receiving_account: 'Id of the receiving account.',
  counterparty: 'The other party: name, account and BIC.',
  remittance: 'The text of the transfer.',
  suggestions: 'Payins that it may pay, each with a score.',
  sent_back: 'Transfer back to the payer, or null.',
} as const;

export function pathOf(id: string): string {
  return `/bank_entry/${encodeURIComponent(id)}`;
}

/** The state of an entry after a decision about it. */
export function lineOfState({ id, status, amount_unassigned: left, currency, sent_back }: Entry): string {
  const goesBack = sent_back?.status === 'pending' ? formatAmount(sent_back.amount, currency) : '';
  const columns = [
    id,
    status,
    goesBack === '' ? '' : `${goesBack} goes back with the next payment file`,
    left === 0 ? '' : `${formatAmount(left, currency)} is left`,
  ];
  return columns.filter((text) => text !== '').join('  ');
}

/** All columns are there, so that scripts find them at their places. */
export function lineOf(entry: Entry): string {
  const { id, booked_on, receiving_account, counterparty, problem, suggestions, status } = entry;
  const columns = [
    id,
    booked_on,
    amountOfEntry(entry),
    receiving_account,
    printable(counterparty.name || counterparty.account || counterparty.bic),
    printable(entry.remittance || entry.creditor_reference || entry.return_reason),
    problem,
    suggestions.map(({ payin, score }) => `${payin} (${score})`).join(', '),
    status,
  ];
  return columns.map((text) => text || '-').join('  ');
}

/** The amount; of an entry that is booked in part, what is left comes first. */
function amountOfEntry({ direction, amount, amount_unassigned: left, currency }: Entry): string {
  const whole = `${direction === 'debit' ? '-' : ''}${formatAmount(amount, currency)}`;
  return left > 0 && left < amount ? `${formatAmount(left, currency)} of ${whole}` : whole;
}
