/** Bodies, ids and queries that are refused: with every mistake named, and without a trace in the database. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { countries } from '../../src/http/schemas/countries.ts';
import { startService } from '../support/service.ts';
import {
  assertRefused,
  createSession,
  type Data,
  now,
  pay,
  type Refused,
  WELL_FORMED_ID,
  writesNothing,
} from './shop.ts';

const service = await startService({ after });
const { call } = service;
const live = { authorization: (await service.createKey({ mode: 'live' })).authorization };
const time = await now(service);
const ahead = (ms: number) => new Date(time + ms).toISOString();
const DAY = 86_400_000;

type Errors = Refused['errors'];
const field = (...pointers: string[]): Errors => pointers.map((pointer) => [15502, pointer]);
const inMetadata: Errors = [[15515, '/metadata']];

const EUR = { invoice_currency: 'EUR' };
const item = { name: 'Widget', quantity: 1, unit_price: 100 };
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));

/** Refused by create, with the fields at fault. */
const createRows: ReadonlyArray<readonly [what: string, body: unknown, errors: Errors]> = [
  ['no currency', {}, field('/invoice_currency')],
  ['an empty currency', { invoice_currency: '' }, field('/invoice_currency')],
  ['an unknown currency', { invoice_currency: 'EUX' }, field('/invoice_currency')],
  ['a currency that is a number', { invoice_currency: 978 }, field('/invoice_currency')],
  ['a list', [], field('')],
  ['a string', '"EUR"', field('')],
  ['null', 'null', field('')],
  ['a number', '5', field('')],
  ['an amount in a string', { ...EUR, amount: '2500' }, field('/amount')],
  ['a fraction of an amount', { ...EUR, amount: 10.5 }, field('/amount')],
  ['a negative amount', { ...EUR, amount: -1 }, field('/amount')],
  ['too large an amount', { ...EUR, amount: 1_000_000_000_000_000 }, field('/amount')],
  ['an unsafe integer', '{"invoice_currency":"EUR","amount":9007199254740993}', field('/amount')],
  ['an amount of true', { ...EUR, amount: true }, field('/amount')],
  ['a number beyond all bounds', '{"invoice_currency":"EUR","amount":1e999}', field('/amount')],
  ['a rounded fraction', '{"invoice_currency":"EUR","amount":1000.00000000000000001}', field('/amount')],
  ['items that are no list', { ...EUR, items: item }, field('/items')],
  ['101 items', { ...EUR, items: Array(101).fill(item) }, field('/items')],
  ['more items than anybody reads', { ...EUR, items: Array(87_000).fill(11) }, field('/items')],
  [
    'a long list where there should be none',
    { ...EUR, customer_details: { 'a/b': [{ c: Array(101).fill(1) }] } },
    field('/customer_details/a~1b/0/c'),
  ],
  ['a long list in metadata', { ...EUR, amount: -1, metadata: { a: Array(101).fill(1) } }, field('/amount')],
  ['more fields than any request has', { ...EUR, ...keys(6_000) }, field('')],
  ['more fields of metadata than any has', { ...EUR, metadata: { a: keys(6_000) } }, field('')],
  ['an item without anything', { ...EUR, items: [{}] }, field('/items/0/name', '/items/0/quantity')],
  ['an item without a price', { ...EUR, items: [{ name: 'W', quantity: 1 }] }, field('/items/0/unit_price')],
  ['an item without a name', { ...EUR, items: [item, { ...item, name: '' }] }, field('/items/1/name')],
  [
    'an item with a long name',
    { ...EUR, items: [{ ...item, name: 'x'.repeat(251) }] },
    field('/items/0/name'),
  ],
  ['an item name of two lines', { ...EUR, items: [{ ...item, name: 'a\nb' }] }, field('/items/0/name')],
  ['an item quantity of 0', { ...EUR, items: [{ ...item, quantity: 0 }] }, field('/items/0/quantity')],
  ['a fraction of an item', { ...EUR, items: [{ ...item, quantity: 1.5 }] }, field('/items/0/quantity')],
  ['a negative price', { ...EUR, items: [{ ...item, unit_price: -1 }] }, field('/items/0/unit_price')],
  ['two prices of an item', { ...EUR, items: [{ ...item, amount: 99 }] }, field('/items/0/unit_price')],
  ['an unknown field of an item', { ...EUR, items: [{ ...item, sku: 'W' }] }, field('/items/0/sku')],
  [
    'too large a sum',
    { ...EUR, items: [{ ...item, quantity: 2, unit_price: 999_999_999_999_999 }] },
    field('/items'),
  ],
  ['items for an amount of 0', { ...EUR, items: [item], amount: 0 }, field('/amount')],
  ['a misspelt field', { ...EUR, expries_at: ahead(DAY) }, field('/expries_at')],
  ['a field with a slash and a tilde', { ...EUR, 'a/b~c': 1 }, field('/a~1b~0c')],
  [
    'an unknown field of the customer',
    { ...EUR, customer_details: { mail: 'x' } },
    field('/customer_details/mail'),
  ],
  ['a bad e-mail address', { ...EUR, customer_details: { email: 'ada@' } }, field('/customer_details/email')],
  ['a bad country', { ...EUR, customer_details: { country: 'XX' } }, field('/customer_details/country')],
  ...['ZZ', 'UK', 'EU', 'SU', 'DD', 'AN', 'QO', 'XK', 'D', 'DEU'].map(
    (country) =>
      [
        `the country ${country}`,
        { ...EUR, customer_details: { country } },
        field('/customer_details/country'),
      ] as const,
  ),
  ['a phone as text', { ...EUR, customer_details: { phone: '+44 1' } }, field('/customer_details/phone')],
  ['a customer that is not there', { ...EUR, customer: `cus_${WELL_FORMED_ID}` }, field('/customer')],
  [
    'two customers',
    { ...EUR, customer: 'a', customer_details: { customer: 'b' } },
    field('/customer_details/customer'),
  ],
  ['an unknown method', { ...EUR, payment_methods: ['card', 'cheque'] }, field('/payment_methods/1')],
  ['a method twice', { ...EUR, payment_methods: ['card', 'card'] }, field('/payment_methods')],
  ['a long reference', { ...EUR, reference_id: 'x'.repeat(129) }, field('/reference_id')],
  ['a reference of two lines', { ...EUR, reference_id: 'a\r\nb' }, field('/reference_id')],
  [
    'a long description',
    { ...EUR, transaction_description: 'x'.repeat(2001) },
    field('/transaction_description'),
  ],
  ['a day without a time', { ...EUR, expires_at: '2030-01-31' }, field('/expires_at')],
  ['a time without a zone', { ...EUR, expires_at: '2030-01-31T12:00:00' }, field('/expires_at')],
  ['the 30th of February', { ...EUR, expires_at: '2030-02-30T12:00:00Z' }, field('/expires_at')],
  ['the 25th hour', { ...EUR, expires_at: '2030-01-31T25:00:00Z' }, field('/expires_at')],
  ['a time in seconds', { ...EUR, expires_at: Math.floor(time / 1000) + 3600 }, field('/expires_at')],
  ['an expiry that has passed', { ...EUR, expires_at: ahead(-DAY) }, field('/expires_at')],
  ['an expiry in less than a minute', { ...EUR, expires_at: ahead(59_000) }, field('/expires_at')],
  ['an expiry in half a year', { ...EUR, expires_at: ahead(180 * DAY + 60_000) }, field('/expires_at')],
  ['metadata in a list', { ...EUR, metadata: [] }, inMetadata],
  ['metadata in a string that is no JSON', { ...EUR, metadata: 'order 7' }, inMetadata],
  ['metadata in a string of a list', { ...EUR, metadata: '[1]' }, inMetadata],
  ['metadata in a string with a key twice', { ...EUR, metadata: '{"a":1,"a":2}' }, inMetadata],
  ['51 keys of metadata', { ...EUR, metadata: keys(51) }, inMetadata],
  ['9 levels of metadata', { ...EUR, metadata: nested(8) }, inMetadata],
  ['more than 16 KiB of metadata', { ...EUR, metadata: { a: 'x'.repeat(16_384) } }, inMetadata],
  ['a depth that nobody needs', { ...EUR, metadata: nested(30) }, [[15515, `/metadata${'/a'.repeat(19)}`]]],
  ['a key twice', '{"invoice_currency":"EUR","amount":1,"amount":2}', field('/amount')],
  ['a key twice by an escape', '{"invoice_currency":"EUR","amount":1,"am\\u006funt":2}', field('/amount')],
  [
    'a key twice in metadata',
    '{"invoice_currency":"EUR","metadata":{"a":{"b":1,"b":2}}}',
    [[15515, '/metadata/a/b']],
  ],
  ['__proto__', '{"invoice_currency":"EUR","__proto__":{"amount":1}}', field('/__proto__')],
  [
    '__proto__ in metadata',
    '{"invoice_currency":"EUR","metadata":{"__proto__":{"a":1}}}',
    [[15515, '/metadata/__proto__']],
  ],
  ['a NUL character', '{"invoice_currency":"EUR","reference_id":"a\\u0000b"}', field('/reference_id')],
  ['a NUL in metadata', '{"invoice_currency":"EUR","metadata":{"a":"\\u0000"}}', [[15515, '/metadata/a']]],
  ['half a surrogate pair', '{"invoice_currency":"EUR","reference_id":"\\ud83d"}', field('/reference_id')],
  ['half a pair in a key', '{"invoice_currency":"EUR","metadata":{"\\udc00":1}}', inMetadata],
  [
    'digits that would be lost',
    '{"invoice_currency":"EUR","metadata":{"n":12345678901234567890}}',
    [[15515, '/metadata/n']],
  ],
];

test('the countries are the 249 of ISO 3166-1', async () => {
  assert.equal(countries.size, 249);
  for (const code of countries) assert.match(code, /^[A-Z]{2}$/);
  const kept = await createSession(service, { customer_details: { country: 'ax' } });
  assert.equal(kept.customer_details.country, 'AX');
});

suite('create refuses', () => {
  for (const [what, body, errors] of createRows) {
    test(what, async () => {
      const answer = await writesNothing(service, () => call('POST', '/v3/checkout', { body }));
      const reason = errors[0]?.[0] === 15515 ? 'BAD_METADATA' : 'FIELD_INVALID';
      assertRefused(answer, { status: 400, message: `CHECKOUT.CREATE.${reason}`, errors });
    });
  }

  const addresses = [
    'javascript:alert(1)',
    'JavaScript://shop.example.com/%0aalert(1)',
    'data:text/html,hi',
    'file:///etc/passwd',
    'ftp://shop.example.com/',
    '//shop.example.com/thanks',
    '/thanks',
    'thanks',
    'shop.example.com/thanks',
    'https:/shop.example.com',
    'https:shop.example.com',
    'https://',
    'https://user@shop.example.com/',
    'https://user:secret@shop.example.com/',
    'https://shop.example.com/a b',
    'https://shop.example.com\\@evil.example.com/',
    'https://shop.example.com/\u0009',
    ' https://shop.example.com/',
    'https://shop.example.com:99999/',
    `https://shop.example.com/${'x'.repeat(2048)}`,
    7,
  ];
  for (const address of addresses) {
    test(`the address ${String(address).slice(0, 50)}`, async () => {
      const body = { ...EUR, success_url: address, cancel_url: address, webhook_url: address };
      const answer = await writesNothing(service, () => call('POST', '/v3/checkout', { body }));
      assertRefused(answer, {
        status: 400,
        message: 'CHECKOUT.CREATE.FIELD_INVALID',
        errors: field('/cancel_url', '/success_url', '/webhook_url'),
      });
    });
  }

  test('http in live mode, and only there', async () => {
    const http = 'http://shop.example.com/';
    const body = {
      ...EUR,
      payment_methods: ['local_bank_transfer_eur'],
      success_url: http,
      cancel_url: http,
      webhook_url: http,
    };
    assert.equal(
      (await call('POST', '/v3/checkout', { body: { ...body, webhook_url: undefined } })).status,
      201,
    );
    const answer = await writesNothing(service, () => call('POST', '/v3/checkout', { body, headers: live }));
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: field('/cancel_url', '/success_url', '/webhook_url'),
    });
  });

  test('with all mistakes in one answer, of the schema and of the rules', async () => {
    const body = {
      invoice_currency: 'EUX',
      amount: 0,
      items: [item],
      customer_details: { email: 'ada' },
      success_url: 'javascript:1',
      payment_methods: ['cheque'],
      expires_at: ahead(-DAY),
      metadata: keys(51),
      expries_at: 1,
    };
    const answer = await writesNothing(service, () => call('POST', '/v3/checkout', { body }));
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [
        ...field('/amount', '/customer_details/email', '/expires_at', '/expries_at', '/invoice_currency'),
        ...field('/payment_methods/0', '/success_url'),
        ...inMetadata,
      ],
    });
  });

  test('with at most 100 mistakes in an answer', async () => {
    const body = { ...EUR, ...keys(5000) };
    const { json } = await call('POST', '/v3/checkout', { body });
    assert.equal(json.errors.length, 100);
  });

  test('with no word about what would be the 101st mistake', async () => {
    const { status, json } = await call('POST', '/v3/checkout', { body: { ...EUR, ...keys(100), items: 5 } });
    assert.deepEqual([status, json.errors.length], [400, 100]);
  });

  test('with a short answer, however long the names', async () => {
    const body = {
      ...EUR,
      [`${'~/'.repeat(50_000)}`]: 1,
      customer_details: { [`${'k'.repeat(50_000)}`]: 1 },
    };
    const { status, text } = await call('POST', '/v3/checkout', { body });
    assert.equal(status, 400);
    assert.ok(text.length < 2_000, `${text.length} characters`);
  });
});

suite('update refuses', async () => {
  const { id } = await createSession(service, { metadata: keys(40) });
  const rows: ReadonlyArray<readonly [what: string, body: unknown, errors: Errors]> = [
    ['a list', [], field('')],
    ['a field of create', { amount: 5 }, field('/amount')],
    ['no items', { items: [] }, field('/items')],
    [
      'an item with amount as its price',
      { items: [{ name: 'W', quantity: 1, amount: 5 }] },
      field('/items/0/amount', '/items/0/unit_price'),
    ],
    ['metadata in a list', { metadata: [1] }, inMetadata],
    [
      'metadata that has too many keys once merged',
      { metadata: { x1: 1, x2: 2, ...Object.fromEntries(Object.entries(keys(60)).slice(40)) } },
      inMetadata,
    ],
    [
      'items and metadata that are both wrong',
      { items: [{}], metadata: nested(9) },
      [...field('/items/0/name', '/items/0/quantity', '/items/0/unit_price'), ...inMetadata],
    ],
    ['good items with bad metadata', { items: [item], metadata: nested(9) }, inMetadata],
    ['too large a sum', { items: [{ ...item, quantity: 999_999_999_999_999 }] }, field('/items')],
  ];
  for (const [what, body, errors] of rows) {
    test(what, async () => {
      const answer = await writesNothing(service, () => call('PUT', `/v3/checkout/${id}`, { body }));
      const reason = errors[0]?.[0] === 15515 ? 'BAD_METADATA' : 'FIELD_INVALID';
      assertRefused(answer, { status: 400, message: `CHECKOUT.UPDATE.${reason}`, errors });
      assert.equal((await call('GET', `/v3/checkout/${id}`)).headers.get('etag'), '"1"');
    });
  }
});

test('no limit is in the way of the fullest metadata, and of a patch that replaces all of it', async () => {
  const full = (first: number) => {
    const object: Record<string, number> = {};
    // Each takes seven bytes: two quotes, a letter of two bytes, a colon, a digit, a comma.
    for (let at = 0; Object.keys(object).length < 125; at++) object[String.fromCharCode(first + at)] = 1;
    return object;
  };
  const metadata = (first: number) =>
    Object.fromEntries(Array.from({ length: 17 }, (_, index) => [String(10 + index), full(first)]));
  const { id } = await createSession(service, { metadata: metadata(0x80) });
  const gone = Object.fromEntries(Object.keys(full(0x80)).map((name) => [name, null]));
  const patch = Object.fromEntries(
    Object.entries(metadata(0x100)).map(([name, fields]) => [name, { ...fields, ...gone }]),
  );
  const answer = await call('PUT', `/v3/checkout/${id}`, { body: { metadata: patch } });
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.deepEqual(answer.json.data.metadata, metadata(0x100));
});

suite('the state refuses', async () => {
  const states: Record<string, (id: string) => Promise<unknown>> = {
    paid: (id) => pay(service, id),
    expired: (id) => call('POST', `/v3/checkout/${id}/expire`),
    'partly paid': (id) => pay(service, id, { amount: 1 }),
    processing: (id) => pay(service, id, { outcome: 'processing' }),
    unknown: (id) => pay(service, id, { outcome: 'unknown' }),
  };
  const rows = [
    ['paid', 'EXPIRE', 'NOT_EXPIRABLE', 19020],
    ['expired', 'EXPIRE', 'NOT_EXPIRABLE', 19020],
    ['processing', 'EXPIRE', 'PAYMENT_IN_PROGRESS', 19021],
    ['unknown', 'EXPIRE', 'PAYMENT_IN_PROGRESS', 19021],
    ['paid', 'UPDATE', 'NOT_UPDATABLE', 19022],
    ['expired', 'UPDATE', 'NOT_UPDATABLE', 19022],
    ['partly paid', 'UPDATE', 'NOT_UPDATABLE', 19022],
    ['processing', 'UPDATE', 'PAYMENT_IN_PROGRESS', 19021],
    ['unknown', 'UPDATE', 'PAYMENT_IN_PROGRESS', 19021],
  ] as const;
  for (const [state, operation, reason, code] of rows) {
    test(`${operation} of a session that is ${state}`, async () => {
      const { id } = await createSession(service, { metadata: { kept: true } });
      await states[state]?.(id);
      const before: Data = await call('GET', `/v3/checkout/${id}`);
      const answer = await writesNothing(service, () =>
        operation === 'EXPIRE'
          ? call('POST', `/v3/checkout/${id}/expire`)
          : call('PUT', `/v3/checkout/${id}`, { body: { items: [item], metadata: { kept: false } } }),
      );
      assertRefused(answer, { status: 409, message: `CHECKOUT.${operation}.${reason}`, errors: [[code]] });
      assert.equal((await call('GET', `/v3/checkout/${id}`)).text, before.text);
    });
  }
});
