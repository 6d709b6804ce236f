/** Rules of money that goes back: refunds that the merchant wants, and reversals by rails. Pure, as `decide.ts`. */

import type { CreateRefund, ReportRefund, ReportReversal, SettleRefund } from './commands.ts';
import type { RefundId } from './ids.ts';
import { formatAmount } from './money.ts';
import { isRefusal, type Refusal, refuse, refuseFields } from './refusals.ts';
import {
  type Attempt,
  type Checkout,
  changed,
  type Payment,
  type Refund,
  type Reversal,
  refundStatuses,
} from './session.ts';
import { amountHeld, refundableOf } from './statuses.ts';
import type { TenantTime } from './tenant.ts';

/** Refunds and reversals of a session, at most; both are part of its answers. */
export const MAX_REFUNDS = 100;

/** Never more than was paid: a pending refund counts as gone until it has failed. */
export function createRefund(checkout: Checkout, command: CreateRefund): Checkout | Refusal {
  const { attempt: named, now, currency, reason, remarks, metadata, webhookUrl } = command;
  if (currency !== null && currency !== checkout.currency) {
    const detail = `must be ${checkout.currency}, the currency of the session`;
    return refuseFields([{ pointer: '/currency', detail }]);
  }
  const left = Math.max(0, amountHeld(checkout));
  if (command.left !== undefined && command.left !== left) {
    const detail = `must be what is left now, ${formatAmount(left, checkout.currency)}`;
    return refuseFields([{ pointer: '/amount_left', detail }]);
  }
  const candidates =
    named === null ? checkout.attempts : checkout.attempts.filter((each) => each.id === named);
  if (named !== null && candidates.length === 0) {
    return refuseFields([
      { pointer: '/payment_attempt', detail: 'must be the id of an attempt of the session' },
    ]);
  }
  const parts =
    command.amount === null ? restOf(checkout, candidates) : partOf(checkout, candidates, command.amount);
  if (isRefusal(parts)) return parts;
  if (checkout.refunds.length + parts.length > MAX_REFUNDS) {
    return refuse('not_refundable', `A session has at most ${MAX_REFUNDS} refunds.`);
  }
  const ids = [command.id, ...command.furtherIds];
  return parts.reduce((session, { attempt: { id: attempt, rail }, amount }, index) => {
    const id = ids[index];
    if (id === undefined) throw new Error(`${parts.length} refunds are to be made with ${ids.length} ids`);
    return addRefund(session, { id, attempt, rail, amount, reason, remarks, metadata, webhookUrl }, now);
  }, checkout);
}

/** An amount that goes back, and the attempt that has brought it. */
type Part = { readonly attempt: Attempt; readonly amount: number };

/** The amount, out of the newest attempt that has so much left. */
function partOf(checkout: Checkout, candidates: readonly Attempt[], amount: number): [Part] | Refusal {
  const attempt = candidates.findLast((each) => amount <= refundableOf(checkout, each.id));
  return attempt ? [{ attempt, amount }] : tooMuch(checkout, candidates);
}

/** All that is left, newest attempt first: a rail refunds an attempt, so each has a refund of its own. */
function restOf(checkout: Checkout, candidates: readonly Attempt[]): readonly Part[] | Refusal {
  const parts = candidates
    .map((attempt) => ({ attempt, amount: refundableOf(checkout, attempt.id) }))
    .filter(({ amount }) => amount > 0)
    .reverse();
  if (parts.length > 0) return parts;
  return refuse('not_refundable', 'No payment has a refundable amount left.');
}

/** A new refund; its rail is asked at once. */
function addRefund(
  checkout: Checkout,
  asked: Omit<Refund, 'createdAt' | 'reference' | 'status' | 'failure' | 'syncAt'>,
  now: TenantTime,
): Checkout {
  const { id, attempt, rail, ...rest } = asked;
  const refund: Refund = {
    id,
    createdAt: now,
    attempt,
    rail,
    reference: '',
    ...rest,
    status: 'pending',
    failure: '',
    syncAt: now,
  };
  return changed(checkout, { refunds: [...checkout.refunds, refund] });
}

function tooMuch(checkout: Checkout, candidates: readonly Attempt[]): Refusal {
  const left = candidates.reduce((most, { id }) => Math.max(most, refundableOf(checkout, id)), 0);
  const most = formatAmount(left, checkout.currency);
  const total = checkout.attempts.reduce((sum, { id }) => sum + refundableOf(checkout, id), 0);
  const all =
    total > left ? ` All attempts together have ${formatAmount(total, checkout.currency)} left.` : '';
  return refuse(
    'not_refundable',
    `The amount exceeds what can still be refunded: at most ${most} of one attempt.${all}`,
    [{ pointer: '/amount', detail: `must be at most ${left}` }],
  );
}

/**
 * Refunds what this payment has brought beyond the amount, if the policy wants it. Money that already went back, or was
 * taken back, is missing at the merchant: it is made up for before anything is excess.
 */
export function refundOfExcess(checkout: Checkout, payment: Payment, id: RefundId): Checkout {
  const { attempt, rail, bookedAt } = payment;
  if (checkout.policy.excess !== 'refund' || checkout.refunds.length >= MAX_REFUNDS) return checkout;
  const excess = amountHeld(checkout) - checkout.amount;
  const amount = Math.min(payment.amount, excess, refundableOf(checkout, attempt));
  if (amount <= 0) return checkout;
  const reason = 'Paid in excess.';
  const asked = { id, attempt, rail, amount, reason, remarks: '', metadata: {}, webhookUrl: '' };
  return addRefund(checkout, asked, bookedAt);
}

/** Settles a pending refund, because a person knows its result. */
export function settleRefund(checkout: Checkout, command: SettleRefund): Checkout | Refusal {
  const { refund: id, status, reason } = command;
  const refund = checkout.refunds.find((each) => each.id === id);
  if (!refund) return refuse('not_found', 'There is no such refund.');
  if (refund.status !== 'pending') {
    return refuse('refund_settled', `The refund has already ${refund.status}.`);
  }
  const failure = status === 'failed' ? reason || 'It was withdrawn.' : '';
  return reportRefund(checkout, {
    refund: id,
    status,
    reference: status === 'succeeded' ? reason : '',
    failure,
    syncAt: null,
  });
}

/** Moves a refund to the reported status, unless more is known already (see `refundStatuses`). */
export function reportRefund(
  checkout: Checkout,
  command: Omit<ReportRefund, 'type' | 'now'>,
): Checkout | Refusal {
  const refund = checkout.refunds.find(({ id }) => id === command.refund);
  if (!refund) return refuse('not_found', 'There is no such refund.');
  const news = refundStatuses.indexOf(command.status) - refundStatuses.indexOf(refund.status);
  const links = linksOf(refund, command, news > 0);
  const moved: Refund =
    news < 0
      ? // Overtaken; but it may be the first to say what the rail calls the refund.
        { ...refund, ...links, reference: refund.reference || command.reference }
      : {
          ...refund,
          ...links,
          status: command.status,
          reference: command.reference || refund.reference,
          failure: news > 0 ? command.failure : refund.failure,
          syncAt: command.status === 'pending' ? command.syncAt : null,
        };
  const isSame =
    news <= 0 &&
    moved.reference === refund.reference &&
    moved.paymentFile === refund.paymentFile &&
    moved.syncAt === refund.syncAt;
  if (isSame) return checkout;
  return changed(checkout, {
    refunds: checkout.refunds.map((each) => (each === refund ? moved : each)),
  });
}

/** The payment file, which is the first that the refund was put into, and the bank entries that have moved it. */
function linksOf(
  { paymentFile, bankEntries = [] }: Refund,
  reported: Pick<ReportRefund, 'paymentFile' | 'bankEntry'>,
  isNews: boolean,
): Pick<Refund, 'paymentFile' | 'bankEntries'> {
  const file = paymentFile ?? reported.paymentFile;
  const { bankEntry } = reported;
  return {
    ...(file === undefined ? {} : { paymentFile: file }),
    ...(isNews && bankEntry !== undefined ? { bankEntries: [...bankEntries, bankEntry] } : {}),
  };
}

/** Records a reversal by a rail, or moves it to the reported status, unless more is known already. */
export function reportReversal(checkout: Checkout, command: ReportReversal): Checkout | Refusal {
  const { type, now, ...facts } = command;
  const { rail, reference, attempt, status, amount, reason } = facts;
  if (!checkout.attempts.some(({ id }) => id === attempt)) {
    return refuse('not_found', 'There is no such attempt.');
  }
  const known = checkout.reversals.find((each) => each.rail === rail && each.reference === reference);
  if (known) {
    const isSame = known.amount === amount && known.status === status;
    if (isSame || !canBecome(known, status)) return checkout;
    const moved = { ...known, status, amount, reason };
    return changed(checkout, {
      reversals: checkout.reversals.map((each) => (each === known ? moved : each)),
    });
  }
  if (checkout.reversals.length >= MAX_REFUNDS) {
    return refuse('not_refundable', `The session has reached the limit of ${MAX_REFUNDS} reversals.`);
  }
  return changed(checkout, { reversals: [...checkout.reversals, { ...facts, createdAt: now }] });
}

/**
 * True if this is news of the reversal. A decided dispute stays so: a rail reports the decision last. A return may be a
 * refund that was made at the provider, which can still fail once its money is gone, as ours can (see `refundStatuses`).
 */
function canBecome({ kind, status }: Reversal, reported: Reversal['status']): boolean {
  return status === 'open' || (kind === 'return' && status === 'lost' && reported === 'won');
}
