/**
 * Oracle: what a command has to come to, worked out from the contract and not from the rules. It imports nothing from
 * them but types, works step by step on a sketch of the session, and knows only the small sessions of a search.
 */
import type {
  CheckoutCommand,
  CreateRefund,
  Report,
  ReportRefund,
  ReportReversal,
  StartAttempt,
  UpdateCheckout,
} from '../../../src/checkout/commands.ts';
import type { RefusalReason } from '../../../src/checkout/refusals.ts';
import type { Attempt, Checkout, Payment, Refund, Reversal } from '../../../src/checkout/session.ts';
import { enoughFor, graceOf, returnsExcess } from './bound.ts';

type Open<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** A session that is being changed: what it is afterwards, but for version and events. */
export type Sketch = Open<Checkout>;

export function expectedOf(session: Checkout, command: CheckoutCommand): RefusalReason | Sketch {
  if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion !== session.version) {
    return 'version_stale';
  }
  const sketch: Sketch = { ...session };
  letTimeEndIt(sketch, command.now);
  const refused = carryOut(sketch, command);
  if (refused !== null) return refused;
  letTimeEndIt(sketch, command.now);
  return sketch;
}

function carryOut(sketch: Sketch, command: CheckoutCommand): RefusalReason | null {
  const { now } = command;
  switch (command.type) {
    case 'tick':
      return null;
    case 'update':
      return changeTerms(sketch, command);
    case 'expire':
      if (sketch.lifecycle.state !== 'active') return 'not_expirable';
      if (moneyMayBeMoving(sketch)) return 'payment_in_progress';
      sketch.expiresAt = now;
      end(sketch, { state: 'expired', at: now, by: 'merchant' });
      return null;
    case 'start_attempt':
      return startAttempt(sketch, command);
    case 'cancel_attempt':
      if (moneyMayBeMoving(sketch)) return 'payment_in_progress';
      giveUpWaiting(sketch, now, 'replaceable');
      return null;
    case 'note_attempt':
      return sketch.attempts.some(({ id }) => id === command.attempt) ? null : 'not_found';
    case 'report':
      return hearOfAttempt(sketch, command);
    case 'create_refund':
      return giveBack(sketch, command);
    case 'settle_refund': {
      const { refund: id, status, reason } = command;
      const refund = sketch.refunds.find((each) => each.id === id);
      if (refund === undefined) return 'not_found';
      if (refund.status !== 'pending') return 'refund_settled';
      const inWords = status === 'failed' ? reason || 'It was withdrawn.' : '';
      const reference = (status === 'succeeded' && reason) || refund.reference;
      noteRefund(sketch, { ...refund, status, syncAt: null, failure: inWords, reference });
      return null;
    }
    case 'report_refund':
      return hearOfRefund(sketch, command);
    case 'report_reversal':
      return hearOfReversal(sketch, command);
    case 'create':
      throw new Error('a search begins with sessions that have been created');
  }
}

/** `expires_at` ends a session, unless money may be moving: then the longest grace of what moves does. */
function letTimeEndIt(sketch: Sketch, now: number): void {
  const { lifecycle, expiresAt, attempts } = sketch;
  if (lifecycle.state !== 'active' || expiresAt === null || now < expiresAt) return;
  const isAwaited = attempts.some(
    ({ status, traits }) =>
      (status === 'processing' || status === 'unknown') && now < expiresAt + graceOf(traits),
  );
  if (!isAwaited) end(sketch, { state: 'expired', at: now, by: 'time' });
}

/** Ends the session: no attempt is left waiting for a payer. */
function end(sketch: Sketch, lifecycle: Checkout['lifecycle'] & { readonly at: number }): void {
  sketch.lifecycle = lifecycle;
  giveUpWaiting(sketch, lifecycle.at, 'all');
}

/** A function says which, by the method. */
type Whom = 'all' | 'replaceable' | ((method: string) => boolean);

function giveUpWaiting(sketch: Sketch, now: number, whom: Whom): void {
  for (const each of sketch.attempts) {
    if (each.status !== 'requires_action' || (each.traits.standing && whom === 'replaceable')) continue;
    if (typeof whom === 'function' && !whom(each.method)) continue;
    noteAttempt(sketch, { ...each, status: 'cancelled', syncAt: each.traits.toldOfCancel ? now : null });
  }
}

function noteAttempt(sketch: Sketch, attempt: Attempt): void {
  sketch.attempts = sketch.attempts.map((each) => (each.id === attempt.id ? attempt : each));
}

function noteRefund(sketch: Sketch, refund: Refund): void {
  sketch.refunds = sketch.refunds.map((each) => (each.id === refund.id ? refund : each));
}

function moneyMayBeMoving({ attempts }: Sketch): boolean {
  return attempts.some(({ status }) => status === 'processing' || status === 'unknown');
}

function changeTerms(
  sketch: Sketch,
  { items, methods, metadata, now }: UpdateCheckout,
): RefusalReason | null {
  if (items !== null || methods !== null) {
    if (sketch.lifecycle.state !== 'active' || sketch.payments.length > 0) return 'not_updatable';
    if (moneyMayBeMoving(sketch)) return 'payment_in_progress';
  }
  if (methods !== null && methods.join() !== sketch.methods.join()) {
    sketch.methods = methods;
    giveUpWaiting(sketch, now, (method) => !methods.includes(method));
  }
  if (items !== null) {
    // Sessions of a search have one item, of which there is one.
    const [item] = items;
    if (item?.unitPrice !== sketch.amount) {
      sketch.amount = item?.unitPrice ?? 0;
      sketch.items = items;
      giveUpWaiting(sketch, now, 'all');
    }
  }
  if (metadata !== null) sketch.metadata = { ...sketch.metadata, ...metadata };
  return null;
}

function startAttempt(sketch: Sketch, command: StartAttempt): RefusalReason | null {
  const refused = whyNotPayable(sketch, command.now, command.method);
  if (refused !== null) return refused;
  if (command.expectedAmount !== dueOf(sketch)) return 'version_stale';
  const { expectedItems } = command;
  if (expectedItems === null || (expectedItems && expectedItems.length !== sketch.items.length)) {
    return 'version_stale';
  }
  const { attemptId: id, rail, reference, method, status, syncAt, traits, details, now } = command;
  addAttempt(
    sketch,
    { id, rail, reference, method, status, syncAt, traits, details, amount: dueOf(sketch), reason: '' },
    now,
  );
  return null;
}

function whyNotPayable(sketch: Sketch, now: number, method: string): RefusalReason | null {
  if (!sketch.methods.includes(method)) return 'field_invalid';
  if (sketch.lifecycle.state !== 'active' || sketch.amount === 0) return 'not_payable';
  if (sketch.expiresAt !== null && now >= sketch.expiresAt) return 'not_payable';
  return moneyMayBeMoving(sketch) ? 'payment_in_progress' : null;
}

/** Adds an attempt; only one lives at a time, except those that stand beside others. */
function addAttempt(sketch: Sketch, given: Omit<Attempt, 'createdAt' | 'version'>, now: number): Attempt {
  const attempt = notAsked({ ...given, createdAt: now, version: sketch.version });
  if (!isOver(attempt)) giveUpWaiting(sketch, now, 'replaceable');
  sketch.attempts = [...sketch.attempts, attempt];
  return attempt;
}

function isOver({ status }: Pick<Attempt, 'status'>): boolean {
  return status === 'failed' || status === 'succeeded' || status === 'cancelled';
}

/** A rail is not asked about what is over; some have to be told that it is. */
function notAsked(attempt: Attempt): Attempt {
  const isToBeTold = attempt.status === 'cancelled' && attempt.traits.toldOfCancel;
  return isOver(attempt) && !isToBeTold ? { ...attempt, syncAt: null } : attempt;
}

/** Knowledge of an attempt only grows: a number for each status. */
const known = { requires_action: 1, unknown: 2, cancelled: 3, processing: 4, failed: 5, succeeded: 6 };

function hearOfAttempt(sketch: Sketch, command: Report): RefusalReason | null {
  const { now, rail, reference, status, reason, syncAt, details, unknownAttempt } = command;
  const money = command.payment?.amount === 0 ? null : command.payment;
  const isTold = sketch.payments.some((each) => each.rail === rail && each.reference === money?.reference);
  let attempt = sketch.attempts.find((each) => each.rail === rail && each.reference === reference);
  const wasGivenUp = attempt?.status === 'cancelled' || attempt?.status === 'failed';
  if (attempt === undefined) {
    if (isTold) return null;
    const method = sketch.methods[0] ?? '';
    const due = dueOf(sketch);
    if (money === null) {
      const refused = whyNotPayable(sketch, now, method);
      if (refused !== null) return refused;
    } else if (sketch.amount === 0 || (money.amount === null && due === 0)) return 'not_payable';
    const amount = money?.amount ?? due;
    const { id } = unknownAttempt;
    const made = {
      id,
      rail,
      reference,
      method,
      status,
      reason,
      syncAt,
      amount,
      traits: {},
      details: details ?? {},
    };
    attempt = addAttempt(sketch, made, now);
  } else if (known[status] >= known[attempt.status]) {
    const saidWhy = status === attempt.status ? attempt.reason : reason;
    const heard = { ...attempt, status, syncAt, reason: saidWhy, details: details ?? attempt.details };
    noteAttempt(sketch, notAsked(heard));
  }
  const amount = money?.amount ?? attempt.amount;
  if (money !== null && !isTold) {
    const late = wasGivenUp || sketch.lifecycle.state === 'expired';
    const line: Payment = {
      rail,
      reference: money.reference,
      attempt: attempt.id,
      amount,
      bookedAt: now,
      late,
    };
    sketch.payments = [...sketch.payments, line];
    returnExcess(sketch, attempt, amount, command);
  }
  const isPaid = sketch.amount > 0 && sum(sketch.payments) >= enoughFor(sketch);
  if (sketch.lifecycle.state !== 'active') giveUpWaiting(sketch, now, 'all');
  else if (isPaid) end(sketch, { state: 'completed', at: now });
  return null;
}

/** Sends the merchant's excess back, out of this payment. */
function returnExcess(sketch: Sketch, attempt: Attempt, paid: number, { refundId, now }: Report): void {
  if (!returnsExcess(sketch)) return;
  const has = sketch.attempts.reduce((total, each) => total + leftOf(sketch, each.id), 0);
  const amount = Math.min(paid, has - sketch.amount, leftOf(sketch, attempt.id));
  if (amount > 0) askForRefund(sketch, attempt, { id: refundId, amount, reason: 'Paid in excess.' }, now);
}

function giveBack(sketch: Sketch, command: CreateRefund): RefusalReason | null {
  const { attempt: named, currency, now } = command;
  if (currency !== null && currency !== sketch.currency) return 'field_invalid';
  if (command.left !== undefined && command.left !== Math.max(0, allLeftOf(sketch))) return 'field_invalid';
  if (named !== null && !sketch.attempts.some(({ id }) => id === named)) return 'field_invalid';
  const newestFirst = sketch.attempts.toReversed().filter(({ id }) => named === null || named === id);
  const withMoney = newestFirst.filter(({ id }) => leftOf(sketch, id) > 0);
  const { amount } = command;
  const source = newestFirst.find(({ id }) => leftOf(sketch, id) >= (amount ?? 1));
  if (source === undefined) return 'not_refundable';
  if (amount === null) {
    // All that can still go back, of every attempt.
    const ids = [command.id, ...command.furtherIds];
    for (const [n, each] of withMoney.entries()) {
      askForRefund(
        sketch,
        each,
        { ...command, id: ids[n] ?? 'rfd_none', amount: leftOf(sketch, each.id) },
        now,
      );
    }
  } else askForRefund(sketch, source, { ...command, amount }, now);
  return null;
}

function askForRefund(
  sketch: Sketch,
  { id: attempt, rail }: Attempt,
  { id, amount, reason }: Pick<Refund, 'id' | 'amount' | 'reason'>,
  now: number,
): void {
  const rest = { remarks: '', metadata: {}, webhookUrl: '', reference: '', failure: '' };
  const asked = {
    id,
    createdAt: now,
    attempt,
    rail,
    amount,
    reason,
    status: 'pending',
    syncAt: now,
  } as const;
  sketch.refunds = [...sketch.refunds, { ...asked, ...rest }];
}

/** Money of an attempt that has neither gone back, nor is on its way back, nor was or may be taken back by its rail. */
function leftOf({ payments, refunds, reversals }: Sketch, attempt: string): number {
  const of = (part: { readonly attempt: string }) => part.attempt === attempt;
  const ofAttempt = { payments: payments.filter(of), refunds: refunds.filter(of) };
  return allLeftOf({ ...ofAttempt, reversals: reversals.filter(of) });
}

/** The same of all attempts. */
const allLeftOf = ({
  payments,
  refunds,
  reversals,
}: Pick<Sketch, 'payments' | 'refunds' | 'reversals'>): number =>
  sum(payments) -
  sum(refunds.filter(({ status }) => status !== 'failed')) -
  sum(reversals.filter(({ status }) => status !== 'won'));

function hearOfRefund(sketch: Sketch, command: ReportRefund): RefusalReason | null {
  const refund = sketch.refunds.find(({ id }) => id === command.refund);
  if (refund === undefined) return 'not_found';
  const order = ['pending', 'succeeded', 'failed'];
  if (order.indexOf(command.status) < order.indexOf(refund.status)) {
    const reference = refund.reference || command.reference;
    noteRefund(sketch, { ...refund, ...wayOf(refund, command), reference });
    return null;
  }
  const { status } = command;
  noteRefund(sketch, {
    ...refund,
    ...wayOf(refund, command),
    status,
    failure: status === refund.status ? refund.failure : command.failure,
    reference: command.reference || refund.reference,
    syncAt: status === 'pending' ? command.syncAt : null,
  });
  return null;
}

/** A refund goes out once, in the first file that it is put into; each entry that brings a new state is noted. */
function wayOf(refund: Refund, { status, paymentFile, bankEntry }: ReportRefund): Partial<Refund> {
  const order = ['pending', 'succeeded', 'failed'];
  const isFirstFile = refund.paymentFile === undefined && paymentFile !== undefined;
  const isNoted = bankEntry !== undefined && order.indexOf(status) > order.indexOf(refund.status);
  return {
    ...(isFirstFile ? { paymentFile } : {}),
    ...(isNoted ? { bankEntries: (refund.bankEntries ?? []).concat(bankEntry) } : {}),
  };
}

/** A rail may say more of a reversal until it has decided it; and of a return that was lost, that it has come to nothing. */
function hearOfReversal(sketch: Sketch, command: ReportReversal): RefusalReason | null {
  const { kind, rail, reference, attempt, amount, reason, status, now } = command;
  if (!sketch.attempts.some(({ id }) => id === attempt)) return 'not_found';
  const earlier = sketch.reversals.find((each) => each.rail === rail && each.reference === reference);
  if (earlier === undefined) {
    const first: Reversal = { kind, rail, reference, attempt, amount, reason, status, createdAt: now };
    sketch.reversals = [...sketch.reversals, first];
  } else if (
    earlier.status === 'open' ||
    `${earlier.kind} ${earlier.status} ${status}` === 'return lost won'
  ) {
    const further = { ...earlier, status, amount, reason };
    sketch.reversals = sketch.reversals.map((each) => (each === earlier ? further : each));
  }
  return null;
}

export function sum(parts: ReadonlyArray<{ readonly amount: number }>): number {
  let total = 0;
  for (const { amount } of parts) total += amount;
  return total;
}

function dueOf({ amount, payments }: Pick<Checkout, 'amount' | 'payments'>): number {
  return Math.max(0, amount - sum(payments));
}
