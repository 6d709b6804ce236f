/**
 * Permissions that a restricted key lacks: the call that is refused is told of at once, and all that the key lacks when
 * it is known; nobody waits for that, and nothing happens at Stripe to find it.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { permissionsOf } from '../../../src/methods/stripe/permissions.ts';
import { startStripe } from '../../support/stripe-stand-in.ts';
import { refundOf, startHarness } from './harness.ts';

const FEW = 'rk_test_few';
const REFUNDS = /^POST \/v1\/refunds/;
const DISPUTES = /^GET \/v1\/disputes/;
const FEES = /balance_transactions/;
const PROBES = 6;

/** A session that is paid, whose account then has a key that may not make these calls. */
async function restricted(t: TestContext, mayNot: readonly RegExp[]) {
  const good = await startHarness(t);
  const paid = await good.paid();
  good.enterBalance(paid.attempt);
  const { stripe } = good;
  stripe.admit(FEW, 'test', mayNot);
  const alerts: string[] = [];
  /** Questions after permissions, and those of them that have come to an end. */
  let probes = 0;
  let ended = 0;
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const { rail } = await startHarness(t, {
    test: { secretKey: FEW, webhookSecret: stripe.keys.test.webhookSecret },
    apiUrl: stripe.url,
    async http(request) {
      const isProbe = request.url.includes('_none');
      if (isProbe) probes += 1;
      try {
        return await stripe.http(request);
      } finally {
        if (isProbe) ended += 1;
        setImmediate(() => {
          for (const { count, resolve } of waiting) if (ended >= count) resolve();
        });
      }
    },
    onAlert: (text, { account, mode }) => alerts.push(`${account} ${mode} ${text}`),
  });
  const { checkout, attempt } = paid;
  return {
    stripe,
    alerts,
    probes: () => probes,
    /** Until so many questions after permissions have come to an end. */
    asked: (count: number) =>
      new Promise<void>((resolve) => {
        if (ended >= count) setImmediate(resolve);
        else waiting.push({ count, resolve });
      }),
    refund: () => rail.refund(checkout, refundOf(paid), Date.now()),
    sync: () => rail.sync(checkout, attempt, Date.now()),
  };
}

const refused = 'Stripe refuses the key of account 1 in test mode:';
const lacks = '1 test the key of account 1 in test mode lacks at Stripe:';

suite('a key that lacks permissions', () => {
  test('is told of in the words of Stripe at once, and then with all of them', async (t) => {
    const { stripe, alerts, asked, probes, refund } = await restricted(t, [REFUNDS, DISPUTES, FEES]);
    const before = [stripe.books.test.sessions.size, stripe.books.test.refunds.size];
    const { status, alert = '' } = await refund();
    assert.equal(status, 'pending');
    assert.match(alert, /^rfd_\w+: /);
    assert.ok(
      alert.endsWith(
        `: ${refused} The provided key 'the key' does not have the required permissions for /v1/refunds.`,
      ),
      alert,
    );
    await asked(PROBES);
    const all =
      'write access to “Charges and Refunds”, read access to disputes, read access to “Balance Transaction Sources”';
    assert.deepEqual(alerts, [`${lacks} ${all}`]);
    // Once, however often Stripe refuses the call.
    assert.equal((await refund()).alert, undefined);
    assert.deepEqual([alerts.length, probes()], [1, PROBES]);
    assert.deepEqual([stripe.books.test.sessions.size, stripe.books.test.refunds.size], before);
  });

  test('is told of at once when it loses another one', async (t) => {
    const mayNot = [FEES];
    const { alerts, asked, refund, sync } = await restricted(t, mayNot);
    const first = await sync();
    assert.equal(first.status, 'succeeded');
    assert.match(first.alert ?? '', /does not have the required permissions for \/v1\/balance_transactions/);
    await asked(PROBES);
    assert.equal((await sync()).alert, undefined);
    mayNot.push(REFUNDS);
    assert.match((await refund()).alert ?? '', /does not have the required permissions for \/v1\/refunds/);
    await asked(2 * PROBES);
    const fees = 'read access to “Balance Transaction Sources”';
    assert.deepEqual(alerts, [`${lacks} ${fees}`, `${lacks} write access to “Charges and Refunds”, ${fees}`]);
  });

  test('is told of once with all of them, although several calls are refused', async (t) => {
    const { alerts, asked, refund, sync } = await restricted(t, [REFUNDS, FEES]);
    assert.ok((await refund()).alert);
    await asked(PROBES);
    assert.ok((await sync()).alert);
    await asked(2 * PROBES);
    assert.equal(alerts.length, 1);
  });

  test('is asked again where Stripe has not said of all of them', async (t) => {
    const mayNot = [REFUNDS];
    const { stripe, alerts, asked, refund } = await restricted(t, mayNot);
    stripe.next('error_before', { on: DISPUTES });
    await refund();
    await asked(PROBES);
    mayNot.push(DISPUTES);
    assert.deepEqual(alerts, [`${lacks} write access to “Charges and Refunds”`]);
    await refund();
    await asked(2 * PROBES);
    assert.deepEqual(alerts.slice(1), [
      `${lacks} write access to “Charges and Refunds”, read access to disputes`,
    ]);
  });

  test('keeps nobody waiting', async (t) => {
    const { stripe, alerts, asked, refund, sync } = await restricted(t, [FEES]);
    const held = stripe.hold(/refunds\/re_none/);
    assert.equal((await sync()).status, 'succeeded');
    assert.equal((await refund()).status, 'succeeded');
    assert.deepEqual(alerts, []);
    held.letAllGo();
    await asked(PROBES);
    assert.equal(alerts.length, 1);
  });

  test('and is refused for another reason is told of in the words of Stripe alone', async (t) => {
    const { stripe, alerts, probes, refund } = await restricted(t, []);
    stripe.next('forbidden');
    const { alert = '' } = await refund();
    assert.ok(alert.endsWith(`${refused} The provided key 'the key' may not do this.`), alert);
    assert.deepEqual([alerts, probes()], [[], 0]);
  });

  test('and that nobody knows is not asked what it may do', async (t) => {
    const { stripe, alerts, probes, refund } = await restricted(t, []);
    stripe.next('unauthorized');
    const { alert = '' } = await refund();
    assert.ok(alert.endsWith(`${refused} Invalid API Key provided: the key`), alert);
    assert.deepEqual([alerts, probes()], [[], 0]);
  });
});

suite('the permissions of a key', () => {
  const charges = /^GET \/v1\/charges/;
  const ofKey = async (t: TestContext, mayNot: readonly RegExp[]) => {
    const stripe = await startStripe(t);
    stripe.admit(FEW, 'test', mayNot);
    const ask = () => permissionsOf(FEW, { apiUrl: stripe.url, timeoutMs: 60_000, http: stripe.http });
    return { stripe, ask };
  };

  test('are all there where Stripe looks for what is asked for', async (t) => {
    const { stripe, ask } = await ofKey(t, []);
    assert.deepEqual(await ask(), { lacked: [], unanswered: [] });
    assert.deepEqual(
      stripe.calls.filter(({ path }) => !path.includes('_none')),
      [],
    );
  });

  for (const misbehaviour of [
    'too_many',
    'too_many_400',
    'error_before',
    'forbidden',
    'unauthorized',
    'not_json',
  ] as const)
    test(`are not known where Stripe does not say so: ${misbehaviour}`, async (t) => {
      const { stripe, ask } = await ofKey(t, [DISPUTES]);
      stripe.next(misbehaviour, { on: charges });
      assert.deepEqual(await ask(), {
        lacked: ['read access to disputes'],
        unanswered: ['read access to charges'],
      });
    });

  test('are not asked for one after the other of a Stripe that does not answer', async (t) => {
    const { stripe, ask } = await ofKey(t, []);
    stripe.next('reset_before', { on: charges });
    const { lacked, unanswered } = await ask();
    assert.deepEqual([lacked, unanswered.length, stripe.calls.length], [[], 4, 3]);
  });
});
