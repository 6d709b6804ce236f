/**
 * The contract of rails on trouble: reports that get lost, come twice, early, out of order, or from somebody
 * else.
 */

import assert from 'node:assert/strict';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { randomFrom } from '../crash/random.ts';
import { seed } from '../support/seed.ts';
import type { Declare, Shop } from './contract.ts';
import type { Data } from './contract-till.ts';

/** Longer than any rail waits before it asks again about an attempt that is minutes old. */
const ASKED_AGAIN_SECONDS = 11 * 60;
const ORDERS = 3;

async function neverFailed({ till }: Shop, id: CheckoutId): Promise<void> {
  const events = await till.events(id);
  assert.ok(!events.includes('payment_attempt.failed'), events.join());
}

async function statusOf({ till }: Shop, id: CheckoutId): Promise<string> {
  return (await till.fetch(id)).payment_attempts.at(-1).status;
}

export function declareTroubleTests(declare: Declare): void {
  declare('a start without an answer has not failed, and is made again', async (shop) => {
    if (!shop.rail.start) return;
    for (const { name, cause } of shop.troubles) {
      const session = await shop.open();
      const attempt = await shop.till.choose(session, shop.methodFor('EUR'), shop.form);
      cause('start');
      const silencesBefore = shop.till.silences.length;
      await shop.till.start(session.id);
      assert.equal(await statusOf(shop, session.id), 'requires_action', name);
      assert.equal(shop.till.silences.length, silencesBefore + 1, `${name}: an operator sees it`);
      await shop.till.pass(60);
      assert.equal(await statusOf(shop, session.id), 'requires_action', name);
      assert.ok(await shop.meansOf(shop.till, session.id), name);
      assert.equal(shop.asked(attempt), 1, name);
      shop.pay(attempt);
      await shop.hear(attempt);
      await shop.checkLedger(session.id, [1000]);
      await neverFailed(shop, session.id);
    }
  });

  declare('a question without an answer says nothing, and is asked again', async (shop) => {
    if (!shop.paidUnheard) return;
    for (const { name, cause } of shop.troubles) {
      const session = await shop.open();
      const before = await shop.paidUnheard.begin(shop.till, session);
      cause('sync');
      await shop.till.pass(shop.paidUnheard.askedAfterSeconds);
      assert.equal(await statusOf(shop, session.id), before.status, name);
      await shop.till.pass(ASKED_AGAIN_SECONDS);
      assert.equal(await statusOf(shop, session.id), 'succeeded', name);
      await shop.checkLedger(session.id, [1000]);
      await neverFailed(shop, session.id);
    }
  });

  declare('an attempt that was written down, and nothing else, comes to a good end', async (shop) => {
    const { till, rail } = shop;
    const session = await shop.open();
    const planned = await till.plan(session.id, rail, shop.methodFor('EUR'));
    await planned.write();
    await till.pass(120);
    const [attempt] = (await till.fetch(session.id)).payment_attempts;
    await neverFailed(shop, session.id);
    if (rail.start) {
      assert.equal(attempt.status, 'requires_action');
      assert.ok(await shop.meansOf(till, session.id));
      shop.pay(attempt);
      await shop.hear(attempt);
    } else if (attempt.status !== 'succeeded') {
      shop.pay(attempt);
      await shop.hear(attempt);
    }
    await shop.checkLedger(session.id, [1000]);
    assert.equal((await till.fetch(session.id)).status, 'completed');
  });

  declare('what the provider has heard and nobody has written down is found again', async (shop) => {
    const { till, rail } = shop;
    if (!rail.start) return;
    const session = await shop.open();
    const { checkout, attempt, write } = await till.plan(session.id, rail, shop.methodFor('EUR'));
    await write();
    await rail.start(checkout, attempt, 'https://pay.example.com/back', await till.now());
    await till.pass(120);
    const shown = (await till.fetch(session.id)).payment_attempts[0];
    assert.equal(shop.asked(shown), 1);
    assert.ok(rail.payerUrl?.((await till.stored(session.id)).attempts[0] ?? attempt));
    shop.pay(shown);
    await shop.hear(shown);
    await shop.checkLedger(session.id, [1000]);
  });

  declare('the same news any number of times in any order come to the same', async (shop, context) => {
    context.diagnostic(`seed ${seed}`);
    const random = randomFrom(seed);
    for (let round = 0; round < ORDERS; round++) {
      const session = await shop.open();
      const attempt = await shop.ready(session);
      shop.pay(attempt);
      const news = shop.news(shop.till, attempt);
      const order = [...news, ...news, ...news]
        .map((tell) => ({ tell, place: random.next() }))
        .sort((a, b) => a.place - b.place);
      for (const { tell } of order) {
        await tell();
        if (random.next() < 0.3) await shop.till.pass();
      }
      // Late reports, after everything is over.
      await shop.till.pass(3600);
      await shop.hear(attempt);
      await checkPaidOnce(shop, session, attempt);
    }
  });

  declare('the same news at the same time come to the same', async (shop) => {
    const session = await shop.open();
    const attempt = await shop.ready(session);
    shop.pay(attempt);
    const news = shop.news(shop.till, attempt);
    await Promise.all([...news, ...news].map((tell) => tell()));
    await shop.till.pass();
    await checkPaidOnce(shop, session, attempt);
  });

  declare('news of an attempt that nobody has written down yet wait for it', async (shop) => {
    if (!shop.payEarly) return;
    const session = await shop.open();
    const { write } = await shop.payEarly(shop.till, session);
    await shop.till.pass(10);
    assert.deepEqual((await shop.till.fetch(session.id)).payment_attempts, []);
    await write();
    await shop.till.pass(ASKED_AGAIN_SECONDS);
    await shop.checkLedger(session.id, [1000]);
    assert.equal((await shop.till.fetch(session.id)).status, 'completed');
    assert.deepEqual(shop.till.alerts, []);
  });

  declare(
    'a provider event of somebody else is refused, counted and forgotten',
    async ({ till, rail, ...shop }) => {
      const kept = () => till.database.query('SELECT * FROM provider_event');
      const session = await shop.open();
      await shop.ready(session);
      const body = JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed', livemode: false });
      const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' };
      const before = await kept();
      const { status } = await till.tell(rail.name, body, headers);
      await till.pass();
      assert.deepEqual(await kept(), before);
      const state = (await till.fetch(session.id)).payment_status;
      assert.equal(state, 'unpaid');
      assert.equal(status, rail.readEvent ? 400 : 404);
    },
  );

  declare('provider events that are refused show in the metrics', async ({ till, rail }) => {
    if (!rail.readEvent) return;
    const counted = async () =>
      Number(
        /^opentill_provider_events_refused_total\{rail="(\w+)"\} (\d+)$/m.exec(await till.metrics())?.[2] ??
          0,
      );
    const before = await counted();
    for (const headers of [{}, { 'stripe-signature': 'nonsense' }]) {
      const { status, text } = await till.tell(rail.name, '{}', {
        'content-type': 'application/json',
        ...headers,
      });
      assert.equal(status, 400);
      assert.match(text, /signature/i);
    }
    assert.equal(await counted(), before + 2);
  });

  declare(
    'a state that is not known leaves everything as it was, and an operator hears of it',
    async (shop) => {
      const session = await shop.open();
      const { attempt, seen } = await shop.unknownState(shop.till, session);
      assert.equal(seen, 1);
      assert.equal(await statusOf(shop, session.id), attempt.status);
      await shop.checkLedger(session.id, []);
      await neverFailed(shop, session.id);
      shop.pay(attempt);
      await shop.hear(attempt);
      await shop.checkLedger(session.id, [1000]);
    },
  );
}

async function checkPaidOnce(shop: Shop, session: Data, attempt: Data): Promise<void> {
  await shop.checkLedger(session.id, [1000]);
  const { status, payment_attempts: attempts } = await shop.till.fetch(session.id);
  assert.equal(status, 'completed');
  assert.deepEqual(
    attempts.map(({ id, status }: Data) => [id, status]),
    [[attempt.id, 'succeeded']],
  );
  const events = await shop.till.events(session.id);
  for (const type of ['payment_attempt.created', 'payment_attempt.succeeded', 'checkout.paid']) {
    assert.equal(events.filter((each) => each === type).length, 1, type);
  }
}
