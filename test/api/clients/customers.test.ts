/** Requests about customers as clients of the public v3 API send them, each with what must come back. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { contentsOf } from '../../support/database.ts';
import { startService } from '../../support/service.ts';
import { assertRefused, type Data, succeeded, writesNothing } from '../shop.ts';

const service = await startService({ after });
const { call, database } = service;

const create = async (body: object): Promise<Data> =>
  succeeded(await call('POST', '/v3/customer', { body }), 201);

const update = async (id: string, body: object): Promise<Data> =>
  succeeded(await call('PUT', `/v3/customer/${id}`, { body }), 200);

suite('a client', () => {
  test('takes all metadata of a customer away and sets as much, in one patch', async () => {
    const keys = (prefix: string, value: string | null) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${prefix}${n}`, value]));
    const { id } = await create({ name: 'Ada', metadata: keys('a', 'x') });
    const changed = await update(id, { metadata: { ...keys('a', null), ...keys('b', 'y') } });
    assert.deepEqual(changed.metadata, keys('b', 'y'));
    const { status, json } = await call('PUT', `/v3/customer/${id}`, {
      body: { metadata: keys('c', 'z') },
    });
    assert.deepEqual([status, json.errors[0].code], [400, 15515]);
  });

  const home = {
    label: 'Home',
    name: 'Ada Lovelace',
    email: '',
    phone: { calling_code: '44', number: '2079460000' },
    address: {
      line1: '12 St James’s Square',
      line2: '',
      city: 'London',
      state: '',
      country: 'GB',
      postal_code: 'SW1Y 4LB',
    },
  };
  const { address, label, phone, name } = home;

  const forms: ReadonlyArray<readonly [what: string, contact: object]> = [
    ['as it is answered', home],
    ['with a country code in its phone', { ...home, phone: { country_code: '44', number: phone.number } }],
    [
      'with fields that are empty',
      { ...home, email: null, address: { ...address, country: 'gb', line2: null } },
    ],
    ['with label and phone within its address', { name, address: { ...address, label, phone } }],
    ['with the address beside its name', { label, name, phone, ...address }],
    ['with its address in both places', { ...home, line1: 'elsewhere', city: 'Nowhere' }],
  ];
  for (const [what, contact] of forms) {
    test(`keeps a contact of a customer ${what}`, async () => {
      const made = await create({ billing: [contact], shipping: [contact, { name }] });
      assert.deepEqual(made.billing, [home]);
      const nameAlone = { label: '', name, email: '', phone: null, address: null };
      assert.deepEqual(made.shipping, [home, nameAlone]);
      assert.deepEqual(succeeded(await call('GET', `/v3/customer/${made.id}`)), made);
    });
  }

  test('names the lists of contacts in another way, and replaces them one by one', async () => {
    const { id, billing, shipping } = await create({ billing_address: [home], shipping_address: [home] });
    assert.deepEqual([billing, shipping], [[home], [home]]);
    const other = { ...home, label: 'Work' };
    const changed = await update(id, { shipping_address: [other] });
    assert.deepEqual([changed.billing, changed.shipping], [[home], [other]]);
    const emptied = await update(id, { billing: [], shipping: null });
    assert.deepEqual([emptied.billing, emptied.shipping], [[], [other]]);
    const both = await update(id, { billing: [home], billing_address: [other] });
    assert.deepEqual(both.billing, [home]);
  });

  test('sends contacts that say nothing', async () => {
    const made = await create({
      billing: [{}, { name: '', address: { line1: '' }, phone: {} }],
      shipping: null,
    });
    assert.deepEqual([made.billing, made.shipping], [[], []]);
  });

  const mistakes: ReadonlyArray<readonly [what: string, fields: object, ...pointers: string[]]> = [
    ['more contacts than allowed', { billing: Array(21).fill(home) }, '/billing'],
    ['no list', { shipping: home }, '/shipping'],
    ['a contact that is text', { billing: ['Home'] }, '/billing/0'],
    ['an unknown field', { billing: [{ ...home, street: 'x' }] }, '/billing/0/street'],
    [
      'bad values',
      { shipping_address: [home, { name: 'x'.repeat(251), email: 'ada', address: { country: 'XX' } }] },
      '/shipping_address/1/address/country',
      '/shipping_address/1/email',
      '/shipping_address/1/name',
    ],
  ];
  for (const [what, fields, ...pointers] of mistakes) {
    test(`is told of ${what} among the contacts of a customer`, async () => {
      const answer = await writesNothing(service, () => call('POST', '/v3/customer', { body: fields }));
      const errors = pointers.map((pointer) => [15502, pointer] as const);
      assertRefused(answer, { status: 400, message: 'CUSTOMER.CREATE.FIELD_INVALID', errors });
    });
  }

  test('has as many contacts as allowed, and they go with the person', async () => {
    const all = Array.from({ length: 20 }, (_, n) => ({ ...home, label: `Place ${n}` }));
    const { id, billing } = await create({ billing: all });
    assert.deepEqual(billing, all);
    succeeded(await call('DELETE', `/v3/customer/${id}`));
    for (const [table, rows] of await contentsOf(database)) assert.ok(!rows.includes('Place 19'), table);
  });
});
