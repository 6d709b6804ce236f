/** Every sequence of commands that a session can meet, for the properties that hold under all of them. */
import { test } from 'node:test';
import fc from 'fast-check';
import type { CheckoutCommand, Report } from '../../src/checkout/commands.ts';
import { type Decision, decide } from '../../src/checkout/decide.ts';
import {
  type Attempt,
  attemptStatuses,
  type Checkout,
  defaultPolicy,
  type RailTraits,
  refundStatuses,
} from '../../src/checkout/session.ts';
import { amountDue, EXPIRY_GRACE_MS, endsAt } from '../../src/checkout/statuses.ts';
import { scaled } from '../support/scale.ts';
import { cancel, create, expire, frozen, MINUTE, play, report, start, T, tick, update } from './build.ts';
import { createRefund, reportRefund, reportReversal, settleRefund } from './build-refunds.ts';

export const RUNS = { numRuns: scaled(400) };

/** Few names, so that commands meet: reports find attempts, and payments come twice. */
const names = fc.constantFrom('a', 'b', 'c', 'd');
const rails = fc.constantFrom('sandbox', 'bank');
const statuses = fc.constantFrom(...attemptStatuses);
const money = fc.integer({ min: 0, max: 1500 });
const someItems = fc.array(
  fc.record({
    name: fc.constantFrom('Widget', 'Gadget'),
    quantity: fc.integer({ min: 1, max: 3 }),
    unitPrice: fc.constantFrom(0, 100, 500),
  }),
  { minLength: 1, maxLength: 3 },
);
const someMetadata = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(null, 1, 'x', true), {
  maxKeys: 2,
});
const version = fc.option(fc.integer({ min: 1, max: 6 }), { freq: 4 });
const someFee = fc.record({ amount: fc.nat(60), currency: fc.constantFrom('USD', 'EUR') });
const syncAt = fc.option(fc.integer({ min: T, max: T + 120 * MINUTE }));
const traits: fc.Arbitrary<RailTraits> = fc.record(
  {
    standing: fc.constant(true as const),
    toldOfCancel: fc.constant(true as const),
    graceMs: fc.integer({ min: 0, max: 60 * MINUTE }),
  },
  { requiredKeys: [] },
);
const details = fc.option(fc.record({ page: names }), { freq: 2 });

/** A command, or how to make one of what the session has by then. */
type Made = CheckoutCommand | ((session: Checkout) => CheckoutCommand);

/**
 * A step: time that passes, a possible look of the payer at the page, and the command. Its `now` is set at
 * its turn, and an attempt is for the amount that the payer saw last.
 */
type Step = { readonly wait: number; readonly looks: boolean; readonly command: Made };

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 * MINUTE }) },
  { weight: 1, arbitrary: fc.constantFrom(15 * MINUTE, EXPIRY_GRACE_MS - 1, 60 * MINUTE) },
);

const looks = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);

const someReport = fc
  .record({
    rail: rails,
    name: names,
    status: statuses,
    payment: fc.option(
      fc.record(
        { reference: names, amount: fc.option(money, { freq: 4 }), fee: someFee },
        { requiredKeys: ['reference', 'amount'] },
      ),
    ),
    syncAt,
    details,
    made: fc.uuid(),
  })
  .map(({ rail, name, status, payment, syncAt, details, made }) =>
    report(status, {
      rail,
      reference: `ref_${name}`,
      payment,
      syncAt,
      details,
      refundId: `rfd_${made}`,
      unknownAttempt: { id: `pat_${made}`, method: null },
    }),
  );

const someStart = fc
  .record({ rail: rails, name: names, status: statuses, made: fc.uuid(), syncAt, traits })
  .map(({ rail, name, status, made, syncAt, traits }) =>
    // A rail names an attempt once.
    start({ rail, reference: `ref_${name}_${made}`, attemptId: `pat_${made}`, status, syncAt, traits }),
  );

/**
 * The index of an attempt or refund among those that exist at its turn; `null` leaves the choice to the
 * session.
 */
const which = fc.nat(5);

const someRefund = fc
  .record({ amount: fc.integer({ min: 1, max: 1500 }), which: fc.option(which), made: fc.uuid() })
  .map(({ amount, which, made }) => {
    const command = createRefund(amount, { id: `rfd_${made}` });
    return (session: Checkout) => ({
      ...command,
      attempt: which === null ? null : nth(session.attempts, which, 'pat_none'),
    });
  });

const someRefundReport = fc
  .record({
    which,
    status: fc.constantFrom(...refundStatuses),
    reference: fc.constantFrom('', 're_1'),
    syncAt,
  })
  .map(({ which, status, reference, syncAt }) => (session: Checkout) => {
    const failure = status === 'failed' ? 'Closed.' : '';
    return reportRefund(status, {
      refund: nth(session.refunds, which, 'rfd_none'),
      reference,
      failure,
      syncAt,
    });
  });

const someSettlement = fc.record({ which, status: fc.constantFrom('succeeded', 'failed') }).map(
  ({ which, status }) =>
    (session: Checkout) =>
      settleRefund(status, { refund: nth(session.refunds, which, 'rfd_none') }),
);

const someReversal = fc
  .record({
    which,
    rail: rails,
    name: names,
    kind: fc.constantFrom('dispute', 'return'),
    status: fc.constantFrom('open', 'lost', 'won'),
    amount: fc.integer({ min: 1, max: 1500 }),
  })
  .map(
    ({ which, name, status, ...given }) =>
      (session: Checkout) =>
        reportReversal(status, {
          ...given,
          reference: `dp_${name}`,
          attempt: nth(session.attempts, which, 'pat_none'),
        }),
  );

/** The id of that part, or of none if there are not as many. */
function nth<Id extends string>(parts: readonly { readonly id: Id }[], index: number, none: Id): Id {
  return parts[index]?.id ?? none;
}

const command: fc.Arbitrary<Made> = fc.oneof(
  { weight: 5, arbitrary: someReport },
  { weight: 3, arbitrary: someStart },
  {
    weight: 2,
    arbitrary: fc
      .record({ items: fc.option(someItems), metadata: fc.option(someMetadata), ifVersion: version })
      .map((given) => update(given)),
  },
  { weight: 2, arbitrary: someRefund },
  { weight: 2, arbitrary: someRefundReport },
  { weight: 1, arbitrary: someSettlement },
  { weight: 1, arbitrary: someReversal },
  { weight: 1, arbitrary: version.map((ifVersion) => expire({ ifVersion })) },
  { weight: 1, arbitrary: fc.constant(cancel) },
  { weight: 1, arbitrary: fc.constant(tick(T)) },
);

export const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ wait, looks, command }), { maxLength: 25 });

const somePolicy = fc
  .record({
    excess: fc.constantFrom('keep', 'refund'),
    underpaymentToleranceBasisPoints: fc.constantFrom(0, 0, 500, 10_000),
    underpaymentToleranceAtMost: fc.constantFrom(0, 30, 5000),
  })
  .map((given) => ({ ...defaultPolicy, ...given }));

export const someCreate = fc
  .record({
    amount: fc.option(fc.constantFrom(0, 1, 1000)),
    items: fc.oneof(fc.constant([]), someItems),
    expiresIn: fc.option(fc.integer({ min: 1, max: 40 })),
    policy: somePolicy,
  })
  .map(({ amount, items, expiresIn, policy }) =>
    create({
      amount: items.length > 0 && amount === 0 ? null : amount,
      items,
      expiresAt: expiresIn === null ? null : T + expiresIn * MINUTE,
      policy,
    }),
  );

/** The attempt that the report is of, if it is known. */
export function attemptOf({ attempts }: Checkout, { rail, reference }: Report): Attempt | undefined {
  return attempts.find((each) => each.rail === rail && each.reference === reference);
}

/** True if time ends the session before the command sees it. */
export function isTimeOver(session: Checkout, now: number): boolean {
  const end = endsAt(session);
  return end !== null && now >= end;
}

export type Seen = { before: Checkout; command: CheckoutCommand; decision: Decision; after: Checkout };

/** Runs the steps from a new session, and shows every one of them to `check`. */
export function run(first: CheckoutCommand, steps: readonly Step[], check: (seen: Seen) => void): Checkout {
  let session = play(null, first);
  let now = T;
  let expectedAmount = amountDue(session);
  for (const { wait, looks, command: made } of steps) {
    now += wait;
    if (looks) expectedAmount = amountDue(session);
    const command = typeof made === 'function' ? made(session) : made;
    const timed = frozen<CheckoutCommand>(
      command.type === 'start_attempt' ? { ...command, now, expectedAmount } : { ...command, now },
    );
    const decision = decide(session, timed);
    const after = decision.kind === 'refusal' ? session : frozen(decision.checkout);
    check({ before: session, command: timed, decision, after });
    session = after;
  }
  return session;
}

export function always(name: string, check: (seen: Seen) => void): void {
  test(name, () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        run(first, steps, check);
      }),
      RUNS,
    );
  });
}
