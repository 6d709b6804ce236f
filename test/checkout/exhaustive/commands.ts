/** Every command that a session can be given, up to the names of what it does not know yet. */
import type { CheckoutCommand, Report } from '../../../src/checkout/commands.ts';
import type { AttemptStatus, Checkout } from '../../../src/checkout/session.ts';
import { frozen, MINUTE } from '../build.ts';
import { type Bound, itemsOf, methodsOfAll, plain, timesOf } from './bound.ts';

export const everyStatus: readonly AttemptStatus[] = [
  'requires_action',
  'unknown',
  'cancelled',
  'processing',
  'failed',
  'succeeded',
];

/**
 * All commands at all times that matter. A session that is over gets all of them once, and reports on either side of its
 * expiry; one that is long overdue gets a tick alone.
 */
export function* commandsFor(session: Checkout, bound: Bound): Generator<CheckoutCommand> {
  const isOver = session.lifecycle.state !== 'active';
  const times = timesOf(session);
  for (const [index, now] of times.entries()) {
    yield { type: 'tick', now };
    const isLast = index > 0 && index === times.length - 1;
    if (isLast && !isOver) continue;
    yield* reports(session, bound, now);
    if (isLast) continue;
    yield { type: 'cancel_attempt', now };
    // Notes change nothing else, and would only multiply the states.
    for (const attempt of ['pat_none', ...session.attempts.map(({ id }) => id)] as const)
      yield { type: 'note_attempt', now, attempt, metadata: {} };
    yield* changesOfTerms(session, bound, now);
    yield* starts(session, bound, now);
    yield* refunds(session, bound, now);
    yield* reversals(session, bound, now);
  }
}

function* changesOfTerms({ version }: Checkout, bound: Bound, now: number): Generator<CheckoutCommand> {
  for (const ifVersion of [null, version, version - 1, version + 1]) yield { type: 'expire', now, ifVersion };
  const nothing = { items: null, methods: null, metadata: null, ifVersion: null };
  const given = { type: 'update', now, ...nothing } as const;
  yield given;
  for (const methods of methodLists) yield { ...given, methods };
  yield { ...given, methods: withoutCard, items: itemsOf(1) };
  for (let amount = 0; amount <= bound.amount; amount += 1) yield { ...given, items: itemsOf(amount) };
  const metadata = { noted: version };
  yield { ...given, metadata, ifVersion: version };
  for (const ifVersion of [version - 1, version + 1]) {
    yield { ...given, metadata, items: itemsOf(1), ifVersion };
  }
}

/** The methods of sessions in a search, then further ones, then others in their place. */
const withoutCard = frozen(['wire_transfer']);
const methodLists = frozen([[...methodsOfAll], [...methodsOfAll, 'wire_transfer'], withoutCard]);

function* starts(session: Checkout, bound: Bound, now: number): Generator<CheckoutCommand> {
  const { amount, items, attempts, payments } = session;
  const due = Math.max(
    0,
    payments.reduce((left, payment) => left - payment.amount, amount),
  );
  for (const { name, traits } of bound.rails) {
    const given = {
      type: 'start_attempt',
      now,
      attemptId: `pat_${attempts.length + 1}`,
      rail: name,
      reference: nextReference(session, name),
      method: 'card',
      expectedAmount: due,
      status: 'requires_action',
      syncAt: now + MINUTE,
      traits,
      details: none,
    } as const;
    for (const status of everyStatus) yield { ...given, status };
    if (name !== bound.rails[0]?.name) continue;
    for (const expectedAmount of [due - 1, due + 1]) yield { ...given, expectedAmount };
    for (const expectedItems of [items, null, [...items, ...items]]) yield { ...given, expectedItems };
    yield { ...given, method: 'unknown_method' };
  }
}

/** Rails name attempts without regard for each other: two of them may use the same name. */
function nextReference({ attempts }: Checkout, name: string): string {
  return `ref_${attempts.filter(({ rail }) => rail === name).length + 1}`;
}

function* reports(session: Checkout, bound: Bound, now: number): Generator<CheckoutCommand> {
  const rail = plain.name;
  const subjects = [
    ...session.attempts.map((attempt) => ({ rail: attempt.rail, reference: attempt.reference })),
    { rail, reference: nextReference(session, rail) },
  ];
  const unknownAttempt = { id: `pat_${session.attempts.length + 1}`, method: null } as const;
  const refundId = `rfd_${session.refunds.length + 1}` as const;
  for (const { rail, reference } of subjects) {
    for (const status of everyStatus) {
      const given = {
        type: 'report',
        now,
        rail,
        reference,
        status,
        reason: status === 'failed' ? 'Declined.' : '',
        syncAt: status === 'cancelled' ? null : now + 2 * MINUTE,
        details: null,
        payment: null,
        unknownAttempt,
        refundId,
      } as const;
      yield given;
      for (const payment of paymentsFor(session, bound, status)) yield { ...given, payment };
      if (status === 'processing') yield { ...given, details: { page: String(session.version) } };
    }
  }
}

/** Money of every amount comes with a success; with every other status it comes as what the attempt was for. */
function paymentsFor(
  { payments }: Checkout,
  bound: Bound,
  status: AttemptStatus,
): readonly NonNullable<Report['payment']>[] {
  const reference = `pay_${payments.length + 1}`;
  const whole = { reference, amount: null };
  if (status !== 'succeeded') return [whole];
  const parts = Array.from({ length: bound.money + 1 }, (_, amount) => ({ reference, amount }));
  // Told again, by this rail or another one, with another amount.
  const again = payments.map((each) => ({
    reference: each.reference,
    amount: (each.amount % bound.money) + 1,
  }));
  return [whole, ...parts, ...again];
}

function* refunds(session: Checkout, bound: Bound, now: number): Generator<CheckoutCommand> {
  const id = `rfd_${session.refunds.length + 1}` as const;
  const given = {
    type: 'create_refund',
    now,
    id,
    furtherIds: [2, 3].map((n) => `rfd_${session.refunds.length + n}` as const),
    currency: null,
    reason: '',
    remarks: '',
    metadata: none,
    webhookUrl: '',
  } as const;
  yield { ...given, attempt: null, amount: bound.payments * bound.money + 1 };
  yield { ...given, attempt: 'pat_none', amount: 1 };
  yield { ...given, attempt: null, amount: 1, currency: 'XTS' };
  for (const left of [0, 1, bound.money]) yield { ...given, attempt: null, amount: null, left };
  for (const attempt of [null, ...session.attempts.map((each) => each.id)]) {
    yield { ...given, attempt, amount: null };
    for (let amount = 1; amount <= bound.money; amount += 1) yield { ...given, attempt, amount };
  }
  const unknown = { now, refund: 'rfd_none', syncAt: null, reference: '' } as const;
  yield { type: 'settle_refund', ...unknown, status: 'succeeded', reason: '' };
  yield { type: 'report_refund', ...unknown, status: 'succeeded', failure: '' };
  for (const { id: refund } of session.refunds) {
    for (const status of ['succeeded', 'failed'] as const) {
      yield { type: 'settle_refund', now, refund, status, reason: '' };
      yield { type: 'settle_refund', now, refund, status, reason: 'by hand' };
    }
    for (const reference of ['', `re_${refund}`]) {
      for (const status of ['pending', 'succeeded', 'failed'] as const) {
        const failure = status === 'failed' ? 'Closed.' : '';
        // Two entries that tell of it, one for each way; a file and an entry are told by a bank alone.
        const bankEntry = reference === '' ? {} : { bankEntry: `ntc_${status}` as const };
        const told = { refund, reference, status, failure, ...bankEntry };
        yield { type: 'report_refund', now, ...told, syncAt: now + 3 * MINUTE };
      }
    }
    const filed = { status: 'pending', reference: '', failure: '', syncAt: null } as const;
    yield { type: 'report_refund', now, refund, ...filed, paymentFile: `bfl_${refund}` };
  }
}

function* reversals(
  { attempts, reversals }: Checkout,
  bound: Bound,
  now: number,
): Generator<CheckoutCommand> {
  const given = { type: 'report_reversal', now, reason: 'Fraud.' } as const;
  yield {
    ...given,
    kind: 'dispute',
    rail: plain.name,
    reference: 'rev_none',
    attempt: 'pat_none',
    amount: 1,
    status: 'open',
  };
  for (const { id: attempt, rail } of attempts) {
    const kind = attempt === 'pat_1' ? 'dispute' : 'return';
    const known = reversals.filter((each) => each.attempt === attempt).map(({ reference }) => reference);
    for (const reference of [...known, `rev_${reversals.length + 1}`]) {
      for (let amount = 1; amount <= bound.money; amount += 1) {
        for (const status of ['open', 'lost', 'won'] as const) {
          yield { ...given, kind, rail, reference, attempt, amount, status };
        }
      }
    }
  }
}

const none = Object.freeze({});
