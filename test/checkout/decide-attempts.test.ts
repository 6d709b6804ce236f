/** Attempts: how they start, what they freeze, and that only one lives at a time. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_ATTEMPTS } from '../../src/checkout/attempts.ts';
import { decide } from '../../src/checkout/decide.ts';
import { METADATA_BYTES } from '../../src/checkout/metadata.ts';
import type { JsonObject } from '../../src/checkout/session.ts';
import {
  after,
  attempt,
  cancel,
  checkout,
  completed,
  EXPIRES,
  expiredByTime,
  NOW,
  paid,
  payment,
  play,
  report,
  start,
  table,
  update,
} from './build.ts';

const item = (name: string) => ({ name, quantity: 1, unitPrice: 1000 });

const spent = (count: number) =>
  Array.from({ length: count }, (_, n) => attempt('failed', { name: String(n) }));

suite('an attempt starts', () => {
  table([
    {
      name: 'waiting for the payer',
      given: checkout(),
      when: start(),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
      },
    },
    {
      name: 'unknown, while the rail is being asked',
      given: checkout(),
      when: start({ status: 'unknown' }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['unknown'],
        events: ['payment_attempt.created', 'payin.processing'],
      },
    },
    {
      name: 'after a failure',
      given: checkout({ attempts: [attempt('failed')] }),
      when: start(),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['failed', 'requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
      },
    },
    {
      name: 'in the place of one that waits',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: start(),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled', 'requires_action'],
        events: ['payment_attempt.cancelled', 'payment_attempt.created', 'payment_attempt.requires_action'],
      },
    },
    {
      name: 'and is settled at once: one that waits may go on',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: start({ status: 'failed' }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'failed'],
        events: ['payment_attempt.created', 'payment_attempt.failed'],
      },
    },
    {
      name: 'not beside one that is processing',
      given: checkout({ attempts: [attempt('processing')] }),
      when: start(),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not beside one of which nothing is known',
      given: checkout({ attempts: [attempt('unknown')] }),
      when: start(),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'not for a draft',
      given: checkout({ amount: 0 }),
      when: start(),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'not with a method that the session does not have',
      given: checkout({ methods: ['card'] }),
      when: start({ method: 'bank_transfer' }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'one millisecond before expires_at',
      given: checkout({ expiresAt: EXPIRES }),
      when: start({ now: EXPIRES - 1 }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
      },
    },
    {
      name: 'not at expires_at',
      given: checkout({ expiresAt: EXPIRES }),
      when: start({ now: EXPIRES }),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'not after expires_at',
      given: checkout({ expiresAt: EXPIRES }),
      when: start({ now: EXPIRES + 1 }),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'as the last one that a session may have',
      given: checkout({ attempts: spent(MAX_ATTEMPTS - 1) }),
      when: start({ status: 'failed' }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: [...spent(MAX_ATTEMPTS).map(({ status }) => status)],
        events: ['payment_attempt.created', 'payment_attempt.failed'],
      },
    },
    {
      name: 'not beyond the number that a session may have',
      given: checkout({ attempts: spent(MAX_ATTEMPTS) }),
      when: start(),
      gives: { refused: 'not_payable' },
    },
  ]);

  test('fifty times at most', () => assert.equal(MAX_ATTEMPTS, 50));

  test('the refusal of a method names its field', () => {
    const decision = decide(checkout(), start({ method: 'cowrie' }));
    assert.deepEqual(decision.kind === 'refusal' && decision.problems.map(({ pointer }) => pointer), [
      '/method',
    ]);
  });

  test('with the amount that is due and the version of the session, and keeps both', () => {
    const session = checkout({ version: 12, payments: [payment(400)] });
    const started = after(
      session,
      start({ expectedAmount: 600, syncAt: NOW + 1, traits: { graceMs: 1 }, details: { page: 'cs_1' } }),
    );
    const expected = {
      id: 'pat_new',
      createdAt: NOW,
      rail: 'sandbox',
      reference: 'ref_new',
      method: 'card',
      amount: 600,
      version: 12,
      status: 'requires_action',
      reason: '',
      syncAt: NOW + 1,
      traits: { graceMs: 1 },
      details: { page: 'cs_1' },
    };
    assert.deepEqual(started.attempts, [expected]);
    const later = play(
      started,
      update({ metadata: { a: 1 } }),
      report('processing', { reference: 'ref_new' }),
    );
    assert.deepEqual(later.attempts, [{ ...expected, status: 'processing', syncAt: null }]);
  });
});

suite('an attempt is for the amount that its payer was shown', () => {
  const items = [{ name: 'Widget', quantity: 3, unitPrice: 500 }];
  const partlyPaid = checkout({ payments: [payment(400)] });
  const started = {
    is: 'active unpaid',
    attempts: ['requires_action'],
    events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
  } as const;
  table([
    {
      name: 'not for another since an update',
      given: after(checkout(), update({ items })),
      when: start({ expectedAmount: 1000 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'for the one since an update',
      given: after(checkout(), update({ items })),
      when: start({ expectedAmount: 1500 }),
      gives: { ...started, paid: 0 },
    },
    {
      name: 'for the same after an update that leaves it',
      given: after(checkout(), update({ metadata: { a: 1 } })),
      when: start({ expectedAmount: 1000 }),
      gives: { ...started, paid: 0 },
    },
    {
      name: 'not for all of it since a part was paid',
      given: partlyPaid,
      when: start({ expectedAmount: 1000 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'for the rest since a part was paid',
      given: partlyPaid,
      when: start({ expectedAmount: 600 }),
      gives: { ...started, is: 'active unpaid partial', paid: 400 },
    },
    {
      name: 'not for one minor unit more',
      given: checkout(),
      when: start({ expectedAmount: 999 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'not for one minor unit less',
      given: checkout(),
      when: start({ expectedAmount: 1001 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'not for another, even where it is settled at once',
      given: checkout(),
      when: start({ expectedAmount: 999, status: 'succeeded' }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'not for other items of the same total',
      given: checkout({ items: [item('Widget')] }),
      when: start({ expectedItems: [item('Gadget')] }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'not for items that were others already when it was chosen',
      given: checkout(),
      when: start({ expectedItems: null }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'for items that are equal to those shown',
      given: checkout({ items: [item('Widget')] }),
      when: start({ expectedItems: [item('Widget')] }),
      gives: { ...started, paid: 0 },
    },
    {
      name: 'and one that waits stays where another is refused',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: start({ expectedAmount: 999 }),
      gives: { refused: 'version_stale' },
    },
    {
      name: 'but a method that the session does not have goes first',
      given: checkout({ methods: ['card'] }),
      when: start({ expectedAmount: 999, method: 'bank_transfer' }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'but the end of the session goes first',
      given: checkout({ lifecycle: completed, payments: [payment(1000)] }),
      when: start({ expectedAmount: 1000 }),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'but a payment in progress goes first',
      given: checkout({ attempts: [attempt('processing')] }),
      when: start({ expectedAmount: 999 }),
      gives: { refused: 'payment_in_progress' },
    },
  ]);
});

suite('a report of an attempt that is not known', () => {
  table([
    {
      name: 'starts it',
      given: checkout(),
      when: report('processing'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['processing'],
        events: ['payment_attempt.created', 'payment_attempt.processing', 'payin.processing'],
      },
    },
    {
      name: 'starts it in the place of one that waits',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: report('processing'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled', 'processing'],
        events: [
          'payment_attempt.cancelled',
          'payment_attempt.created',
          'payment_attempt.processing',
          'payin.processing',
        ],
      },
    },
    {
      name: 'that waits too takes the place of one that waits',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: report('requires_action'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled', 'requires_action'],
        events: ['payment_attempt.cancelled', 'payment_attempt.created', 'payment_attempt.requires_action'],
      },
    },
    {
      name: 'that has failed already leaves one that waits: it may go on',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: report('failed'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'failed'],
        events: ['payment_attempt.created', 'payment_attempt.failed'],
      },
    },
    {
      name: 'that has succeeded already, without money so far, leaves one that waits',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: report('succeeded'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['requires_action', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
    {
      name: 'that has failed already is refused beside one in progress, too',
      given: checkout({ attempts: [attempt('processing', { name: 'b' })] }),
      when: report('failed'),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'is refused where it could not have started: another is in progress',
      given: checkout({ attempts: [attempt('processing', { name: 'b' })] }),
      when: report('requires_action'),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'is refused where it could not have started: the session is over',
      given: checkout({ lifecycle: expiredByTime }),
      when: report('processing'),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'is refused where it could not have started: the method is not one of the session',
      given: checkout(),
      when: report('processing', { unknownAttempt: { id: 'pat_made', method: 'cowrie' } }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'with money is booked beside what is in progress: several transfers are normal',
      given: checkout({ attempts: [attempt('processing', { name: 'b' })] }),
      when: paid(300),
      gives: {
        is: 'active unpaid partial',
        paid: 300,
        attempts: ['processing', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
    {
      name: 'with money is booked beside what waits, which may go on',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: paid(300),
      gives: {
        is: 'active unpaid partial',
        paid: 300,
        attempts: ['requires_action', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
    {
      name: 'with a part of the money, and more to come, takes the place of one that waits',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: report('processing', { payment: { reference: 'pay_1', amount: 300 } }),
      gives: {
        is: 'active unpaid partial',
        paid: 300,
        attempts: ['cancelled', 'processing'],
        events: [
          'payment_attempt.cancelled',
          'payment_attempt.created',
          'payment_attempt.processing',
          'payin.processing',
        ],
      },
    },
    {
      name: 'with all of the money cancels what waits: the session is completed',
      given: checkout({ attempts: [attempt('requires_action', { name: 'b' })] }),
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['cancelled', 'succeeded'],
        events: [
          'payment_attempt.cancelled',
          'payment_attempt.created',
          'payment_attempt.succeeded',
          'checkout.paid',
          'payin.succeeded',
        ],
      },
    },
    {
      name: 'with money is booked beyond the number of attempts that a session may have',
      given: checkout({ attempts: spent(MAX_ATTEMPTS), lifecycle: completed, payments: [payment(1000)] }),
      when: paid(300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: [...spent(MAX_ATTEMPTS).map(({ status }) => status), 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
    {
      name: 'with money is booked for a method that the session does not have',
      given: checkout(),
      when: paid(1000, { unknownAttempt: { id: 'pat_made', method: 'cowrie' } }),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
  ]);

  const made = (when = report('processing'), given = checkout()) => after(given, when).attempts.at(-1);

  test('it is for what is due, by the first method of the session', () => {
    const part = checkout({ version: 3, payments: [payment(400)], methods: ['bank_transfer', 'card'] });
    const { id, amount, method, version, reference, createdAt } = made(report('processing'), part) ?? {};
    assert.deepEqual(
      { id, amount, method, version, reference, createdAt },
      {
        id: 'pat_made',
        amount: 600,
        method: 'bank_transfer',
        version: 3,
        reference: 'ref_a',
        createdAt: NOW,
      },
    );
  });

  test('it is for the money that came, and by the method that the rail names', () => {
    const attempt = made(paid(123, { unknownAttempt: { id: 'pat_made', method: 'bank_transfer' } }));
    assert.equal(attempt?.amount, 123);
    assert.equal(attempt?.method, 'bank_transfer');
  });

  test('a second report finds it again', () => {
    const session = play(checkout(), report('processing'), paid(1000));
    assert.deepEqual(
      session.attempts.map(({ id, status }) => [id, status]),
      [['pat_made', 'succeeded']],
    );
  });
});

suite('the payer goes back', () => {
  const waiting = checkout({ attempts: [attempt('requires_action', { syncAt: NOW })] });
  table([
    {
      name: 'from what waits',
      given: waiting,
      when: cancel,
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'payin.requires_payment_method'],
      },
    },
    { name: 'from nothing', given: checkout(), when: cancel, gives: 'unchanged' },
    {
      name: 'not from what is in progress',
      given: checkout({ attempts: [attempt('processing')] }),
      when: cancel,
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'and may pay by another method',
      given: after(waiting, cancel),
      when: start({ method: 'bank_transfer' }),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['cancelled', 'requires_action'],
        events: ['payment_attempt.created', 'payment_attempt.requires_action', 'payin.requires_action'],
      },
    },
  ]);
});

suite('what is known of an attempt only grows', () => {
  test('its reason and its time to ask come with the news', () => {
    const session = checkout({ attempts: [attempt('processing', { syncAt: NOW })] });
    const failed = after(session, report('failed', { reason: 'No funds.', syncAt: null }));
    assert.deepEqual(failed.attempts, [attempt('failed', { reason: 'No funds.' })]);
  });

  test('a report that comes too late to be news leaves the reason', () => {
    const failed = checkout({ attempts: [attempt('failed', { reason: 'No funds.' })] });
    assert.equal(decide(failed, report('failed', { reason: 'Other.' })).kind, 'unchanged');
  });

  test('what was overtaken moves neither the time of the next question nor the details', () => {
    const later = NOW + 60_000;
    for (const [known, said] of [
      ['processing', 'requires_action'],
      ['processing', 'unknown'],
      ['cancelled', 'unknown'],
    ] as const) {
      const traits = { toldOfCancel: true } as const;
      const given = checkout({ attempts: [attempt(known, { syncAt: NOW, traits, details: { page: 1 } })] });
      const old = report(said, { syncAt: later, details: { page: 2 } });
      assert.equal(decide(given, old).kind, 'unchanged', `${said} of what is ${known}`);
    }
  });

  test('only the reported attempt moves', () => {
    const session = checkout({ attempts: [attempt('cancelled', { name: 'b' }), attempt('processing')] });
    assert.deepEqual(
      after(session, report('failed')).attempts.map(({ status }) => status),
      ['cancelled', 'failed'],
    );
  });
});

suite('metadata of attempts', () => {
  const note = (name: string, metadata: JsonObject) =>
    ({ type: 'note_attempt', now: NOW, attempt: attempt('processing', { name }).id, metadata }) as const;
  const two = checkout({
    attempts: [
      attempt('processing', { name: 'a', metadata: { till: '7' } }),
      attempt('cancelled', { name: 'b' }),
    ],
  });

  test('are merged into those of one attempt', () => {
    const noted = after(two, note('a', { till: null, clerk: 'Mo' }));
    assert.deepEqual(
      noted.attempts.map(({ metadata }) => metadata),
      [{ clerk: 'Mo' }, undefined],
    );
  });

  test('that stay the same change nothing', () => {
    assert.equal(decide(two, note('a', { till: '7' })).kind, 'unchanged');
  });

  test('share the room of one session', () => {
    const half = 'x'.repeat(METADATA_BYTES / 2);
    const full = after(two, note('a', { half }));
    const refused = decide(full, note('b', { half }));
    assert.ok(refused.kind === 'refusal' && refused.problems[0]?.pointer === '/metadata');
    assert.equal(decide(two, note('b', { half })).kind, 'change');
  });

  test('of an attempt that nobody has are refused', () => {
    const refused = decide(two, note('c', {}));
    assert.equal(refused.kind === 'refusal' && refused.reason, 'not_found');
  });
});
