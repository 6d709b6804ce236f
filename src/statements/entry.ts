/** Bank statements and their entries, whatever the format. Pure. */

export type Direction = 'credit' | 'debit';

/** One statement of a file. An account with several currencies has one for each of them. */
export type StatementHeader = {
  /** The bank's number of the statement; empty in a CSV file. */
  readonly statementId: string;
  /** IBAN, or the account number of the bank; without blanks. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Signed, in minor units; null if the file does not have it. */
  readonly openingBalance: number | null;
  /** Null as well if it stands after the entries, as in MT940; the entries are checked against it all the same. */
  readonly closingBalance: number | null;
  /** YYYY-MM-DD, of the period of the statement. */
  readonly fromDate: string | null;
  readonly toDate: string | null;
};

export type Counterparty = {
  readonly name: string;
  /** IBAN, or the account number of the bank; without blanks. */
  readonly account: string;
  readonly bic: string;
};

/** Money that came back: a transfer or a direct debit that the other bank returned. */
export type Returned = {
  /** ISO 20022 external code such as `AC04`, or the bank's own; empty if none. */
  readonly reasonCode: string;
  readonly reasonText: string;
  readonly originalEndToEndId: string;
};

/** One movement of money. Every text is one line without blanks around it, and empty if the bank gives none. */
export type StatementEntry = {
  /** Counts the entries of the file: 1, 2, 3 … */
  readonly number: number;
  /** Line of the file where the entry begins, from 1. */
  readonly line: number;
  readonly direction: Direction;
  /** Minor units, not negative. */
  readonly amount: number;
  readonly currency: string;
  /** True if the bank reverses an earlier entry; the direction is that of the money now. */
  readonly isReversal: boolean;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
  readonly valueOn: string | null;
  /** The bank's own id of the entry: AcctSvcrRef, or what follows `//` in MT940. */
  readonly bankReference: string;
  /**
   * The bank's reference of the booking of which this entry is one part, if a booking of several transactions was
   * split. Another file of the bank may have the same booking as one sum, with this as its `bankReference`.
   */
  readonly batchReference: string;
  /** End-to-end id given by the payer; empty for `NOTPROVIDED`. */
  readonly endToEndId: string;
  readonly instructionId: string;
  /** Structured reference (RF…, the 27 digits of a QR-bill, another scheme), without blanks, upper-case. */
  readonly creditorReference: string;
  /** Unstructured text, its parts joined by one blank. */
  readonly remittance: string;
  readonly counterparty: Counterparty;
  /** `PMNT-RCDT-ESCT` (ISO 20022), `NTRF` or `NTRF-166` (MT940), or the bank's own. */
  readonly transactionCode: string;
  readonly returned: Returned | null;
};

/** Parts of a file in order: each statement comes before its entries. */
export type StatementPart =
  | { readonly kind: 'statement'; readonly header: StatementHeader }
  | { readonly kind: 'entry'; readonly header: StatementHeader; readonly entry: StatementEntry }
  /** A row that cannot be read, where reading is to go on behind it. */
  | { readonly kind: 'fault'; readonly fault: Fault };

/** Place of a fault in a file, as far as it is known. */
export type Place = { readonly line: number | null; readonly entry: number | null; readonly column?: string };

/** A fault as data: `column` is the name or the number of a column of a CSV file, or empty. */
export type Fault = Required<Place> & { readonly detail: string };

/** Error for a file that cannot be accepted. The message reads `line 12, entry 3: the amount "1,2,3" is not a number`. */
export class StatementError extends Error {
  override name = 'StatementError';
  readonly line: number | null;
  readonly entry: number | null;
  readonly column: string;
  /** The fault without its place. */
  readonly detail: string;

  constructor(detail: string, { line, entry, column = '' }: Place = { line: null, entry: null }) {
    const where = [line === null ? [] : `line ${line}`, entry === null ? [] : `entry ${entry}`].flat();
    super(
      [...(where.length === 0 ? [] : [where.join(', ')]), ...(column === '' ? [] : [column]), detail].join(
        ': ',
      ),
    );
    this.line = line;
    this.entry = entry;
    this.column = column;
    this.detail = detail;
  }

  /** The fault without its class, which it would lose on the way between threads. */
  get fault(): Fault {
    const { line, entry, column, detail } = this;
    return { line, entry, column, detail };
  }
}

/** Throws a StatementError with the place that the reader has reached. */
export type Fail = (detail: string) => never;
