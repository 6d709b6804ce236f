/** Sessions from their creation to their end: by money, by time, by the merchant, and all of them at once. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  eventTypes,
  feed,
  fetchSession,
  now,
  pay,
  reopened,
  until,
} from './shop.ts';

const service = await startService({ after });
const { call } = service;
const MINUTE = 60_000;
const GRACE = 15 * MINUTE;

const inMs = async (ms: number) => new Date((await now(service)) + ms).toISOString();
const expire = (id: string) => call('POST', `/v3/checkout/${id}/expire`);
const payin = async (id: string) => (await call('GET', `/v3/payin/${id}`)).json.data;

/** Moves the clock to a time in the future. */
async function advanceTo(time: string): Promise<void> {
  await advance(service, Math.ceil((Date.parse(time) - (await now(service))) / 1000));
}

suite('a payment that', () => {
  const rows = [
    [
      'succeeded',
      'succeeded',
      'completed',
      'paid',
      'succeeded',
      ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
    ],
    ['failed', 'failed', 'active', 'unpaid', 'requires_payment_method', ['payment_attempt.failed']],
    [
      'requires_action',
      'requires_action',
      'active',
      'unpaid',
      'requires_action',
      ['payment_attempt.requires_action', 'payin.requires_action'],
    ],
    [
      'processing',
      'processing',
      'active',
      'unpaid',
      'processing',
      ['payment_attempt.processing', 'payin.processing'],
    ],
    ['unknown', 'unknown', 'active', 'unpaid', 'processing', ['payin.processing']],
  ] as const;
  for (const [outcome, attemptStatus, status, paymentStatus, payinStatus, events] of rows) {
    test(`is ${outcome}`, async () => {
      const { id } = await createSession(service);
      const data = await pay(service, id, { outcome, payment_id: `outcome-${outcome}` });
      const [attempt] = data.payment_attempts;
      assert.equal(data.payment_attempts.length, 1);
      assert.equal(data.latest_payment_attempt, attempt.id);
      assert.match(attempt.id, /^pat_[0-9a-z]{20,}$/);
      assert.deepEqual(
        { ...attempt, id: '', created_at: '', status_description: '' },
        {
          id: '',
          object: 'payment_attempt',
          created_at: '',
          amount: 2500,
          charge_currency: 'EUR',
          payin: id,
          checkout: id,
          reference_id: data.reference_id,
          customer: data.customer,
          status: attemptStatus,
          status_description: '',
          payment_method_details: { type: 'card', rail: 'sandbox', reference: `outcome-${outcome}` },
          refunded: false,
          metadata: {},
        },
      );
      assert.equal(attempt.status_description, outcome === 'failed' ? 'The payment was declined.' : '');
      assert.deepEqual([data.status, data.payment_status], [status, paymentStatus]);
      assert.equal(data.amount_paid, outcome === 'succeeded' ? 2500 : 0);
      assert.equal((await payin(id)).status, payinStatus);
      assert.deepEqual(await eventTypes(service, id), [
        'checkout.created',
        'payment_attempt.created',
        ...events,
      ]);
      const fetched = await call('GET', `/v3/payment_attempt/${attempt.id}`);
      assert.equal(fetched.json.message, 'PAYMENT_ATTEMPT.FETCH.SUCCESS');
      assert.deepEqual(fetched.json.data, attempt);
    });
  }

  test('is told twice with one id is booked once', async () => {
    const { id } = await createSession(service);
    const first = await pay(service, id, { payment_id: 'twice', amount: 1000 });
    assert.deepEqual(await pay(service, id, { payment_id: 'twice', amount: 1000 }), first);
    assert.equal(first.amount_paid, 1000);
    const other = await createSession(service);
    const answer = await call('POST', `/v3/test_helpers/checkout/${other.id}/pay`, {
      body: { payment_id: 'twice' },
    });
    assertRefused(answer, {
      status: 409,
      message: 'TEST_HELPER.PAY.PAYMENT_BOOKED_ELSEWHERE',
      errors: [[19024, '/payment_id']],
    });
  });

  test('moves on by its id: action, processing, then money', async () => {
    const { id } = await createSession(service);
    for (const outcome of ['requires_action', 'processing', 'requires_action', 'succeeded', 'failed']) {
      await pay(service, id, { payment_id: 'moving', outcome });
    }
    const { payment_attempts, status } = await fetchSession(service, id);
    assert.deepEqual(
      [payment_attempts.length, payment_attempts[0].status, status],
      [1, 'succeeded', 'completed'],
    );
    assert.deepEqual(
      (await eventTypes(service, id)).filter((type) => type.startsWith('payment_attempt')),
      [
        'payment_attempt.created',
        'payment_attempt.requires_action',
        'payment_attempt.processing',
        'payment_attempt.succeeded',
      ],
    );
  });

  test('begins while another one is in flight is refused', async () => {
    const { id } = await createSession(service);
    await pay(service, id, { outcome: 'processing' });
    const body = { outcome: 'requires_action' };
    const answer = await call('POST', `/v3/test_helpers/checkout/${id}/pay`, { body });
    assertRefused(answer, { status: 409, message: 'TEST_HELPER.PAY.PAYMENT_IN_PROGRESS', errors: [[19021]] });
  });

  test('begins while another one waits for the payer takes its place', async () => {
    const { id } = await createSession(service);
    await pay(service, id, { outcome: 'requires_action' });
    const { payment_attempts } = await pay(service, id, { outcome: 'processing' });
    assert.deepEqual(
      payment_attempts.map(({ status }: Data) => status),
      ['cancelled', 'processing'],
    );
  });

  for (const [state, end] of [
    ['paid', (id: string) => pay(service, id)],
    ['expired', expire],
  ] as const) {
    test(`begins on a session that is ${state} is refused`, async () => {
      const { id } = await createSession(service);
      await end(id);
      const body = { outcome: 'processing' };
      const answer = await call('POST', `/v3/test_helpers/checkout/${id}/pay`, { body });
      assertRefused(answer, { status: 409, message: 'TEST_HELPER.PAY.NOT_PAYABLE', errors: [[19023]] });
    });
  }
});

suite('money', () => {
  const money = (data: Data) => [
    data.status,
    data.payment_status,
    data.amount_paid,
    data.partially_paid,
    data.paid_in_excess,
  ];

  test('of a part leaves the rest to pay', async () => {
    const { id } = await createSession(service);
    const part = await pay(service, id, { amount: 1000 });
    assert.deepEqual(money(part), ['active', 'unpaid', 1000, true, false]);
    assert.match(part.payment_status_description, /10\.00 of .*25\.00/);
    assert.deepEqual(part.transaction_documents, [{ type: 'receipt', url: `${part.url}/receipt.pdf` }]);
    const whole = await pay(service, id);
    assert.deepEqual(money(whole), ['completed', 'paid', 2500, false, false]);
    assert.equal(whole.payment_attempts[1].amount, 1500);
    assert.equal(whole.payment_status_description, '');
  });

  test('in excess is kept and named', async () => {
    const { id } = await createSession(service);
    const data = await pay(service, id, { amount: 3000 });
    assert.deepEqual(money(data), ['completed', 'paid', 3000, false, true]);
    assert.match(data.payment_status_description, /5\.00.*in excess/);
  });

  test('after the end of a paid session is kept too', async () => {
    const { id } = await createSession(service);
    await pay(service, id);
    assert.deepEqual(money(await pay(service, id, { amount: 1 })), ['completed', 'paid', 2501, false, true]);
  });

  test('after the expiry of its session is late', async () => {
    const { id } = await createSession(service);
    await expire(id);
    const part = await pay(service, id, { amount: 1000 });
    assert.deepEqual(money(part), ['expired', 'unpaid', 1000, true, false]);
    const data = await pay(service, id, { amount: 2000 });
    assert.deepEqual(money(data), ['expired', 'paid', 3000, false, true]);
    assert.match(data.payment_status_description, /late/);
    const types = await eventTypes(service, id);
    assert.equal(types.filter((type) => type === 'checkout.paid').length, 1);
  });

  test('of an attempt that an expiry has cancelled is late', async () => {
    const { id } = await createSession(service);
    await pay(service, id, { outcome: 'requires_action', payment_id: 'transfer' });
    const expired = (await expire(id)).json.data;
    assert.equal(expired.payment_attempts[0].status, 'cancelled');
    const data = await pay(service, id, { payment_id: 'transfer' });
    assert.deepEqual(money(data), ['expired', 'paid', 2500, false, false]);
    assert.equal(data.payment_attempts[0].status, 'succeeded');
  });

  test('of one account has nothing to do with that of another', async () => {
    const neighbour = await startService({ after });
    for (const each of [service, neighbour]) {
      const { id } = await createSession(each);
      assert.equal((await pay(each, id, { payment_id: 'same' })).amount_paid, 2500);
    }
  });
});

suite('time', () => {
  test('ends sessions, each at its own time', async () => {
    const [first, second, third] = await Promise.all(
      [2, 3, 60].map(async (minutes) => createSession(service, { expires_at: await inMs(minutes * MINUTE) })),
    );
    const never = await createSession(service);
    await advance(service, 5 * 60);
    for (const before of [first, second]) {
      const data = await fetchSession(service, before.id);
      assert.deepEqual([data.status, data.payment_status], ['expired', 'expired']);
      assert.equal(data.expires_at, before.expires_at);
      assert.deepEqual(await eventTypes(service, before.id), [
        'checkout.created',
        'checkout.expired',
        'payin.cancelled',
      ]);
    }
    for (const { id } of [third, never]) assert.equal((await fetchSession(service, id)).status, 'active');
  });

  test('that is moved far ends sessions with the time at which each was due', async () => {
    const expires_at = await inMs(2 * MINUTE);
    const made = await Promise.all(Array.from({ length: 50 }, () => createSession(service, { expires_at })));
    await advance(service, 3600);
    for (const { id } of made) {
      const { json } = await call('GET', `/v3/checkout/${id}/timeline`);
      assert.equal(json.data[0].created_at, expires_at);
    }
  });

  test('leaves paid sessions as they are', async () => {
    const { id } = await createSession(service, { expires_at: await inMs(2 * MINUTE) });
    const paid = await pay(service, id);
    await advance(service, 600);
    assert.deepEqual(await fetchSession(service, id), paid);
  });

  test('lets an attempt that is in flight come to its end', async () => {
    const { id, expires_at } = await createSession(service, { expires_at: await inMs(2 * MINUTE) });
    await pay(service, id, { outcome: 'processing', payment_id: 'slow' });
    await advanceTo(expires_at);
    await advance(service, GRACE / 1000 - 60);
    assert.equal((await fetchSession(service, id)).status, 'active');
    const data = await pay(service, id, { payment_id: 'slow' });
    assert.deepEqual(
      [data.status, data.payment_status, data.payment_status_description],
      ['completed', 'paid', ''],
    );
  });

  test('ends the session when the attempt fails in its grace', async () => {
    const { id, expires_at } = await createSession(service, { expires_at: await inMs(2 * MINUTE) });
    await pay(service, id, { outcome: 'processing', payment_id: 'slow-2' });
    await advanceTo(expires_at);
    const data = await pay(service, id, { outcome: 'failed', payment_id: 'slow-2' });
    assert.deepEqual([data.status, data.payment_status], ['expired', 'expired']);
  });

  test('ends the session when its grace is over, and then the money is late', async () => {
    const { id, expires_at } = await createSession(service, { expires_at: await inMs(2 * MINUTE) });
    await pay(service, id, { outcome: 'unknown', payment_id: 'slow-3' });
    await advanceTo(expires_at);
    await advance(service, GRACE / 1000 + 1);
    const expired = await fetchSession(service, id);
    assert.deepEqual([expired.status, expired.payment_status], ['expired', 'expired']);
    const data = await pay(service, id, { payment_id: 'slow-3' });
    assert.deepEqual([data.status, data.payment_status], ['expired', 'paid']);
    assert.match(data.payment_status_description, /late/);
  });

  test('lets no attempt begin once it is over', async () => {
    const { id, expires_at } = await createSession(service, { expires_at: await inMs(2 * MINUTE) });
    await advanceTo(expires_at);
    const body = { outcome: 'processing' };
    assert.equal((await call('POST', `/v3/test_helpers/checkout/${id}/pay`, { body })).status, 409);
  });

  test('moves only for the account that moves it, and only for its test data', async () => {
    const neighbour = await service.service.store.accounts.create(
      { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      Date.now(),
    );
    const keys = [
      await service.createKey({ account: neighbour.number }),
      await service.createKey({ mode: 'live' }),
    ];
    await advance(service, 3600);
    for (const { authorization } of keys) {
      const { created_at } = await createSession(service, {}, { authorization });
      assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < MINUTE, created_at);
    }
  });

  test('goes on after a restart', async () => {
    const first = await startService({ after });
    await advance(first, 1000);
    const before = await createSession(first, {
      expires_at: new Date((await now(first)) + 2 * MINUTE).toISOString(),
    });
    const paid = await createSession(first);
    await pay(first, paid.id);
    const events = await feed(first);
    const second = await reopened(first, { realNow: () => Date.now() + 3 * MINUTE });
    const data = await until(async () => {
      const session = await fetchSession(second, before.id);
      return session.status === 'expired' && session;
    });
    assert.deepEqual([data.payment_status, data.expires_at], ['expired', before.expires_at]);
    assert.equal((await fetchSession(second, paid.id)).amount_paid, 2500);
    const later = await feed(second);
    assert.deepEqual(later.slice(0, events.length), events);
    assert.deepEqual(
      later.slice(events.length).map(({ type }) => type),
      ['checkout.expired', 'payin.cancelled'],
    );
    await second.stop();
  });
});
