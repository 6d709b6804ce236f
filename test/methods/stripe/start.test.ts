import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { findMethod, type Method } from '../../../src/methods/catalogue.ts';
import { createVault } from '../../../src/methods/credentials.ts';
import { createStripeRail } from '../../../src/methods/stripe/stripe.ts';
import { afterAnswer, RETURN_URL, startHarness } from './harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const seconds = (ms: number) => Math.floor(ms / 1000);

suite('what the card rail offers', () => {
  test('cards, in the modes that have keys, of the account whose keys they are', async (t) => {
    const { rail, method, occasion, stripe, occasionAccount } = await startHarness(t);
    assert.equal(rail.offers(method, occasion()), true);
    assert.equal(rail.offers(method, occasion({ mode: 'live' })), true);
    assert.equal(rail.offers(findMethod('ideal_eur') as Method, occasion({ currency: 'EUR' })), false);
    const other = { ...occasionAccount, number: 2 };
    assert.equal(rail.offers(method, occasion({ account: other })), false);
    assert.equal(rail.missing?.(method, occasion({ account: other })), null);
    const testOnly = createStripeRail({ test: stripe.keys.test, live: null, accountNumber: 1 });
    assert.equal(testOnly.offers(method, occasion()), true);
    assert.equal(testOnly.offers(method, occasion({ mode: 'live' })), false);
  });

  test('by the keys of the account itself, where it has some', async (t) => {
    const vault = createVault(Buffer.alloc(32, 1));
    const own = { vault, accountOf: async () => null };
    const { rail, method, occasion, occasionAccount } = await startHarness(t, { own });
    const missing = (account = occasionAccount) => rail.missing?.(method, occasion({ account }));
    const withKeys = (number: number, account = number) => {
      const place = { tenant: { account, mode: 'test' }, rail: 'stripe' } as const;
      const secrets = vault.seal({ secret_key: 'sk_test_own', webhook_secret: 'whsec_own' }, place);
      const stripe = { secrets, setAt: 1, setBy: 'operator' };
      return { ...occasionAccount, number, railCredentials: { test: { stripe }, live: {} } };
    };
    assert.equal(rail.offers(method, occasion({ account: withKeys(2) })), true);
    assert.equal(missing(withKeys(2)), null);
    assert.equal(rail.offers(method, occasion({ account: withKeys(2), mode: 'live' })), false);
    assert.equal(missing({ ...occasionAccount, number: 2 }), 'credentials of its own for Stripe');
    // Those of the settings are for an account without its own.
    assert.equal(rail.offers(method, occasion({ account: withKeys(1, 2) })), false);
    assert.equal(missing(withKeys(1, 2)), 'the CREDENTIALS_KEY of its credentials for Stripe');
  });

  test('amounts that Stripe can charge', async (t) => {
    const { rail, method, occasion } = await startHarness(t);
    const offers = (currency: string, amount: number | null) =>
      rail.offers(method, occasion({ currency, amount }));
    assert.equal(offers('KWD', 5120), true);
    assert.equal(offers('KWD', 5124), false);
    assert.equal(offers('KWD', null), true);
    assert.equal(offers('CLF', 10_000), false);
    assert.equal(offers('CLF', null), false);
    assert.equal(offers('USD', 49), false);
  });

  test('names the settings that are missing', async (t) => {
    const { method, occasion, stripe } = await startHarness(t);
    const missing = (options: Partial<Parameters<typeof createStripeRail>[0]>, mode: 'test' | 'live') => {
      const rail = createStripeRail({ test: null, live: null, accountNumber: 1, ...options });
      return rail.missing?.(method, occasion({ mode }));
    };
    const { test: keys } = stripe.keys;
    assert.equal(missing({}, 'test'), 'STRIPE_TEST_SECRET_KEY and STRIPE_TEST_WEBHOOK_SECRET');
    assert.equal(missing({}, 'live'), 'STRIPE_LIVE_SECRET_KEY and STRIPE_LIVE_WEBHOOK_SECRET');
    assert.equal(missing({ test: { ...keys, webhookSecret: '' } }, 'test'), 'STRIPE_TEST_WEBHOOK_SECRET');
    assert.equal(missing({ test: { ...keys, secretKey: '' } }, 'test'), 'STRIPE_TEST_SECRET_KEY');
    assert.equal(missing({ test: keys }, 'test'), null);
  });

  test('a key of the other mode is refused', () => {
    const keys = { secretKey: 'sk_test_x', webhookSecret: 'whsec_x' };
    assert.throws(
      () => createStripeRail({ test: null, live: keys, accountNumber: 1 }),
      /^Error: STRIPE_LIVE_SECRET_KEY must begin with sk_live_ or rk_live_$/,
    );
  });
});

suite('the start of a card payment', () => {
  test('makes a page that asks for exactly what is due', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = harness.planned({
      description: 'Two chairs',
      payer: { ...harness.planned().checkout.payer, email: 'ann@example.com' },
    });
    assert.equal(attempt.reference, attempt.id);
    assert.equal(attempt.status, 'requires_action');
    assert.equal(harness.rail.payerUrl?.(attempt), null);

    const now = Date.now();
    const answer = await harness.rail.start?.(checkout, attempt, RETURN_URL, now);
    assert.ok(answer);
    const page = harness.pageOf(attempt);
    assert.deepEqual([answer.status, answer.payment, answer.alert], ['requires_action', null, undefined]);
    assert.equal(answer.syncAt, now + 10 * MINUTE);
    assert.equal(page.amount_total, 1000);
    assert.equal(page.currency, 'usd');
    assert.equal(page.title, 'Two chairs');
    assert.equal(page.customer_email, 'ann@example.com');
    assert.equal(page.success_url, RETURN_URL);
    assert.equal(page.cancel_url, RETURN_URL);
    assert.deepEqual(page.allowed_payment_method_types, ['card']);
    const metadata = { checkout: checkout.id, attempt: attempt.id, account: '1' };
    assert.deepEqual(page.metadata, metadata);
    assert.deepEqual(page.intentMetadata, metadata);
    assert.equal(harness.rail.payerUrl?.(afterAnswer({ checkout, attempt }, answer).attempt), page.url);
    const [call] = harness.stripe.calls;
    assert.equal(call?.idempotencyKey, attempt.id);
    assert.deepEqual(call?.form.adaptive_pricing, { enabled: 'false' });
    assert.match(String(call?.headers['user-agent']), /^opentill\//);
  });

  test('in the units of Stripe', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.started({ currency: 'ISK', amount: 900 });
    assert.equal(harness.pageOf(attempt).amount_total, 90_000);
  });

  test('with the key of its mode', async (t) => {
    const harness = await startHarness(t);
    const { attempt } = await harness.started({ tenant: { account: 1, mode: 'live' } });
    assert.equal(harness.pageOf(attempt).livemode, true);
    assert.equal(harness.stripe.books.test.sessions.size, 0);
  });

  test('asked again it is the same page, known or not', async (t) => {
    const harness = await startHarness(t);
    const planned = harness.planned();
    const again = () => harness.rail.start?.(planned.checkout, planned.attempt, RETURN_URL, Date.now());
    const answers = await Promise.all([again(), again()]);
    assert.deepEqual(answers[0]?.details, answers[1]?.details);
    assert.equal(harness.stripe.books.test.sessions.size, 1);
    const started = afterAnswer(planned, answers[0] as NonNullable<(typeof answers)[0]>);
    const calls = harness.stripe.calls.length;
    const third = await harness.rail.start?.(started.checkout, started.attempt, RETURN_URL, Date.now());
    assert.equal(third?.status, 'requires_action');
    assert.equal(third?.details, undefined);
    assert.equal(harness.stripe.calls.length, calls);
  });

  test('finds the page although the payer has another address now', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = await harness.planned();
    await harness.rail.start?.(checkout, attempt, RETURN_URL, Date.now());
    const renamed = { ...checkout, payer: { ...checkout.payer, email: 'bob@example.com' } };
    const answer = await harness.rail.start?.(renamed, attempt, RETURN_URL, Date.now());
    assert.equal(answer?.details?.session, harness.pageOf(attempt).id);
    assert.equal(answer?.alert, undefined);
  });

  test('an address that Stripe would not take is left out', async (t) => {
    const harness = await startHarness(t);
    const { payer } = harness.planned().checkout;
    const { attempt } = await harness.started({ payer: { ...payer, email: 'ann@[10.0.0.1]' } });
    assert.equal(harness.pageOf(attempt).customer_email, null);
  });

  test('the page lasts as long as the session, within what Stripe takes', async (t) => {
    const harness = await startHarness(t);
    const lifetime = async (expiresAt: number | null) => {
      const now = Date.now();
      const { attempt } = await harness.started({ expiresAt });
      return harness.pageOf(attempt).expires_at - seconds(now);
    };
    const near = (actual: number, expected: number) =>
      assert.ok(Math.abs(actual - expected) <= 2, `${actual} s, not ${expected} s`);
    near(await lifetime(Date.now() + 2 * HOUR), seconds(2 * HOUR));
    near(await lifetime(Date.now() + 5 * MINUTE), seconds(35 * MINUTE));
    near(await lifetime(Date.now() + 48 * HOUR), seconds(24 * HOUR - 5 * MINUTE));
    near(await lifetime(null), seconds(24 * HOUR - 5 * MINUTE));
  });

  test('the clock of test mode may be a year ahead', async (t) => {
    const harness = await startHarness(t);
    const { rail, method } = harness;
    const ahead = 365 * 24 * HOUR;
    const now = Date.now() + ahead;
    const account = { ...harness.occasionAccount, testClockOffsetMs: ahead };
    const { checkout, attempt } = harness.planned({ expiresAt: now + 2 * HOUR });
    const plan = rail.plan(checkout, method, harness.occasion({ account }), attempt.id, now);
    assert.equal(plan.syncAt, now + MINUTE);
    const answer = await rail.start?.(checkout, { ...attempt, ...plan }, RETURN_URL, now);
    assert.equal(answer?.status, 'requires_action');
    const left = harness.pageOf(attempt).expires_at - seconds(Date.now());
    assert.ok(Math.abs(left - seconds(2 * HOUR)) <= 2, `${left} s`);
  });

  test('what Stripe refuses has failed, and says why', async (t) => {
    const harness = await startHarness(t);
    const { checkout, attempt } = harness.planned();
    const answer = await harness.rail.start?.(checkout, attempt, 'nowhere', Date.now());
    assert.equal(answer?.status, 'failed');
    assert.equal(answer?.reason, 'Stripe refuses the payment: Not a valid URL');
    assert.match(answer?.alert ?? '', /Not a valid URL/);
    assert.equal(answer?.syncAt, null);
  });

  for (const misbehaviour of ['wrong_amount', 'wrong_currency', 'other_mode'] as const) {
    test(`a page that is not what was asked for is closed: ${misbehaviour}`, async (t) => {
      const harness = await startHarness(t);
      harness.stripe.next(misbehaviour);
      const { checkout, attempt } = harness.planned();
      const answer = await harness.rail.start?.(checkout, attempt, RETURN_URL, Date.now());
      assert.equal(answer?.status, 'failed');
      assert.ok(answer?.alert?.includes(attempt.id));
      assert.equal(answer?.details, undefined);
      assert.equal(harness.pageOf(attempt).status, 'expired');
    });
  }
});
