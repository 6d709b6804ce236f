/**
 * What an entry of a statement means for sessions. Pure: whoever reads the statement looks up what may be concerned, and
 * the orders decide once more on what they load.
 */
import type { CheckoutCommand, Report } from '../checkout/commands.ts';
import { type Attempt, amountDue, type Checkout, type Refund } from '../checkout/session.ts';
import { BANK, localBankTransfer } from '../methods/bank/receiving-account.ts';
import { referencesIn } from '../methods/bank/references.ts';
import type { Notice } from '../methods/provider-event.ts';
import { isAlike, isUsable } from '../statements/identity.ts';
import {
  type BankEntry,
  dataOfEntry,
  type EntryPart,
  type EntryProblem,
  entryOf,
  idFromEndToEnd,
  isIncoming,
  unassigned,
} from './entry.ts';
import { clearWinner, rank } from './match.ts';

/** What may be concerned, as it was found before anything is decided. */
export type Facts = {
  /** Sessions that know a reference which the entry names, by that reference. */
  readonly owners: ReadonlyMap<string, Checkout>;
  /** Sessions that wait for a transfer of this amount. */
  readonly candidates: readonly Checkout[];
  /** The refund that the end-to-end id names. */
  readonly refund: { readonly checkout: Checkout; readonly refund: Refund } | null;
  /** The entry whose money was sent back, which the end-to-end id names. */
  readonly sentBack: Notice | null;
  /** Entries of the same amount that are booked for those sessions already. */
  readonly booked: readonly BankEntry[];
};

/** A command for a session, and the part of the entry that it books, if it does. */
export type Effect = {
  readonly checkout: string;
  readonly command: Exclude<CheckoutCommand, { type: 'create' }>;
  readonly part?: EntryPart;
};

export type Meaning = {
  readonly entry: BankEntry;
  readonly effects: readonly Effect[];
  /** The entry whose money was sent back, as it is after this, where it changes. */
  readonly sentBack?: Notice;
};

/** Ids for what may come of it. */
export type Fresh = {
  readonly now: number;
  /** Id of the entry. */
  readonly id: string;
  readonly newAttempt: () => string;
  readonly newRefund: () => string;
};

/** The references by which an entry may be found: what stands where references belong goes first. */
export function referencesOf({ creditorReference, remittance, endToEndId }: BankEntry): string[] {
  const found = [creditorReference, ...referencesIn(`${remittance} ${endToEndId}`)];
  return [...new Set(found.filter((reference) => reference !== ''))];
}

/**
 * The id of ours that an entry carries back to us: of a refund, or of an entry that was sent back. It is ours only on
 * money that we have sent, and where that comes back: on a payer's money, and on its return, stands what the payer has
 * written, who knows the ids of the refunds that came to them.
 */
export function ownIdOf(entry: BankEntry): string | null {
  const { direction, isReversal, endToEndId, returned, remittance } = entry;
  const isReturn = isReversal || returned !== null;
  if ((direction === 'credit') !== isReturn) return null;
  // Some banks have no field for it, and write it into the text.
  const texts = [returned?.originalEndToEndId ?? '', endToEndId, ...remittance.split(/[^0-9A-Za-z]+/)];
  return texts.map(idFromEndToEnd).find((id) => id !== null) ?? null;
}

export function meaningOf(entry: BankEntry, facts: Facts, fresh: Fresh): Meaning {
  // Some banks tell of a mandate or a fee without an amount.
  if (entry.amount === 0) return { entry, effects: [] };
  if (facts.refund !== null) return ofRefund(entry, facts.refund, fresh);
  if (facts.sentBack !== null) return ofSentBack(entry, facts.sentBack);
  if (isIncoming(entry)) return ofMoney(entry, facts, fresh);
  if (isReturn(entry)) return ofReturn(entry, facts, fresh);
  // Fees, interest, money that the operator has moved: it concerns no session, unless it is money all the same.
  return entry.direction === 'debit' ? { entry, effects: [] } : open(entry, 'unknown_return');
}

function open(entry: BankEntry, problem: EntryProblem): Meaning {
  return { entry: { ...entry, problem }, effects: [] };
}

/** The bank has carried out a refund, or it came back. */
function ofRefund(
  entry: BankEntry,
  { checkout, refund }: NonNullable<Facts['refund']>,
  { now }: Fresh,
): Meaning {
  if (entry.amount !== refund.amount || entry.currency !== checkout.currency) {
    return open({ ...entry, concerns: refund.id }, 'refund_differs');
  }
  const cameBack = entry.direction === 'credit';
  // Money has left for one that was given up, or has come back before: whether both are right, only a person can say.
  if (!cameBack && refund.status !== 'pending') {
    const problem = refund.status === 'failed' ? 'refund_failed' : 'refund_differs';
    return open({ ...entry, concerns: refund.id }, problem);
  }
  const command = {
    type: 'report_refund',
    now,
    refund: refund.id,
    status: cameBack ? 'failed' : 'succeeded',
    reference: cameBack ? '' : entry.bankReference || entry.endToEndId,
    failure: cameBack ? `The bank has returned the money. ${reasonOf(entry)}`.trim() : '',
    syncAt: null,
  } as const;
  return { entry: { ...entry, concerns: refund.id }, effects: [{ checkout: checkout.id, command }] };
}

/** Money without a session that was sent back: the bank has done so, or it came back once more. */
function ofSentBack(entry: BankEntry, notice: Notice): Meaning {
  const concerned = { ...entry, concerns: notice.id };
  const original = entryOf(notice);
  const { sentBack } = original;
  if (entry.amount !== sentBack?.amount || entry.currency !== original.currency) {
    return open(concerned, 'refund_differs');
  }
  const cameBack = entry.direction === 'credit';
  if (!cameBack && sentBack.state !== 'pending') {
    return open(concerned, sentBack.state === 'failed' ? 'refund_failed' : 'refund_differs');
  }
  if (sentBack.state === 'failed') return { entry: concerned, effects: [] };
  const after: BankEntry = {
    ...original,
    sentBack: {
      ...sentBack,
      state: cameBack ? 'failed' : 'succeeded',
      reason: reasonOf(entry) || sentBack.reason,
    },
  };
  const state = cameBack ? 'open' : 'done';
  return { entry: concerned, effects: [], sentBack: { ...notice, state, data: dataOfEntry(after) } };
}

/** A transfer that a payer, or the payer's bank, took back. What does not fit one session alone is for a person. */
function ofReturn(entry: BankEntry, { owners }: Facts, fresh: Fresh): Meaning {
  const [[reference, checkout] = [], ...others] = [...owners];
  const isOne = others.every(([, { id }]) => id === checkout?.id);
  const attempt = checkout && attemptOf(checkout, reference ?? null);
  if (!isOne || !attempt || !canReturn(entry, checkout, attempt)) {
    const suggestions = [...owners.values()].map(({ id }) => ({ checkout: id, score: 100 }));
    return open({ ...entry, suggestions }, 'unknown_return');
  }
  return returned(entry, checkout, attempt, fresh);
}

/** No more can come back than the attempt has brought and still has. */
function canReturn({ amount, currency }: BankEntry, checkout: Checkout, { id }: Attempt): boolean {
  const ofAttempt = ({ attempt }: { readonly attempt: string }) => attempt === id;
  const sum = (parts: ReadonlyArray<{ readonly amount: number }>) =>
    parts.reduce((total, part) => total + part.amount, 0);
  const lost = checkout.reversals.filter((each) => ofAttempt(each) && each.status !== 'won');
  return currency === checkout.currency && amount <= sum(checkout.payments.filter(ofAttempt)) - sum(lost);
}

function returned(entry: BankEntry, checkout: Checkout, attempt: Attempt, { now, id }: Fresh): Meaning {
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

/** Money that went out because a transfer to us was taken back. */
export function isReturn({ direction, isReversal, returned }: BankEntry): boolean {
  return direction === 'debit' && (isReversal || returned !== null);
}

/** A person has said whose transfer came back; null where the session has no attempt that has brought as much. */
export function assignedReturn(entry: BankEntry, checkout: Checkout, fresh: Fresh): Meaning | null {
  const attempt = checkout.attempts.findLast(
    (each) => each.rail === BANK && canReturn(entry, checkout, each),
  );
  return attempt ? returned(entry, checkout, attempt, fresh) : null;
}

function reasonOf({ returned }: BankEntry): string {
  return [returned?.reasonCode, returned?.reasonText].filter(Boolean).join(' ');
}

function ofMoney(entry: BankEntry, { owners, candidates, booked: known }: Facts, fresh: Fresh): Meaning {
  // Several references of one session name it once.
  const named = [...owners.entries()].filter(
    ([, { id }], index, all) => all.findIndex(([, other]) => other.id === id) === index,
  );
  if (known.some((other) => isPerhapsTheSame(entry, other))) {
    const suggestions = named.map(([, checkout]) => ({ checkout: checkout.id, score: 100 }));
    return open({ ...entry, suggestions }, 'maybe_known');
  }
  const [only] = named;
  if (only && named.length === 1) return booked(entry, [{ ...target(...only), amount: entry.amount }], fresh);
  if (named.length > 1) {
    // One transfer for several orders is clear if it brings just what is due for them.
    const parts = named.map(([reference, checkout]) => ({
      ...target(reference, checkout),
      amount: amountDue(checkout),
    }));
    const total = parts.reduce((sum, { amount }) => sum + amount, 0);
    const isClear = total === entry.amount && parts.every(({ amount }) => amount > 0);
    if (isClear) return booked(entry, parts, fresh);
    const suggestions = named.map(([, checkout]) => ({ checkout: checkout.id, score: 100 }));
    return open({ ...entry, suggestions }, 'several_references');
  }
  // What names a reference is for whoever has made it, not for the next best of the same amount.
  if (referencesOf(entry).length > 0) return open(entry, 'unknown_reference');
  const suggestions = rank(entry, candidates);
  const winner = candidates.find(({ id }) => id === clearWinner(suggestions));
  if (winner?.policy.unreferenced === 'match') {
    return booked(entry, [{ ...target(null, winner), amount: entry.amount }], fresh);
  }
  if (suggestions.length > 0) return open({ ...entry, suggestions }, 'several_candidates');
  return open(entry, 'no_match');
}

/**
 * The same money as another file tells of it, perhaps in another format: two entries of one day and payer that the bank
 * does not tell apart by different references of its own. Paid twice or told twice, only a person can say. Entries that
 * are equal in everything are two: this one is new because its file has had the other as well.
 */
function isPerhapsTheSame(entry: BankEntry, other: BankEntry): boolean {
  const [one, two] = [entry.counterparty.account, other.counterparty.account];
  return (
    entry.statement !== other.statement &&
    entry.amount === other.amount &&
    entry.bookedOn === other.bookedOn &&
    (one === two || one === '' || two === '') &&
    !areApart(entry.bankReference, other.bankReference) &&
    !(entry.account === other.account && isAlike(entry, other))
  );
}

/** Two references of the bank that tell entries apart. */
function areApart(one: string, other: string): boolean {
  return isUsable(one) && isUsable(other) && one !== other;
}

type Target = {
  readonly checkout: Checkout;
  readonly attempt: Attempt | undefined;
  readonly amount: number;
};

function target(reference: string | null, checkout: Checkout): Omit<Target, 'amount'> {
  return { checkout, attempt: attemptOf(checkout, reference) };
}

/** The attempt that has the reference, else the newest of the bank. */
function attemptOf({ attempts }: Checkout, reference: string | null): Attempt | undefined {
  return (
    attempts.find((each) => each.rail === BANK && each.reference === reference) ??
    attempts.findLast(({ rail }) => rail === BANK)
  );
}

/** The same where a person has said which sessions the money is for. */
export function assigned(
  entry: BankEntry,
  wanted: ReadonlyArray<{ readonly checkout: Checkout; readonly amount: number }>,
  fresh: Fresh,
): Meaning {
  const parts = wanted.map(({ checkout, amount }) => ({ ...target(null, checkout), amount }));
  return booked({ ...entry, problem: null, suggestions: [] }, parts, fresh);
}

function booked(entry: BankEntry, targets: readonly Target[], fresh: Fresh): Meaning {
  const { now, id } = fresh;
  const isWhole = targets.length === 1 && targets[0]?.amount === entry.amount;
  const effects = targets.map(({ checkout, attempt, amount }, index): Effect => {
    const payment = isWhole ? id : `${id}.${entry.parts.length + index + 1}`;
    const unknownAttempt = { id: fresh.newAttempt(), method: methodFor(checkout) };
    const command: Report = {
      type: 'report',
      now,
      rail: BANK,
      // Money for a session without an attempt of the bank makes one, named by the entry.
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

/** Why the money may not be booked for this session just so, or null. A person may do it all the same. */
export function objection(checkout: Checkout, entry: BankEntry, now: number): EntryProblem | null {
  if (checkout.currency !== entry.currency) return 'other_currency';
  return isHeld(checkout, entry, now) ? 'held_late' : null;
}

/**
 * Whether the account wants to be asked about money that comes when the time was over, grace included. A statement may
 * be read long after the money came: of that only the day is known, and what can have come in time counts as that.
 */
function isHeld({ lifecycle, policy }: Checkout, { bookedOn }: BankEntry, now: number): boolean {
  if (lifecycle.state !== 'expired' || policy.late === 'accept') return false;
  const cameAt = Math.min(now, Date.parse(`${bookedOn}T00:00:00Z`));
  return cameAt > lifecycle.at + (policy.graceMinutes[BANK] ?? 0) * 60_000;
}

/** Whether all of the money has found its place. */
export function isSettled(entry: BankEntry): boolean {
  return entry.problem === null && (!isIncoming(entry) || unassigned(entry) === 0);
}
