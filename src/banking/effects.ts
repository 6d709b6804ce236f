/**
 * The effects of a bank entry on sessions. Pure: the lookup reads what the entry may concern, and the writer decides
 * once more on the state that it loads.
 */

import type { CheckoutCommand, Report } from '../checkout/commands.ts';
import type { AttemptId, CheckoutId, RefundId } from '../checkout/ids.ts';
import type { Attempt, Checkout, Refund } from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { BANK, localBankTransfer } from '../methods/bank/receiving-account.ts';
import { referencesIn } from '../methods/bank/references.ts';
import { isAlike } from '../statements/identity.ts';
import { isUsable } from '../statements/values.ts';
import {
  type BankEntry,
  type EntryContent,
  type EntryId,
  type EntryPart,
  type EntryProblem,
  idFromEndToEnd,
  isIncoming,
  unassigned,
} from './entry.ts';
import { clearWinner, rank } from './match.ts';

/** Everything the entry may concern, as the lookup finds it before the decision. */
export type Lookup = {
  /** Ids of the sessions that own a reference which the entry names, by that reference. */
  readonly owners: ReadonlyMap<string, CheckoutId>;
  /** Ids of the sessions that wait for a transfer of this amount. */
  readonly candidates: readonly CheckoutId[];
  /** The refund named by the end-to-end id, and its session. */
  readonly refund: { readonly checkout: CheckoutId; readonly id: RefundId } | null;
  /** Reference of the entry named by the end-to-end id, whose money was sent back. */
  readonly sentBack: string | null;
  /** References of the entries of the same amount and kind that are already booked for those sessions. */
  readonly booked: readonly string[];
};

/** The same as it is when the decision is made. */
export type Facts = {
  readonly owners: ReadonlyMap<string, Checkout>;
  readonly candidates: readonly Checkout[];
  readonly refund: { readonly checkout: Checkout; readonly refund: Refund } | null;
  readonly sentBack: BankEntry | null;
  readonly booked: readonly EntryContent[];
};

/** A command for a session, with the part of the entry that it books, if any. */
export type Effect = {
  readonly checkout: CheckoutId;
  readonly command: Exclude<CheckoutCommand, { type: 'create' }>;
  readonly part?: EntryPart;
};

export type EntryEffects = {
  readonly entry: EntryContent;
  readonly effects: readonly Effect[];
  /** The entry whose money was sent back, in its new state, if it changes. */
  readonly sentBack?: BankEntry;
};

/** The time, and the ids for rows that the decision may create. */
export type Fresh = {
  readonly now: TenantTime;
  /** Id of the entry. */
  readonly id: EntryId;
  readonly newAttempt: () => AttemptId;
  readonly newRefund: () => RefundId;
};

/** Valid references in an entry, those of the structured creditor reference first. */
export function referencesOf({ creditorReference, remittance, endToEndId }: EntryContent): string[] {
  return [...new Set([creditorReference, `${remittance} ${endToEndId}`].flatMap(referencesIn))];
}

/**
 * The id of ours that an entry carries: of a refund, or of an entry that was sent back. Money that we sent carries it,
 * and so does its return. A transfer that its payer takes back carries the payer's own text: an id there says nothing.
 * On money that came in it proves nothing, see `unprovenReturn`.
 */
export function ownIdOf(entry: EntryContent): RefundId | EntryId | null {
  if (isReturn(entry)) return null;
  const { endToEndId, instructionId, returned, remittance } = entry;
  // Some banks have no field for the id and write it into the text.
  const texts = [
    returned?.originalEndToEndId ?? '',
    endToEndId,
    instructionId,
    ...remittance.split(/[^0-9A-Za-z]+/),
  ];
  return texts.map(idFromEndToEnd).find((id) => id !== null) ?? null;
}

export function effectsOf(entry: EntryContent, facts: Facts, fresh: Fresh): EntryEffects {
  // Some banks report a mandate or a fee without an amount.
  if (entry.amount === 0) return { entry, effects: [] };
  if (isIncoming(entry) && (facts.refund ?? facts.sentBack) !== null) return unprovenReturn(entry, facts);
  if (facts.refund !== null) return refundEffects(entry, facts.refund, fresh);
  if (facts.sentBack !== null) return sentBackEffects(entry, facts.sentBack);
  if (isIncoming(entry)) return paymentEffects(entry, facts, fresh);
  if (isReturn(entry)) return returnEffects(entry, facts, fresh);
  // Fees, interest and the operator's own transfers concern no session. Incoming money always needs an explanation.
  return entry.direction === 'debit' ? { entry, effects: [] } : leaveOpen(entry, 'unknown_return');
}

function leaveOpen(entry: EntryContent, problem: EntryProblem): EntryEffects {
  return { entry: { ...entry, problem }, effects: [] };
}

/**
 * Money with an id of ours that the bank does not call a return: many banks say so in words alone. It is probably what
 * we sent, and never a payment for whoever waits for as much. But payers know the ids of the refunds they received, so
 * a person decides.
 */
function unprovenReturn(entry: EntryContent, { refund, sentBack }: Facts): EntryEffects {
  const concerns = refund?.refund.id ?? sentBack?.id ?? '';
  const suggestions = refund === null ? [] : [{ checkout: refund.checkout.id, score: 100 }];
  return leaveOpen({ ...entry, concerns, suggestions }, 'unknown_return');
}

/**
 * Money with the id of a refund that a person assigned to the session of that refund: the refund has come back. Null if
 * the entry names none of the session, has another amount, or names one that has failed: its money was never gone, or is
 * back already, so this is other money.
 */
export function assignedRefund(
  entry: EntryContent,
  checkout: Checkout,
  amount: number,
  fresh: Fresh,
): EntryEffects | null {
  const refund = checkout.refunds.find(({ id }) => id === entry.concerns);
  const isWhole = entry.amount === amount && entry.amount === refund?.amount;
  if (
    !refund ||
    refund.status === 'failed' ||
    !isWhole ||
    entry.currency !== checkout.currency ||
    !isIncoming(entry)
  )
    return null;
  const returned = { reasonCode: '', reasonText: '', originalEndToEndId: entry.endToEndId };
  const settled = { ...entry, problem: null, suggestions: [], returned };
  return refundEffects(settled, { checkout, refund }, fresh);
}

/** A refund that the bank carried out, or whose money came back. */
function refundEffects(
  entry: EntryContent,
  { checkout, refund }: NonNullable<Facts['refund']>,
  { now, id }: Fresh,
): EntryEffects {
  if (entry.amount !== refund.amount || entry.currency !== checkout.currency) {
    return leaveOpen({ ...entry, concerns: refund.id }, 'refund_differs');
  }
  const cameBack = entry.direction === 'credit';
  // Money left for a refund that has failed or succeeded before. Only a person can tell whether both are right.
  if (!cameBack && refund.status !== 'pending') {
    const problem = refund.status === 'failed' ? 'refund_failed' : 'refund_differs';
    return leaveOpen({ ...entry, concerns: refund.id }, problem);
  }
  const command = {
    type: 'report_refund',
    now,
    refund: refund.id,
    status: cameBack ? 'failed' : 'succeeded',
    reference: cameBack ? '' : entry.bankReference || entry.endToEndId,
    failure: cameBack ? `The bank has returned the money. ${reasonOf(entry)}`.trim() : '',
    syncAt: null,
    bankEntry: id,
  } as const;
  return { entry: { ...entry, concerns: refund.id }, effects: [{ checkout: checkout.id, command }] };
}

/** Money without a session that was sent back: the bank carried that out, or the money came back once more. */
function sentBackEffects(entry: EntryContent, original: BankEntry): EntryEffects {
  const concerned = { ...entry, concerns: original.id };
  const { sentBack } = original;
  if (entry.amount !== sentBack?.amount || entry.currency !== original.currency) {
    return leaveOpen(concerned, 'refund_differs');
  }
  const cameBack = entry.direction === 'credit';
  if (!cameBack && sentBack.state !== 'pending') {
    return leaveOpen(concerned, sentBack.state === 'failed' ? 'refund_failed' : 'refund_differs');
  }
  if (sentBack.state === 'failed') return { entry: concerned, effects: [] };
  const after: BankEntry = {
    ...original,
    state: cameBack ? 'open' : 'done',
    sentBack: {
      ...sentBack,
      state: cameBack ? 'failed' : 'succeeded',
      reason: reasonOf(entry) || sentBack.reason,
    },
  };
  return { entry: concerned, effects: [], sentBack: after };
}

/**
 * A transfer that the payer or the payer's bank took back. If it does not fit exactly one session, a person decides.
 */
function returnEffects(entry: EntryContent, { owners, booked }: Facts, fresh: Fresh): EntryEffects {
  const suggestions = [...owners.values()].map(({ id }) => ({ checkout: id, score: 100 }));
  if (booked.some((other) => mayBeTheSame(entry, other)))
    return leaveOpen({ ...entry, suggestions }, 'maybe_known');
  const [[reference, checkout] = [], ...others] = [...owners];
  const isOne = others.every(([, { id }]) => id === checkout?.id);
  const attempt = checkout && attemptOf(checkout, reference ?? null);
  if (!isOne || !attempt || !canReturn(entry, checkout, attempt)) {
    return leaveOpen({ ...entry, suggestions }, 'unknown_return');
  }
  return bookReturn(entry, checkout, attempt, fresh);
}

/** The amount returned may not exceed what the attempt has brought in and still holds. */
function canReturn({ amount, currency }: EntryContent, checkout: Checkout, { id }: Attempt): boolean {
  const ofAttempt = ({ attempt }: { readonly attempt: AttemptId }) => attempt === id;
  const sum = (parts: ReadonlyArray<{ readonly amount: number }>) =>
    parts.reduce((total, part) => total + part.amount, 0);
  const lost = checkout.reversals.filter((each) => ofAttempt(each) && each.status !== 'won');
  return currency === checkout.currency && amount <= sum(checkout.payments.filter(ofAttempt)) - sum(lost);
}

function bookReturn(
  entry: EntryContent,
  checkout: Checkout,
  attempt: Attempt,
  { now, id }: Fresh,
): EntryEffects {
  const command = {
    type: 'report_reversal',
    now,
    kind: 'return',
    rail: BANK,
    reference: id,
    attempt: attempt.id,
    amount: entry.amount,
    reason: reasonOf(entry),
    status: 'lost',
  } as const;
  const settled = { ...entry, problem: null, suggestions: [], concerns: checkout.id };
  return { entry: settled, effects: [{ checkout: checkout.id, command }] };
}

/** An outgoing entry that takes back a transfer we received. */
export function isReturn({ direction, isReversal, returned }: EntryContent): boolean {
  return direction === 'debit' && (isReversal || returned !== null);
}

/** A return that a person assigned to a session; null if no attempt of the session holds as much. */
export function assignedReturn(entry: EntryContent, checkout: Checkout, fresh: Fresh): EntryEffects | null {
  const attempt = checkout.attempts.findLast(
    (each) => each.rail === BANK && canReturn(entry, checkout, each),
  );
  return attempt ? bookReturn(entry, checkout, attempt, fresh) : null;
}

function reasonOf({ returned }: EntryContent): string {
  return [returned?.reasonCode, returned?.reasonText].filter(Boolean).join(' ');
}

function paymentEffects(
  entry: EntryContent,
  { owners, candidates, booked: known }: Facts,
  fresh: Fresh,
): EntryEffects {
  // Several references of one session count once.
  const named = [...owners.entries()].filter(
    ([, { id }], index, all) => all.findIndex(([, other]) => other.id === id) === index,
  );
  if (known.some((other) => mayBeTheSame(entry, other))) {
    const suggestions = named.map(([, checkout]) => ({ checkout: checkout.id, score: 100 }));
    return leaveOpen({ ...entry, suggestions }, 'maybe_known');
  }
  const [only] = named;
  if (only && named.length === 1)
    return bookPayment(entry, [{ ...targetOf(...only), amount: entry.amount }], fresh);
  if (named.length > 1) {
    // One transfer for several sessions is clear if it brings exactly what is due for all of them.
    const parts = named.map(([reference, checkout]) => ({
      ...targetOf(reference, checkout),
      amount: amountDue(checkout),
    }));
    const total = parts.reduce((sum, { amount }) => sum + amount, 0);
    const isClear = total === entry.amount && parts.every(({ amount }) => amount > 0);
    if (isClear) return bookPayment(entry, parts, fresh);
    const suggestions = named.map(([, checkout]) => ({ checkout: checkout.id, score: 100 }));
    return leaveOpen({ ...entry, suggestions }, 'several_references');
  }
  // A transfer with a reference belongs to the owner of that reference, not to another session of the same amount.
  if (referencesOf(entry).length > 0) return leaveOpen(entry, 'unknown_reference');
  const suggestions = rank(entry, candidates);
  const winner = candidates.find(({ id }) => id === clearWinner(suggestions));
  if (winner?.policy.unreferenced === 'match') {
    return bookPayment(entry, [{ ...targetOf(null, winner), amount: entry.amount }], fresh);
  }
  if (suggestions.length > 0) return leaveOpen({ ...entry, suggestions }, 'several_candidates');
  return leaveOpen(entry, 'no_match');
}

/**
 * True if two entries may be the same money, reported by two files, perhaps in different formats: same day and payer,
 * and no bank references that tell them apart. Only a person can say whether it was paid twice or reported twice.
 * Entries that are equal in every field are two payments: their file contained both.
 */
function mayBeTheSame(entry: EntryContent, other: EntryContent): boolean {
  const [one, two] = [entry.counterparty.account, other.counterparty.account];
  return (
    entry.statement !== other.statement &&
    entry.amount === other.amount &&
    entry.bookedOn === other.bookedOn &&
    (one === two || one === '' || two === '') &&
    !areDistinct(entry.bankReference, other.bankReference) &&
    !(entry.account === other.account && isAlike(entry, other))
  );
}

/** True if two bank references tell their entries apart. */
function areDistinct(one: string, other: string): boolean {
  return isUsable(one) && isUsable(other) && one !== other;
}

type Target = {
  readonly checkout: Checkout;
  readonly attempt: Attempt | undefined;
  readonly amount: number;
};

function targetOf(reference: string | null, checkout: Checkout): Omit<Target, 'amount'> {
  return { checkout, attempt: attemptOf(checkout, reference) };
}

/** The attempt with this reference, else the newest bank attempt. */
function attemptOf({ attempts }: Checkout, reference: string | null): Attempt | undefined {
  return (
    attempts.find((each) => each.rail === BANK && each.reference === reference) ??
    attempts.findLast(({ rail }) => rail === BANK)
  );
}

/** Effects of an entry that a person assigned to sessions. */
export function assigned(
  entry: EntryContent,
  wanted: ReadonlyArray<{ readonly checkout: Checkout; readonly amount: number }>,
  fresh: Fresh,
): EntryEffects {
  const parts = wanted.map(({ checkout, amount }) => ({ ...targetOf(null, checkout), amount }));
  return bookPayment({ ...entry, problem: null, suggestions: [], concerns: '' }, parts, fresh);
}

function bookPayment(entry: EntryContent, targets: readonly Target[], fresh: Fresh): EntryEffects {
  const { now, id } = fresh;
  const isWhole = targets.length === 1 && targets[0]?.amount === entry.amount;
  const effects = targets.map(({ checkout, attempt, amount }, index): Effect => {
    const payment = isWhole ? id : `${id}.${entry.parts.length + index + 1}`;
    const unknownAttempt = { id: fresh.newAttempt(), method: methodFor(checkout) };
    const command: Report = {
      type: 'report',
      now,
      rail: BANK,
      // Money for a session without a bank attempt creates one, named by the entry.
      reference: attempt?.reference ?? payment,
      status: 'succeeded',
      reason: '',
      syncAt: null,
      details: null,
      payment: { reference: payment, amount },
      unknownAttempt,
      refundId: fresh.newRefund(),
    };
    const part = { checkout: checkout.id, attempt: attempt?.id ?? unknownAttempt.id, amount, payment };
    return { checkout: checkout.id, command, part };
  });
  const parts = effects.flatMap(({ part }) => part ?? []);
  return { entry: { ...entry, parts: [...entry.parts, ...parts] }, effects };
}

function methodFor({ currency, methods }: Checkout): string {
  const local = localBankTransfer({ currency });
  return methods.includes('wire_transfer') && !methods.includes(local) ? 'wire_transfer' : local;
}

/** True if all of the money is assigned. */
export function isSettled(entry: EntryContent): boolean {
  return entry.problem === null && (!isIncoming(entry) || unassigned(entry) === 0);
}
