import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Customer,
  type CustomerCommand,
  decideCustomer,
  emailKey,
  identifyPayer,
} from '../../src/checkout/customer.ts';
import { representCustomer } from '../../src/checkout/representation.ts';
import type { Payer } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { frozen, nobody, T } from './build.ts';

const tenant: Tenant = { account: 1, mode: 'test' };
const phone = { callingCode: '49', number: '301234567' };
const ada: Customer = frozen({
  id: 'cus_ada',
  tenant,
  createdAt: T,
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  country: 'GB',
  phone,
  billing: [{ label: 'Home', address: { city: 'London' } }],
  shipping: [],
  referenceId: 'crm-1',
  metadata: { vip: true },
});
const bob: Customer = frozen({ ...ada, id: 'cus_bob', name: 'Bob', email: 'bob@example.org' });

suite('the key of an e-mail address', () => {
  const rows = [
    { email: 'ada@example.org', key: 'ada@example.org' },
    { email: '  Ada@Example.ORG ', key: 'ada@example.org' },
    { email: 'ada+shop@example.org', key: 'ada+shop@example.org' },
    { email: '', key: '' },
    { email: '  ', key: '' },
  ];
  for (const { email, key } of rows) test(JSON.stringify(email), () => assert.equal(emailKey(email), key));
});

suite('a command for a customer', () => {
  const { id, tenant: _scope, createdAt, ...fields } = ada;
  const create: CustomerCommand = {
    type: 'create_customer',
    id,
    tenant,
    now: createdAt,
    fields,
    ifKnown: 'refuse',
  };
  const rename: CustomerCommand = { type: 'update_customer', fields: { name: 'Ada' } };
  const erase: CustomerCommand = { type: 'erase_customer' };
  const nothing: CustomerCommand = { type: 'update_customer', fields: {} };
  const fiftyKeys = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, n]));
  const taken = {
    kind: 'refusal',
    reason: 'customer_exists',
    detail: 'Another customer has this e-mail address.',
    problems: [{ pointer: '/email', detail: 'belongs to another customer' }],
  };
  const missing = {
    kind: 'refusal',
    reason: 'not_found',
    detail: 'There is no such customer.',
    problems: [],
  };

  const rows: readonly {
    name: string;
    customer: Customer | null;
    customerByEmail: Customer | null;
    when: CustomerCommand;
    gives: object;
  }[] = [
    {
      name: 'create for an e-mail address that is known, where that is an update',
      customer: null,
      customerByEmail: ada,
      when: { ...create, id: 'cus_new', fields: { email: ada.email, name: 'Ada L.' }, ifKnown: 'update' },
      gives: { kind: 'change', customer: { ...ada, name: 'Ada L.' } },
    },
    {
      name: 'create with an e-mail address alone',
      customer: null,
      customerByEmail: null,
      when: { ...create, fields: { email: 'grace@example.org' } },
      gives: {
        kind: 'change',
        customer: {
          ...{ id, tenant, createdAt, name: '', email: 'grace@example.org', country: '', phone: null },
          ...{ billing: [], shipping: [], referenceId: '', metadata: {} },
        },
      },
    },
    {
      name: 'create',
      customer: null,
      customerByEmail: null,
      when: create,
      gives: { kind: 'change', customer: ada },
    },
    {
      name: 'create with the address of another',
      customer: null,
      customerByEmail: bob,
      when: create,
      gives: taken,
    },
    {
      name: 'update',
      customer: ada,
      customerByEmail: null,
      when: rename,
      gives: { kind: 'change', customer: { ...ada, name: 'Ada' } },
    },
    {
      name: 'update with its own address',
      customer: ada,
      customerByEmail: ada,
      when: { type: 'update_customer', fields: { email: 'ADA@example.org' } },
      gives: { kind: 'change', customer: { ...ada, email: 'ADA@example.org' } },
    },
    {
      name: 'update with the address of another',
      customer: ada,
      customerByEmail: bob,
      when: { type: 'update_customer', fields: { email: 'bob@example.org' } },
      gives: taken,
    },
    {
      name: 'update that empties fields',
      customer: ada,
      customerByEmail: null,
      when: { type: 'update_customer', fields: { phone: null, country: '', metadata: { vip: null } } },
      gives: { kind: 'change', customer: { ...ada, phone: null, country: '', metadata: {} } },
    },
    {
      name: 'update of contacts replaces the list that it names',
      customer: ada,
      customerByEmail: null,
      when: { type: 'update_customer', fields: { billing: [], shipping: [{ name: 'Ada' }] } },
      gives: { kind: 'change', customer: { ...ada, billing: [], shipping: [{ name: 'Ada' }] } },
    },
    {
      name: 'update of metadata keeps what it does not name',
      customer: ada,
      customerByEmail: null,
      when: { type: 'update_customer', fields: { metadata: { level: 2 } } },
      gives: { kind: 'change', customer: { ...ada, metadata: { vip: true, level: 2 } } },
    },
    {
      name: 'update that makes the metadata too large',
      customer: ada,
      customerByEmail: null,
      when: { type: 'update_customer', fields: { metadata: fiftyKeys } },
      gives: {
        kind: 'refusal',
        reason: 'field_invalid',
        detail: 'The request has invalid fields.',
        problems: [{ pointer: '/metadata', detail: 'must have at most 50 top-level keys after the merge' }],
      },
    },
    {
      name: 'update of nothing',
      customer: ada,
      customerByEmail: null,
      when: nothing,
      gives: { kind: 'unchanged', customer: ada },
    },
    {
      name: 'update of one that is not there',
      customer: null,
      customerByEmail: null,
      when: rename,
      gives: missing,
    },
    {
      name: 'update of one that is not there goes before the address of another',
      customer: null,
      customerByEmail: bob,
      when: rename,
      gives: missing,
    },
    {
      name: 'erase',
      customer: ada,
      customerByEmail: null,
      when: erase,
      gives: { kind: 'erased', customer: ada },
    },
    {
      name: 'erase, whoever has the address',
      customer: ada,
      customerByEmail: bob,
      when: erase,
      gives: { kind: 'erased', customer: ada },
    },
    {
      name: 'erase of one that is not there',
      customer: null,
      customerByEmail: null,
      when: erase,
      gives: missing,
    },
  ];
  for (const { name, customer, customerByEmail, when, gives } of rows) {
    test(name, () => assert.deepEqual(decideCustomer(customer, customerByEmail, frozen(when)), gives));
  }
});

suite('who pays a new session', () => {
  const fresh = { id: 'cus_new', tenant, now: T } as const;
  const details: Payer = frozen({
    ...nobody,
    name: 'Grace',
    email: 'grace@example.org',
    country: 'US',
    phone: { callingCode: '1', number: '5550100' },
  });
  const created: Customer = {
    id: 'cus_new',
    tenant,
    createdAt: T,
    name: 'Grace',
    email: 'grace@example.org',
    country: 'US',
    phone: { callingCode: '1', number: '5550100' },
    billing: [],
    shipping: [],
    referenceId: '',
    metadata: {},
  };

  test('nobody in particular', () => {
    assert.deepEqual(identifyPayer(nobody, null, fresh), { payer: nobody, created: null });
  });

  test('nobody in particular, at some address: that makes no customer', () => {
    const payer = { ...nobody, billingDetails: { city: 'Berlin' }, shippingDetails: { city: 'Bonn' } };
    assert.deepEqual(identifyPayer(payer, null, fresh), { payer, created: null });
  });

  test('somebody new, who becomes a customer', () => {
    assert.deepEqual(identifyPayer(details, null, fresh), {
      payer: { ...details, customer: 'cus_new' },
      created,
    });
  });

  const single: readonly Partial<Payer>[] = [
    { name: 'Grace' },
    { email: 'g@example.org' },
    { country: 'US' },
    { phone },
  ];
  for (const given of single) {
    test(`somebody of whom only the ${Object.keys(given).join()} is known becomes a customer`, () => {
      const result = identifyPayer({ ...nobody, ...given }, null, fresh);
      assert.partialDeepStrictEqual(result, { payer: { customer: 'cus_new' }, created: given });
    });
  }

  test('the customer that is named, with what its record says', () => {
    const { name, email, country } = ada;
    assert.deepEqual(identifyPayer({ ...nobody, customer: ada.id }, ada, fresh), {
      payer: { ...nobody, customer: ada.id, name, email, country, phone },
      created: null,
    });
  });

  test('the customer with the same address; what the request says goes first', () => {
    const payer = {
      ...nobody,
      email: 'ADA@example.org',
      name: 'A. Lovelace',
      billingDetails: { city: 'London' },
    };
    assert.deepEqual(identifyPayer(payer, ada, fresh), {
      payer: { ...payer, customer: ada.id, country: 'GB', phone },
      created: null,
    });
  });

  test('the customer that is named, under what the request says of it', () => {
    const payer = { ...details, customer: ada.id };
    assert.deepEqual(identifyPayer(payer, ada, fresh), { payer, created: null });
  });

  test('not a customer that is not there, whatever else is said', () => {
    for (const payer of [
      { ...nobody, customer: 'cus_x' },
      { ...details, customer: 'cus_x' },
    ] as const) {
      assert.partialDeepStrictEqual(identifyPayer(payer, null, fresh), {
        kind: 'refusal',
        reason: 'field_invalid',
        problems: [{ pointer: '/customer' }],
      });
    }
  });
});

suite('a customer as it is shown', () => {
  test('with every field', () => {
    assert.equal(
      JSON.stringify(representCustomer(ada)),
      '{"id":"cus_ada","object":"customer","created_at":"2030-01-15T12:00:00.000Z","name":"Ada Lovelace",' +
        '"email":"ada@example.org","country":"GB","phone":{"calling_code":"49","number":"301234567"},' +
        '"billing":[{"label":"Home","address":{"city":"London"}}],"shipping":[],' +
        '"reference_id":"crm-1","metadata":{"vip":true}}',
    );
  });

  test('without a phone', () => assert.equal(representCustomer({ ...ada, phone: null }).phone, null));
});
