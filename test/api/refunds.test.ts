/** Refunds through the API: what can go back, what is told of it, and to whom. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { defaultPolicy } from '../../src/checkout/session.ts';
import { startService } from '../support/service.ts';
import { awaitTransfer, configure, entered, imported } from './bank.ts';
import { startReceiver } from './receiver.ts';
import {
  assertRefused,
  createSession,
  type Data,
  eventTypes,
  feed,
  pay,
  succeeded,
  until,
  WELL_FORMED_ID,
  writesNothing,
} from './shop.ts';
import { refundsAreHeardOf } from './subjects.ts';

const service = await startService({ after });
const { call } = service;

const paidSession = async (fields: object = {}): Promise<string> =>
  (await pay(service, (await createSession(service, fields)).id)).id;
/** The worker has done what it had to do about refunds made before; and then the request writes nothing. */
async function refusedQuietly<T>(work: () => Promise<T>): Promise<T> {
  await refundsAreHeardOf(service);
  return writesNothing(service, work);
}
const refund = (body: object, headers: Record<string, string> = {}) =>
  call('POST', '/v3/refund', { body, headers });
const created = async (body: object): Promise<Data> => succeeded(await refund(body), 201);
const fetched = async (id: string): Promise<Data> => succeeded(await call('GET', `/v3/refund/${id}`));
const payinOf = async (id: string): Promise<Data> => succeeded(await call('GET', `/v3/payin/${id}`));
/** The refund, once the rail has reported its end. */
const ended = (id: string) =>
  until(async () => {
    const found = await fetched(id);
    return found.status === 'pending' ? null : found;
  });

suite('a refund', () => {
  test('of a part, and how it ends', async () => {
    const payin = await paidSession();
    const answer = await refund({
      payin,
      amount: 1000,
      reason: 'Lost.',
      remarks: 'a\nb',
      metadata: { a: [1] },
    });
    const made = succeeded(answer, 201);
    assert.equal(answer.headers.get('location'), `/v3/refund/${made.id}`);
    assert.equal(answer.json.message, 'REFUND.CREATE.SUCCESS');
    const { payment_attempts } = await payinOf(payin);
    const { id, created_at, ...facts } = made;
    assert.match(id, /^rfd_[0-9a-z]{26}$/);
    assert.ok(Date.parse(created_at) > 0);
    assert.equal(facts.status, 'pending', 'the rail is asked when it is written down');
    assert.deepEqual(
      [facts.object, facts.amount, facts.currency, facts.payin, facts.payment_attempt],
      ['refund', 1000, 'EUR', payin, payment_attempts[0].id],
    );
    assert.deepEqual([facts.reason, facts.remarks, facts.metadata], ['Lost.', 'a\nb', { a: [1] }]);
    const done = await ended(id);
    assert.deepEqual({ ...done, status: 'pending', reference: '' }, made);
    assert.equal(done.status, 'succeeded');
    const after = await payinOf(payin);
    assert.equal(after.amount_refunded, 1000);
    assert.deepEqual(after.refunds, [done]);
    assert.equal(after.amount_paid, 2500, 'what was paid stays paid');
    assert.equal(after.status, 'succeeded');
    assert.deepEqual((await eventTypes(service, payin)).slice(-2), ['refund.pending', 'refund.succeeded']);
  });

  test('ends as the metadata says in test mode', async () => {
    const payin = await paidSession();
    const failing = await created({ payin, amount: 2500, metadata: { sandbox_outcome: 'failed' } });
    const failed = await ended(failing.id);
    assert.deepEqual([failed.status, failed.status_description], ['failed', 'The refund was refused.']);
    assert.equal((await payinOf(payin)).amount_refunded, 0);
    // Failed refunds can be tried again; pending ones count as gone.
    const waiting = await created({ payin, amount: 2500, metadata: { sandbox_outcome: 'pending' } });
    assert.equal((await refund({ payin, amount: 1 })).status, 409);
    assert.equal((await fetched(waiting.id)).status, 'pending');
    assert.deepEqual(
      (await payinOf(payin)).refunds.map(({ id }: Data) => id),
      [failing.id, waiting.id],
    );
  });

  test('of too much is refused, in one call and in several', async () => {
    const payin = await paidSession();
    const tooMuch = {
      status: 409,
      message: 'REFUND.CREATE.NOT_REFUNDABLE',
      errors: [[19026, '/amount']],
    } as const;
    assertRefused(await refusedQuietly(() => refund({ payin, amount: 2501 })), tooMuch);
    await ended((await created({ payin, amount: 2000 })).id);
    assertRefused(await refusedQuietly(() => refund({ payin, amount: 501 })), tooMuch);
    const answers = await Promise.all([500, 500, 300, 300].map((amount) => refund({ payin, amount })));
    const amounts = answers.filter(({ status }) => status === 201).map(({ json }) => json.data.amount);
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    assert.ok(sum <= 500, String(sum));
    const unpaid = (await createSession(service)).id;
    assertRefused(await refusedQuietly(() => refund({ payin: unpaid, amount: 1 })), tooMuch);
  });

  test('is of the attempt that is named, or of the newest that has brought enough', async () => {
    const { id: payin } = await createSession(service);
    const first = (await pay(service, payin, { amount: 1500 })).latest_payment_attempt;
    const second = (await pay(service, payin, { amount: 1000 })).latest_payment_attempt;
    assert.equal((await created({ payin, amount: 900 })).payment_attempt, second);
    assert.equal((await created({ payin, amount: 900 })).payment_attempt, first);
    assert.equal((await created({ payin, amount: 10, payment_attempt: second })).payment_attempt, second);
    assert.equal((await refund({ payin, amount: 600, payment_attempt: second })).status, 409);
    const stranger = (await pay(service, (await createSession(service)).id)).latest_payment_attempt;
    assertRefused(await refund({ payin, amount: 1, payment_attempt: stranger }), {
      status: 400,
      message: 'REFUND.CREATE.FIELD_INVALID',
      errors: [[15502, '/payment_attempt']],
    });
  });

  test('without an amount is of all that is left, of every attempt', async () => {
    const { id: payin } = await createSession(service);
    await pay(service, payin, { amount: 1500 });
    const second = (await pay(service, payin, { amount: 1000 })).latest_payment_attempt;
    await created({ payin, amount: 400, payment_attempt: second });
    const key = { 'idempotency-key': `all of ${payin}` };
    const answer = succeeded(await refund({ payin, reason: 'Closed.' }, key), 201);
    assert.deepEqual([answer.payment_attempt, answer.amount], [second, 600]);
    assert.equal(succeeded(await refund({ payin, reason: 'Closed.' }, key), 201).id, answer.id);
    const { data } = (await call('GET', `/v3/refund?payin=${payin}`)).json;
    for (const { id } of data) assert.equal((await ended(id)).status, 'succeeded');
    const { amount_refunded, payment_attempts, refunds } = await payinOf(payin);
    assert.equal(amount_refunded, 2500);
    assert.deepEqual(
      refunds.map((each: Data) => [each.amount, each.reason]),
      [
        [400, ''],
        [600, 'Closed.'],
        [1500, 'Closed.'],
      ],
    );
    assert.ok(payment_attempts.every((each: Data) => each.refunded));
    assertRefused(await refusedQuietly(() => refund({ payin })), {
      status: 409,
      message: 'REFUND.CREATE.NOT_REFUNDABLE',
      errors: [[19026, '']],
    });
  });

  test('of what was paid in excess is made by itself where the account wants that', async () => {
    await configure(service, { receivingAccounts: [], policy: { ...defaultPolicy, excess: 'refund' } });
    const payin = (await pay(service, (await createSession(service)).id, { amount: 2800 })).id;
    await configure(service, { receivingAccounts: [] });
    const [excess] = (await payinOf(payin)).refunds;
    assert.deepEqual([excess.amount, excess.reason], [300, 'Paid in excess.']);
    assert.equal((await ended(excess.id)).status, 'succeeded');
  });

  test('again with the same key is the same', async () => {
    const payin = await paidSession();
    const headers = { 'idempotency-key': 'refund-1' };
    const first = await refund({ payin, amount: 1000 }, headers);
    const again = await refund({ payin, amount: 1000 }, headers);
    assert.equal(again.text, first.text);
    assert.equal(again.status, 201);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await payinOf(payin)).refunds.length, 1);
    const message = 'REFUND.CREATE.KEY_REUSED';
    assertRefused(await refund({ payin, amount: 999 }, headers), { status: 422, message, errors: [[19031]] });
  });
});

suite('bodies that are refused', () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  const keys = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i]));
  const payin = `chk_${WELL_FORMED_ID}`;
  const rows: ReadonlyArray<readonly [what: string, body: object, errors: ReadonlyArray<[number, string]>]> =
    [
      ['nothing', {}, [[15502, '/payin']]],
      ['an amount of 0', { payin, amount: 0 }, [[15502, '/amount']]],
      ['a negative amount', { payin, amount: -1 }, [[15502, '/amount']]],
      ['a fraction', { payin, amount: 1.5 }, [[15502, '/amount']]],
      ['a text', { payin, amount: '1' }, [[15502, '/amount']]],
      ['the id of something else', { payin: `cus_${WELL_FORMED_ID}`, amount: 1 }, [[15502, '/payin']]],
      ['an unknown field', { payin, amount: 1, unit: 'EUR' }, [[15502, '/unit']]],
      ['a currency that is none', { payin, amount: 1, currency: 'EURO' }, [[15502, '/currency']]],
      ['metadata of no object', { payin, amount: 1, metadata: '[1]' }, [[15515, '/metadata']]],
      ['a reason of two lines', { payin, amount: 1, reason: 'a\nb' }, [[15502, '/reason']]],
      ['a long reason', { payin, amount: 1, reason: 'x'.repeat(251) }, [[15502, '/reason']]],
      ['long remarks', { payin, amount: 1, remarks: 'x'.repeat(1001) }, [[15502, '/remarks']]],
      ['51 keys', { payin, amount: 1, metadata: keys }, [[15515, '/metadata']]],
      ['large metadata', { payin, amount: 1, metadata: { a: 'x'.repeat(17_000) } }, [[15515, '/metadata']]],
      ['deep metadata', { payin, amount: 1, metadata: nested(9) }, [[15515, '/metadata']]],
      ['no address', { payin, amount: 1, webhook_url: 'ftp://example.com' }, [[15502, '/webhook_url']]],
      [
        'an address nearby',
        { payin, amount: 1, webhook_url: 'http://169.254.169.254/x' },
        [[15502, '/webhook_url']],
      ],
      [
        'several mistakes',
        { payin: 'x', amount: 0, metadata: keys, webhook_url: 'x' },
        [
          [15515, '/metadata'],
          [15502, '/payin'],
          [15502, '/amount'],
          [15502, '/webhook_url'],
        ],
      ],
    ];
  for (const [what, body, errors] of rows) {
    test(what, async () => {
      const answer = await refusedQuietly(() => refund(body));
      const reason = answer.json.message.split('.').at(-1);
      assert.match(reason, /^(FIELD_INVALID|BAD_METADATA)$/);
      assertRefused(answer, { status: 400, message: `REFUND.CREATE.${reason}`, errors });
    });
  }

  test('an address that is not https in live mode', async () => {
    const { authorization } = await service.createKey({ mode: 'live' });
    const body = { payin, amount: 1, webhook_url: 'http://shop.example.com/hook' };
    const answer = await refund(body, { authorization });
    const message = 'REFUND.CREATE.FIELD_INVALID';
    assertRefused(answer, { status: 400, message, errors: [[15502, '/webhook_url']] });
  });

  test('a payin that is not there', async () => {
    const answer = await refusedQuietly(() => refund({ payin, amount: 1 }));
    assertRefused(answer, { status: 404, message: 'REFUND.CREATE.NOT_FOUND', errors: [[105]] });
  });
});

suite('a refund of the money that was seen as left', () => {
  const refusedFor = (left: string, answer: Awaited<ReturnType<typeof refund>>) => {
    const message = 'REFUND.CREATE.FIELD_INVALID';
    assertRefused(answer, { status: 400, message, errors: [[15502, '/amount_left']] });
    assert.ok(answer.json.errors[0].message.includes(`must be what is left now, ${left}`));
  };

  test('is made while just so much is left', async () => {
    const payin = await paidSession();
    await created({ payin, amount: 1000, amount_left: 2500 });
    for (const body of [{ amount: 1000 }, {}]) {
      const answer = await refusedQuietly(() => refund({ payin, amount_left: 2500, ...body }));
      refusedFor('15.00 EUR', answer);
    }
    assert.equal((await created({ payin, amount_left: 1500 })).amount, 1500);
    refusedFor('0.00 EUR', await refusedQuietly(() => refund({ payin, amount: 1, amount_left: 1500 })));
  });

  test('is refused where that is empty, for whoever sends it believes in it', async () => {
    const payin = await paidSession();
    for (const amount_left of [null, '']) {
      const answer = await refusedQuietly(() => refund({ payin, amount: 0, amount_left }));
      const errors = [
        [15502, '/amount_left'],
        [15502, '/amount'],
      ] as const;
      assertRefused(answer, { status: 400, message: 'REFUND.CREATE.FIELD_INVALID', errors });
      assert.match(answer.json.errors[0].message, /omit it to make none/);
    }
  });

  test('is made by one of several at once', async () => {
    const payin = await paidSession();
    const answers = await Promise.all([1, 2, 3].map(() => refund({ payin, amount: 500, amount_left: 2500 })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400]);
  });
});

suite('a refund by bank transfer', () => {
  /** A refund of the whole transfer, due for a payment file. */
  const dueRefund = async () => {
    await configure(service);
    const { id: payin, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    return created({ payin, amount: 2500 });
  };
  const settle = (id: string, body: object, headers: Record<string, string> = {}) =>
    call('POST', `/v3/refund/${id}/settle`, { body, headers });
  const file = () => call('POST', '/v3/payment_file', { body: { receiving_account: 'eur' } });
  const settled = { status: 409, message: 'REFUND.SETTLE.REFUND_SETTLED', errors: [[19029]] } as const;

  test('was paid in another way: it has succeeded, and is in no file', async () => {
    const { id, payin } = await dueRefund();
    const done = succeeded(await settle(id, { status: 'succeeded', reason: 'In cash.' }));
    assert.deepEqual([done.status, done.reference, done.status_description], ['succeeded', 'In cash.', '']);
    assert.deepEqual(await fetched(id), done);
    assert.equal((await payinOf(payin)).amount_refunded, 2500);
    assert.equal((await eventTypes(service, payin)).at(-1), 'refund.succeeded');
    assert.equal((await file()).status, 409, 'there is nothing to pay');
  });

  test('is withdrawn: it has failed, is in no file, and can be made again', async () => {
    const { id, payin } = await dueRefund();
    const done = succeeded(await settle(id, { status: 'failed' }));
    assert.deepEqual([done.status, done.status_description], ['failed', 'It was withdrawn.']);
    assert.equal((await payinOf(payin)).amount_refunded, 0);
    assert.equal((await eventTypes(service, payin)).at(-1), 'refund.failed');
    assert.equal((await file()).status, 409, 'there is nothing to pay');
    const again = await created({ payin, amount: 2500 });
    assert.deepEqual(
      succeeded(await file(), 201).payments.map((each: Data) => each.id),
      [again.id],
    );
  });

  test('was withdrawn, and the bank carries it out all the same: that is for a person', async () => {
    const { id } = await dueRefund();
    succeeded(await file(), 201);
    succeeded(await settle(id, { status: 'failed', reason: 'The bank has lost the file.' }));
    const endToEndId = id.replace('_', '');
    const entry = await entered(service, { amount: 2500, direction: 'debit', endToEndId });
    assert.deepEqual([entry.status, entry.problem, entry.concerns], ['open', 'refund_failed', id]);
    assert.equal((await fetched(id)).status, 'failed');
  });

  test('is settled as it was seen, and not once a file for the bank has it', async () => {
    const { id } = await dueRefund();
    const etagOf = async () => (await call('GET', `/v3/refund/${id}`)).headers.get('etag') ?? '';
    const seen = await etagOf();
    assert.match(seen, /^"[\w-]+"$/);
    succeeded(await file(), 201);
    const withdraw = (etag: string) => settle(id, { status: 'failed' }, { 'if-match': etag });
    assertRefused(await refusedQuietly(() => withdraw(seen)), {
      status: 412,
      message: 'REFUND.SETTLE.VERSION_STALE',
      errors: [[19030]],
    });
    assert.equal((await fetched(id)).status, 'pending');
    const now = await etagOf();
    const done = await withdraw(now);
    assert.equal(succeeded(done).status, 'failed');
    assert.notEqual(done.headers.get('etag'), now);
    assert.equal(done.headers.get('etag'), await etagOf());
  });

  test('is settled once, and again with the same key is the same', async () => {
    const { id } = await dueRefund();
    const headers = { 'idempotency-key': 'settle-1' };
    const first = await settle(id, { status: 'failed', reason: 'Closed.' }, headers);
    assert.equal(first.status, 200);
    assertRefused(await refusedQuietly(() => settle(id, { status: 'succeeded' })), settled);
    const again = await settle(id, { status: 'failed', reason: 'Closed.' }, headers);
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
  });

  test('is done by one of two requests at once', async () => {
    const { id, payin } = await dueRefund();
    const answers = await Promise.all(
      ['failed', 'succeeded', 'failed'].map((status) => settle(id, { status })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const ends = (await eventTypes(service, payin)).filter((type) =>
      /^refund\.(succeeded|failed)$/.test(type),
    );
    assert.equal(ends.length, 1);
  });

  test('is the only kind that is settled by hand, and only as succeeded or failed', async () => {
    const card = await created({
      payin: await paidSession(),
      amount: 1,
      metadata: { sandbox_outcome: 'pending' },
    });
    assertRefused(await refusedQuietly(() => settle(card.id, { status: 'failed' })), settled);
    const { id } = await dueRefund();
    for (const [body, pointer] of [
      [{}, '/status'],
      [{ status: 'pending' }, '/status'],
      [{ status: 'failed', reason: 'x'.repeat(251) }, '/reason'],
      [{ status: 'failed', more: 1 }, '/more'],
    ] as const) {
      const answer = await refusedQuietly(() => settle(id, body));
      const message = 'REFUND.SETTLE.FIELD_INVALID';
      assertRefused(answer, { status: 400, message, errors: [[15502, pointer]] });
    }
    assert.equal((await fetched(id)).status, 'pending');
    succeeded(await settle(id, { status: 'failed' }));
  });
});

test('a list has the refunds of all payins, or of one, page by page', async () => {
  const payin = await paidSession();
  const ids: string[] = [];
  for (const amount of [100, 200, 300]) ids.unshift((await created({ payin, amount })).id);
  const other = (await created({ payin: await paidSession(), amount: 1 })).id;
  const list = async (query: string) => (await call('GET', `/v3/refund?${query}`)).json;
  const idsOf = ({ data }: Data) => data.map(({ id }: Data) => id);
  assert.deepEqual(idsOf(await list('limit=4')), [other, ...ids]);
  assert.deepEqual(idsOf(await list(`payin=${payin}`)), ids);
  const page = await list(`payin=${payin}&limit=2`);
  assert.deepEqual([idsOf(page), page.has_more], [ids.slice(0, 2), true]);
  assert.deepEqual(idsOf(await list(`payin=${payin}&limit=2&after=${ids[1]}`)), ids.slice(2));
  assert.deepEqual(idsOf(await list(`payin=chk_${WELL_FORMED_ID}`)), []);
  assert.equal((await call('GET', '/v3/refund?payin=x')).status, 400);
  const metadata = { sandbox_outcome: 'pending' };
  const waiting = await created({ payin, amount: 1, metadata });
  await until(async () => idsOf(await list(`status=pending&payin=${payin}`)).length === 1);
  assert.deepEqual(idsOf(await list(`status=pending&payin=${payin}`)), [waiting.id]);
  assert.deepEqual(idsOf(await list('status=pending&rail=sandbox&limit=1')), [waiting.id]);
  assert.deepEqual(idsOf(await list(`payin=${payin}&rail=bank`)), []);
  assert.equal((await call('GET', '/v3/refund?status=failed')).status, 400);
});

test('the events of a refund go to its own address, not to that of its session', async (t) => {
  const [ofSession, ofRefund] = [await startReceiver(t), await startReceiver(t)];
  const payin = await paidSession({ webhook_url: ofSession.url });
  const named = await created({ payin, amount: 100, webhook_url: ofRefund.url });
  const [pending, succeeded] = await ofRefund.received(2);
  assert.deepEqual([pending?.event.type, succeeded?.event.type], ['refund.pending', 'refund.succeeded']);
  assert.equal(pending?.event.data.id, named.id);
  const usual = await created({ payin, amount: 100 });
  const isOfRefund = ({ event }: { event: Data }) => event.type.startsWith('refund.');
  await until(async () => ofSession.deliveries.filter(isOfRefund).length === 2);
  for (const { event } of ofSession.deliveries.filter(isOfRefund)) assert.equal(event.data.id, usual.id);
  assert.equal(ofRefund.deliveries.length, 2);
});

test('the events of a refund stay as they were written', async () => {
  const payin = await paidSession();
  const made = await created({ payin, amount: 100 });
  await ended(made.id);
  const events = (await feed(service)).filter(({ data }) => data.id === made.id);
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.status]),
    [
      ['refund.pending', 'pending'],
      ['refund.succeeded', 'succeeded'],
    ],
  );
  assert.deepEqual(events[0]?.data, made);
});
