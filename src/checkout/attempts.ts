/** Rules of paying: attempts, reports of rails about them, and the money that is booked. Pure, as `decide.ts`. */

import type { CancelAttempt, NoteAttempt, Report, StartAttempt } from './commands.ts';
import type { Item } from './items.ts';
import { afterMerge, bytesProblem, mergePatch, metadataProblem } from './metadata.ts';
import { refundOfExcess } from './refunds.ts';
import { type Refusal, refuse, refuseFields } from './refusals.ts';
import {
  type Attempt,
  type AttemptStatus,
  type Checkout,
  changed,
  type Fee,
  knowledgeOf,
  type Payment,
} from './session.ts';
import { amountDue, amountPaid, feeOf, isCovered, isInFlight } from './statuses.ts';
import type { TenantTime } from './tenant.ts';

/** Attempts of a session, at most: an honest payer needs a handful, and the list is part of every answer. */
export const MAX_ATTEMPTS = 50;

export function startAttempt(checkout: Checkout, command: StartAttempt): Checkout | Refusal {
  const { now, attemptId, rail, reference, method, expectedAmount, status, syncAt, traits, details } =
    command;
  const obstacle = obstacleToPaying(checkout, now, method);
  if (obstacle) return obstacle;
  const amount = amountDue(checkout);
  // This check comes last, unlike that of a version named by the client: a session that cannot be paid at all is no
  // reason to reload and pay again.
  if (amount !== expectedAmount) {
    return refuse('version_stale', 'The amount has changed since it was shown to the payer.');
  }
  if (command.expectedItems !== undefined && !sameItems(command.expectedItems, checkout.items)) {
    return refuse('version_stale', 'The items have changed since they were shown to the payer.');
  }
  const attempt: Attempt = {
    id: attemptId,
    createdAt: now,
    rail,
    reference,
    method,
    amount,
    version: checkout.version,
    status,
    reason: '',
    syncAt,
    traits,
    details,
  };
  return addAttempt(checkout, attempt, now);
}

function sameItems(expected: readonly Item[] | null, items: readonly Item[]): boolean {
  return expected === items || JSON.stringify(expected) === JSON.stringify(items);
}

/** Refusal of a new attempt, or null. */
function obstacleToPaying(checkout: Checkout, now: TenantTime, method: string): Refusal | null {
  if (!checkout.methods.includes(method)) {
    return refuseFields([
      { pointer: '/method', detail: 'must be one of the payment methods of the session' },
    ]);
  }
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_payable', `The session cannot be paid: it is ${checkout.lifecycle.state}.`);
  }
  if (checkout.expiresAt !== null && now >= checkout.expiresAt) {
    return refuse('not_payable', 'The session cannot be paid: its expiry time has passed.');
  }
  if (checkout.amount === 0) {
    return refuse('not_payable', 'The session cannot be paid: it is a draft without an amount.');
  }
  if (checkout.attempts.length >= MAX_ATTEMPTS) {
    return refuse(
      'not_payable',
      `The session cannot be paid: it has reached the limit of ${MAX_ATTEMPTS} attempts.`,
    );
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'A payment is already in progress.');
  }
  return null;
}

/**
 * One live attempt at a time: a new one replaces those that still wait for the payer, unless they may stand beside
 * others.
 */
function addAttempt(checkout: Checkout, attempt: Attempt, now: TenantTime): Checkout {
  const { attempts } = isSettled(attempt.status) ? checkout : cancelWaiting(checkout, now, isReplaceable);
  return changed(checkout, { attempts: [...attempts, withoutIdleSync(attempt)] });
}

export function report(checkout: Checkout, command: Report): Checkout | Refusal {
  if (command.payment?.amount === 0) return report(checkout, { ...command, payment: null });
  const { now } = command;
  const known = checkout.attempts.find(
    ({ rail, reference }) => rail === command.rail && reference === command.reference,
  );
  const booked = amountPaid(checkout) + (command.payment?.amount ?? known?.amount ?? 0);
  if (command.payment !== null && booked > Number.MAX_SAFE_INTEGER && !isBooked(checkout, command)) {
    return refuse(
      'not_payable',
      'The session cannot be paid: its payments exceed the largest possible amount.',
    );
  }
  if (known) {
    const givenUp = known.status === 'cancelled' || known.status === 'failed';
    return settle(book(advance(checkout, known, command), known, command, givenUp), now);
  }
  if (isBooked(checkout, command)) return withFee(checkout, command);

  const method = command.unknownAttempt.method ?? checkout.methods[0] ?? '';
  // Money that has arrived is booked whatever the state; everything else must be allowed to start first.
  const obstacle =
    command.payment === null ? obstacleToPaying(checkout, now, method) : obstacleToBooking(checkout, command);
  if (obstacle) return obstacle;
  const attempt: Attempt = {
    id: command.unknownAttempt.id,
    createdAt: now,
    rail: command.rail,
    reference: command.reference,
    method,
    amount: command.payment?.amount ?? amountDue(checkout),
    version: checkout.version,
    status: command.status,
    reason: command.reason,
    syncAt: command.syncAt,
    traits: {},
    details: command.details ?? {},
  };
  const added = addAttempt(checkout, attempt, now);
  // Nothing waits for the payer of a session that is over.
  const current = checkout.lifecycle.state === 'active' ? added : cancelWaiting(added, now);
  return settle(book(current, attempt, command, false), now);
}

/** Refuses money for a draft, and money of an unknown amount where nothing is due. */
function obstacleToBooking(checkout: Checkout, { payment }: Report): Refusal | null {
  if (checkout.amount === 0) {
    return refuse('not_payable', 'The session cannot be paid: it is a draft without an amount.');
  }
  if (payment?.amount === null && amountDue(checkout) === 0) {
    return refuse('not_payable', 'The session cannot be paid: nothing is due.');
  }
  return null;
}

/** Moves the attempt to the reported status, unless more is known already (see `attemptStatuses`). */
function advance(checkout: Checkout, attempt: Attempt, command: Report): Checkout {
  const { status, reason, syncAt, details } = command;
  const news = knowledgeOf(status) - knowledgeOf(attempt.status);
  // This keeps the due time for telling the rail: a report below `cancelled` does not postpone it.
  if (news < 0) return checkout;
  const isNew = details !== null && JSON.stringify(details) !== JSON.stringify(attempt.details);
  const moved = withoutIdleSync({
    ...attempt,
    ...(news > 0 ? { status, reason } : {}),
    ...(isNew ? { details } : {}),
    syncAt,
  });
  if (news === 0 && !isNew && moved.syncAt === attempt.syncAt) return checkout;
  return changed(checkout, {
    attempts: checkout.attempts.map((each) => (each.id === attempt.id ? moved : each)),
  });
}

function isSettled(status: AttemptStatus): boolean {
  return status === 'cancelled' || status === 'failed' || status === 'succeeded';
}

/** An attempt that has ended needs no question; but the rail of a cancelled attempt may have to be told. */
function withoutIdleSync(attempt: Attempt): Attempt {
  const isOver =
    isSettled(attempt.status) && !(attempt.status === 'cancelled' && attempt.traits.toldOfCancel);
  return isOver ? { ...attempt, syncAt: null } : attempt;
}

/**
 * Books the money of a report once, however often it is reported. The payment is late if the session had expired, or if
 * the attempt had been given up: then it surprises whoever acted on that.
 */
function book(checkout: Checkout, attempt: Attempt, command: Report, givenUp: boolean): Checkout {
  const { rail, payment, now } = command;
  const amount = payment?.amount ?? attempt.amount;
  if (payment === null || amount === 0) return checkout;
  if (isBooked(checkout, command)) return withFee(checkout, command);
  const line: Payment = {
    rail,
    reference: payment.reference,
    attempt: attempt.id,
    amount,
    bookedAt: now,
    late: givenUp || checkout.lifecycle.state === 'expired',
  };
  const booked = withFee(changed(checkout, { payments: [...checkout.payments, line] }), command);
  return refundOfExcess(booked, line, command.refundId);
}

/** Keeps the fee of the booked payment, which changes nothing else. Of several that were told, the last one counts. */
function withFee(checkout: Checkout, { rail, payment }: Report): Checkout {
  if (!payment?.fee) return checkout;
  const { amount, currency } = payment.fee;
  const fee: Fee = { rail, reference: payment.reference, amount, currency };
  const known = feeOf(checkout, fee);
  if (known?.amount === amount && known.currency === currency) return checkout;
  return changed(checkout, { fees: [...checkout.fees.filter((each) => each !== known), fee] });
}

function isBooked(checkout: Checkout, { rail, payment }: Report): boolean {
  return checkout.payments.some((each) => each.rail === rail && each.reference === payment?.reference);
}

/** Completes an active session whose amount is covered. An expired one stays expired: the money came late. */
function settle(checkout: Checkout, now: TenantTime): Checkout {
  if (checkout.lifecycle.state !== 'active' || !isCovered(checkout)) return checkout;
  return cancelWaiting(changed(checkout, { lifecycle: { state: 'completed', at: now } }), now);
}

/** The payer goes back. Attempts that stand beside others stay: the transfer may be on its way. */
export function cancelAttempt(checkout: Checkout, { now }: CancelAttempt): Checkout | Refusal {
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'The payment cannot be cancelled: it is already in progress.');
  }
  return cancelWaiting(checkout, now, isReplaceable);
}

/** All attempts share the room that a session's metadata have: each of them is part of every answer. */
export function noteAttempt(checkout: Checkout, { attempt: id, metadata }: NoteAttempt): Checkout | Refusal {
  const attempt = checkout.attempts.find((each) => each.id === id);
  if (!attempt) return refuse('not_found', 'There is no such payment attempt.');
  const before = attempt.metadata ?? {};
  const merged = mergePatch(before, metadata);
  if (JSON.stringify(merged) === JSON.stringify(before)) return checkout;
  const attempts = checkout.attempts.map((each) => (each === attempt ? { ...each, metadata: merged } : each));
  const all = Object.fromEntries(attempts.map((each) => [each.id, each.metadata ?? {}]));
  const problem = metadataProblem(merged) ?? bytesProblem(all);
  if (problem !== null) return refuseFields([{ pointer: '/metadata', detail: afterMerge(problem) }]);
  return changed(checkout, { attempts });
}

function isReplaceable({ traits }: Attempt): boolean {
  return !traits.standing;
}

/** Cancels the attempts that only wait for the payer, or the given ones among them. */
export function cancelWaiting(
  checkout: Checkout,
  now: TenantTime,
  isMeant: (attempt: Attempt) => boolean = () => true,
): Checkout {
  const isCancelled = (attempt: Attempt) => attempt.status === 'requires_action' && isMeant(attempt);
  if (!checkout.attempts.some(isCancelled)) return checkout;
  return changed(checkout, {
    attempts: checkout.attempts.map((attempt) =>
      isCancelled(attempt)
        ? { ...attempt, status: 'cancelled', syncAt: attempt.traits.toldOfCancel ? now : null }
        : attempt,
    ),
  });
}
