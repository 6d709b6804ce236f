/** Permissions that a restricted key lacks: all are told at once, and nothing happens at Stripe to find them. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { refundOf, startHarness } from './harness.ts';

const FEW = 'rk_test_few';

/** A session that is paid, whose account then has a key that may not make these calls. */
async function restricted(t: TestContext, mayNot: readonly RegExp[]) {
  const good = await startHarness(t);
  const paid = await good.paid();
  const { stripe } = good;
  stripe.admit(FEW, 'test', mayNot);
  const { rail } = await startHarness(t, {
    test: { secretKey: FEW, webhookSecret: stripe.keys.test.webhookSecret },
    apiUrl: stripe.url,
    http: stripe.http,
  });
  const { checkout, attempt } = paid;
  return {
    stripe,
    refund: () => rail.refund(checkout, refundOf(paid), Date.now()),
    sync: () => rail.sync(checkout, attempt, Date.now()),
  };
}

const refused = 'Stripe refuses the key of account 1 in test mode:';

suite('a key that lacks permissions', () => {
  test('is told of with all of them, once, whichever is needed first', async (t) => {
    const mayNot = [/^POST \/v1\/refunds$/, /^GET \/v1\/(refunds|disputes)$/, /balance_transactions/];
    const { stripe, refund, sync } = await restricted(t, mayNot);
    const before = [stripe.books.test.sessions.size, stripe.books.test.refunds.size];
    const { alert = '' } = await refund();
    const lacks =
      'write access to “Charges and Refunds”, read access to disputes, read access to “Balance Transaction Sources”';
    assert.match(alert, /^rfd_\w+: /);
    assert.ok(alert.endsWith(`: ${refused} it lacks ${lacks}`), alert);
    const asked = stripe.calls.length;
    const { status, alert: second, untold } = await sync();
    assert.deepEqual([status, second, untold], ['unknown', undefined, 'key_refused']);
    // The page was asked for, and nothing about the key.
    assert.equal(stripe.calls.length, asked + 1);
    assert.deepEqual([stripe.books.test.sessions.size, stripe.books.test.refunds.size], before);
  });

  test('is told of with those alone of which Stripe says so', async (t) => {
    const { stripe, refund } = await restricted(t, [/^POST \/v1\/refunds$/]);
    stripe.next('reset_before', { times: 5 });
    const { alert = '' } = await refund();
    assert.ok(alert.endsWith(`${refused} it lacks write access to “Charges and Refunds”`), alert);
  });

  test('is told of in the words of Stripe, where it is refused for another reason', async (t) => {
    const { stripe, refund } = await restricted(t, []);
    stripe.next('forbidden', { times: 7 });
    const { alert = '' } = await refund();
    assert.ok(alert.endsWith(`${refused} The provided key 'the key' may not do this.`), alert);
  });

  test('and that nobody knows is not asked what it may do', async (t) => {
    const { stripe, refund } = await restricted(t, []);
    const before = stripe.calls.length;
    stripe.next('unauthorized');
    const { alert = '' } = await refund();
    assert.ok(alert.endsWith(`${refused} Invalid API Key provided: the key`), alert);
    assert.equal(stripe.calls.length, before + 1);
  });
});
