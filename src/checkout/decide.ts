/**
 * The rules: decides what a command does to a checkout session. Pure; the writer calls it inside the transaction that
 * loaded the session, and writes the result.
 */

import { cancelAttempt, cancelWaiting, noteAttempt, report, startAttempt } from './attempts.ts';
import type { CheckoutCommand, CreateCheckout, ExpireCheckout, UpdateCheckout } from './commands.ts';
import { type CheckoutEvent, eventsBetween } from './events.ts';
import { type Item, listingOf, totalOf } from './items.ts';
import { afterMerge, mergePatch, metadataProblem } from './metadata.ts';
import { MAX_AMOUNT } from './money.ts';
import { createRefund, reportRefund, reportReversal, settleRefund } from './refunds.ts';
import { isRefusal, type Problem, type Refusal, refuse, refuseFields } from './refusals.ts';
import { type Checkout, changed, checkoutOf } from './session.ts';
import { amountPaid, endsAt, isInFlight } from './statuses.ts';
import type { TenantTime } from './tenant.ts';

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
  // A session whose time is over has ended, even if no tick has written it down yet.
  const current = elapse(checkout, command.now);
  const next = apply(current, command);
  if (isRefusal(next)) return next;
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
    case 'note_attempt':
      return noteAttempt(checkout, command);
    case 'create_refund':
      return createRefund(checkout, command);
    case 'settle_refund':
      return settleRefund(checkout, command);
    case 'report_refund':
      return reportRefund(checkout, command);
    case 'report_reversal':
      return reportReversal(checkout, command);
    case 'tick':
      return checkout;
  }
}

function conclude(before: Checkout, after: Checkout): Change | Unchanged {
  if (after === before) return { kind: 'unchanged', checkout: before };
  const events = eventsBetween(before, after);
  // No session shows the time of the next question to the rail, or a fee.
  const version = events.length === 0 ? before.version : before.version + 1;
  return {
    kind: 'change',
    checkout: changed(after, { version, eventCount: before.eventCount + events.length }),
    events,
  };
}

function create(command: CreateCheckout): Decision {
  const { type, now, amount, items, description, obstacle, ...given } = command;
  const problems = createProblems(command, now);
  const total = totalOf(items);
  if (total === null || problems.length > 0) return refuseFields(problems);
  const checkout = checkoutOf({
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
    refunds: [],
    reversals: [],
    fees: [],
  });
  return { kind: 'change', checkout, events: eventsBetween(null, checkout) };
}

/** Problems of these fields of a new session. */
export function createProblems(
  { expiresAt, items, amount, obstacle }: Pick<CreateCheckout, 'expiresAt' | 'items' | 'amount' | 'obstacle'>,
  now: TenantTime,
): Problem[] {
  const problems: Problem[] = obstacle ? [obstacle] : [];
  const expiry = expiryProblem(expiresAt, now);
  if (expiry !== null) problems.push({ pointer: '/expires_at', detail: expiry });
  if (totalOf(items) === null) problems.push({ pointer: '/items', detail: totalTooLarge });
  if (items.length > 0 && amount === 0) {
    problems.push({ pointer: '/amount', detail: 'must be at least 1 when there are items' });
  }
  return problems;
}

/** Problem of an expiry of a session created at `now`, in a sentence, or null. */
function expiryProblem(expiresAt: TenantTime | null, now: TenantTime): string | null {
  if (expiresAt === null) return null;
  if (expiresAt < now + EXPIRY_MIN_MS) return 'must be at least 60 seconds ahead';
  if (expiresAt > now + EXPIRY_MAX_MS) return 'must be at most 180 days ahead';
  return null;
}

const totalTooLarge = `must add up to at most ${MAX_AMOUNT}`;

function update(
  checkout: Checkout,
  { items, methods, metadata, obstacle, now }: UpdateCheckout,
): Checkout | Refusal {
  const problems: Problem[] = obstacle ? [obstacle] : [];
  const merged = metadata === null ? checkout.metadata : mergePatch(checkout.metadata, metadata);
  // Metadata that stay have been looked at before, and may be long.
  const problem = metadata === null ? null : metadataProblem(merged);
  if (problem !== null) problems.push({ pointer: '/metadata', detail: afterMerge(problem) });
  const amount = items === null ? checkout.amount : totalOf(items);
  if (amount === null) problems.push({ pointer: '/items', detail: totalTooLarge });
  if (amount === null || problems.length > 0) return refuseFields(problems);

  const noted = same(merged, checkout.metadata) ? checkout : changed(checkout, { metadata: merged });
  if (items === null && methods === null) return noted;
  const refused = obstacleToNewTerms(noted, items === null ? 'payment methods' : 'items');
  if (refused) return refused;
  const offered = methods === null ? noted : replaceMethods(noted, methods, now);
  return items === null ? offered : replaceItems(offered, items, amount, now);
}

/** Refusal of new items or methods, or null. */
function obstacleToNewTerms(checkout: Checkout, what: string): Refusal | null {
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_updatable', `The ${what} cannot change: the session is ${checkout.lifecycle.state}.`);
  }
  if (amountPaid(checkout) > 0) {
    return refuse('not_updatable', `The ${what} cannot change: the amount is partially paid.`);
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', `The ${what} cannot change: a payment is in progress.`);
  }
  return null;
}

function replaceMethods(checkout: Checkout, methods: readonly string[], now: TenantTime): Checkout {
  if (same(methods, checkout.methods)) return checkout;
  // Nobody is to pay any more by a method that is gone.
  return cancelWaiting(changed(checkout, { methods }), now, ({ method }) => !methods.includes(method));
}

function replaceItems(checkout: Checkout, items: readonly Item[], amount: number, now: TenantTime): Checkout {
  const description = listingOf(items);
  if (amount === checkout.amount && description === checkout.description && same(items, checkout.items)) {
    return checkout;
  }
  // An attempt that waits for its payer now shows a wrong amount.
  return cancelWaiting(changed(checkout, { items, amount, description }), now);
}

function expire(checkout: Checkout, { now }: ExpireCheckout): Checkout | Refusal {
  if (checkout.lifecycle.state !== 'active') {
    return refuse('not_expirable', `The session cannot be expired: it is ${checkout.lifecycle.state}.`);
  }
  if (checkout.attempts.some(isInFlight)) {
    return refuse('payment_in_progress', 'The session cannot be expired: a payment is in progress.');
  }
  return cancelWaiting(
    changed(checkout, { expiresAt: now, lifecycle: { state: 'expired', at: now, by: 'merchant' } }),
    now,
  );
}

/** Ends the session if its time is over and nothing is in flight, or the grace of what is in flight is over too. */
function elapse(checkout: Checkout, now: TenantTime): Checkout {
  const end = endsAt(checkout);
  if (end === null || now < end) return checkout;
  return cancelWaiting(changed(checkout, { lifecycle: { state: 'expired', at: now, by: 'time' } }), now);
}

/** Equal as JSON, keys in the same order: both sides came through the same code. */
function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
