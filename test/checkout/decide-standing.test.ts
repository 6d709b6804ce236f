/** Ways of rails: transfer details that stay good beside others, rails that have to be told of a cancelling, and grace. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import type { Attempt, RailTraits } from '../../src/checkout/session.ts';
import { dueAt, endsAt } from '../../src/checkout/statuses.ts';
import {
  after,
  attempt,
  cancel,
  checkout,
  completed,
  EXPIRES,
  expire,
  GRACE_ENDS,
  MINUTE,
  NOW,
  paid,
  payment,
  play,
  report,
  start,
  table,
  tick,
  update,
} from './build.ts';

/** The details of a bank transfer, on the payer's screen; a card page waits as `pat_b`. */
const transfer = (given: Partial<Attempt> = {}) =>
  attempt('requires_action', { rail: 'bank', method: 'bank_transfer', traits: { standing: true }, ...given });
const card = attempt('requires_action', { name: 'b' });
const open = checkout({ attempts: [transfer()], expiresAt: EXPIRES });

/** A transfer that quotes the reference of the attempt; the bank goes on waiting for more. */
const transferred = (amount: number, number: number, given: Partial<Parameters<typeof report>[1]> = {}) =>
  report('requires_action', {
    rail: 'bank',
    payment: { reference: `entry_${number}`, amount },
    ...given,
  });

suite('an attempt that stands', () => {
  table([
    {
      name: 'stays open when another starts',
      given: open,
      when: start(),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action'],
      },
    },
    {
      name: 'stays open when another of its kind starts',
      given: open,
      when: start({ rail: 'bank', method: 'bank_transfer', traits: { standing: true } }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action'],
      },
    },
    {
      name: 'takes the place of one that does not stand',
      given: checkout({ attempts: [card] }),
      when: start({ rail: 'bank', method: 'bank_transfer', traits: { standing: true } }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled', 'requires_action'],
        events: ['payment_attempt.cancelled', 'payment_attempt.created', 'payment_attempt.requires_action'],
      },
    },
    {
      name: 'stays open when a rail speaks of an attempt that was not known',
      given: open,
      when: report('processing'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'processing'],
        events: ['payment_attempt.created', 'payment_attempt.processing', 'payin.processing'],
      },
    },
    { name: 'stays open when the payer goes back', given: open, when: cancel, gives: 'unchanged' },
    {
      name: 'stays open when the payer goes back from another',
      given: checkout({ attempts: [transfer(), card] }),
      when: cancel,
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'cancelled'],
        events: ['payment_attempt.cancelled'],
      },
    },
    {
      name: 'is cancelled when the session is completed by another',
      given: checkout({ attempts: [transfer(), card] }),
      when: paid(1000, { reference: 'ref_b' }),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['cancelled', 'succeeded'],
        events: [
          'payment_attempt.cancelled',
          'payment_attempt.succeeded',
          'checkout.paid',
          'payin.succeeded',
        ],
      },
    },
    {
      name: 'is cancelled when the merchant expires the session',
      given: open,
      when: expire(),
      gives: {
        is: 'expired unpaid',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'is cancelled when time expires the session: nothing is in flight',
      given: open,
      when: tick(EXPIRES),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'is cancelled when the items change: it names an amount that is no longer right',
      given: open,
      when: update({ items: [{ name: 'Widget', quantity: 1, unitPrice: 1500 }] }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.updated', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'goes on waiting when a part of the money has come',
      given: open,
      when: transferred(400, 1),
      gives: {
        is: 'active unpaid partial',
        paid: 400,
        attempts: ['requires_action'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'brings late money once it was cancelled',
      given: after(open, expire()),
      when: transferred(400, 1, { status: 'succeeded' }),
      gives: {
        is: 'expired unpaid partial late',
        paid: 400,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
  ]);

  test('collects several transfers, each once, until the amount is covered', () => {
    const part = play(open, transferred(400, 1), transferred(300, 2), transferred(400, 1));
    assert.deepEqual(
      part.payments.map(({ reference, attempt, amount, late }) => ({ reference, attempt, amount, late })),
      [
        { reference: 'entry_1', attempt: 'pat_a', amount: 400, late: false },
        { reference: 'entry_2', attempt: 'pat_a', amount: 300, late: false },
      ],
    );
    assert.equal(part.attempts[0]?.status, 'requires_action');
    const whole = after(part, transferred(300, 3, { status: 'succeeded' }));
    assert.equal(whole.lifecycle.state, 'completed');
    assert.deepEqual(
      whole.attempts.map(({ status }) => status),
      ['succeeded'],
    );
    const more = after(whole, transferred(50, 4));
    assert.deepEqual(more.attempts, whole.attempts);
    assert.equal(more.payments.at(-1)?.late, false);
  });

  test('keeps what it was for, while another starts for the rest', () => {
    const rest = play(open, transferred(400, 1), start({ expectedAmount: 600 }));
    assert.deepEqual(
      rest.attempts.map(({ amount, status }) => `${status} ${amount}`),
      ['requires_action 1000', 'requires_action 600'],
    );
  });
});

const told = (status: Attempt['status'], syncAt: number | null, given: Partial<Attempt> = {}) =>
  attempt(status, { traits: { toldOfCancel: true }, syncAt, ...given });

suite('a rail that has to be told of a cancelling', () => {
  const later = NOW + 10 * MINUTE;
  const waiting = checkout({ expiresAt: EXPIRES, attempts: [told('requires_action', later)] });
  const ways = [
    { name: 'the payer goes back', when: cancel },
    { name: 'the merchant expires the session', when: expire() },
    { name: 'the items change', when: update({ items: [{ name: 'Widget', quantity: 1, unitPrice: 1 }] }) },
    { name: 'another attempt starts', when: start() },
    {
      name: 'other money completes the session',
      when: paid(1000, { reference: 'ref_other' }),
    },
    { name: 'time expires the session', when: tick(EXPIRES) },
  ];
  for (const { name, when } of ways) {
    test(`is due to be told at once when ${name}`, () => {
      const given = after(waiting, when);
      assert.equal(given.attempts[0]?.status, 'cancelled');
      assert.equal(given.attempts[0]?.syncAt, when.now);
      assert.equal(dueAt(given), when.now);
    });

    test(`is told nothing when ${name}, where it does not have to be`, () => {
      const plain = checkout({ ...waiting, attempts: [attempt('requires_action', { syncAt: later })] });
      assert.equal(after(plain, when).attempts[0]?.syncAt, null);
    });
  }

  const cancelled = checkout({ attempts: [told('cancelled', NOW)] });
  const syncAtOf = (...commands: Parameters<typeof play>[1][]) =>
    play(cancelled, ...commands).attempts[0]?.syncAt;

  test('has been told, and that is the end of it', () => {
    const decision = decide(cancelled, report('cancelled'));
    assert.ok(decision.kind === 'change');
    assert.equal(decision.checkout.attempts[0]?.status, 'cancelled');
    assert.equal(decision.checkout.attempts[0]?.syncAt, null);
    assert.equal(dueAt(decision.checkout), null);
    assert.deepEqual([decision.events, decision.checkout.version], [[], cancelled.version]);
    assert.equal(decide(decision.checkout, report('cancelled')).kind, 'unchanged');
  });

  test('could not be told yet, and is told later', () => {
    assert.equal(syncAtOf(report('cancelled', { syncAt: later })), later);
    assert.equal(syncAtOf(report('cancelled', { syncAt: later }), report('cancelled')), null);
  });

  test('still has to be told, whatever it says meanwhile of one that waits', () => {
    for (const status of ['requires_action', 'unknown'] as const) {
      for (const syncAt of [null, later]) {
        assert.equal(decide(cancelled, report(status, { syncAt })).kind, 'unchanged');
      }
    }
    assert.equal(syncAtOf(tick(later), cancel, update({ metadata: { a: 1 } })), NOW);
  });

  test('is asked and no longer told, once it moves the money', () => {
    const moving = after(cancelled, report('processing', { syncAt: later }));
    assert.deepEqual([moving.attempts[0]?.status, moving.attempts[0]?.syncAt], ['processing', later]);
  });

  test('is asked again of a payment in progress, though it did not have to be told', () => {
    const plain = checkout({ attempts: [attempt('cancelled')] });
    assert.equal(after(plain, report('processing', { syncAt: later })).attempts[0]?.syncAt, later);
  });

  test('is not told any more once it says that nothing comes of it', () => {
    assert.equal(syncAtOf(report('failed', { reason: 'The page has expired.', syncAt: later })), null);
  });

  table([
    {
      name: 'finds money when it is told: that is booked, and late',
      given: cancelled,
      when: paid(1000, { syncAt: later }),
      gives: {
        is: 'completed paid late',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'finds money when it is told, for a session that is paid',
      given: checkout({ ...cancelled, lifecycle: completed, payments: [payment(1000)] }),
      when: paid(1000),
      gives: {
        is: 'completed paid excess late',
        paid: 2000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
  ]);

  test('does not have to be told, and is asked nothing of what was given up', () => {
    const plain = checkout({ attempts: [attempt('cancelled')] });
    assert.equal(decide(plain, report('cancelled', { syncAt: later })).kind, 'unchanged');
  });

  test('has nothing to hear of money that it found', () => {
    assert.equal(syncAtOf(paid(1000, { syncAt: later })), null);
  });
});

suite('what a rail needs to know again', () => {
  const session = checkout({
    attempts: [attempt('requires_action', { details: { page: 'cs_1', url: '' } })],
  });

  test('is kept, and is no change for anybody else', () => {
    const details = { page: 'cs_1', url: 'https://pay.example/cs_1' };
    const decision = decide(session, report('requires_action', { details }));
    assert.ok(decision.kind === 'change');
    assert.deepEqual(decision.checkout.attempts[0]?.details, details);
    assert.deepEqual([decision.events, decision.checkout.version], [[], session.version]);
  });

  test('stays where there is no news of it', () => {
    assert.deepEqual(after(session, report('processing')).attempts[0]?.details, { page: 'cs_1', url: '' });
  });

  test('is the same when it is said again: nothing is written', () => {
    const again = report('requires_action', { details: { page: 'cs_1', url: '' } });
    assert.equal(decide(session, again).kind, 'unchanged');
  });

  test('is kept of an attempt that was not known', () => {
    const made = after(checkout(), report('processing', { details: { page: 'cs_2' } }));
    assert.deepEqual(made.attempts[0]?.details, { page: 'cs_2' });
    assert.deepEqual(made.attempts[0]?.traits, {});
  });
});

suite('the grace of a rail', () => {
  const inFlight = (...traits: RailTraits[]) =>
    checkout({
      expiresAt: EXPIRES,
      attempts: traits.map((each, n) => attempt('processing', { name: String(n), traits: each })),
    });
  const rows = [
    { name: 'is the usual one', given: inFlight({}), ends: GRACE_ENDS },
    {
      name: 'is longer where the rail says so',
      given: inFlight({ graceMs: 90 * MINUTE }),
      ends: EXPIRES + 90 * MINUTE,
    },
    {
      name: 'is shorter where the rail says so',
      given: inFlight({ graceMs: MINUTE }),
      ends: EXPIRES + MINUTE,
    },
    { name: 'is none where the rail says so', given: inFlight({ graceMs: 0 }), ends: EXPIRES },
    {
      name: 'is the longest of what is in flight',
      given: inFlight({ graceMs: MINUTE }, { graceMs: 20 * MINUTE }, {}),
      ends: EXPIRES + 20 * MINUTE,
    },
    {
      name: 'is not that of an attempt that waits',
      given: checkout({ expiresAt: EXPIRES, attempts: [transfer({ traits: { graceMs: 90 * MINUTE } })] }),
      ends: EXPIRES,
    },
  ];
  for (const { name, given, ends } of rows) {
    test(name, () => {
      assert.equal(endsAt(given), ends);
      assert.equal(dueAt(given), ends);
      assert.equal(decide(given, tick(ends - 1)).kind, 'unchanged');
      assert.equal(after(given, tick(ends)).lifecycle.state, 'expired');
    });
  }

  test('is how long money in flight is in time', () => {
    const given = inFlight({ graceMs: 90 * MINUTE });
    const brought = (now: number) => after(given, paid(1000, { reference: 'ref_0', now }));
    assert.equal(brought(EXPIRES + 90 * MINUTE - 1).lifecycle.state, 'completed');
    assert.equal(brought(EXPIRES + 90 * MINUTE).lifecycle.state, 'expired');
  });
});
