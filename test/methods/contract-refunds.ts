/** The contract of rails on refunds and reversals: never more goes back than was paid. */

import assert from 'node:assert/strict';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { en } from '../../src/i18n/languages/en.ts';
import type { Declare, Shop } from './contract.ts';
import type { Answer, Data } from './contract-till.ts';

const sum = (amounts: readonly number[]): number => amounts.reduce((total, each) => total + each, 0);

function create({ till }: Shop, session: Data, fields: object, key?: string): Promise<Answer> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return till.call('POST', '/refund', { payin: session.id, ...fields }, headers);
}

async function refunded(shop: Shop, session: Data, fields: object): Promise<Data> {
  const { status, data, text } = await create(shop, session, fields);
  assert.equal(status, 201, text);
  assert.equal(data.status, 'pending');
  return data;
}

async function count({ till }: Shop, id: CheckoutId, type: string): Promise<number> {
  return (await till.events(id)).filter((each) => each === type).length;
}

async function takenOf({ till }: Shop, { id }: Data): Promise<Data[]> {
  const { reversals } = await till.payin(id);
  return reversals.map(({ amount, status }: Data) => [amount, status]);
}

const TAKEN_BACK = new RegExp(en.takenBack);

export function declareRefundTests(declare: Declare): void {
  declare('a refund is pending, and then done, once', async (shop) => {
    const { session, attempt } = await shop.paid();
    const refund = await refunded(shop, session, { amount: 300, ...shop.refundFields('succeeded') });
    await shop.carryOut(shop.till, refund);
    await shop.till.pass(3600);
    const { status, amount } = await shop.till.ask('GET', `/refund/${refund.id}`);
    assert.deepEqual([status, amount], ['succeeded', 300]);
    assert.deepEqual(shop.refundsAt(attempt), [300]);
    const payin = await shop.till.payin(session.id);
    assert.deepEqual([payin.amount_refunded, payin.amount_paid, payin.status], [300, 1000, 'succeeded']);
    assert.equal(payin.payment_attempts[0].refunded, false);
    for (const type of ['refund.pending', 'refund.succeeded'])
      assert.equal(await count(shop, session.id, type), 1, type);

    const rest = await refunded(shop, session, { amount: 700, ...shop.refundFields('succeeded') });
    await shop.carryOut(shop.till, rest);
    const whole = await shop.till.payin(session.id);
    assert.equal(whole.amount_refunded, 1000);
    assert.equal(whole.payment_attempts[0].refunded, true);
  });

  declare('a refund that fails says why, and its money can be refunded again', async (shop) => {
    const { session, attempt } = await shop.paid();
    const refund = await refunded(shop, session, { amount: 1000, ...shop.refundFields('failed') });
    await shop.carryOut(shop.till, refund, 'failed');
    const failed = await shop.till.ask('GET', `/refund/${refund.id}`);
    assert.equal(failed.status, 'failed');
    assert.notEqual(failed.status_description, '');
    assert.equal((await shop.till.payin(session.id)).amount_refunded, 0);
    assert.equal(await count(shop, session.id, 'refund.failed'), 1);
    const again = await refunded(shop, session, { amount: 1000, ...shop.refundFields('succeeded') });
    await shop.carryOut(shop.till, again);
    assert.equal((await shop.till.payin(session.id)).amount_refunded, 1000);
    assert.deepEqual(shop.refundsAt(attempt), [1000]);
  });

  declare(
    'a refund without an answer is pending, and then what it is, once at the provider',
    async (shop) => {
      for (const { name, cause } of shop.troubles) {
        const { session, attempt } = await shop.paid();
        const refund = await refunded(shop, session, { amount: 400 });
        cause('refund');
        await shop.till.pass();
        const between = await shop.till.ask('GET', `/refund/${refund.id}`);
        assert.equal(between.status, 'pending', name);
        assert.equal((await create(shop, session, { amount: 601 })).status, 409, name);
        await shop.till.pass(60);
        await shop.till.pass(3600);
        if (shop.rail.capabilities.refunds === 'file') await shop.carryOut(shop.till, refund);
        const after = await shop.till.ask('GET', `/refund/${refund.id}`);
        assert.equal(after.status, 'succeeded', name);
        assert.deepEqual(shop.refundsAt(attempt), [400], name);
        assert.equal(await count(shop, session.id, 'refund.succeeded'), 1, name);
      }
    },
  );

  declare('a refund that is asked for twice with one key is one', async (shop) => {
    const { session, attempt } = await shop.paid();
    const fields = { amount: 500, ...shop.refundFields('succeeded') };
    const [one, other] = await Promise.all([
      create(shop, session, fields, 'key-1'),
      create(shop, session, fields, 'key-1'),
    ]);
    await shop.till.step();
    const later = await create(shop, session, fields, 'key-1');
    assert.deepEqual([one.status, other.status, later.status], [201, 201, 201]);
    assert.deepEqual([other.text, later.text], [one.text, one.text]);
    assert.equal((await create(shop, session, { ...fields, amount: 501 }, 'key-1')).status, 422);
    await shop.carryOut(shop.till, one.data);
    assert.deepEqual(shop.refundsAt(attempt), [500]);
  });

  declare('more than was paid is refused', async (shop) => {
    const unpaid = await shop.open();
    assert.equal((await create(shop, unpaid, { amount: 1 })).status, 409);
    const { session } = await shop.paid();
    const over = await create(shop, session, { amount: 1001 });
    assert.equal(over.status, 409);
    assert.match(over.text, /NOT_REFUNDABLE/);
    const refund = await refunded(shop, session, { amount: 600, ...shop.refundFields('succeeded') });
    assert.equal((await create(shop, session, { amount: 401 })).status, 409, 'what is pending counts');
    await shop.carryOut(shop.till, refund);
    assert.equal((await create(shop, session, { amount: 401 })).status, 409);
    await refunded(shop, session, { amount: 400 });
    assert.equal((await create(shop, session, { amount: 1 })).status, 409);
  });

  declare('refunds at the same time are never more than was paid, also at the provider', async (shop) => {
    const { session, attempt } = await shop.paid();
    const fields = { amount: 300, ...shop.refundFields('succeeded') };
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(shop, session, fields)));
    const made = answers.filter(({ status }) => status === 201).map(({ data }) => data);
    assert.equal(made.length, 3);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    for (const refund of made) await shop.carryOut(shop.till, refund);
    await shop.till.pass(3600);
    assert.equal((await shop.till.payin(session.id)).amount_refunded, 900);
    assert.deepEqual(shop.refundsAt(attempt), [300, 300, 300]);
    assert.equal(await count(shop, session.id, 'refund.succeeded'), 3);
  });

  declare('what two attempts have brought goes back to each what it has brought', async (shop) => {
    const session = await shop.open();
    const attempts: Data[] = [];
    for (const amount of [400, 600]) {
      const attempt = await shop.ready(session);
      shop.pay(attempt, amount);
      await shop.hear(attempt);
      attempts.push(attempt);
    }
    const [first, second] = attempts;
    const over = await create(shop, session, { amount: 1000 });
    assert.deepEqual([over.status, /NOT_REFUNDABLE/.test(over.text)], [409, true]);
    assert.equal((await create(shop, session, { amount: 401, payment_attempt: first.id })).status, 409);
    for (const [attempt, amount] of [
      [first, 400],
      [second, 600],
    ]) {
      const fields = { amount, payment_attempt: attempt.id, ...shop.refundFields('succeeded') };
      await shop.carryOut(shop.till, await refunded(shop, session, fields));
      assert.deepEqual(shop.refundsAt(attempt), [amount]);
    }
    assert.equal((await shop.till.payin(session.id)).amount_refunded, 1000);
  });

  declare('what was paid in excess goes back in one call', async (shop) => {
    const session = await shop.open();
    const attempt = await shop.ready(session);
    shop.pay(attempt, 1100);
    await shop.hear(attempt);
    const refund = await refunded(shop, session, { amount: 100, ...shop.refundFields('succeeded') });
    await shop.carryOut(shop.till, refund);
    const { amount_refunded, status } = await shop.till.payin(session.id);
    assert.deepEqual([amount_refunded, status], [100, 'succeeded']);
    assert.deepEqual(shop.refundsAt(attempt), [100]);
    assert.equal((await create(shop, session, { amount: 1001 })).status, 409);
    await refunded(shop, session, { amount: 1000 });
  });

  declare('what was taken back cannot be refunded', async (shop) => {
    const { till, takeBack } = shop;
    if (!takeBack) return;
    const { session, attempt } = await shop.paid();
    const { win } = await takeBack(till, attempt, 700);
    await till.pass();
    assert.deepEqual(await takenOf(shop, session), [[700, win ? 'open' : 'lost']]);
    assert.equal((await create(shop, session, { amount: 301 })).status, 409);
    const refund = await refunded(shop, session, { amount: 300, ...shop.refundFields('succeeded') });
    await shop.carryOut(till, refund);
    assert.equal((await create(shop, session, { amount: 1 })).status, 409);
    assert.equal(sum(shop.refundsAt(attempt)), 300);
    if (!win) return;
    await win();
    assert.equal(await count(shop, session.id, 'reversal.won'), 1);
    await shop.carryOut(till, await refunded(shop, session, { amount: 700 }));
    assert.equal(sum(shop.refundsAt(attempt)), 1000);
  });

  declare('money that a bank only asks about is still there, and an operator hears of it', async (shop) => {
    const { till, inquire } = shop;
    if (!inquire) return;
    const { session, attempt } = await shop.paid();
    const { close } = await inquire(till, attempt);
    assert.match(till.alerts.join(), /inquiry/);
    assert.deepEqual(await takenOf(shop, session), []);
    assert.equal((await till.fetch(session.id)).payment_status_description, '');
    assert.doesNotMatch(await till.page(session), TAKEN_BACK);
    // The refund that ends the inquiry.
    await shop.carryOut(till, await refunded(shop, session, { amount: 1000 }));
    assert.deepEqual(shop.refundsAt(attempt), [1000]);
    const { length } = till.alerts;
    await close();
    assert.equal(till.alerts.length, length, 'nobody has to look any more');
    assert.deepEqual(await takenOf(shop, session), []);
    assert.deepEqual(
      (await till.events(session.id)).filter((type) => type.startsWith('reversal.')),
      [],
    );
  });

  declare('money that a bank has asked about before it takes it is taken back', async (shop) => {
    const { till, inquire } = shop;
    if (!inquire) return;
    const { session, attempt } = await shop.paid();
    const { escalate, close } = await inquire(till, attempt);
    await close();
    await escalate();
    assert.deepEqual(await takenOf(shop, session), [[1000, 'open']]);
    assert.equal(await count(shop, session.id, 'reversal.open'), 1);
    assert.match(await till.page(session), TAKEN_BACK);
    assert.equal((await create(shop, session, { amount: 1 })).status, 409);
  });

  declare('money that was refunded at the provider is there again once that refund fails', async (shop) => {
    const { till, refundThere } = shop;
    if (!refundThere) return;
    const { session, attempt } = await shop.paid();
    const { fail } = await refundThere(till, attempt, 400);
    assert.deepEqual(await takenOf(shop, session), [[400, 'lost']]);
    assert.equal((await create(shop, session, { amount: 601 })).status, 409);
    const reversed = async () =>
      (await till.ask('GET', '/movement?type=reversal')).map(({ amount }: Data) => amount);
    assert.deepEqual(await reversed(), [400]);
    await fail();
    assert.deepEqual(await takenOf(shop, session), [[400, 'won']]);
    assert.deepEqual(await reversed(), []);
    assert.equal(await count(shop, session.id, 'reversal.won'), 1);
    assert.equal((await till.fetch(session.id)).payment_status_description, '');
    await shop.carryOut(till, await refunded(shop, session, { amount: 1000 }));
    assert.equal((await till.payin(session.id)).amount_refunded, 1000);
  });

  declare('money that is taken back is heard of although the provider was silent then', async (shop) => {
    const { till, takeBack, troubles } = shop;
    if (!takeBack) return;
    for (const { name, cause } of shop.rail.start ? troubles : []) {
      const { session, attempt } = await shop.paid();
      cause('sync');
      await takeBack(till, attempt, 700);
      await till.pass(3600);
      const { reversals } = await till.payin(session.id);
      assert.deepEqual(
        reversals.map(({ amount }: Data) => amount),
        [700],
        name,
      );
    }
  });

  declare(
    'a provider event that nobody answers questions about is left to an operator in the end',
    async (shop) => {
      const { till, takeBack, rail, troubles } = shop;
      const silence = troubles.find(({ name }) => name === 'error before');
      if (!takeBack || !rail.readEvent || !silence) return;
      const { attempt } = await shop.paid();
      for (let tries = 0; tries < 20; tries++) silence.cause('sync');
      await takeBack(till, attempt);
      assert.deepEqual(till.alerts, []);
      await till.pass(7 * 86_400);
      assert.equal(till.alerts.length, 1, till.alerts.join());
      const left = await till.database.query(
        `SELECT state, due_at, reason FROM provider_event WHERE state <> 'done'`,
      );
      assert.deepEqual(
        left.map(({ state, due_at: dueAt, reason }: Data) => [state, dueAt, reason]),
        [['open', null, 'no_answer']],
      );
    },
  );
}
