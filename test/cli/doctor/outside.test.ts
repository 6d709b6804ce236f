/** Receivers and rails: who gets nothing, and what an account is paid with. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { examineRails } from '../../../src/cli/doctor/rails.ts';
import { examineReceivers } from '../../../src/cli/doctor/receivers.ts';
import { createVault } from '../../../src/methods/credentials.ts';
import { networkRules } from '../../../src/webhooks/guard.ts';
import { cleanUp } from '../../support/clean-up.ts';
import { freshDirectory } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { startStripe } from '../../support/stripe-stand-in.ts';
import { examined, found } from './findings.ts';

test('doctor finds receivers that get nothing, and why', async () => {
  await using t = cleanUp();
  const { service, account, call } = await startService(t);
  for (const url of [
    'http://127.0.0.1:9/a',
    'https://shop.test/',
    'https://inside.test/',
    'https://gone.test/',
  ])
    assert.equal((await call('POST', '/v3/webhook_endpoint', { body: { url, events: ['*'] } })).status, 201);
  const addresses: Readonly<Record<string, string>> = {
    'shop.test': '93.184.216.34',
    'inside.test': '10.1.2.3',
  };
  const resolve = async (name: string) => {
    const address = addresses[name];
    if (address === undefined) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
    return [{ address, family: 4 }];
  };
  const examine = async (allowed: readonly string[]) => {
    const findings = await examineReceivers(service.store, [account], networkRules(allowed, false), resolve);
    return findings.map(({ status, text }) => `${status} ${text.replace(/^.* at /, '')}`);
  };
  assert.deepEqual(await examine([]), [
    'wrong http://127.0.0.1:9 gets nothing: its address must not be an address in a private or otherwise special network.',
    'ok https://shop.test is an allowed receiver: 93.184.216.34.',
    'wrong https://inside.test gets nothing: its name leads to 10.1.2.3.',
    'wrong https://gone.test gets nothing: its name has no address (ENOTFOUND).',
  ]);
  assert.deepEqual(
    (await examine(['127.0.0.1/32', '10.0.0.0/8'])).map((line) => line.split(' ')[0]),
    ['ok', 'ok', 'ok', 'wrong'],
  );
});

test('doctor advises only what makes an account payable', async () => {
  await using t = cleanUp();
  const { account } = await startService(t);
  const advice = (STRIPE_ACCOUNT: number) => examineRails({ STRIPE_ACCOUNT }, [account])[0]?.advice ?? '';
  assert.match(advice(account.number), /--account 1 --live.*Stripe/);
  assert.doesNotMatch(advice(account.number + 1), /Stripe/);
});

test('doctor looks at what the settings of Stripe say together', async () => {
  await using t = cleanUp();
  const { account } = await startService(t);
  const good = {
    STRIPE_ACCOUNT: account.number,
    STRIPE_LIVE_SECRET_KEY: 'rk_live_canary',
    STRIPE_API_URL: 'https://api.stripe.com',
    PUBLIC_URL: 'https://pay.example.com',
  };
  const said = (values: Parameters<typeof examineRails>[0]) =>
    examineRails(values, [account]).map(({ status, text }) => `${status} ${text}`);
  const paid = 'ok Account 1 (Test Shop) is paid by card in live mode.';
  assert.deepEqual(said(good), [paid]);
  assert.deepEqual(said({ ...good, STRIPE_ACCOUNT: 2 }).slice(1), [
    'wrong STRIPE_ACCOUNT is 2, and there is no such account.',
  ]);
  assert.deepEqual(said({ ...good, STRIPE_API_URL: 'http://stripe.example' }).slice(1), [
    'wrong STRIPE_API_URL is http://stripe.example, to which a live key would go in the clear.',
  ]);
  assert.deepEqual(said({ ...good, PUBLIC_URL: 'http://pay.example.com' }).slice(1), [
    'wrong Stripe sends events of live mode to HTTPS alone, and PUBLIC_URL is http://pay.example.com.',
  ]);
  assert.deepEqual(said({ ...good, STRIPE_LIVE_SECRET_KEY: 'sk_live_canary' }).slice(1), [
    'advice The live key of Stripe may do everything.',
  ]);
  const testOnly = { ...good, STRIPE_LIVE_SECRET_KEY: '', STRIPE_TEST_SECRET_KEY: 'sk_test_canary' };
  assert.deepEqual(
    said({ ...testOnly, STRIPE_API_URL: 'http://127.0.0.1:1', PUBLIC_URL: 'http://localhost' }),
    ['advice Account 1 (Test Shop) cannot be paid in live mode.'],
  );
});

test('doctor looks at the credentials that accounts have of their own', async () => {
  await using t = cleanUp();
  const { account } = await startService(t);
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const place = { tenant: { account: account.number, mode: 'live' }, rail: 'stripe' } as const;
  const secrets = createVault(one).seal({ secret_key: 'rk_live_canary', webhook_secret: 'whsec_a' }, place);
  const stripe = { secrets, setAt: 1, setBy: 'operator' };
  const own = { ...account, railCredentials: { test: {}, live: { stripe } } };
  const said = (values: Parameters<typeof examineRails>[0]) =>
    examineRails(values, [own]).map(({ status, text }) => `${status} ${text}`);
  const paid = 'ok Account 1 (Test Shop) is paid by card in live mode.';
  const which = 'The credentials of account 1 for stripe in live mode';
  assert.deepEqual(said({ CREDENTIALS_KEY: one }), [paid]);
  assert.deepEqual(said({ CREDENTIALS_KEY: two, CREDENTIALS_KEY_PREVIOUS: one }), [
    paid,
    `advice ${which} are encrypted under CREDENTIALS_KEY_PREVIOUS.`,
  ]);
  const ofSettings = { STRIPE_ACCOUNT: account.number, STRIPE_LIVE_SECRET_KEY: 'rk_live_canary' };
  const rest = { STRIPE_API_URL: 'https://api.stripe.com', PUBLIC_URL: 'https://pay.example.com' };
  assert.deepEqual(said({ CREDENTIALS_KEY: two, ...ofSettings, ...rest }), [
    'advice Account 1 (Test Shop) cannot be paid in live mode.',
    `wrong ${which} cannot be read.`,
  ]);
});

test('doctor names all permissions that a restricted key lacks', async () => {
  await using t = cleanUp();
  const stripe = await startStripe(t);
  const [few, fees] = ['rk_test_few', 'rk_test_fees'];
  stripe.admit(few, 'test', [/^POST \/v1\/refunds/, /^GET \/v1\/disputes/]);
  stripe.admit(fees, 'test', [/^GET \/v1\/balance_transactions\//]);
  const said = async (key: string) => {
    const settings = {
      DATABASE_URL: `sqlite:${join(freshDirectory(t), 'till.db')}`,
      STRIPE_API_URL: stripe.url,
      STRIPE_TEST_SECRET_KEY: key,
      STRIPE_TEST_WEBHOOK_SECRET: stripe.keys.test.webhookSecret,
    };
    const { status, text } = found(await examined(t, settings, '--ask-stripe'), 'rails', /Stripe/);
    return [status, text];
  };
  assert.deepEqual(await said(few), [
    'wrong',
    'The key of test mode lacks at Stripe: write access to “Charges and Refunds”, read access to disputes.',
  ]);
  assert.deepEqual(await said(fees), [
    'advice',
    'The key of test mode lacks at Stripe: read access to “Balance Transaction Sources”.',
  ]);
});

test('doctor asks Stripe only if it is told to, and says what the answer means', async () => {
  await using t = cleanUp();
  const stripe = await startStripe(t);
  const DATABASE_URL = `sqlite:${join(freshDirectory(t), 'till.db')}`;
  const { secretKey, webhookSecret } = stripe.keys.test;
  const settings = {
    DATABASE_URL,
    STRIPE_API_URL: stripe.url,
    STRIPE_TEST_SECRET_KEY: secretKey,
    STRIPE_TEST_WEBHOOK_SECRET: webhookSecret,
  };
  await examined(t, settings);
  assert.equal(stripe.calls.length, 0);
  const asked = async () => found(await examined(t, settings, '--ask-stripe'), 'rails', /Stripe|test mode/);
  assert.deepEqual(await asked(), {
    record: 'finding',
    area: 'rails',
    status: 'ok',
    text: 'Stripe accepts the key of test mode.',
    advice: '',
  });
  assert.equal(stripe.books.test.sessions.size, 0);
  stripe.next('unauthorized');
  assert.match((await asked()).text, /does not know the key/);
  stripe.next('forbidden');
  assert.match((await asked()).advice, /permissions/);
  stripe.next('error_before');
  assert.match((await asked()).text, /answers 503/);
  const onCharges = { on: /^GET \/v1\/charges/ };
  for (const misbehaviour of ['too_many', 'too_many_400', 'error_before'] as const) {
    stripe.next(misbehaviour, onCharges);
    const { status, text, advice } = await asked();
    assert.deepEqual(
      [status, text, advice],
      [
        'advice',
        'Stripe did not say whether the key of test mode has read access to charges.',
        'Ask again later.',
      ],
    );
  }
  stripe.next('reset_before', { on: /expire$/ });
  assert.match((await asked()).text, /^Stripe did not say whether .* has write access .* Sources”\.$/);
  stripe.next('reset_before');
  assert.match((await asked()).text, /does not answer at /);
  assert.equal(existsSync(DATABASE_URL.slice('sqlite:'.length)), false);
});
