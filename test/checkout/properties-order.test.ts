/** Rails repeat themselves and overtake themselves: the order and the number of their reports must not matter. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { CheckoutCommand, Report } from '../../src/checkout/commands.ts';
import { decide } from '../../src/checkout/decide.ts';
import {
  type AttemptStatus,
  attemptStatuses,
  type Checkout,
  defaultPolicy,
  type RailTraits,
  refundStatuses,
} from '../../src/checkout/session.ts';
import { scaled } from '../support/scale.ts';
import { create, expire, frozen, MINUTE, paid, play, report, start, T, tick } from './build.ts';
import { createRefund, reportRefund } from './build-refunds.ts';

const RUNS = { numRuns: scaled(400) };

/** Some time to ask again for each status, so that it is seen whose report has the last word. */
const syncOf = (status: AttemptStatus) => T + attemptStatuses.indexOf(status) * MINUTE;

/**
 * The state as far as the order of arrival must not matter. `late` is left out like `bookedAt`: it tells in which
 * order things came, as money is late that comes after its attempt was given up, and not late if it comes before.
 */
function settled(session: Checkout): object {
  const { version: _version, eventCount: _events, lifecycle, payments, ...rest } = session;
  const lines = payments.map(({ bookedAt: _bookedAt, late: _late, ...line }) => line);
  return {
    ...rest,
    state: lifecycle.state,
    attempts: session.attempts.toSorted((a, b) => a.id.localeCompare(b.id)),
    payments: lines.toSorted((a, b) => a.reference.localeCompare(b.reference)),
  };
}

/** A set of reports, and the same in another order with some of them repeated. */
const deliveries = <Command>(commands: fc.Arbitrary<Command>) =>
  fc.array(commands, { minLength: 1, maxLength: 8 }).chain((set) =>
    fc.tuple(
      fc.constant(set),
      fc
        .array(fc.constantFrom(...set), { maxLength: 6 })
        .chain((again) => fc.shuffledSubarray([...set, ...again], { minLength: set.length + again.length })),
    ),
  );

suite('reports in any order and any number', () => {
  const attempts = ['a', 'b', 'c'] as const;
  // Each succeeding attempt cancels the one before it, so the last one waits and the others are cancelled.
  const started = (amount: number, traits: RailTraits = {}) =>
    play(
      null,
      create({ amount, expiresAt: T + 60 * MINUTE }),
      ...attempts.map((name) =>
        start({ now: T, attemptId: `pat_${name}`, reference: `ref_${name}`, expectedAmount: amount, traits }),
      ),
    );

  /** A report of one of the attempts; its reason and its payment follow from what it says, as with a real rail. */
  const reportsOf = (statuses: readonly Report['status'][], amounts: readonly (number | null)[]) =>
    fc
      .record({
        name: fc.constantFrom(...attempts),
        status: fc.constantFrom(...statuses),
        part: fc.nat(amounts.length),
      })
      .map(({ name, status, part }) =>
        report(status, {
          reference: `ref_${name}`,
          reason: status === 'failed' ? `${name} failed` : '',
          syncAt: syncOf(status),
          payment: part === 0 ? null : { reference: `pay_${name}${part}`, amount: amounts[part - 1] ?? null },
        }),
      );

  const endAlike = (session: Checkout, [set, mixed]: readonly [Report[], Report[]], now: number) => {
    const deliver = (reports: readonly Report[]) =>
      settled(play(session, ...reports.map((each, n) => ({ ...each, now: now + n }))));
    assert.deepEqual(deliver(mixed), deliver(set));
  };

  // `unknown` is left out where a session can be completed: completing cancels what waits, not what is in
  // flight.
  const known = ['requires_action', 'processing', 'failed', 'succeeded'] as const;
  const all = ['unknown', ...known] as const;
  /** Amounts of one attempt: a part, a bigger part, and the amount of the attempt. */
  const anyMoney = [300, 600, null];

  test('end in the same state while the session is active', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(300, 1000, 2500),
        deliveries(reportsOf(known, anyMoney)),
        (amount, deliveries) => {
          endAlike(started(amount), deliveries, T + MINUTE);
        },
      ),
      RUNS,
    );
  });

  test('end in the same state after the session has expired, whatever they say', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(300, 1000, 2500),
        fc.boolean(),
        deliveries(reportsOf(all, anyMoney)),
        (amount, byTime, deliveries) => {
          const session = play(started(amount), byTime ? tick(T + 60 * MINUTE) : expire({ now: T + MINUTE }));
          endAlike(session, deliveries, T + 61 * MINUTE);
        },
      ),
      RUNS,
    );
  });

  test('end in the same state, whatever they say, while they bring too little to complete the session', () => {
    fc.assert(
      fc.property(deliveries(reportsOf(all, [300, 600])), (deliveries) => {
        endAlike(started(100_000), deliveries, T + MINUTE);
      }),
      RUNS,
    );
  });

  test('end in the same state where rails have to be told of a cancelling, and have been', () => {
    const allReports = reportsOf(
      ['requires_action', 'unknown', 'cancelled', 'processing', 'failed', 'succeeded'],
      [300],
    );
    fc.assert(
      fc.property(deliveries(allReports), (deliveries) => {
        endAlike(started(100_000, { toldOfCancel: true }), deliveries, T + MINUTE);
      }),
      RUNS,
    );
  });

  test('send back as much in any order, where too much goes back', () => {
    const policy = { ...defaultPolicy, excess: 'refund' } as const;
    const given = (amount: number) => frozen({ ...started(amount), policy });
    fc.assert(
      fc.property(
        fc.constantFrom(300, 1000),
        deliveries(reportsOf(known, anyMoney)),
        (amount, [set, mixed]) => {
          const sentBack = (reports: readonly Report[]) => {
            const last = play(
              given(amount),
              ...reports.map((each, n) => ({ ...each, refundId: `rfd_${n}` as const })),
            );
            return last.refunds.reduce((sum, refund) => sum + refund.amount, 0);
          };
          assert.equal(sentBack(mixed), sentBack(set));
        },
      ),
      RUNS,
    );
  });
});

suite('reports of refunds in any order and any number', () => {
  const names = ['a', 'b'] as const;
  const refunded = play(
    null,
    create({ amount: 1000 }),
    start({ now: T, attemptId: 'pat_a', reference: 'ref_a' }),
    paid(1000),
    ...names.map((name) => createRefund(400, { id: `rfd_${name}` })),
  );

  /** A refund has one id at its rail, which not every report names; why it failed follows from that it did. */
  const news = fc
    .record({
      name: fc.constantFrom(...names),
      status: fc.constantFrom(...refundStatuses),
      isNamed: fc.boolean(),
    })
    .map(({ name, status, isNamed }) =>
      reportRefund(status, {
        refund: `rfd_${name}`,
        reference: isNamed ? `re_${name}` : '',
        failure: status === 'failed' ? `${name} failed` : '',
        syncAt: T + refundStatuses.indexOf(status) * MINUTE,
      }),
    );

  test('end in the same state', () => {
    fc.assert(
      fc.property(deliveries(news), ([set, mixed]) => {
        assert.deepEqual(play(refunded, ...mixed).refunds, play(refunded, ...set).refunds);
      }),
      RUNS,
    );
  });

  test('end in the same state among reports of attempts', () => {
    const late = fc
      .record({ name: fc.constantFrom('a', 'b'), status: fc.constantFrom('processing', 'succeeded') })
      .map(({ name, status }) =>
        report(status, { reference: 'ref_a', payment: { reference: `late_${name}`, amount: 300 } }),
      );
    fc.assert(
      fc.property(deliveries<CheckoutCommand>(fc.oneof(news, late)), ([set, mixed]) => {
        const end = (commands: readonly CheckoutCommand[]) => settled(play(refunded, ...commands));
        assert.deepEqual(end(mixed), end(set));
      }),
      RUNS,
    );
  });

  test('tell of each thing once: what has failed is told as that, and a success only where it was seen before', () => {
    fc.assert(
      fc.property(deliveries(news), ([, mixed]) => {
        const told: string[] = [];
        let session = refunded;
        for (const command of mixed) {
          const decision = decide(session, command);
          assert.notEqual(decision.kind, 'refusal');
          if (decision.kind !== 'change') continue;
          for (const { type, refund } of decision.events) if (refund) told.push(`${type} ${refund.id}`);
          session = decision.checkout;
        }
        assert.equal(new Set(told).size, told.length);
        for (const { id, status } of session.refunds) {
          assert.equal(told.includes(`refund.${status} ${id}`), status !== 'pending');
        }
      }),
      RUNS,
    );
  });
});
