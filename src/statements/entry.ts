/** What a bank statement says, whatever the format it was written in. Pure. */

export type Direction = 'credit' | 'debit';

/** One statement of a file. An account with several currencies has one for each of them. */
export type StatementHeader = {
  /** As the bank numbers it; empty in a CSV file. */
  readonly statementId: string;
  /** IBAN, or what the bank has instead; without blanks. */
  readonly account: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Signed, in minor units; null where the file does not say. */
  readonly openingBalance: number | null;
  /** Null as well where it stands after the entries, as in MT940: it is held against them all the same. */
  readonly closingBalance: number | null;
  /** YYYY-MM-DD, of the time that the statement is about. */
  readonly fromDate: string | null;
  readonly toDate: string | null;
};

export type Counterparty = {
  readonly name: string;
  /** IBAN, or what the bank has instead; without blanks. */
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

/** One movement of money. Every text is one line without blanks around it, and empty where the bank says nothing. */
export type StatementEntry = {
  /** Counts the entries of the file: 1, 2, 3 … */
  readonly number: number;
  /** Of the file, from 1: where the entry begins. */
  readonly line: number;
  readonly direction: Direction;
  /** Minor units, not negative. */
  readonly amount: number;
  readonly currency: string;
  /** The bank takes back an entry it made before; the direction is that of the money now. */
  readonly isReversal: boolean;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
  readonly valueOn: string | null;
  /** The bank's own id of it: AcctSvcrRef, or what follows `//` in MT940. */
  readonly bankReference: string;
  /**
   * The bank's reference of the booking that this is one part of, where a booking of several transactions was taken
   * apart. Another file of the bank may have the same booking in one sum, with this as its `bankReference`.
   */
  readonly batchReference: string;
  /** As the one who pays has given it; that nothing was provided is empty here. */
  readonly endToEndId: string;
  readonly instructionId: string;
  /** Structured reference (RF…, the 27 digits of a QR-bill, another scheme), without blanks, upper-case. */
  readonly creditorReference: string;
  /** Unstructured, its parts joined by one blank. */
  readonly remittance: string;
  readonly counterparty: Counterparty;
  /** `PMNT-RCDT-ESCT` (ISO 20022), `NTRF` or `NTRF-166` (MT940), or the bank's own. */
  readonly transactionCode: string;
  readonly returned: Returned | null;
};

/** A file is a sequence of these: each statement comes before its entries. */
export type StatementPart =
  | { readonly kind: 'statement'; readonly header: StatementHeader }
  | { readonly kind: 'entry'; readonly header: StatementHeader; readonly entry: StatementEntry };

/** Where in a file something is wrong, as far as it is known. */
export type Place = { readonly line: number | null; readonly entry: number | null };

/** A file that cannot be accepted. The message reads `line 12, entry 3: the amount "1,2,3" is no number`. */
export class StatementError extends Error {
  override name = 'StatementError';
  readonly line: number | null;
  readonly entry: number | null;
  /** What is wrong, without where. */
  readonly detail: string;

  constructor(detail: string, { line, entry }: Place = { line: null, entry: null }) {
    const where = [line === null ? [] : `line ${line}`, entry === null ? [] : `entry ${entry}`].flat();
    super(where.length === 0 ? detail : `${where.join(', ')}: ${detail}`);
    this.line = line;
    this.entry = entry;
    this.detail = detail;
  }
}

/** How a reader gives up: it knows the place. */
export type Fail = (detail: string) => never;
