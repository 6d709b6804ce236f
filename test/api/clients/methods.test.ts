/** Payment methods of a session: which it gets, when none are left, and how they are replaced. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { configure, receiving } from '../bank.ts';
import {
  assertRefused,
  createSession,
  type Data,
  eventTypes,
  fetchSession,
  pay,
  succeeded,
  WELL_FORMED_ID,
  writesNothing,
} from '../shop.ts';

const service = await startService({ after });
const { call } = service;
const live = { authorization: (await service.createKey({ mode: 'live' })).authorization };
const TRANSFER = 'local_bank_transfer_eur';
const body = { invoice_currency: 'EUR', amount: 1000 };

const invalid = (message: string, ...pointers: readonly string[]) => ({
  status: 400,
  message: `${message}.FIELD_INVALID`,
  errors: pointers.map((pointer) => [15502, pointer] as const),
});

suite('a live session', () => {
  const refused = async (path: string, fields: object) =>
    writesNothing(service, () => call('POST', path, { body: { ...body, ...fields }, headers: live }));
  const created = async (fields: object = {}): Promise<Data> =>
    succeeded(await call('POST', '/v3/checkout', { body: { ...body, ...fields }, headers: live }), 201);

  for (const [path, message] of [
    ['/v3/checkout', 'CHECKOUT.CREATE'],
    ['/v3/payin', 'PAYIN.CREATE'],
  ] as const) {
    test(`is refused at ${path} where the account has no method for its currency`, async () => {
      const answer = await refused(path, { invoice_currency: 'USD' });
      assertRefused(answer, invalid(message, '/payment_methods'));
      assert.equal(
        answer.json.errors[0].message,
        'payment_methods cannot be offered: the account has none for live payments in USD; its operator sets up STRIPE_LIVE_SECRET_KEY and STRIPE_LIVE_WEBHOOK_SECRET, or a receiving account in USD (opentill bank account set).',
      );
    });
  }

  test('is refused where nothing at all is set up, and created as soon as it is', async () => {
    await configure(service, { receivingAccounts: [] }, { mode: 'live' });
    const drafts = [{}, { amount: undefined }, { payment_methods: [] }, { payment_methods: [TRANSFER] }];
    for (const fields of drafts) {
      assertRefused(await refused('/v3/checkout', fields), invalid('CHECKOUT.CREATE', '/payment_methods'));
    }
    await configure(service, {}, { mode: 'live' });
    assert.deepEqual((await created()).payment_methods, [TRANSFER, 'wire_transfer']);
    assert.deepEqual((await created({ payment_methods: [] })).payment_methods, [TRANSFER, 'wire_transfer']);
  });

  test('is refused where none of the methods that it names can be used', async () => {
    const answer = await refused('/v3/checkout', { payment_methods: ['card', 'ideal_eur'] });
    assertRefused(answer, invalid('CHECKOUT.CREATE', '/payment_methods'));
    assert.match(
      answer.json.errors[0].message,
      /has none for live payments in EUR; its operator sets up STRIPE_LIVE_SECRET_KEY and [A-Z_]+\.$/,
    );
    const nobody = await refused('/v3/checkout', { payment_methods: ['alipay_cny'] });
    assert.match(nobody.json.errors[0].message, /has none for live payments in EUR\.$/);
  });

  test('is refused where its payer is in another country than all methods', async () => {
    const fields = { invoice_currency: 'SGD', customer_details: { name: 'Ada', country: 'DE' } };
    const sgd = receiving({ id: 'sgd', currency: 'SGD', paynow: '201403121W' });
    await configure(service, { receivingAccounts: [sgd] }, { mode: 'live' });
    assertRefused(await refused('/v3/checkout', fields), invalid('CHECKOUT.CREATE', '/payment_methods'));
    const { payment_methods } = await created({
      ...fields,
      customer_details: { name: 'Ada', country: 'SG' },
    });
    assert.deepEqual(payment_methods, ['paynow_sgd']);
    await configure(service, {}, { mode: 'live' });
  });

  test('is refused where every method takes another amount', async () => {
    const env = { STRIPE_LIVE_SECRET_KEY: 'sk_live_x', STRIPE_LIVE_WEBHOOK_SECRET: 'whsec_x' };
    const cards = await startService({ after }, { env });
    const { authorization } = await cards.createKey({ mode: 'live' });
    await configure(cards, { receivingAccounts: [] }, { mode: 'live' });
    const create = (amount: number) =>
      cards.call('POST', '/v3/checkout', { body: { ...body, amount }, headers: { authorization } });
    const little = await create(1);
    assertRefused(little, invalid('CHECKOUT.CREATE', '/payment_methods'));
    assert.match(little.json.errors[0].message, /cannot be offered: none takes 0\.01 EUR\.$/);
    assert.deepEqual(succeeded(await create(1000), 201).payment_methods, ['card']);
  });

  test('is answered again under its key, whatever has become of the methods', async () => {
    const headers = { ...live, 'idempotency-key': 'order-1' };
    const create = () => call('POST', '/v3/checkout', { body, headers });
    const first = await create();
    const path = `/v3/checkout/${succeeded(first, 201).id}`;
    const update = () => call('PUT', path, { body: { payment_methods: ['wire_transfer'] }, headers });
    const second = await update();
    succeeded(second);
    await configure(service, { receivingAccounts: [] }, { mode: 'live' });
    assert.deepEqual([(await create()).text, (await update()).text], [first.text, second.text]);
    await configure(service, {}, { mode: 'live' });
  });

  test('keeps the methods that it names, if one of them can be used', async () => {
    const payment_methods = ['card', TRANSFER];
    assert.deepEqual((await created({ payment_methods })).payment_methods, payment_methods);
  });

  test('is told of other mistakes, and of this one only where it is one', async () => {
    const two = await refused('/v3/checkout', { invoice_currency: 'USD', amount: -1 });
    assertRefused(two, invalid('CHECKOUT.CREATE', '/amount', '/payment_methods'));
    const currency = await refused('/v3/checkout', { invoice_currency: 'EURO' });
    assertRefused(currency, invalid('CHECKOUT.CREATE', '/invoice_currency'));
    const unknown = await refused('/v3/checkout', { payment_methods: ['cash', 'card'] });
    assertRefused(unknown, invalid('CHECKOUT.CREATE', '/payment_methods/0'));
    const none = await refused('/v3/checkout', { remove_payment_methods: [TRANSFER, 'wire_transfer'] });
    assertRefused(none, invalid('CHECKOUT.CREATE', '/remove_payment_methods'));
  });

  test('is not updated to methods of which none can be used', async () => {
    const { id } = await created();
    const update = (payment_methods: readonly string[]) =>
      call('PUT', `/v3/checkout/${id}`, { body: { payment_methods }, headers: live });
    const answer = await writesNothing(service, () => update(['card']));
    assertRefused(answer, invalid('CHECKOUT.UPDATE', '/payment_methods'));
    assert.deepEqual(succeeded(await update(['card', 'wire_transfer'])).payment_methods, [
      'card',
      'wire_transfer',
    ]);
  });

  test('offers on its page what is set up when it is shown', async () => {
    const { url } = await created({ payment_methods: [TRANSFER] });
    const page = async () => (await fetch(url)).text();
    assert.match(await page(), /value="local_bank_transfer_eur"/);
    const usd = receiving({ id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021' });
    await configure(service, { receivingAccounts: [usd] }, { mode: 'live' });
    const closed = await page();
    assert.match(closed, /No payment method is available for this order at the moment/);
    assert.doesNotMatch(closed, /receiving account|STRIPE|opentill bank|<form[^>]*pay"/);
    await configure(service, {}, { mode: 'live' });
    assert.match(await page(), /value="local_bank_transfer_eur"/);
  });
});

suite('new payment methods', () => {
  const update = (id: string, fields: object) => call('PUT', `/v3/checkout/${id}`, { body: fields });

  test('replace those of a session, which its page shows', async () => {
    const { id, url } = await createSession(service, { payment_methods: ['card', 'ideal_eur'] });
    const payment_methods = ['bancontact_eur', 'card'];
    const answer = await update(id, { payment_methods });
    const data = succeeded(answer);
    assert.deepEqual([data.payment_methods, answer.headers.get('etag')], [payment_methods, '"2"']);
    assert.deepEqual(await fetchSession(service, id), data);
    assert.deepEqual(await eventTypes(service, id), ['checkout.created', 'checkout.updated']);
    const shown = [...(await (await fetch(url)).text()).matchAll(/name="method" value="(\w+)"/g)];
    assert.deepEqual(
      shown.map(([, method]) => method),
      payment_methods,
    );
    const again = await update(id, { payment_methods });
    assert.deepEqual([succeeded(again), again.headers.get('etag')], [data, '"2"']);
  });

  test('cancel the attempt that waits for its payer with another one', async () => {
    const { id } = await createSession(service, { payment_methods: ['card', 'ideal_eur'] });
    await pay(service, id, { outcome: 'requires_action', method: 'ideal_eur' });
    const kept = succeeded(await update(id, { payment_methods: ['ideal_eur'] }));
    assert.equal(kept.payment_attempts[0].status, 'requires_action');
    const [left] = succeeded(await update(id, { payment_methods: ['card'] })).payment_attempts;
    assert.equal(left.status, 'cancelled');
    const confirm = await call('POST', `/v3/payin/${id}/confirm`, {
      body: { payment_method_details: { type: 'ideal_eur' } },
    });
    assertRefused(confirm, invalid('PAYIN.CONFIRM', '/payment_method_details/type'));
  });

  test('are refused where they are none, unknown, or no list', async () => {
    const { id } = await createSession(service);
    for (const [payment_methods, pointer] of [
      [[], '/payment_methods'],
      [['card', 'cash'], '/payment_methods/1'],
      [['card', 'card'], '/payment_methods'],
      ['card', '/payment_methods'],
      [{ 0: 'card' }, '/payment_methods'],
    ] as const) {
      const answer = await writesNothing(service, () => update(id, { payment_methods }));
      assertRefused(answer, invalid('CHECKOUT.UPDATE', pointer));
    }
    const both = await writesNothing(service, () => update(id, { payment_methods: ['cash'], items: [] }));
    assertRefused(both, invalid('CHECKOUT.UPDATE', '/items', '/payment_methods/0'));
    const nobody = await update(`chk_${WELL_FORMED_ID}`, { payment_methods: ['card'] });
    assert.deepEqual([nobody.status, nobody.json.message], [404, 'CHECKOUT.UPDATE.NOT_FOUND']);
  });

  test('are refused while a payment is in progress, and once something is paid', async () => {
    const { id } = await createSession(service);
    await pay(service, id, { outcome: 'processing', payment_id: 'p1' });
    const request = { payment_methods: ['card'], metadata: { picked: true } };
    const moving = await writesNothing(service, () => update(id, request));
    assertRefused(moving, { status: 409, message: 'CHECKOUT.UPDATE.PAYMENT_IN_PROGRESS', errors: [[19021]] });
    await pay(service, id, { payment_id: 'p1', amount: 100 });
    const paid = await writesNothing(service, () => update(id, request));
    assertRefused(paid, { status: 409, message: 'CHECKOUT.UPDATE.NOT_UPDATABLE', errors: [[19022]] });
  });

  test('come with new items in one change', async () => {
    const { id } = await createSession(service);
    const items = [{ name: 'Widget', quantity: 1, unit_price: 300 }];
    const answer = await update(id, { payment_methods: ['card'], items, metadata: { picked: true } });
    const { amount, payment_methods, metadata } = succeeded(answer);
    assert.deepEqual([amount, payment_methods, metadata], [300, ['card'], { picked: true }]);
    assert.equal(answer.headers.get('etag'), '"2"');
  });
});
