/**
 * The oracle's idea of a session, written from the contract and not from the rules: the plainest account of what a
 * command may come to, and of what may change without one.
 */
import type { CheckoutCommand } from '../../src/checkout/commands.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { SANDBOX } from '../../src/methods/sandbox/sandbox.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { type Truths, truthOf } from './truth.ts';

type Attempt = {
  id: string;
  createdAt: number;
  rail: string;
  reference: string;
  method: string;
  amount: number;
  status: string;
};
type Payment = { rail: string; reference: string; attempt: string; amount: number; late: boolean };
type Refund = { id: string; attempt: string; amount: number; status: string };
type Reversal = {
  kind: string;
  rail: string;
  reference: string;
  attempt: string;
  amount: number;
  status: string;
};

export type Session = {
  readonly id: string;
  readonly tenant: Tenant;
  readonly version: number;
  readonly amount: number;
  /** JSON. */
  readonly items: string;
  readonly methods: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expiresAt: number | null;
  readonly state: 'active' | 'completed' | 'expired';
  readonly by: 'merchant' | 'time' | null;
  readonly attempts: readonly Attempt[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  readonly reversals: readonly Reversal[];
  readonly refundsExcess: boolean;
};

/**
 * The expected result of a command: a refusal for this reason, or this session; the same one where nothing
 * changes.
 */
export type Expected = { readonly refusal: string } | { readonly session: Session };

/** Time that what is in flight has beyond the end of its session. */
const GRACE_MS = 15 * 60_000;
const CARD_GRACE_MS = 30 * 60_000;
/** An attempt only ever moves to the right. */
const KNOWLEDGE = ['requires_action', 'unknown', 'cancelled', 'processing', 'failed', 'succeeded'];

const IN_FLIGHT = ['processing', 'unknown'];

const refuse = (refusal: string): Expected => ({ refusal });
const sum = (all: readonly { readonly amount: number }[]): number =>
  all.reduce((total, { amount }) => total + amount, 0);

export const paidOf = ({ payments }: Session): number => sum(payments);
export const isPaid = (session: Session): boolean => session.amount > 0 && paidOf(session) >= session.amount;
export const isInFlight = ({ attempts }: Pick<Session, 'attempts'>): boolean =>
  attempts.some(({ status }) => IN_FLIGHT.includes(status));
/** The part of an attempt's money that has neither gone back nor been taken back. */
export const leftOf = ({ payments, refunds, reversals }: Session, attempt: string): number =>
  sum(payments.filter((each) => each.attempt === attempt)) -
  sum(refunds.filter((each) => each.attempt === attempt && each.status !== 'failed')) -
  sum(reversals.filter((each) => each.attempt === attempt && each.status !== 'won'));
export const paymentStatusOf = (session: Session): string =>
  isPaid(session) ? 'paid' : session.state === 'expired' && session.by === 'time' ? 'expired' : 'unpaid';

/** The time at which the session ends by itself. */
export function endOf(session: Session): number | null {
  if (session.state !== 'active' || session.expiresAt === null) return null;
  const inFlight = session.attempts.filter(({ status }) => IN_FLIGHT.includes(status));
  const graces = inFlight.map(({ rail }) => (rail === STRIPE ? CARD_GRACE_MS : GRACE_MS));
  return session.expiresAt + Math.max(0, ...graces);
}

/** Several transfers are normal: one that waits for its payer stands beside others. */
const isReplaced = ({ rail }: Attempt): boolean => rail !== BANK;

function withoutWaiting(session: Session, isMeant = (_attempt: Attempt) => true): Session {
  const attempts = session.attempts.map((each) =>
    each.status === 'requires_action' && isMeant(each) ? { ...each, status: 'cancelled' } : each,
  );
  return { ...session, attempts };
}

function atTime(session: Session, now: number): Session {
  const end = endOf(session);
  return end === null || now < end ? session : withoutWaiting({ ...session, state: 'expired', by: 'time' });
}

/**
 * The expected result of a command; `bookedBy` is the session to which a payment of this reference belongs.
 */
export function expected(
  before: Session | undefined,
  id: string,
  command: CheckoutCommand,
  bookedBy: string | undefined,
): Expected {
  if (command.type === 'create') return { session: created(id, command) };
  if (before === undefined) return refuse('not_found');
  if (command.type === 'report' && bookedBy !== undefined && bookedBy !== id)
    return refuse('payment_booked_elsewhere');
  if ('ifVersion' in command && command.ifVersion !== null && command.ifVersion !== before.version)
    return refuse('version_stale');
  const current = atTime(before, command.now);
  const applied = apply(current, command);
  if ('refusal' in applied) return applied;
  const after = atTime(applied.session, command.now);
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  return { session: isSame ? before : { ...after, version: before.version + 1 } };
}

function created(id: string, command: CheckoutCommand & { readonly type: 'create' }): Session {
  const { tenant, amount, items, metadata, expiresAt, policy } = command;
  const total = items.reduce((all, { quantity, unitPrice }) => all + quantity * unitPrice, 0);
  return {
    id,
    tenant,
    version: 1,
    amount: amount ?? total,
    items: JSON.stringify(items),
    methods: command.methods,
    metadata,
    expiresAt,
    state: 'active',
    by: null,
    attempts: [],
    payments: [],
    refunds: [],
    reversals: [],
    refundsExcess: policy.excess === 'refund',
  };
}

function apply(session: Session, command: CheckoutCommand): Expected {
  const { state, attempts } = session;
  switch (command.type) {
    case 'update': {
      const metadata = { ...session.metadata };
      for (const [key, value] of Object.entries(command.metadata ?? {})) {
        if (value === null) delete metadata[key];
        else metadata[key] = value;
      }
      const noted = { ...session, metadata };
      if (command.items === null && command.methods === null) return { session: noted };
      if (state !== 'active' || paidOf(session) > 0) return refuse('not_updatable');
      if (isInFlight(session)) return refuse('payment_in_progress');
      const methods = command.methods ?? session.methods;
      const isGone = ({ method }: Attempt) => !methods.includes(method);
      const offered = withoutWaiting({ ...noted, methods }, isGone);
      const items = JSON.stringify(command.items);
      if (command.items === null || items === session.items) return { session: offered };
      const amount = command.items.reduce((all, { quantity, unitPrice }) => all + quantity * unitPrice, 0);
      return { session: withoutWaiting({ ...offered, items, amount }) };
    }
    case 'expire':
      if (state !== 'active') return refuse('not_expirable');
      if (isInFlight(session)) return refuse('payment_in_progress');
      return {
        session: withoutWaiting({ ...session, state: 'expired', by: 'merchant', expiresAt: command.now }),
      };
    case 'start_attempt': {
      const obstacle = obstacleToStart(session, command.now, command.method);
      if (obstacle) return obstacle;
      const amount = session.amount - paidOf(session);
      if (command.expectedAmount !== amount) return refuse('version_stale');
      const { attemptId: id, now: createdAt, rail, reference, method, status } = command;
      const before = withoutWaiting(session, isReplaced);
      const attempt = { id, createdAt, rail, reference, method, amount, status };
      return { session: { ...before, attempts: [...before.attempts, attempt] } };
    }
    case 'cancel_attempt':
      return isInFlight(session)
        ? refuse('payment_in_progress')
        : { session: withoutWaiting(session, isReplaced) };
    case 'create_refund': {
      const { amount } = command;
      if (amount === null) throw new Error('the simulation names the amounts of its refunds');
      const attempt = attempts.findLast(({ id }) => amount <= leftOf(session, id));
      if (attempt === undefined) return refuse('not_refundable');
      const refund = { id: command.id, attempt: attempt.id, amount, status: 'pending' };
      return { session: { ...session, refunds: [...session.refunds, refund] } };
    }
    case 'report':
      return reported(session, command);
    default:
      throw new Error(`the simulation sends no ${command.type}`);
  }
}

function obstacleToStart(session: Session, now: number, method: string): Expected | null {
  const { state, expiresAt, amount, methods } = session;
  if (!methods.includes(method)) return refuse('field_invalid');
  if (state !== 'active' || (expiresAt !== null && now >= expiresAt) || amount === 0)
    return refuse('not_payable');
  return isInFlight(session) ? refuse('payment_in_progress') : null;
}

function reported(session: Session, command: CheckoutCommand & { readonly type: 'report' }): Expected {
  const { rail, reference, status, payment, now, refundId, unknownAttempt } = command;
  const known = session.attempts.find((each) => each.rail === rail && each.reference === reference);
  const isBooked = session.payments.some(
    (each) => each.rail === rail && each.reference === payment?.reference,
  );
  let next = session;
  let attempt: Attempt;
  if (known === undefined) {
    if (isBooked) return { session };
    const due = Math.max(0, session.amount - paidOf(session));
    const nothingToPay = session.amount === 0 || (payment?.amount === null && due === 0);
    const method = unknownAttempt.method ?? session.methods[0] ?? '';
    const obstacle =
      payment === null ? obstacleToStart(session, now, method) : nothingToPay ? refuse('not_payable') : null;
    if (obstacle) return obstacle;
    attempt = {
      id: unknownAttempt.id,
      createdAt: now,
      rail,
      reference,
      method,
      amount: payment?.amount ?? due,
      status,
    };
    const isOver = ['cancelled', 'failed', 'succeeded'].includes(status);
    const { attempts } = isOver ? session : withoutWaiting(session, isReplaced);
    next = { ...session, attempts: [...attempts, attempt] };
  } else {
    attempt = known;
    const isNews = KNOWLEDGE.indexOf(status) > KNOWLEDGE.indexOf(known.status);
    const moved = { ...known, status };
    if (isNews)
      next = { ...session, attempts: session.attempts.map((each) => (each === known ? moved : each)) };
  }
  if (payment !== null && !isBooked) {
    const amount = payment.amount ?? attempt.amount;
    const givenUp = known !== undefined && (known.status === 'cancelled' || known.status === 'failed');
    const late = givenUp || session.state === 'expired';
    const line = { rail, reference: payment.reference, attempt: attempt.id, amount, late };
    next = withExcess({ ...next, payments: [...next.payments, line] }, line, refundId);
  }
  if (next.state === 'active' && isPaid(next)) next = withoutWaiting({ ...next, state: 'completed' });
  return { session: next };
}

function withExcess(session: Session, { attempt, amount: paid }: Payment, id: string): Session {
  const held = session.attempts.reduce((total, each) => total + leftOf(session, each.id), 0);
  const amount = Math.min(paid, held - session.amount, leftOf(session, attempt));
  if (!session.refundsExcess || amount <= 0) return session;
  return { ...session, refunds: [...session.refunds, { id, attempt, amount, status: 'pending' }] };
}

/** A stored session as the model has it. */
export function asSession(checkout: Checkout): Session {
  const { id, tenant, version, amount, methods, metadata, expiresAt, lifecycle, policy } = checkout;
  return {
    id,
    tenant,
    version,
    amount,
    items: JSON.stringify(checkout.items),
    methods,
    metadata,
    expiresAt,
    state: lifecycle.state,
    by: lifecycle.state === 'expired' ? lifecycle.by : null,
    attempts: checkout.attempts.map(({ id, createdAt, rail, reference, method, amount, status }) => ({
      id,
      createdAt,
      rail,
      reference,
      method,
      amount,
      status,
    })),
    payments: checkout.payments.map(({ rail, reference, attempt, amount, late }) => ({
      rail,
      reference,
      attempt,
      amount,
      late,
    })),
    refunds: checkout.refunds.map(({ id, attempt, amount, status }) => ({ id, attempt, amount, status })),
    reversals: checkout.reversals.map(({ kind, rail, reference, attempt, amount, status }) => ({
      kind,
      rail,
      reference,
      attempt,
      amount,
      status,
    })),
    refundsExcess: policy.excess === 'refund',
  };
}

/** The flaw of a change without a request: time has passed, or a rail has reported something. */
export function objection(before: Session, after: Session, now: number, truths: Truths): string | null {
  const fixed = (session: Session) => {
    const { amount, items, methods, metadata, expiresAt, refundsExcess, tenant, id } = session;
    return JSON.stringify([amount, items, methods, metadata, expiresAt, refundsExcess, tenant, id]);
  };
  if (fixed(before) !== fixed(after)) return 'something changed that only a request may change';
  for (const [index, attempt] of after.attempts.entries()) {
    const was = before.attempts[index];
    if (was?.status === attempt.status) continue;
    // Attempts without a request need money that somebody has given.
    if (was === undefined && truthOf(truths, attempt.rail).payments(attempt).length === 0)
      return 'an attempt came from nowhere';
    const told = objectionToAttempt(before, after, attempt, was?.status ?? '', now, truths);
    if (told !== null) return told;
  }
  const lines = after.payments.slice(before.payments.length);
  if (JSON.stringify(after.payments.slice(0, before.payments.length)) !== JSON.stringify(before.payments))
    return 'a line of the ledger changed';
  for (const line of lines) {
    const attempt = after.attempts.find(({ id }) => id === line.attempt);
    const was = before.attempts.find(({ id }) => id === line.attempt);
    if (attempt === undefined) return 'money was booked for no attempt';
    const came = line.rail === SANDBOX ? [attempt] : truthOf(truths, line.rail).payments(attempt);
    if (!came.some(({ amount, reference }) => amount === line.amount && reference === line.reference))
      return 'money was booked that has not come';
    const isGivenUp = was?.status === 'cancelled' || was?.status === 'failed';
    if (line.late && !isGivenUp && before.state !== 'expired' && after.state !== 'expired')
      return 'money in time was called late';
    if (!line.late && (isGivenUp || before.state === 'expired')) return 'late money was not called late';
  }
  const names = after.payments.map(({ rail, reference }) => `${rail} ${reference}`);
  if (new Set(names).size !== names.length) return 'a payment was booked twice';
  for (const [index, refund] of before.refunds.entries()) {
    const is = after.refunds[index];
    if (is?.id !== refund.id || is.amount !== refund.amount) return 'a refund changed';
    if (is.status === refund.status) continue;
    const attempt = after.attempts.find(({ id }) => id === refund.attempt);
    const truth =
      attempt?.rail === SANDBOX
        ? 'succeeded'
        : truthOf(truths, attempt?.rail ?? '').refundStatus(attempt?.reference ?? '', refund.id);
    if (is.status !== truth) return `a refund ${is.status} that the provider calls ${truth}`;
  }
  for (const [index, reversal] of after.reversals.entries()) {
    const was = before.reversals[index];
    if (JSON.stringify(was) === JSON.stringify(reversal)) continue;
    const { rail, reference, amount, status } = reversal;
    const said = truthOf(truths, rail).reversal(reference);
    if (said?.amount !== amount || !said.statuses.includes(status))
      return `money was taken back as ${status}`;
    // A refund at the provider can fail once its money is gone.
    const hasFailed = was?.kind === 'return' && was.status === 'lost' && status === 'won';
    if (was && was.status !== 'open' && !hasFailed) return `a reversal that was ${was.status} is ${status}`;
  }
  if (after.reversals.length < before.reversals.length) return 'a reversal is gone';
  if (after.refunds.length > before.refunds.length + (before.refundsExcess ? lines.length : 0))
    return 'a refund came from nowhere';
  const isEnded = before.state === 'active' && after.state !== 'active';
  if (before.state !== 'active' && (after.state !== before.state || after.by !== before.by))
    return 'a session that had ended changed its end';
  if (isEnded && after.state === 'completed' && !isPaid(after)) return 'a session is completed without money';
  if (isEnded && after.state === 'expired') {
    // A rail may have said what counts only from now on: that it had ended before stays true.
    const ends = [before, { ...after, state: 'active' } as const].map(endOf);
    if (after.by !== 'time' || !ends.some((end) => end !== null && now >= end))
      return 'a session expired before its time';
  }
  if (after.state === 'active' && isPaid(after)) return 'a session is active although it is paid';
  const isSeen = JSON.stringify({ ...before, version: 0 }) !== JSON.stringify({ ...after, version: 0 });
  if (isSeen && after.version !== before.version + 1) return 'a change without a version of its own';
  return null;
}

function objectionToAttempt(
  before: Session,
  after: Session,
  { status, rail, reference, createdAt }: Attempt,
  was: string,
  now: number,
  truths: Truths,
): string | null {
  if (KNOWLEDGE.indexOf(status) < KNOWLEDGE.indexOf(was))
    return `an attempt went back from ${was} to ${status}`;
  if (status === 'cancelled') {
    const isGivenUp = before.state === 'active' && after.state !== 'active';
    return isGivenUp || truthOf(truths, rail).mayHaveSaid(reference, status, now - createdAt)
      ? null
      : 'an attempt was cancelled by nobody';
  }
  if (status === 'unknown') return null;
  if (rail === SANDBOX) return status === 'succeeded' ? null : `the sandbox never reports ${status}`;
  const truth = truthOf(truths, rail);
  if (truth.mayHaveSaid(reference, status, now - createdAt)) return null;
  return `an attempt ${status} that the provider calls ${truth.statusOf(reference)}`;
}

/** The flaw of a session at any time. */
export function flawOf(session: Session): string | null {
  // Reversed money may have been refunded before.
  const kept = { ...session, reversals: [] };
  if (session.attempts.some(({ id }) => leftOf(kept, id) < 0)) return 'more goes back than has come';
  if (session.state === 'completed' && !isPaid(session)) return 'a session is completed without money';
  if (session.state === 'active' && isPaid(session)) return 'a session is active although it is paid';
  return null;
}
