/** Bank entry: one booking of a statement, with what the bank reported and what became of it. */

import type { AttemptId, CheckoutId, RefundId } from '../checkout/ids.ts';
import type { Payment } from '../checkout/session.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';
import type { StatementEntry } from '../statements/entry.ts';
import type { BankFileId } from './bank-file.ts';

/**
 * Id of a bank entry. Its prefix is from an earlier name of entries, and stays: clients keep these ids, and banks send
 * them back in the end-to-end ids of payment files.
 */
export type EntryId = Id<'ntc'>;

/**
 * `waiting`: to be matched again when it is due, or on its way back to its sender; `open`: a person has to decide;
 * `done`: it has had its effect, if any; `ignored`: a person has decided that it concerns no session.
 */
export const entryStates = ['waiting', 'open', 'done', 'ignored'] as const;
export type EntryState = (typeof entryStates)[number];

/** Reasons why an entry waits for a person. */
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

/** Part of the money, booked for a session; `payment` is its reference in the ledger. */
export type EntryPart = {
  readonly checkout: CheckoutId;
  readonly attempt: AttemptId;
  readonly amount: number;
  readonly payment: string;
};

/** Session that the entry may be meant for, with a score from 0 to 100. */
export type Suggestion = { readonly checkout: CheckoutId; readonly score: number };

/** Money that belongs to no session and goes back to its sender. */
export type SentBack = {
  readonly amount: number;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly reason: string;
  /** Id of the payment file that contains it, or empty. */
  readonly file: string;
};

/** Content of a bank entry: what the bank reported, and what became of it. */
export type EntryContent = Omit<StatementEntry, 'number' | 'line'> & {
  /** Id of the receiving account in the settings. */
  readonly account: string;
  /** Id of the first file that contained the entry. */
  readonly statement: BankFileId;
  readonly parts: readonly EntryPart[];
  readonly problem: EntryProblem | null;
  readonly suggestions: readonly Suggestion[];
  /** Note of a person, such as the reason for ignoring the entry. */
  readonly note: string;
  readonly sentBack: SentBack | null;
  /** Id of the refund, entry or session concerned, for an entry that is not money for a session. */
  readonly concerns: string;
  /**
   * Id of the file that has the parts of this booking as entries of their own, or empty. Then this entry only marks the
   * money as known.
   */
  readonly takenApartBy: BankFileId | '';
};

export type BankEntry = EntryContent & {
  readonly id: EntryId;
  /** The key by which the same booking is recognized in any file: it is stored once. */
  readonly reference: string;
  readonly receivedAt: TenantTime;
  readonly state: EntryState;
  /** Due time; null unless it waits to be matched again. */
  readonly dueAt: TenantTime | null;
  /** Number of attempts to match it again. */
  readonly tries: number;
};

/** Content of a new bank entry, made from an entry of a statement. */
export function newEntry(
  { number, line, ...said }: StatementEntry,
  account: string,
  statement: BankFileId,
): EntryContent {
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

/** Amount that is neither booked nor on its way back. */
export function unassigned({ amount, parts, sentBack, takenApartBy }: EntryContent): number {
  if (takenApartBy) return 0;
  const booked = parts.reduce((sum, part) => sum + part.amount, 0);
  return amount - booked - (sentBack === null || sentBack.state === 'failed' ? 0 : sentBack.amount);
}

/** True for money that came in, as opposed to money that went out or came back. */
export function isIncoming({ direction, returned, isReversal }: EntryContent): boolean {
  return direction === 'credit' && returned === null && !isReversal;
}

/** An id of ours in a form that banks carry: at most 35 characters of the SEPA set, without underscore (EPC217-08). */
export function endToEndIdOf(id: string): string {
  return id.replace('_', '');
}

/** The id in an end-to-end id, or null. Banks may change it to capitals. */
export function idFromEndToEnd(text: string): RefundId | EntryId | null {
  const [, prefix, rest] = /^(rfd|ntc)([0-9a-z]{26})$/.exec(text.trim().toLowerCase()) ?? [];
  if (prefix === undefined) return null;
  return prefix === 'rfd' ? `rfd_${rest}` : `ntc_${rest}`;
}

export function isRefundId(id: RefundId | EntryId | null): id is RefundId {
  return id?.startsWith('rfd_') ?? false;
}

/** The entry that a payment or its return was booked from: its reference begins with the id, and may number a part. */
export function entryOfPayment({ reference }: Pick<Payment, 'reference'>): EntryId | null {
  const [, id] = /^ntc_([0-9a-z]+)/.exec(reference) ?? [];
  return id === undefined ? null : `ntc_${id}`;
}
