/**
 * Requests of clients for other v3 services, to an account that asks for their ways at the border. `border.test.ts` has
 * those that need nothing set.
 */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { pino } from 'pino';
import { startService } from '../../support/service.ts';
import { configure } from '../bank.ts';
import { startReceiver } from '../receiver.ts';
import { advance, assertRefused, createSession, type Data, pay, succeeded, writesNothing } from '../shop.ts';

let log = '';
const logger = pino(
  { level: 'debug' },
  {
    write(line: string) {
      log += line;
    },
  },
);
const service = await startService({ after }, { logger });
await configure(service, { compatibility: 'v3' });
const { call, url } = service;
const strict = await startService({ after });
/** A service without other requests, to show that a refused request writes nothing. */
const quiet = await startService({ after });
await configure(quiet, { compatibility: 'v3' });

suite('amounts are in hundredths of the unit', () => {
  for (const [currency, given, asMinor] of [
    ['JPY', 240_000, 2400],
    ['USD', 1999, 1999],
    ['KWD', 512, 5120],
    ['KWD', 512.5, 5125],
    ['UYW', 100, 10_000],
  ] as const) {
    test(`${given} ${currency}, wherever they are read`, async () => {
      const items = [{ name: 'Tea', quantity: 2, unit_price: given, amount: given }];
      const created = succeeded(
        await call('POST', '/v3/checkout', { body: { invoice_currency: currency, items } }),
        201,
      );
      const { id } = created;
      assert.equal(created.amount, 2 * given);
      assert.deepEqual(created.items, [
        { name: 'Tea', description: '', quantity: 2, unit_price: given, amount: 2 * given },
      ]);
      const kept = await service.service.store.checkouts.fetch(
        { account: service.account.number, mode: 'test' },
        id,
      );
      assert.equal(kept?.amount, 2 * asMinor);

      const changed = await call('PUT', `/v3/checkout/${id}`, {
        body: { items: [{ name: 'Tea', quantity: 1, unit_price: given }] },
      });
      assert.equal(succeeded(changed).amount, given);
      const listed = await call(
        'GET',
        `/v3/checkout?invoice_currency=${currency}&amount[gte]=${given}&limit=1`,
      );
      assert.equal(listed.json.data[0].amount, given);
      const lower = await call('GET', `/v3/checkout?invoice_currency=${currency}&amount[lte]=0&limit=1`);
      assert.deepEqual(lower.json.data, []);

      const paid = await pay(service, id, { amount: given });
      assert.deepEqual([paid.amount_paid, paid.payment_status], [given, 'paid']);
      const refund = succeeded(await call('POST', '/v3/refund', { body: { payin: id, amount: given } }), 201);
      assert.deepEqual([refund.amount, refund.currency], [given, currency]);
      assert.equal(succeeded(await call('GET', `/v3/refund/${refund.id}`)).amount, given);
      const payin = succeeded(await call('GET', `/v3/payin/${id}`));
      assert.deepEqual([payin.amount, payin.amount_paid, payin.refunds[0].amount], [given, given, given]);
      const [attempt] = payin.payment_attempts;
      assert.equal(succeeded(await call('GET', `/v3/payment_attempt/${attempt.id}`)).amount, given);
      const { data: methods } = (
        await call('GET', `/v3/metadata/collect?invoice_currency=${currency}&amount=${given}`)
      ).json;
      assert.deepEqual([methods.amount, methods.payment_methods[0].amount], [given, given]);
    });
  }

  test('in events, fetched, listed and streamed, and in webhooks', async (t) => {
    const receiver = await startReceiver(t);
    const endpoint = { url: receiver.url, events: ['checkout.created'] };
    const { id: endpointId } = succeeded(await call('POST', '/v3/webhook_endpoint', { body: endpoint }), 201);
    t.after(() => call('DELETE', `/v3/webhook_endpoint/${endpointId}`));
    const { id } = await createSession(service, { invoice_currency: 'JPY', amount: 240_000 });
    const [told] = await receiver.received(1);
    assert.deepEqual([told?.event.data.id, told?.event.data.amount], [id, 240_000]);
    const { data: events } = (await call('GET', `/v3/event?limit=100`)).json;
    const event = events.find(({ data }: Data) => data.id === id);
    assert.equal(event.data.amount, 240_000);
    assert.equal(succeeded(await call('GET', `/v3/event/${event.id}`)).data.amount, 240_000);

    const streamed = await fetch(`${url}/v3/event`, {
      headers: { authorization: service.key.authorization, accept: 'text/event-stream' },
      signal: t.signal,
    });
    let text = '';
    for await (const chunk of streamed.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(id)) break;
    }
    const line = text.split('\n').find((each) => each.startsWith('data: ') && each.includes(id)) ?? '';
    assert.equal(JSON.parse(line.slice('data: '.length)).data.amount, 240_000);
  });

  test('the payer’s page shows the amount itself', async () => {
    for (const [currency, amount, shown] of [
      ['JPY', 240_000, '¥2,400'],
      ['KWD', 512, 'KWD 5.120'],
    ] as const) {
      const session = await createSession(service, { invoice_currency: currency, amount });
      const page = await (await fetch(session.url, { headers: { 'accept-language': 'en' } })).text();
      assert.ok(page.replaceAll('\u00a0', ' ').includes(shown), `${shown} on the page`);
    }
  });

  for (const [what, body, pointer, detail] of [
    [
      'yen and a half',
      { invoice_currency: 'JPY', amount: 240_050 },
      '/amount',
      /^amount must be a multiple of 100/,
    ],
    [
      'an item of half a cent',
      { invoice_currency: 'USD', items: [{ name: 'Tea', quantity: 1, unit_price: 10.5 }] },
      '/items/0/unit_price',
      /^items\/0\/unit_price must be a whole number/,
    ],
    [
      'half a quantity',
      { invoice_currency: 'USD', items: [{ name: 'Tea', quantity: 1.5, unit_price: 10 }] },
      '/items/0/quantity',
      /quantity must be a whole number/,
    ],
  ] as const) {
    test(`refuses ${what} in words`, async () => {
      const answer = await writesNothing(quiet, () => quiet.call('POST', '/v3/checkout', { body }));
      assertRefused(answer, {
        status: 400,
        message: 'CHECKOUT.CREATE.FIELD_INVALID',
        errors: [[15502, pointer]],
      });
      assert.match(answer.json.errors[0].message, detail);
    });
  }

  test('refuses a filter whose unit nobody knows', async () => {
    const answer = await call('GET', '/v3/checkout?amount[gte]=1000');
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.LIST.BAD_QUERY',
      errors: [[104, '/amount[gte]']],
    });
  });

  test('takes what a program makes of 19.99 times 100', async () => {
    const body = { invoice_currency: 'USD', amount: 1998.9999999999998 };
    assert.equal(succeeded(await call('POST', '/v3/checkout', { body }), 201).amount, 1999);
    const refused = await strict.call('POST', '/v3/checkout', { body });
    assertRefused(refused, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [[15502, '/amount']],
    });
  });

  test('an unknown session of a change is not found', async () => {
    const body = { items: [{ name: 'Tea', quantity: 1, unit_price: 100 }] };
    for (const id of ['chk_doesnotexist', '%00'])
      assert.equal((await call('PUT', `/v3/checkout/${id}`, { body })).status, 404, id);
  });
});

suite('fields that are unknown', () => {
  const order = { invoice_currency: 'USD', amount: 1000 };

  test('are ignored with the amounts in them, whatever these are', async () => {
    const fees = { amount: 12.345, items: [{ unit_price: -1 }] };
    const body = { invoice_currency: 'JPY', amount: 240_000, fees };
    const answer = await call('POST', '/v3/checkout', { body });
    assert.equal(succeeded(answer, 201).amount, 240_000);
    assert.equal(answer.headers.get('ignored-fields'), '"/fees"');
    const refused = await call('POST', '/v3/checkout', { body: { ...body, amount: 240_050 } });
    assertRefused(refused, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [[15502, '/amount']],
    });
  });

  test('are ignored, and listed', async () => {
    const body = {
      ...order,
      seller_details: { name: 'Ada' },
      on_behalf_of: 'acc_1',
      customer_fee_percentage: 0,
      items: [{ name: 'Tea', quantity: 1, unit_price: 1000, sku: 'T-1' }],
    };
    const answer = await call('POST', '/v3/checkout', { body });
    succeeded(answer, 201);
    const ignored = answer.headers.get('ignored-fields')?.split(', ').sort();
    assert.deepEqual(ignored, [
      '"/customer_fee_percentage"',
      '"/items/0/sku"',
      '"/on_behalf_of"',
      '"/seller_details"',
    ]);
    const kept = await service.service.store.checkouts.fetch(
      { account: service.account.number, mode: 'test' },
      answer.json.data.id,
    );
    assert.deepEqual(kept?.items, [{ name: 'Tea', quantity: 1, unitPrice: 1000 }]);
    const line =
      log.split('\n').find((each) => each.includes(answer.headers.get('x-request-id') ?? '?')) ?? '{}';
    assert.equal(JSON.parse(line).ignored_fields, answer.headers.get('ignored-fields'));
    const refused = await strict.call('POST', '/v3/checkout', { body });
    assert.equal(refused.json.errors.length, 4);
    assert.equal(refused.headers.get('ignored-fields'), null);
  });

  test('are refused where they would change what is paid', async () => {
    const body = { ...order, customer_fee_percentage: 2.5, seller: 'x' };
    const answer = await writesNothing(quiet, () => quiet.call('POST', '/v3/checkout', { body }));
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [[15502, '/customer_fee_percentage']],
    });
    assert.match(answer.json.errors[0].message, /would change the amount to pay/);
  });

  test('are refused of an update that is to change the price by them', async () => {
    const { id } = await createSession(service, order);
    const update = (body: object) => call('PUT', `/v3/checkout/${id}`, { body });
    const items = [{ name: 'Tea', quantity: 1, unit_price: 2000 }];
    for (const [pointer, body] of [
      ['/amount', { amount: 2000 }],
      ['/amount', { amount: 2500, items }],
      ['/invoice_currency', { invoice_currency: 'EUR', items }],
    ] as const) {
      assertRefused(await update(body), {
        status: 400,
        message: 'CHECKOUT.UPDATE.FIELD_INVALID',
        errors: [[15502, pointer]],
      });
    }
    const answer = await update({ invoice_currency: 'usd', items });
    assert.equal(succeeded(answer).amount, 2000);
    assert.equal(answer.headers.get('ignored-fields'), '"/invoice_currency"');
  });

  test('leave the mistakes in the others', async () => {
    const answer = await call('POST', '/v3/checkout', {
      body: { ...order, invoice_currency: 'US', seller: 'x' },
    });
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [[15502, '/invoice_currency']],
    });
  });

  test('are ignored of an action without a body', async () => {
    const { id } = await createSession(service);
    const answer = await call('POST', `/v3/checkout/${id}/expire`, { body: { reason: 'Sold out.' } });
    assert.equal(succeeded(answer).status, 'expired');
    assert.equal(answer.headers.get('ignored-fields'), '"/reason"');
  });
});

test('methods that are unknown are left out, as long as one is known', async () => {
  const create = (payment_methods: string[]) =>
    call('POST', '/v3/checkout', { body: { invoice_currency: 'USD', amount: 1000, payment_methods } });
  const answer = await create(['upi_inr_native', 'card']);
  assert.deepEqual(succeeded(answer, 201).payment_methods, ['card']);
  assert.equal(answer.headers.get('ignored-fields'), '"/payment_methods/0"');
  assertRefused(await create(['upi_inr_native']), {
    status: 400,
    message: 'CHECKOUT.CREATE.FIELD_INVALID',
    errors: [[15502, '/payment_methods/0']],
  });
});

test('an object of nothing may come as a list of nothing', async () => {
  const nothing = {
    metadata: [],
    customer_details: [],
    billing_details: { name: 'Ada', address: [], phone: [] },
  };
  const data = succeeded(
    await call('POST', '/v3/checkout', { body: { invoice_currency: 'USD', amount: 1000, ...nothing } }),
    201,
  );
  assert.deepEqual([data.metadata, data.customer, data.billing_details], [{}, '', { name: 'Ada' }]);
});

test('a payin is made with 200', async () => {
  const body = { invoice_currency: 'JPY', amount: 240_000 };
  const data = succeeded(await call('POST', '/v3/payin', { body }), 200);
  assert.deepEqual([data.object, data.amount], ['payin', 240_000]);
  assert.ok(data.client_token.startsWith('tok_') || data.client_token.length > 20);
});

suite('a customer with a known e-mail address', () => {
  const email = 'ada@example.com';

  test('is the one that there is, brought up to date', async () => {
    const fields = { name: 'Ada', email, country: 'GB', metadata: { a: 1, b: 2 } };
    const first = succeeded(await call('POST', '/v3/customer', { body: fields }), 201);
    const address = { label: 'Home', address: { line1: '1 Main St', city: 'Ames', country: 'US' } };
    const body = { name: 'Ada Lovelace', email: 'Ada@example.com', billing: [address], metadata: { b: 3 } };
    const second = succeeded(await call('POST', '/v3/customer', { body }), 200);
    assert.equal(second.id, first.id);
    assert.deepEqual(
      [second.name, second.country, second.metadata, second.billing[0].address.city],
      ['Ada Lovelace', 'GB', { a: 1, b: 3 }, 'Ames'],
    );
    const { data: all } = (await call('GET', `/v3/customer?email=${email}`)).json;
    assert.equal(all.length, 1);
  });

  test('is refused in strict', async () => {
    const body = { email };
    succeeded(await strict.call('POST', '/v3/customer', { body }), 201);
    assert.equal((await strict.call('POST', '/v3/customer', { body })).status, 409);
  });
});

suite('the address of a session', () => {
  const told = async (settings: object, types: number, t: { after(hook: () => void): void }) => {
    await configure(service, { compatibility: 'v3', ...settings });
    const receiver = await startReceiver(t);
    const { id } = await createSession(service, { webhook_url: receiver.url });
    await pay(service, id);
    await call('POST', '/v3/refund', { body: { payin: id } });
    await receiver.received(types);
    await advance(service, 1);
    return receiver.deliveries.map(({ event }) => event.type).sort();
  };

  test('hears what v3 clients know, unless the account chooses', async (t) => {
    assert.deepEqual(await told({}, 4, t), [
      'checkout.paid',
      'payin.succeeded',
      'payment_attempt.succeeded',
      'refund.succeeded',
    ]);
    assert.deepEqual(await told({ webhookUrlEvents: ['checkout.created', 'refund.pending'] }, 2, t), [
      'checkout.created',
      'refund.pending',
    ]);
    await configure(service, { compatibility: 'v3' });
  });
});
