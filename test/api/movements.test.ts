/** Movements of money through the API: what is listed, and what is summed up. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { advance, assertRefused, createSession, type Data, now, pay, succeeded } from './shop.ts';
import { refundsAreHeardOf } from './subjects.ts';

const service = await startService({ after });
const { call } = service;
const DAY_SECONDS = 86_400;
const iso = (ms: number) => new Date(ms).toISOString();
const list = async (query: string): Promise<Data> => succeeded(await call('GET', `/v3/movement?${query}`));

/** Totals of the time behind `from`, until a day from now. */
async function totals(from: number, query = ''): Promise<Data[]> {
  const to = (await now(service)) + 1000 * DAY_SECONDS;
  return succeeded(
    await call('GET', `/v3/total?created_at[gte]=${iso(from)}&created_at[lt]=${iso(to)}${query}`),
  );
}

/** `time_to_pay` of a total: a minute, ten minutes, an hour, a day, a week, and more. */
const paidWithin = (...counts: readonly number[]) => {
  const [minute, tenMinutes, hour, day, week, more] = counts;
  return {
    within_1_minute: minute,
    within_10_minutes: tenMinutes,
    within_1_hour: hour,
    within_1_day: day,
    within_1_week: week,
    over_1_week: more,
  };
};

const bad = (operation: string, ...names: readonly string[]) => ({
  status: 400,
  message: `${operation}.BAD_QUERY`,
  errors: names.map((name) => [104, `/${name}`] as const),
});

suite('movements of money', async () => {
  const from = await now(service);
  const { id } = await createSession(service);
  await pay(service, id);
  const made = succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount: 1000 } }), 201);
  await refundsAreHeardOf(service);
  const yen = await createSession(service, { invoice_currency: 'JPY', amount: 2400 });
  await pay(service, yen.id);
  await createSession(service, { invoice_currency: 'JPY', amount: 100 });

  test('are listed with the session and the rail, newest first', async () => {
    const [third, second, first, ...others] = await list('');
    assert.deepEqual(others, []);
    assert.deepEqual(
      [third, second, first].map((each) => [each.type, each.amount, each.currency, each.payin]),
      [
        ['payment', 2400, 'JPY', yen.id],
        ['refund', 1000, 'EUR', id],
        ['payment', 2500, 'EUR', id],
      ],
    );
    const { created_at, id: movement, ...facts } = second;
    assert.match(movement, /^mov_[0-9a-z]{26}$/);
    assert.equal(created_at, made.created_at);
    assert.deepEqual(facts, {
      object: 'movement',
      type: 'refund',
      amount: 1000,
      currency: 'EUR',
      payin: id,
      rail: 'sandbox',
      reference: made.id,
      reference_id: made.reference_id,
      refund_status: 'succeeded',
      late: false,
      time_to_pay_ms: null,
      fee: null,
    });
    assert.deepEqual(await list('type=refund&currency=eur&late=false'), [second]);
    for (const query of [
      `payin=${id}&type=refund`,
      `reference=${made.id}`,
      `payin=${id}&rail=sandbox&type=refund`,
    ])
      assert.deepEqual(await list(query), [second]);
    assert.deepEqual(await list('rail=bank'), []);
    assert.deepEqual(await list(`payin=${yen.id}&reference=${made.id}`), []);
    assert.deepEqual([first.refund_status, third.refund_status], ['', '']);
    assert.deepEqual(await list(`limit=1&after=${third.id}`), [second]);
    assert.deepEqual(await list(`created_at[lt]=${iso(from)}`), []);
  });

  const openIn = async (currency: string): Promise<Data[]> =>
    succeeded(await call('GET', `/v3/checkout?status=active&invoice_currency=${currency}`));

  test('are summed up by currency, beside the sessions', async () => {
    const [euros, yens, ...others] = await totals(from);
    assert.deepEqual(others, []);
    const { from: start, to, ...facts } = euros;
    assert.equal(start, iso(from));
    assert.ok(Date.parse(to) > from);
    assert.deepEqual(facts, {
      object: 'total',
      currency: 'EUR',
      received: { count: 1, amount: 2500 },
      late: { count: 0, amount: 0 },
      refunded: { count: 1, amount: 1000 },
      reversed: { count: 0, amount: 0 },
      fees: [],
      rails: [
        {
          rail: 'sandbox',
          received: { count: 1, amount: 2500 },
          late: { count: 0, amount: 0 },
          refunded: { count: 1, amount: 1000 },
          reversed: { count: 0, amount: 0 },
          fees: [],
        },
      ],
      open: { count: 0, amount: 0 },
      excess: { count: 0, amount: 0 },
      time_to_pay: paidWithin(1, 1, 1, 1, 1, 0),
      sessions: { created: 1, active: 0, completed: 1, expired: 0, partially_paid: 0, paid_in_excess: 0 },
    });
    assert.deepEqual(
      [yens.currency, yens.received, yens.sessions.created, yens.sessions.active],
      ['JPY', { count: 1, amount: 2400 }, 2, 1],
    );
    const [open] = await openIn('JPY');
    assert.deepEqual(yens.open, { count: 1, amount: open.amount - open.amount_paid });
    const [{ to: _, ...same }] = await totals(from, '&currency=jpy');
    assert.deepEqual({ ...same, to: yens.to }, yens);
    assert.deepEqual(await totals(from, '&currency=USD'), []);
  });

  test('are summed up by days', async () => {
    await advance(service, 3 * DAY_SECONDS);
    const later = await createSession(service);
    await pay(service, later.id);
    const days = await totals(from, '&currency=EUR&interval=day&time_zone=Pacific/Auckland');
    assert.deepEqual(
      days.map(({ received }) => received.amount),
      [2500, 2500],
    );
    const [first, second] = days;
    assert.equal(first.from, iso(from));
    assert.match(second.from, /T1[12]:00:00\.000Z$/);
    assert.equal(Date.parse(second.to) - Date.parse(second.from), 1000 * DAY_SECONDS);
    assert.equal((await totals(from, '&currency=EUR'))[0].received.count, 2);
  });

  test('say how long it took to pay a session, from its creation to the payment that completed it', async () => {
    const pounds = { invoice_currency: 'GBP' };
    const start = await now(service);
    const times = async ({ id: payin, created_at }: Data): Promise<(number | null)[]> => {
      const all = (await list('currency=GBP&limit=100')).filter((each: Data) => each.payin === payin);
      for (const { time_to_pay_ms, created_at: at } of all) {
        if (time_to_pay_ms !== null) assert.equal(time_to_pay_ms, Date.parse(at) - Date.parse(created_at));
      }
      return all.map((each: Data) => each.time_to_pay_ms && Math.floor(each.time_to_pay_ms / 3_600_000));
    };
    const totalOf = async (from: number) => (await totals(from, '&currency=GBP'))[0]?.time_to_pay;

    const atOnce = await createSession(service, pounds);
    await pay(service, atOnce.id);
    await pay(service, atOnce.id, { amount: 100 });
    succeeded(await call('POST', '/v3/refund', { body: { payin: atOnce.id, amount: 1000 } }), 201);
    assert.deepEqual(await times(atOnce), [null, null, 0]);

    const inParts = await createSession(service, pounds);
    await advance(service, 2 * 3600);
    await pay(service, inParts.id, { amount: 1000 });
    assert.deepEqual(await times(inParts), [null]);
    await advance(service, 3600);
    await pay(service, inParts.id);
    assert.deepEqual(await times(inParts), [3, null]);

    const over = await createSession(service, pounds);
    succeeded(await call('POST', `/v3/checkout/${over.id}/expire`));
    await pay(service, over.id);
    assert.deepEqual(await times(over), [null]);

    const givenUp = await createSession(service, pounds);
    await pay(service, givenUp.id, { outcome: 'failed', payment_id: 'proved-later' });
    await advance(service, 8 * DAY_SECONDS);
    const weekLater = await now(service);
    await pay(service, givenUp.id, { payment_id: 'proved-later' });
    assert.deepEqual(await times(givenUp), [192]);

    assert.deepEqual(await totalOf(start), paidWithin(1, 1, 1, 2, 2, 1));
    // A session counts where it was completed.
    assert.deepEqual(await totalOf(weekLater), paidWithin(0, 0, 0, 0, 0, 1));
    assert.equal(await totalOf(await now(service)), undefined);
  });

  test('of other accounts and modes are not seen', async () => {
    const { authorization } = await service.createKey({ mode: 'live' });
    for (const path of [
      '/v3/movement',
      '/v3/total?created_at[gte]=2020-01-01T00:00Z&created_at[lt]=2090-01-01T00:00Z',
    ])
      assert.deepEqual(succeeded(await call('GET', path, { headers: { authorization } })), []);
  });

  test('are asked for with a time, and all mistakes are told at once', async () => {
    assertRefused(await call('GET', '/v3/total'), bad('TOTAL.LIST', 'created_at[gte]', 'created_at[lt]'));
    const time = 'created_at[gte]=2030-01-02T00:00Z&created_at[lt]=2030-01-01T00:00Z';
    assertRefused(
      await call('GET', `/v3/total?${time}&interval=day&time_zone=Mars/Base`),
      bad('TOTAL.LIST', 'created_at[lt]', 'currency', 'time_zone'),
    );
    const long = 'created_at[gte]=0000-01-01T00:00Z&created_at[lt]=9999-01-01T00:00Z';
    assertRefused(
      await call('GET', `/v3/total?${long}&interval=week&currency=EUR`),
      bad('TOTAL.LIST', 'interval'),
    );
    assertRefused(await call('GET', '/v3/movement?type=fee'), bad('MOVEMENT.LIST', 'type'));
    assertRefused(await call('GET', '/v3/movement?after=chk_1'), bad('MOVEMENT.LIST', 'after'));
  });

  test('are told all that is wrong with their question at once', async () => {
    assertRefused(
      await call('GET', '/v3/total?time_zone=Mars%2FPhobos&interval=day&x=1'),
      bad('TOTAL.LIST', 'created_at[gte]', 'created_at[lt]', 'x', 'currency', 'time_zone'),
    );
    assertRefused(
      await call(
        'GET',
        `/v3/total?created_at[gte]=${iso(from)}&created_at[lt]=tomorrow&interval=hour&currency=EUR`,
      ),
      bad('TOTAL.LIST', 'created_at[lt]', 'interval'),
    );
    const ends = 'after=mov_01m8e95x5c0004etwa2hvgp5vv&before=mov_01m8e95x5c0004etwa2hvgp5vv';
    assertRefused(await call('GET', `/v3/movement?${ends}&type=fee`), bad('MOVEMENT.LIST', 'type', 'before'));
  });

  test('of more than a number holds are refused, and those of a shorter time are told', async () => {
    const start = await now(service);
    for (let count = 0; count < 10; count++) {
      const { id: large } = await createSession(service, { amount: 999_999_999_999_999 });
      await pay(service, large);
      await advance(service, 1);
    }
    const ask = (from: number) =>
      call('GET', `/v3/total?created_at[gte]=${iso(from)}&created_at[lt]=2090-01-01T00:00Z&currency=EUR`);
    assertRefused(await ask(start), bad('TOTAL.LIST', 'created_at[gte]'));
    const [total] = succeeded(await ask((await now(service)) - 3500));
    assert.equal(total.received.amount, total.received.count * 999_999_999_999_999);
  });
});
