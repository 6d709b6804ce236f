import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Attempt, AttemptStatus } from '../../../src/checkout/session.ts';
import { afterAnswer, RETURN_URL, refundOf, startHarness, troubles } from './harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

suite('trouble on the way to Stripe', () => {
  for (const [misbehaviour, times] of troubles) {
    test(`${misbehaviour}: a start is made again, and the payer pays on one page`, async (t) => {
      const harness = await startHarness(t);
      const planned = harness.planned();
      harness.stripe.next(misbehaviour, { times });
      const now = Date.now();
      const { checkout, attempt } = planned;
      const first = await harness.rail.start?.(checkout, attempt, RETURN_URL, now);
      assert.equal(first?.status, 'requires_action');
      assert.equal(first?.syncAt, now + 30_000);
      assert.equal(first?.alert, undefined);
      assert.equal(first?.details, undefined);
      // Stripe repeats a remembered error until somebody looks for the page.
      const start = await harness.rail.start?.(checkout, attempt, RETURN_URL, now);
      const second = start?.details ? start : await harness.rail.sync(checkout, attempt, now);
      const started = afterAnswer(planned, second);
      assert.equal(harness.rail.payerUrl?.(started.attempt), harness.pageOf(attempt).url);
      assert.equal(harness.stripe.books.test.sessions.size, 1);
    });

    test(`${misbehaviour}: how a payment stands is not known, never failed`, async (t) => {
      const harness = await startHarness(t);
      const { checkout, attempt } = await harness.started();
      harness.pay(attempt);
      const now = Date.now();
      const expected: ReadonlyArray<readonly [AttemptStatus, AttemptStatus]> = [
        ['requires_action', 'requires_action'],
        ['processing', 'unknown'],
        ['unknown', 'unknown'],
      ];
      for (const [status, said] of expected) {
        harness.stripe.next(misbehaviour, { times });
        const answer = await harness.rail.sync(checkout, { ...attempt, status }, now);
        assert.deepEqual([answer.status, answer.payment, answer.alert], [said, null, undefined]);
        assert.equal(answer.untold, 'no_answer');
        assert.ok(answer.syncAt && answer.syncAt >= now + 30_000);
      }
      assert.equal((await harness.rail.sync(checkout, attempt, now)).status, 'succeeded');
    });
  }

  test('the pauses double, up to an hour, and less while somebody waits to pay', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = await harness.started();
    const pause = async (age: number, status: AttemptStatus) => {
      harness.stripe.next('too_many');
      const now = attempt.createdAt + age;
      return Number((await harness.rail.sync(checkout, { ...attempt, status }, now)).syncAt) - now;
    };
    assert.equal(await pause(0, 'processing'), 30_000);
    assert.equal(await pause(MINUTE, 'processing'), MINUTE);
    assert.equal(await pause(40 * MINUTE, 'processing'), 40 * MINUTE);
    assert.equal(await pause(9 * HOUR, 'processing'), HOUR);
    assert.equal(await pause(9 * HOUR, 'requires_action'), 10 * MINUTE);
  });

  for (const misbehaviour of ['unauthorized', 'forbidden'] as const) {
    test(`${misbehaviour}: somebody is told, without the key`, async (t) => {
      const harness = await startHarness(t);
      const { checkout, attempt } = await harness.started();
      harness.stripe.next(misbehaviour);
      const answer = await harness.rail.sync(checkout, attempt, Date.now());
      assert.deepEqual([answer.status, answer.untold], ['requires_action', 'key_refused']);
      assert.ok(answer.alert);
      assert.match(answer.alert, /^pat_\w+: Stripe refuses the key of account 1 in test mode: /);
      assert.doesNotMatch(answer.alert, /sk_test/);
      // Once, however often Stripe is asked meanwhile: of a key that nobody knows about whatever, of another one the same.
      harness.stripe.next(misbehaviour);
      assert.equal((await harness.rail.sync(checkout, attempt, Date.now())).alert, undefined);
      const paid = await harness.paid();
      harness.stripe.next(misbehaviour);
      const refund = refundOf(paid);
      const { alert: ofRefund } = await harness.rail.refund(paid.checkout, refund, Date.now());
      assert.equal(ofRefund !== undefined, misbehaviour === 'forbidden', String(ofRefund));
      const planned = harness.planned();
      const now = performance.now() + HOUR;
      t.mock.method(performance, 'now', () => now);
      harness.stripe.next(misbehaviour);
      const start = await harness.rail.start?.(planned.checkout, planned.attempt, RETURN_URL, Date.now());
      assert.equal(start?.status, 'failed');
      assert.equal(start?.reason, 'Stripe does not accept the key of the shop.');
      assert.match(start?.alert ?? '', /: Stripe refuses the key of account 1 in test mode: /);
      assert.doesNotMatch(start?.alert ?? '', /sk_test/);
    });
  }

  test('of two refusals of a key at once, the one that was not told of is told of later', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = await harness.paid();
    const refusals = [
      ['forbidden', /^GET \/v1\/refunds/, /may not do this/],
      ['unauthorized', /^GET \/v1\/disputes/, /Invalid API Key/],
    ] as const;
    for (const [misbehaviour, on] of refusals) harness.stripe.next(misbehaviour, { on });
    const { alert: first = '' } = await harness.rail.sync(checkout, attempt, Date.now());
    // Either may be the first to be answered.
    const other = refusals.find(([, , says]) => !says.test(first));
    assert.ok(other);
    const [misbehaviour, on, says] = other;
    harness.stripe.next(misbehaviour, { on });
    const { alert: second = '' } = await harness.rail.sync(checkout, attempt, Date.now());
    assert.match(second, says);
  });

  test('a question that Stripe refuses, and an answer that fits no payment, are told apart', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = await harness.started();
    const unknown: Attempt = { ...attempt, status: 'unknown' };
    const elsewhere = { ...unknown, details: { ...attempt.details, session: 'cs_test_elsewhere' } };
    const refused = await harness.rail.sync(checkout, elsewhere, Date.now());
    assert.deepEqual([refused.status, refused.untold], ['unknown', 'request_refused']);
    harness.stripe.next('other_mode');
    const unclear = await harness.rail.sync(checkout, unknown, Date.now());
    assert.deepEqual([unclear.status, unclear.untold], ['unknown', 'answer_unclear']);
    assert.equal((await harness.rail.sync(checkout, unknown, Date.now())).untold, undefined);
  });

  for (const status of ['requires_action', 'processing', 'succeeded', 'cancelled'] as const)
    for (const [misbehaviour, untold] of [
      ['other_mode', 'answer_unclear'],
      ['unauthorized', 'key_refused'],
    ] as const)
      test(`${misbehaviour}: nothing is told of an attempt that is ${status}`, async (t) => {
        const harness = await startHarness(t);
        const { checkout, attempt } = await harness.paid();
        harness.stripe.next(misbehaviour);
        const known: Attempt = { ...attempt, status };
        const answer = await harness.rail.sync(checkout, known, Date.now());
        assert.equal(answer.untold, untold);
      });

  test('an answer that never ends is given up', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = await harness.started();
    harness.stripe.next('trickle');
    const answer = await harness.rail.sync(checkout, { ...attempt, status: 'processing' }, Date.now());
    assert.equal(answer.status, 'unknown');
  });

  test('one try more is made where that helps', async (t) => {
    const harness = await startHarness(t, { retries: 1 });
    const { checkout, attempt } = await harness.started();
    harness.pay(attempt);
    harness.stripe.next('silence_before');
    assert.equal((await harness.rail.sync(checkout, attempt, Date.now())).status, 'succeeded');
  });

  test('a Stripe that hangs holds up so many calls and no more', async (t) => {
    const harness = await startHarness(t, { concurrency: 2 });
    const { checkout, attempt } = await harness.started();
    const before = harness.stripe.calls.length;
    harness.stripe.next('silence_before', { times: 2 });
    const now = Date.now();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => harness.rail.sync(checkout, { ...attempt, status: 'processing' }, now)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(5).fill('unknown'),
    );
    assert.equal(harness.stripe.calls.length - before, 2);
    // Afterwards there is room again.
    assert.equal((await harness.rail.sync(checkout, attempt, now)).status, 'requires_action');
  });
});
