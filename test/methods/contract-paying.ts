/**
 * The contract of rails on paying: which methods are offered, and that the amount asked for is the amount
 * booked.
 */
import assert from 'node:assert/strict';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { currencyExponent } from '../../src/checkout/money.ts';
import { findMethod } from '../../src/methods/catalogue.ts';
import type { Declare } from './contract.ts';
import type { Data } from './contract-till.ts';

/** A currency for each number of decimals. */
const exponents = { JPY: 0, EUR: 2, KWD: 3, CLF: 4 } as const;
type Currency = keyof typeof exponents;

export function declarePayingTests(declare: Declare): void {
  declare(
    'is offered where it can carry a payment, and nowhere else',
    async ({ till, rail, offers, open }) => {
      const configured = await till.occasionFor(await till.stored((await open()).id));
      for (const { why, method: id, occasion, isConfigured = true, carried } of offers) {
        const method = findMethod(id);
        assert.ok(method, id);
        const account = isConfigured
          ? configured.account
          : { ...configured.account, number: 7, settings: { test: defaultSettings, live: defaultSettings } };
        const asked = { ...configured, ...occasion, account };
        assert.equal(rail.offers(method, asked), carried, why);
      }
    },
  );

  for (const currency of Object.keys(exponents) as Currency[]) {
    declare(
      `books just what was asked for in ${currency}`,
      async ({ till, rail, amounts, methodFor, open, ...shop }) => {
        assert.equal(currencyExponent(currency), exponents[currency]);
        for (const amount of amounts[currency]) {
          const session = await open({ invoice_currency: currency, amount });
          const attempt = await shop.ready(session);
          assert.equal(attempt.amount, amount);
          assert.equal(attempt.payment_method_details.rail, rail.name);
          shop.pay(attempt);
          await shop.hear(attempt);
          await shop.checkLedger(session.id, [amount]);
          const { status, payment_status, amount_paid } = await till.fetch(session.id);
          assert.deepEqual([status, payment_status, amount_paid], ['completed', 'paid', amount]);
        }
        if (amounts[currency].length > 0) return;
        const order = { invoice_currency: currency, amount: 1000, payment_methods: ['card'] };
        const { status, text } = await till.call('POST', '/checkout', order);
        assert.deepEqual([status, JSON.parse(text).errors[0].remarks], [400, '/payment_methods']);
      },
    );
  }

  declare('gives the same means to pay however often they are asked for', async (shop) => {
    const { till, methodFor, form } = shop;
    const session = await shop.open();
    const shown = await till.shown(session);
    const fields = { method: methodFor('EUR'), shown, once: 'a'.repeat(26), ...form };
    const answers = await Promise.all([1, 2, 3].map(() => till.submit(session, 'pay', fields)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    );
    const { payment_attempts: attempts } = await till.fetch(session.id);
    assert.equal(attempts.length, 1);
    const first = await shop.meansOf(till, session.id);
    assert.ok(first);
    await till.pass();
    await Promise.all([till.start(session.id), till.start(session.id)]);
    assert.deepEqual(await shop.meansOf(till, session.id), first);
    assert.equal(shop.asked(attempts[0]), 1);
    shop.pay(attempts[0]);
    await shop.hear(attempts[0]);
    await shop.checkLedger(session.id, [1000]);
  });

  declare('books a part, and then the rest', async (shop) => {
    const { till } = shop;
    const session = await shop.open();
    const first = await shop.ready(session);
    shop.pay(first, 400);
    await shop.hear(first);
    const partly = await till.payin(session.id);
    assert.deepEqual(
      [partly.amount_paid, partly.partially_paid, partly.status],
      [400, true, 'requires_payment_method'],
    );
    const second = await shop.ready(session);
    assert.equal(second.amount, 600);
    shop.pay(second);
    await shop.hear(second);
    await shop.hear(first);
    await shop.checkLedger(session.id, [400, 600]);
    assert.equal((await till.fetch(session.id)).status, 'completed');
    const events = await till.events(session.id);
    assert.equal(events.filter((type) => type === 'checkout.paid').length, 1);
  });

  declare('books what is paid in excess, and keeps it', async (shop) => {
    const session = await shop.open();
    const attempt = await shop.ready(session);
    shop.pay(attempt, 1100);
    await shop.hear(attempt);
    await shop.checkLedger(session.id, [1100]);
    const payin = await shop.till.payin(session.id);
    assert.deepEqual([payin.paid_in_excess, payin.refunds, payin.status], [true, [], 'succeeded']);
    assert.deepEqual(shop.refundsAt(attempt), []);
  });

  declare(
    'gives back what is paid in excess where that is the policy, once',
    async (shop) => {
      const session = await shop.open();
      const attempt = await shop.ready(session);
      shop.pay(attempt, 1100);
      const news = shop.news(shop.till, attempt);
      await Promise.all([...news, ...news].map((tell) => tell()));
      if ((await shop.till.payin(session.id)).refunds.length === 0) await shop.till.pass();
      const { refunds } = await shop.till.payin(session.id);
      assert.deepEqual(
        refunds.map(({ amount }: Data) => amount),
        [100],
      );
      await shop.carryOut(shop.till, refunds[0]);
      await shop.hear(attempt);
      const after = await shop.till.payin(session.id);
      assert.deepEqual([after.amount_refunded, after.refunds.length], [100, 1]);
      assert.deepEqual(shop.refundsAt(attempt), [100]);
      assert.equal(after.status, 'succeeded', 'what was asked for is there');
    },
    { excess: 'refund' },
  );

  declare('books money that comes after the end as late: expired, and paid', async (shop) => {
    const { till } = shop;
    const expiresAt = new Date((await till.now()) + 120_000).toISOString();
    const session = await shop.open({ expires_at: expiresAt });
    const attempt = await shop.ready(session);
    shop.pay(attempt);
    await till.pass(180);
    assert.equal((await till.fetch(session.id)).status, 'expired');
    await shop.hear(attempt);
    await shop.checkLedger(session.id, [1000], true);
    const { status, payment_status: paymentStatus, amount_paid: amountPaid } = await till.fetch(session.id);
    assert.deepEqual([status, paymentStatus, amountPaid], ['expired', 'paid', 1000]);
    const events = await till.events(session.id);
    assert.ok(events.indexOf('checkout.expired') < events.indexOf('checkout.paid'), events.join());
  });

  const tolerant = { underpaymentToleranceBasisPoints: 200, underpaymentToleranceAtMost: 15 };
  declare(
    'lets so much be missing as the policy says, and no more',
    async (shop) => {
      for (const [amount, status] of [
        [985, 'completed'],
        [984, 'active'],
      ] as const) {
        const session = await shop.open();
        const attempt = await shop.ready(session);
        shop.pay(attempt, amount);
        await shop.hear(attempt);
        await shop.checkLedger(session.id, [amount]);
        assert.equal((await shop.till.fetch(session.id)).status, status);
      }
    },
    tolerant,
  );

  declare(
    'tells the provider of what was given up; money that still comes is booked as late',
    async (shop) => {
      const { till, isOpen } = shop;
      const left = await shop.open();
      const attempt = await shop.ready(left);
      assert.ok(isOpen(attempt) !== false);
      assert.equal((await till.submit(left, 'cancel_attempt', {})).status, 303);
      await till.pass();
      const [after] = (await till.fetch(left.id)).payment_attempts;
      const isStanding = shop.rail.capabilities.traits.standing === true;
      assert.equal(
        after.status,
        isStanding ? 'requires_action' : 'cancelled',
        'a transfer may be on its way',
      );
      assert.ok(isOpen(attempt) !== true, 'nobody can pay there any more');

      const ended = await shop.open();
      const late = await shop.ready(ended);
      shop.pay(late);
      await till.ask('POST', `/checkout/${ended.id}/expire`);
      assert.equal((await till.fetch(ended.id)).payment_attempts[0].status, 'cancelled');
      await till.pass();
      await shop.hear(late);
      await shop.checkLedger(ended.id, [1000], true);
      const { status, payment_status: paymentStatus } = await till.fetch(ended.id);
      assert.deepEqual([status, paymentStatus], ['expired', 'paid']);
    },
  );
}
