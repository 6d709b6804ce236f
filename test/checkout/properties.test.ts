/** What holds under every sequence of commands. A failure prints the seed and the path that replay it. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { CheckoutCommand, Report } from '../../src/checkout/command.ts';
import { type Decision, decide } from '../../src/checkout/decide.ts';
import {
  type Attempt,
  amountDue,
  amountPaid,
  attemptStatuses,
  type Checkout,
  dueAt,
  EXPIRY_GRACE_MS,
  endsAt,
  isInFlight,
  payinStatusOf,
  paymentStatusOf,
  statusOf,
} from '../../src/checkout/session.ts';
import {
  cancel,
  checkBookkeeping,
  create,
  expire,
  frozen,
  MINUTE,
  play,
  report,
  start,
  T,
  tick,
  update,
} from './build.ts';

const RUNS = { numRuns: 1500 };

/** Few names, so that commands meet: reports find attempts, and payments come twice. */
const names = fc.constantFrom('a', 'b', 'c', 'd');
const rails = fc.constantFrom('sandbox', 'bank');
const statuses = fc.constantFrom(...attemptStatuses);
/** What a rail can say: it never says that we have cancelled. */
const reported = fc.constantFrom(...attemptStatuses.filter((status) => status !== 'cancelled'));
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
const syncAt = fc.option(fc.integer({ min: T, max: T + 120 * MINUTE }));

/**
 * How much time passes before the command, whether the payer looks at the page then, and the command. Its `now` is set
 * when it is its turn, and an attempt is for the amount that the payer saw last.
 */
type Step = { readonly wait: number; readonly looks: boolean; readonly command: CheckoutCommand };

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
    status: reported,
    payment: fc.option(fc.record({ reference: names, amount: fc.option(money, { freq: 4 }) })),
    syncAt,
    made: fc.uuid(),
  })
  .map(({ rail, name, status, payment, syncAt, made }) =>
    report(status, {
      rail,
      reference: `ref_${name}`,
      payment,
      syncAt,
      unknownAttempt: { id: `pat_${made}`, method: null },
    }),
  );

const someStart = fc
  .record({ rail: rails, name: names, status: statuses, made: fc.uuid(), syncAt })
  .map(({ rail, name, status, made, syncAt }) =>
    // A rail names an attempt once.
    start({ rail, reference: `ref_${name}_${made}`, attemptId: `pat_${made}`, status, syncAt }),
  );

const command: fc.Arbitrary<CheckoutCommand> = fc.oneof(
  { weight: 5, arbitrary: someReport },
  { weight: 3, arbitrary: someStart },
  {
    weight: 2,
    arbitrary: fc
      .record({ items: fc.option(someItems), metadata: fc.option(someMetadata), ifVersion: version })
      .map((given) => update(given)),
  },
  { weight: 1, arbitrary: version.map((ifVersion) => expire({ ifVersion })) },
  { weight: 1, arbitrary: fc.constant(cancel) },
  { weight: 1, arbitrary: fc.constant(tick(T)) },
);

const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ wait, looks, command }), { maxLength: 25 });

const someCreate = fc
  .record({
    amount: fc.option(fc.constantFrom(0, 1, 1000)),
    items: fc.oneof(fc.constant([]), someItems),
    expiresIn: fc.option(fc.integer({ min: 1, max: 40 })),
  })
  .map(({ amount, items, expiresIn }) =>
    create({
      amount: items.length > 0 && amount === 0 ? null : amount,
      items,
      expiresAt: expiresIn === null ? null : T + expiresIn * MINUTE,
    }),
  );

/** The attempt that the report is of, if it is known. */
function attemptOf({ attempts }: Checkout, { rail, reference }: Report): Attempt | undefined {
  return attempts.find((each) => each.rail === rail && each.reference === reference);
}

/** Whether time ends the session before the command gets to see it. */
function isTimeOver(session: Checkout, now: number): boolean {
  const end = endsAt(session);
  return end !== null && now >= end;
}

type Seen = { before: Checkout; command: CheckoutCommand; decision: Decision; after: Checkout };

/** Runs the steps from a new session, and shows every one of them to `check`. */
function run(first: CheckoutCommand, steps: readonly Step[], check: (seen: Seen) => void): Checkout {
  let session = play(null, first);
  let now = T;
  let expectedAmount = amountDue(session);
  for (const { wait, looks, command } of steps) {
    now += wait;
    if (looks) expectedAmount = amountDue(session);
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

function always(name: string, check: (seen: Seen) => void): void {
  test(name, () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        run(first, steps, check);
      }),
      RUNS,
    );
  });
}

suite('under every sequence of commands', () => {
  // Sessions are deeply frozen, so this also says that nothing is changed in place.
  always(
    'every visible change is one version and at least one event, and nothing else is',
    ({ before, decision }) => {
      checkBookkeeping(before, decision);
    },
  );

  always('every status is one of its closed set', ({ after }) => {
    assert.ok(['active', 'completed', 'expired'].includes(statusOf(after)));
    assert.ok(['unpaid', 'paid', 'expired'].includes(paymentStatusOf(after)));
    assert.ok(
      ['requires_payment_method', 'requires_action', 'processing', 'succeeded', 'cancelled'].includes(
        payinStatusOf(after),
      ),
    );
    for (const { status } of after.attempts) assert.ok(attemptStatuses.includes(status));
    if (statusOf(after) === 'completed') assert.equal(paymentStatusOf(after), 'paid');
    if (paymentStatusOf(after) === 'expired') assert.equal(statusOf(after), 'expired');
  });

  always('paid never goes back', ({ before, after }) => {
    if (paymentStatusOf(before) === 'paid') assert.equal(paymentStatusOf(after), 'paid');
    assert.ok(amountPaid(after) >= amountPaid(before));
  });

  always('what is over stays over', ({ before, after }) => {
    if (before.lifecycle.state !== 'active') assert.deepEqual(after.lifecycle, before.lifecycle);
  });

  always(
    'the ledger and the list of attempts only grow, and what is in them keeps its terms',
    ({ before, after }) => {
      assert.deepEqual(after.payments.slice(0, before.payments.length), before.payments);
      assert.ok(after.attempts.length >= before.attempts.length);
      for (const [n, old] of before.attempts.entries()) {
        const { status: _old, reason: _oldReason, syncAt: _oldSync, ...terms } = old;
        assert.partialDeepStrictEqual(after.attempts[n], terms);
      }
    },
  );

  always('a payment is in the ledger once, is of a known attempt, and has an amount', ({ after }) => {
    const lines = after.payments.map(({ rail, reference }) => `${rail} ${reference}`);
    assert.equal(new Set(lines).size, lines.length);
    for (const { attempt, amount } of after.payments) {
      assert.ok(after.attempts.some(({ id }) => id === attempt));
      assert.ok(Number.isSafeInteger(amount) && amount > 0);
    }
  });

  always(
    'money is late if and only if it came to an expired session or of an attempt that was given up',
    ({ before, command, after }) => {
      if (command.type !== 'report') return;
      const gone = before.lifecycle.state === 'expired' || isTimeOver(before, command.now);
      // Nobody can have given up an attempt that the report itself makes known.
      const status = attemptOf(before, command)?.status;
      const late = gone || status === 'cancelled' || status === 'failed';
      // What the command books, it books after time has done its part.
      for (const line of after.payments.slice(before.payments.length)) assert.equal(line.late, late);
    },
  );

  always('only reports bring money', ({ before, command, after }) => {
    if (command.type !== 'report') assert.deepEqual(after.payments, before.payments);
  });

  always('a report that knows less than the attempt changes nothing', ({ before, command, decision }) => {
    if (command.type !== 'report' || command.payment !== null || isTimeOver(before, command.now)) return;
    const known = attemptOf(before, command);
    if (known === undefined) return;
    const news = attemptStatuses.indexOf(command.status) - attemptStatuses.indexOf(known.status);
    if (news < 0) assert.deepEqual(decision, { kind: 'unchanged', checkout: before });
  });

  always('a payment that is booked already makes no attempt known', ({ before, command, after }) => {
    if (command.type !== 'report' || attemptOf(before, command) !== undefined) return;
    const { rail, payment } = command;
    if (!before.payments.some((each) => each.rail === rail && each.reference === payment?.reference)) return;
    assert.deepEqual(after.payments, before.payments);
    assert.equal(after.attempts.length, before.attempts.length);
  });

  always('an active session is never covered, and an end cancels what waited', ({ before, after }) => {
    if (after.lifecycle.state === 'active') assert.notEqual(paymentStatusOf(after), 'paid');
    if (before.lifecycle.state === 'active' && after.lifecycle.state !== 'active') {
      for (const [n, { status }] of before.attempts.entries()) {
        if (status === 'requires_action') assert.notEqual(after.attempts[n]?.status, 'requires_action');
      }
    }
  });

  always(
    'an attempt that starts is the only one that lives, unless it is settled at once, and in time',
    ({ before, command, decision, after }) => {
      if (command.type !== 'start_attempt' || decision.kind === 'refusal') return;
      assert.equal(before.lifecycle.state, 'active');
      assert.ok(before.expiresAt === null || command.now < before.expiresAt);
      const others = after.attempts.slice(0, -1);
      assert.ok(!others.some(isInFlight));
      const lives = ['requires_action', 'unknown', 'processing'].includes(command.status);
      if (lives) assert.ok(others.every(({ status }) => status !== 'requires_action'));
      else assert.deepEqual(others, before.attempts);
      const { id, amount, version } = after.attempts.at(-1) ?? {};
      assert.deepEqual(
        { id, amount, version },
        { id: command.attemptId, amount: amountDue(before), version: before.version },
      );
      assert.equal(amount, command.expectedAmount, 'the payer saw the amount');
    },
  );

  always(
    'items, amount and description change only in an active session without money in it or on its way',
    (seen) => {
      const { before, after } = seen;
      const same = before.items === after.items && before.amount === after.amount;
      if (same && before.description === after.description) return;
      assert.equal(before.lifecycle.state, 'active');
      assert.equal(amountPaid(before), 0);
      assert.ok(!before.attempts.some(isInFlight));
    },
  );

  always('after a tick nothing is overdue but a question to the rail', ({ command, after }) => {
    if (command.type !== 'tick') return;
    const end = endsAt(after);
    assert.ok(end === null || end > command.now);
    const questions = after.attempts.map(({ syncAt }) => syncAt).filter((at) => at !== null);
    const due = dueAt(after);
    assert.ok(due === null || due > command.now || questions.includes(due));
    assert.deepEqual(decide(after, command), { kind: 'unchanged', checkout: after });
  });

  always(
    'a command that is repeated at once changes nothing, or is refused',
    ({ command, decision, after }) => {
      // A second start is another attempt; the tables say what becomes of it.
      if (command.type === 'start_attempt' || decision.kind === 'refusal') return;
      const again = decide(after, { ...command, ...('ifVersion' in command ? { ifVersion: null } : {}) });
      assert.notEqual(again.kind, 'change', JSON.stringify(again));
    },
  );

  test('the number of events is the sum of all that were told', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        let events = 1;
        let changes = 1;
        const last = run(first, steps, ({ decision }) => {
          if (decision.kind !== 'change') return;
          events += decision.events.length;
          changes += decision.events.length > 0 ? 1 : 0;
        });
        assert.equal(last.eventCount, events);
        assert.equal(last.version, changes);
      }),
      RUNS,
    );
  });

  test('each end is told once', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        const told: string[] = [];
        const last = run(first, steps, ({ decision }) => {
          if (decision.kind === 'change') told.push(...decision.events.map(({ type }) => type));
        });
        const count = (type: string) => told.filter((each) => each === type).length;
        assert.equal(count('checkout.paid'), paymentStatusOf(last) === 'paid' ? 1 : 0);
        assert.equal(count('checkout.expired'), statusOf(last) === 'expired' ? 1 : 0);
        assert.equal(count('payment_attempt.created'), last.attempts.length);
        for (const status of attemptStatuses) {
          const reached = last.attempts.filter((attempt) => attempt.status === status).length;
          if (status !== 'unknown') assert.ok(count(`payment_attempt.${status}`) >= reached);
        }
      }),
      RUNS,
    );
  });

  test('what is paid is the sum of the payments that were accepted, each once', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        // A ledger of its own, kept from the commands and not from the session.
        const ledger = new Map<string, number>();
        const last = run(first, steps, ({ before, command, decision }) => {
          if (command.type !== 'report' || command.payment === null || decision.kind === 'refusal') return;
          const line = `${command.rail} ${command.payment.reference}`;
          const amount = command.payment.amount ?? attemptOf(before, command)?.amount ?? amountDue(before);
          if (amount > 0 && !ledger.has(line)) ledger.set(line, amount);
        });
        let sum = 0;
        for (const amount of ledger.values()) sum += amount;
        assert.equal(amountPaid(last), sum);
      }),
      RUNS,
    );
  });

  test('money that is said how much it is, is never refused, but for a draft', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        run(first, steps, ({ before, command, decision }) => {
          if (command.type !== 'report' || !command.payment?.amount || before.amount === 0) return;
          assert.notEqual(decision.kind, 'refusal');
        });
      }),
      RUNS,
    );
  });
});
