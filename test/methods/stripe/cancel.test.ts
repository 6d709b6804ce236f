import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Harness, type Planned, RETURN_URL, startHarness } from './harness.ts';

const MINUTE = 60_000;

/** The session's state between the payer's return and the call that tells Stripe. */
const givenUp = ({ checkout, attempt }: Planned): Planned => {
  const cancelled = { ...attempt, status: 'cancelled' as const };
  return { checkout: { ...checkout, attempts: [cancelled] }, attempt: cancelled };
};

const cancel = async ({ rail }: Harness, { checkout, attempt }: Planned, now = Date.now()) => {
  const answer = await rail.cancel?.(checkout, attempt, now);
  assert.ok(answer);
  return answer;
};

suite('giving up a card payment', () => {
  test('closes the page', async (t) => {
    const harness = await startHarness(t);
    const started = givenUp(await harness.started());
    assert.equal(harness.rail.payerUrl?.(started.attempt), null);
    const answer = await cancel(harness, started);
    assert.deepEqual([answer.status, answer.syncAt], ['cancelled', null]);
    assert.equal(harness.pageOf(started.attempt).status, 'expired');
    // Told again, and asked: it is as it was.
    assert.deepEqual(await cancel(harness, started), answer);
    const { checkout, attempt } = started;
    assert.equal((await harness.rail.sync(checkout, attempt, Date.now())).status, 'cancelled');
  });

  test('comes too late where the payer has paid', async (t) => {
    const harness = await startHarness(t);
    const started = givenUp(await harness.started());
    harness.pay(started.attempt);
    const answer = await cancel(harness, started);
    assert.deepEqual([answer.status, answer.payment?.amount], ['succeeded', 1000]);
  });

  test('comes too late where the payment is being processed', async (t) => {
    const harness = await startHarness(t);
    const started = givenUp(await harness.started());
    harness.beginProcessing(started.attempt);
    assert.equal((await cancel(harness, started)).status, 'processing');
  });

  for (const misbehaviour of ['silence_before', 'silence_after', 'error_after', 'forbidden'] as const) {
    test(`is tried again until Stripe has heard: ${misbehaviour}`, async (t) => {
      const harness = await startHarness(t);
      const started = givenUp(await harness.started());
      harness.stripe.next(misbehaviour);
      const now = Date.now();
      const answer = await cancel(harness, started, now);
      assert.equal(answer.status, 'cancelled');
      assert.ok(answer.syncAt && answer.syncAt > now);
      const again = await cancel(harness, started);
      assert.deepEqual([again.status, again.syncAt], ['cancelled', null]);
      assert.equal(harness.pageOf(started.attempt).status, 'expired');
    });
  }

  test('closes a page whose address nobody has learned', async (t) => {
    const harness = await startHarness(t);
    const lost = givenUp(harness.planned());
    harness.stripe.next('silence_after');
    const { checkout, attempt } = harness.planned();
    await harness.rail.start?.(checkout, { ...attempt, id: lost.attempt.id }, RETURN_URL, Date.now());
    assert.equal((await cancel(harness, lost)).syncAt, null);
    assert.equal(harness.pageOf(lost.attempt).status, 'expired');
  });

  test('looks once more where there is no page yet: it may still be on its way', async (t) => {
    const harness = await startHarness(t);
    const planned = givenUp(harness.planned());
    const now = planned.attempt.createdAt;
    const first = await cancel(harness, planned, now);
    assert.deepEqual([first.status, first.syncAt], ['cancelled', now + 2 * MINUTE]);
    const second = await cancel(harness, planned, now + 2 * MINUTE);
    assert.deepEqual([second.status, second.syncAt], ['cancelled', null]);
  });
});
