/** Rates: what a key, an account and an address may ask in a second, and what is refused beyond it. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, suite, type TestContext, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import { startService } from '../support/service.ts';
import { assertRefused } from './shop.ts';

suite('the rate', async () => {
  let clock = Math.ceil(performance.now());
  let wallClock = Date.now();
  const limited = await startService(
    { after },
    {
      env: {
        RATE_LIMIT: '1',
        ADDRESS_RATE_LIMIT: '1',
        TRUST_PROXY: '127.0.0.1',
        STRIPE_TEST_SECRET_KEY: 'sk_test_rates',
        STRIPE_TEST_WEBHOOK_SECRET: 'whsec_rates',
      },
      realNow: () => wallClock,
    },
  );
  const list = (authorization: string, address = '192.0.2.1') =>
    limited.call('GET', '/v3/checkout', { headers: { authorization, 'x-forwarded-for': address } });

  // Bursts take no time here.
  const stopTime = (t: TestContext) => t.mock.method(performance, 'now', () => clock);

  test('of a key is limited, and no other key’s with it', async (t) => {
    stopTime(t);
    const { authorization } = await limited.createKey();
    for (const _ of [1, 2]) assert.equal((await list(authorization)).status, 200);
    const answer = await list(authorization);
    assertRefused(answer, { status: 429, message: 'CHECKOUT.LIST.RATE_LIMITED', errors: [[110]] });
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=1;w=1');
    assert.equal(answer.headers.get('ratelimit'), '"default";r=0;t=1');
    assert.equal((await list(limited.key.authorization)).status, 200);
    clock += 1000;
    assert.equal((await list(authorization)).status, 200);
    assert.equal((await list(authorization)).status, 429);
  });

  test('of an account and mode is that of two keys, however many it has', async (t) => {
    stopTime(t);
    clock += 60_000;
    const shop = await createAccount(limited.service.store, 'Many Keys', Date.now());
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) {
      const { authorization } = await limited.createKey({ account: shop.number });
      const answer = await list(authorization);
      statuses.push(answer.status);
      if (answer.status === 429) assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=2;w=1');
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
    const { authorization: live } = await limited.createKey({ account: shop.number, mode: 'live' });
    assert.equal((await list(live)).status, 200, 'the other mode goes on');
    assert.equal((await list(limited.key.authorization)).status, 200, 'another account goes on');
  });

  test('of a key is not a matter of the wall clock, which may be set back', async (t) => {
    stopTime(t);
    const { authorization } = await limited.createKey();
    assert.equal((await list(authorization)).status, 200);
    wallClock -= 3_600_000;
    assert.equal((await list(authorization)).status, 200);
    wallClock += 7_200_000;
    assert.equal((await list(authorization)).status, 429);
  });

  test('of guesses from one address is limited', async (t) => {
    stopTime(t);
    for (const _ of [1, 2]) assert.equal((await list('Bearer guess')).status, 401);
    assert.equal((await list('Bearer guess')).status, 429);
    assert.equal((await list('')).status, 429);
    clock += 1000;
    assert.equal((await list('')).status, 401);
  });

  test('of guesses is that of a network, where it has many addresses', async (t) => {
    stopTime(t);
    const guess = async (address: string) => (await list('Bearer guess', address)).status;
    for (const address of ['2001:db8::1', '2001:db8::2']) assert.equal(await guess(address), 401);
    assert.equal(await guess('2001:db8::3'), 429);
    assert.equal(await guess('2001:db8:0:1::1'), 401);
  });

  test('of payers is that of a network too', async (t) => {
    stopTime(t);
    const page = async (address: string) =>
      (await limited.call('GET', '/transaction/none', { headers: { 'x-forwarded-for': address } })).status;
    for (const address of ['2001:db8:2::1', '::ffff:192.0.2.2']) {
      assert.deepEqual([await page(address), await page(address)], [404, 404]);
    }
    assert.deepEqual([await page('2001:db8:2::2'), await page('192.0.2.2')], [429, 429]);
  });

  suite('of provider events without a signature', () => {
    let events = 0;
    const tell = async (address: string, secret = 'whsec_wrong') => {
      const body = JSON.stringify({ id: `evt_${++events}`, livemode: false, data: { object: {} } });
      const time = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
      return limited.call('POST', '/notices/stripe', {
        body,
        headers: { 'stripe-signature': `t=${time},v1=${signature}`, 'x-forwarded-for': address },
      });
    };
    const refused = () =>
      limited.service.app
        .inject('/metrics')
        .then(({ body }) =>
          Number(/provider_events_refused_total\{rail="stripe"\} (\d+)/.exec(body)?.[1] ?? 0),
        );

    test('is limited, before anything of them is read', async (t) => {
      stopTime(t);
      for (const _ of [1, 2]) assert.equal((await tell('2001:db8:3::1')).status, 400);
      assert.equal(await refused(), 2);
      const answer = await tell('2001:db8:3::2');
      assertRefused(answer, { status: 429, message: 'PROVIDER_EVENT.RECEIVE.RATE_LIMITED', errors: [[110]] });
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal(await refused(), 2, 'its signature was not looked at');
      assert.equal((await tell('192.0.2.3')).status, 400, 'another address goes on');
    });

    test('does not hold up a provider, even behind the same address', async (t) => {
      stopTime(t);
      const provider = '192.0.2.4';
      assert.equal((await tell(provider, 'whsec_rates')).status, 200);
      for (const status of [400, 400, 429, 429]) assert.equal((await tell(provider)).status, status);
      for (let count = 0; count < 5; count++) assert.equal((await tell(provider, 'whsec_rates')).status, 200);
    });

    test('is none of payers of the same address', async (t) => {
      stopTime(t);
      for (const _ of [1, 2]) await tell('192.0.2.5');
      assert.equal((await list('', '192.0.2.5')).status, 401);
    });
  });
});
