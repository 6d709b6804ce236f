/**
 * Properties of sessions under every sequence of commands. A failure prints the seed and the path that replay
 * it.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { decide } from '../../src/checkout/decide.ts';
import { attemptStatuses } from '../../src/checkout/session.ts';
import {
  amountDue,
  amountPaid,
  dueAt,
  endsAt,
  isInFlight,
  isPaidInExcess,
  payinStatusOf,
  paymentStatusesOf,
  paymentStatusOf,
  statusOf,
} from '../../src/checkout/statuses.ts';
import { checkBookkeeping } from './build.ts';
import { always, attemptOf, isTimeOver, RUNS, run, someCreate, steps } from './sequences.ts';

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
        const { status: _old, reason: _oldReason, syncAt: _oldSync, details: _oldDetails, ...terms } = old;
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
      // An attempt that the report itself makes known cannot have been given up.
      const status = attemptOf(before, command)?.status;
      const late = gone || status === 'cancelled' || status === 'failed';
      // The command's own payments are booked after time has done its part.
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
    // A payment of nothing is none, and its reference says nothing.
    if (payment?.amount === 0) return;
    if (!before.payments.some((each) => each.rail === rail && each.reference === payment?.reference)) return;
    assert.deepEqual(after.payments, before.payments);
    assert.equal(after.attempts.length, before.attempts.length);
  });

  always('a fee changes nothing but what is known of fees', ({ before, command, decision }) => {
    if (command.type !== 'report' || !command.payment?.fee) return;
    const { fee: _, ...payment } = command.payment;
    const plain = decide(before, { ...command, payment });
    if (decision.kind === 'refusal' || plain.kind === 'refusal') return assert.deepEqual(decision, plain);
    const { fees: told, ...rest } = decision.checkout;
    const { fees: known, ...expected } = plain.checkout;
    assert.deepEqual(rest, expected);
    const eventsOf = (each: typeof decision) => (each.kind === 'change' ? each.events : []);
    assert.deepEqual(eventsOf(decision), eventsOf(plain));
    assert.ok(told.length - known.length <= 1);
  });

  always('an active session is never covered, and an end cancels what waited', ({ before, after }) => {
    assert.ok(paymentStatusesOf[statusOf(after)].includes(paymentStatusOf(after)));
    // A session whose items were taken away is a draft again, and no draft is paid, whatever has come for it.
    if (isPaidInExcess(after)) assert.equal(paymentStatusOf(after) === 'paid', after.amount > 0);
    if (before.lifecycle.state === 'active' && after.lifecycle.state !== 'active') {
      for (const [n, { status }] of before.attempts.entries()) {
        if (status === 'requires_action') assert.notEqual(after.attempts[n]?.status, 'requires_action');
      }
    }
  });

  always(
    'an attempt that starts is the only one that lives but those that stand, unless it is settled at once, and in time',
    ({ before, command, decision, after }) => {
      if (command.type !== 'start_attempt' || decision.kind === 'refusal') return;
      assert.equal(before.lifecycle.state, 'active');
      assert.ok(before.expiresAt === null || command.now < before.expiresAt);
      const others = after.attempts.slice(0, -1);
      assert.ok(!others.some(isInFlight));
      const lives = ['requires_action', 'unknown', 'processing'].includes(command.status);
      if (lives)
        assert.ok(others.every(({ status, traits }) => status !== 'requires_action' || traits.standing));
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
    const asked = [...after.attempts, ...after.refunds];
    const questions = asked.map(({ syncAt }) => syncAt).filter((at) => at !== null);
    const due = dueAt(after);
    assert.ok(due === null || due > command.now || questions.includes(due));
    assert.deepEqual(decide(after, command), { kind: 'unchanged', checkout: after });
  });

  always(
    'a command that is repeated at once changes nothing, or is refused',
    ({ command, decision, after }) => {
      // A second start is another attempt, and a second refund is another; the tables say what becomes of them.
      if (command.type === 'start_attempt' || command.type === 'create_refund') return;
      if (decision.kind === 'refusal') return;
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
