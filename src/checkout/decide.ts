/**
 * The rules: what a command does to a checkout session. Pure; `transact.ts` calls it inside the transaction that
 * loaded the session and writes what it returns.
 */
import type {
  CancelAttempt,
  CheckoutCommand,
  CreateCheckout,
  ExpireCheckout,
  Report,
  StartAttempt,
  UpdateCheckout,
} from './command.ts';
import { type CheckoutEvent, eventsBetween } from './events.ts';
import { type Item, listingOf, totalOf } from './items.ts';
import { mergePatch, metadataProblem } from './metadata.ts';
import { MAX_AMOUNT } from './money.ts';
import { type Problem, type Refusal, refuse, refuseFields } from './refusal.ts';
import {
  type Attempt,
  type AttemptStatus,
  amountDue,
  amountPaid,
  type Checkout,
  endsAt,
  isCovered,
  isInFlight,
  knowledgeOf,
  type Payment,
} from './session.ts';

export type Change = {
  readonly kind: 'change';
  readonly checkout: Checkout;
  readonly events: readonly CheckoutEvent[];
};
export type Unchanged = { readonly kind: 'unchanged'; readonly checkout: Checkout };
export type Decision = Change | Unchanged | Refusal;

/** Bounds of `expires_at`, counted from the command's time. */
export const EXPIRY_MIN_MS = 60_000;
export const EXPIRY_MAX_MS = 180 * 86_400_000;

/** A session's attempts; an honest payer needs a handful, and the list is part of every answer. */
export const MAX_ATTEMPTS = 50;

export function decide(checkout: Checkout | null, command: CheckoutCommand): Decision {
  if (command.type === 'create') return create(command);
  if (checkout === null) return refuse('not_found', 'There is no such checkout session.');
  const ifVersion = 'ifVersion' in command ? command.ifVersion : null;
  if (ifVersion !== null && ifVersion !== checkout.version) {
    return refuse(
      'version_stale',
      `The session is at version ${checkout.version}; If-Match names ${ifVersion}.`,
    );
  }
  // What time has already ended is over, even if no tick has written it down yet.
  const current = elapse(checkout, command.now);
  const next = apply(current, command);
  if ('kind' in next) return next;
  return conclude(checkout, elapse(next, command.now));
}

function apply(checkout: Checkout, command: Exclude<CheckoutCommand, CreateCheckout>): Checkout | Refusal {
  switch (command.type) {
    case 'update':
      return update(checkout, command);
    case 'expire':
      return expire(checkout, command);
    case 'start_attempt':
      return startAttempt(checkout, command);
    case 'report':
      return report(checkout, command);
    case 'cancel_attempt':
      return cancelAttempt(checkout, command);
    case 'tick':
      return checkout;
  }
}

function conclude(before: Checkout, after: Checkout): Change | Unchanged {
  if (after === before) return { kind: 'unchanged', checkout: before };
  const events = eventsBetween(before, after);
  // Only the time of the next question to the rail moved: nothing that anybody can see.
  const version = events.length === 0 ? before.version : before.version + 1;
  return {
    kind: 'change',
    checkout: { ...after, version, eventCount: before.eventCount + events.length },
    events,
  };
}

function create(command: CreateCheckout): Decision {
  const { type, now, amount, items, description, ...given } = command;
  const problems = createProblems(command, now);
  const total = totalOf(items);
  if (total === null || problems.length > 0) return refuseFields(problems);
  const checkout: Checkout = {
    ...given,
    version: 1,
    eventCount: 1,
    createdAt: now,
    amount: amount ?? total,
    items,
    description: description || listingOf(items),
    lifecycle: { state: 'active' },
    attempts: [],
    payments: [],
  };
  return { kind: 'change', checkout, events: eventsBetween(null, checkout) };
}

/** What the rules have against these fields of a new session. */
export function createProblems(
  { expiresAt, items, amount }: Pick<CreateCheckout, 'expiresAt' | 'items' | 'amount'>,
  now: number,
): Problem[] {
  const problems: Problem[] = [];
  const expiry = expiryProblem(expiresAt, now);
  if (expiry !== null) problems.push({ pointer: '/expires_at', detail: expiry });
  if (totalOf(items) === null) problems.push({ pointer: '/items', detail: totalTooLarge });
  if (items.length > 0 && amount === 0) {
    problems.push({ pointer: '/amount', detail: 'must be at least 1 when there are items' });
  }
  return problems;
}

/** What is wrong with an expiry of a session created at `now`, in a sentence, or null. */
function expiryProblem(expiresAt: number | null, now: number): string | null {
  if (expiresAt === null) return null;
  if (expiresAt < now + EXPIRY_MIN_MS) return 'must be at least 60 seconds ahead';
  if (expiresAt > now + EXPIRY_MAX_MS) return 'must be at most 180 days ahead';
  return null;
}

const totalTooLarge = `must add up to at most ${MAX_AMOUNT}`;

function update(checkout: Checkout, { items, metadata }: UpdateCheckout): Checkout | Refusal {
  const problems: Problem[] = [];
  const merged = metadata === null ? checkout.metadata : mergePatch(checkout.metadata, metadata);
  const problem = metadataProblem(merged);
  if (problem !== null) problems.push({ pointer: '/metadata', detail: `once merged, ${problem}` });
  if (items !== null && totalOf(items) === null) problems.push({ pointer: '/items', detail: totalTooLarge });
  if (problems.length > 0) return refuseFields(problems);

  const noted = same(merged, checkout.metadata) ? checkout : { ...checkout, metadata: merged };
  return items === null ? noted : replaceItems(noted, items);
}

function replaceItems(checkout: Checkout, items: readonly Item[]): Checkout | Refusal {
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_updatable', `The items cannot change: the session is ${checkout.lifecycle.state}.`);
  }
  if (amountPaid(checkout) > 0) {
    return refuse('not_updatable', 'The items cannot change: a part of the amount is paid.');
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'The items cannot change: a payment is in progress.');
  }
  const amount = totalOf(items) ?? checkout.amount;
  const description = listingOf(items);
  if (amount === checkout.amount && description === checkout.description && same(items, checkout.items)) {
    return checkout;
  }
  // An attempt that waits for its payer shows an amount that is no longer right.
  return cancelWaiting({ ...checkout, items, amount, description });
}

function expire(checkout: Checkout, { now }: ExpireCheckout): Checkout | Refusal {
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_expirable', `The session cannot be expired: it is ${checkout.lifecycle.state}.`);
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'The session cannot be expired: a payment is in progress.');
  }
  return cancelWaiting({
    ...checkout,
    expiresAt: now,
    lifecycle: { state: 'expired', at: now, by: 'merchant' },
  });
}

function startAttempt(checkout: Checkout, command: StartAttempt): Checkout | Refusal {
  const { now, attemptId, rail, reference, method, expectedAmount, status, syncAt } = command;
  const obstacle = obstacleToPaying(checkout, now, method);
  if (obstacle) return obstacle;
  const amount = amountDue(checkout);
  // Last, unlike the version that a client names: what cannot be paid at all is not to be looked at and paid again.
  if (amount !== expectedAmount) {
    return refuse('version_stale', 'The amount has changed since the payer was asked.');
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
  };
  return addAttempt(checkout, attempt);
}

/** Why no attempt may start now, or null. */
function obstacleToPaying(checkout: Checkout, now: number, method: string): Refusal | null {
  if (!checkout.methods.includes(method)) {
    return refuseFields([
      { pointer: '/method', detail: 'must be one of the payment methods of the session' },
    ]);
  }
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_payable', `The session cannot be paid: it is ${checkout.lifecycle.state}.`);
  }
  if (checkout.expiresAt !== null && now >= checkout.expiresAt) {
    return refuse('not_payable', 'The session cannot be paid: its time is over.');
  }
  if (checkout.amount === 0) {
    return refuse('not_payable', 'The session cannot be paid: it is a draft without an amount.');
  }
  if (checkout.attempts.length >= MAX_ATTEMPTS) {
    return refuse('not_payable', `The session cannot be paid: it has had ${MAX_ATTEMPTS} attempts.`);
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'A payment is already in progress.');
  }
  return null;
}

/** One live attempt at a time: a new one takes the place of those that still wait for the payer. */
function addAttempt(checkout: Checkout, attempt: Attempt): Checkout {
  const { attempts } = isSettled(attempt.status) ? checkout : cancelWaiting(checkout);
  return { ...checkout, attempts: [...attempts, withoutIdleSync(attempt)] };
}

function report(checkout: Checkout, command: Report): Checkout | Refusal {
  if (command.payment?.amount === 0) return report(checkout, { ...command, payment: null });
  const known = checkout.attempts.find(
    ({ rail, reference }) => rail === command.rail && reference === command.reference,
  );
  if (known) {
    const givenUp = known.status === 'cancelled' || known.status === 'failed';
    return settle(book(advance(checkout, known, command), known, command, givenUp));
  }
  if (isBooked(checkout, command)) return checkout;

  const method = command.unknownAttempt.method ?? checkout.methods[0] ?? '';
  // Money that has arrived is booked whatever the state; everything else must be allowed to start first.
  const obstacle =
    command.payment === null
      ? obstacleToPaying(checkout, command.now, method)
      : obstacleToBooking(checkout, command);
  if (obstacle) return obstacle;
  const attempt: Attempt = {
    id: command.unknownAttempt.id,
    createdAt: command.now,
    rail: command.rail,
    reference: command.reference,
    method,
    amount: command.payment?.amount ?? amountDue(checkout),
    version: checkout.version,
    status: command.status,
    reason: command.reason,
    syncAt: command.syncAt,
  };
  return settle(book(addAttempt(checkout, attempt), attempt, command, false));
}

/** Only where it is not said how much money there is can it be that there is none to book. */
function obstacleToBooking(checkout: Checkout, { payment }: Report): Refusal | null {
  if (checkout.amount === 0) {
    return refuse('not_payable', 'The session cannot be paid: it is a draft without an amount.');
  }
  if (payment?.amount === null && amountDue(checkout) === 0) {
    return refuse('not_payable', 'The session cannot be paid: nothing is due.');
  }
  return null;
}

/** Moves the attempt to what the report says of it, unless more is known already (see `attemptStatuses`). */
function advance(checkout: Checkout, attempt: Attempt, { status, reason, syncAt }: Report): Checkout {
  const news = knowledgeOf(status) - knowledgeOf(attempt.status);
  if (news < 0 || (news === 0 && (attempt.syncAt === syncAt || isSettled(status)))) return checkout;
  const moved = withoutIdleSync({ ...attempt, ...(news > 0 ? { status, reason } : {}), syncAt });
  return {
    ...checkout,
    attempts: checkout.attempts.map((each) => (each.id === attempt.id ? moved : each)),
  };
}

function isSettled(status: AttemptStatus): boolean {
  return status === 'cancelled' || status === 'failed' || status === 'succeeded';
}

/** There is nothing to ask about an attempt that has ended. */
function withoutIdleSync(attempt: Attempt): Attempt {
  return isSettled(attempt.status) ? { ...attempt, syncAt: null } : attempt;
}

/**
 * Books the money of a report once, however often it is reported. It is late where the session had expired, or where
 * the attempt had been given up: then it comes as a surprise to whoever acted on that.
 */
function book(checkout: Checkout, attempt: Attempt, command: Report, givenUp: boolean): Checkout {
  const { rail, payment, now } = command;
  const amount = payment?.amount ?? attempt.amount;
  if (payment === null || amount === 0 || isBooked(checkout, command)) return checkout;
  const line: Payment = {
    rail,
    reference: payment.reference,
    attempt: attempt.id,
    amount,
    bookedAt: now,
    late: givenUp || checkout.lifecycle.state === 'expired',
  };
  return { ...checkout, payments: [...checkout.payments, line] };
}

function isBooked(checkout: Checkout, { rail, payment }: Report): boolean {
  return checkout.payments.some((each) => each.rail === rail && each.reference === payment?.reference);
}

/** Completes an active session whose amount is covered. An expired one stays expired: the money came late. */
function settle(checkout: Checkout): Checkout {
  if (checkout.lifecycle.state !== 'active' || !isCovered(checkout)) return checkout;
  const at = checkout.payments.at(-1)?.bookedAt ?? checkout.createdAt;
  return cancelWaiting({ ...checkout, lifecycle: { state: 'completed', at } });
}

function cancelAttempt(checkout: Checkout, _command: CancelAttempt): Checkout | Refusal {
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'The payment cannot be cancelled: it is in progress.');
  }
  return cancelWaiting(checkout);
}

/** Ends the session if its time is over and nothing is in flight, or the grace of what is in flight is over too. */
function elapse(checkout: Checkout, now: number): Checkout {
  const end = endsAt(checkout);
  if (end === null || now < end) return checkout;
  return cancelWaiting({ ...checkout, lifecycle: { state: 'expired', at: now, by: 'time' } });
}

/** Cancels the attempts that only wait for the payer. */
function cancelWaiting(checkout: Checkout): Checkout {
  if (!checkout.attempts.some(({ status }) => status === 'requires_action')) return checkout;
  return {
    ...checkout,
    attempts: checkout.attempts.map((attempt) =>
      attempt.status === 'requires_action' ? { ...attempt, status: 'cancelled', syncAt: null } : attempt,
    ),
  };
}

/** Equal as JSON, keys in the same order: both sides came through the same code. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
