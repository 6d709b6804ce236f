/** Public representation of what an import would do. */
import type { BankFileId } from '../banking/bank-file.ts';
import type { ForeseenEntry, ForeseenStatement, StatementPreview } from './preview.ts';

type File = {
  readonly name: string;
  readonly hash: string;
  /** Id of the statement, if the file was imported before. */
  readonly imported: BankFileId | null;
};

export function representPreview(
  { format, statements, counts, entries, faults }: StatementPreview,
  { name, hash, imported }: File,
) {
  return {
    object: 'bank_statement_preview',
    sha256: hash,
    name,
    format: format ?? '',
    imported_as: imported,
    entries: counts.entries,
    known: counts.known,
    settled: counts.settled,
    open: counts.open,
    not_matched: counts.unmatched,
    mistakes: counts.faults,
    statements: statements.map(representStatement),
    first_entries: entries.map(representForeseen),
    first_mistakes: faults.map(({ line, entry, column, detail }) => ({
      line,
      entry,
      column,
      message: `${detail}.`,
    })),
  };
}

const representStatement = ({ header, account, entries, credits, debits, from, to }: ForeseenStatement) => ({
  number: header.statementId,
  receiving_account: account ?? '',
  currency: header.currency,
  from: header.fromDate ?? from,
  to: header.toDate ?? to,
  entries,
  amount_in: credits,
  amount_out: debits,
});

const representForeseen = ({ line, entry, state }: ForeseenEntry) => ({
  line,
  status: state ?? '',
  problem: entry.problem ?? '',
  direction: entry.direction,
  amount: entry.amount,
  currency: entry.currency,
  booked_on: entry.bookedOn,
  value_on: entry.valueOn,
  counterparty: {
    name: entry.counterparty.name,
    account: entry.counterparty.account,
    bic: entry.counterparty.bic,
  },
  creditor_reference: entry.creditorReference,
  end_to_end_id: entry.endToEndId,
  remittance: entry.remittance,
  bank_reference: entry.bankReference,
  concerns: entry.concerns,
  parts: entry.parts.map(({ checkout, amount }) => ({ payin: checkout, amount })),
  suggestions: entry.suggestions.map(({ checkout, score }) => ({ payin: checkout, score })),
});
