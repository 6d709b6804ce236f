/**
 * An entry of a bank statement as it is kept: what the bank said, and what was made of it. It is the data of a notice of
 * the rail `bank`.
 */
import type { JsonObject } from '../checkout/session.ts';
import type { Notice } from '../methods/provider-event.ts';
import type { StatementEntry } from '../statements/entry.ts';

/** Why an entry waits for a person. */
export const entryProblems = [
  'no_match',
  'unknown_reference',
  'several_candidates',
  'several_references',
  'other_currency',
  'held_late',
  'not_payable',
  'maybe_known',
  'unknown_return',
  'refund_differs',
  'refund_failed',
] as const;
export type EntryProblem = (typeof entryProblems)[number];

/** A part of the money that is booked for a session; `payment` is its reference in the ledger. */
export type EntryPart = {
  readonly checkout: string;
  readonly attempt: string;
  readonly amount: number;
  readonly payment: string;
};

/** A session that the entry may be meant for, and how much speaks for it, from 0 to 100. */
export type Suggestion = { readonly checkout: string; readonly score: number };

/** Money that belongs to no session and goes back to whoever sent it. */
export type SentBack = {
  readonly amount: number;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly reason: string;
  /** Id of the file of payments that it is in, or empty. */
  readonly file: string;
};

export type BankEntry = Omit<StatementEntry, 'number' | 'line'> & {
  /** The operator's name of the receiving account. */
  readonly account: string;
  /** Id of the file that it was read from first. */
  readonly statement: string;
  readonly parts: readonly EntryPart[];
  readonly problem: EntryProblem | null;
  readonly suggestions: readonly Suggestion[];
  /** What a person has noted, such as the reason for ignoring it. */
  readonly note: string;
  readonly sentBack: SentBack | null;
  /** What it turned out to be, for entries that are not money for a session: id of the refund, entry or session. */
  readonly concerns: string;
  /**
   * Of a booking in one sum: id of the file that has its parts as entries of their own, or empty. Then this entry is
   * nothing but the sign that the money is there already.
   */
  readonly takenApartBy: string;
};

/** The entry in a notice of the bank: what this service has written there itself. */
export function entryOf(notice: Notice): BankEntry {
  return notice.data as unknown as BankEntry;
}

export function dataOfEntry(entry: BankEntry): JsonObject {
  return entry as unknown as JsonObject;
}

/** An entry as it comes from a statement, before anything was made of it. */
export function newEntry(
  { number, line, ...said }: StatementEntry,
  account: string,
  statement: string,
): BankEntry {
  return {
    ...said,
    account,
    statement,
    parts: [],
    problem: null,
    suggestions: [],
    note: '',
    sentBack: null,
    concerns: '',
    takenApartBy: '',
  };
}

/** What of the money is neither booked nor on its way back. */
export function unassigned({ amount, parts, sentBack, takenApartBy }: BankEntry): number {
  if (takenApartBy) return 0;
  const booked = parts.reduce((sum, part) => sum + part.amount, 0);
  return amount - booked - (sentBack === null || sentBack.state === 'failed' ? 0 : sentBack.amount);
}

/** Money that came in, as opposed to money that went out or came back. */
export function isIncoming({ direction, returned, isReversal }: BankEntry): boolean {
  return direction === 'credit' && returned === null && !isReversal;
}

/**
 * An id of ours as banks carry it: at most 35 characters of the SEPA set, which has no underscore (EPC217-08). And back:
 * banks may write it in capitals.
 */
export function endToEndIdOf(id: string): string {
  return id.replace('_', '');
}

export function idFromEndToEnd(text: string): string | null {
  const [, prefix, rest] = /^(rfd|ntc)([0-9a-z]{26})$/.exec(text.trim().toLowerCase()) ?? [];
  return prefix === undefined ? null : `${prefix}_${rest}`;
}
