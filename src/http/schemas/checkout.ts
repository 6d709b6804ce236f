/** Requests about sessions, and the parameters that all lists share. */

import type { CustomerId } from '../../checkout/ids.ts';
import { MAX_AMOUNT } from '../../checkout/money.ts';
import type { IdPrefix } from '../../lib/id.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import {
  address,
  amount,
  contact,
  country,
  currency,
  cursorText,
  email,
  givenMetadata,
  givenReference,
  idInPath,
  LINE,
  lines,
  personName,
  phone,
  text,
  timestamp,
  titled,
} from './fields.ts';

const givenCustomerId = Type.Unsafe<CustomerId>(
  titled('GivenCustomerId', text(64, 'Id of the customer.', 'cus_01k9zq4tn30000x5r7m2c9w1he')),
);

const itemFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 250,
    pattern: LINE,
    title: 'ItemName',
    description: 'Name.',
    examples: ['Widget'],
  }),
  quantity: titled(
    'Quantity',
    Type.Integer({ minimum: 1, maximum: MAX_AMOUNT, description: 'Quantity.', examples: [2] }),
  ),
  description: Type.Optional(titled('ItemDescription', lines(5000, 'Details of the item.'))),
};

const priceOfOne = (description: string) => titled('UnitPrice', amount(description));
const unitPrice = priceOfOne('Price of one unit, in minor units of the invoice currency.');

export const createItem = Type.Object(
  {
    ...itemFields,
    unit_price: Type.Optional(unitPrice),
    amount: Type.Optional(priceOfOne('Alias of `unit_price`.')),
  },
  { additionalProperties: false },
);

export const updateItem = Type.Object(
  { ...itemFields, unit_price: unitPrice },
  { additionalProperties: false },
);

const MAX_ITEMS = 100;

const methods = (description: string, limits: { readonly minItems?: number; readonly title?: string } = {}) =>
  Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,64}$' }), {
    ...limits,
    maxItems: 100,
    uniqueItems: true,
    description,
    examples: [['card', 'local_bank_transfer_eur']],
  });

const named = { title: 'MethodNames' };

export const createBody = Type.Object(
  {
    invoice_currency: currency,
    amount: Type.Optional(
      amount(
        'Total to pay, in minor units, tax and shipping included. Default: the sum of the items; without items, 0 (a draft).',
      ),
    ),
    items: Type.Optional(
      Type.Array(createItem, {
        maxItems: MAX_ITEMS,
        description: 'Items of the invoice. An empty list counts as absent.',
      }),
    ),
    customer: Type.Optional(givenCustomerId),
    customer_details: Type.Optional(
      Type.Object(
        {
          customer: Type.Optional(givenCustomerId),
          name: Type.Optional(personName('Name of the payer.')),
          email: Type.Optional(email),
          country: Type.Optional(country),
          phone: Type.Optional(phone),
          billing_details: Type.Optional(contact('Contact for the invoice.')),
          shipping_details: Type.Optional(contact('Contact for the delivery.')),
        },
        {
          additionalProperties: false,
          description: 'The payer. Creates a customer, or uses the one with the same e-mail address.',
        },
      ),
    ),
    billing_details: Type.Optional(contact('Contact for the invoice.')),
    shipping_details: Type.Optional(contact('Contact for the delivery.')),
    success_url: Type.Optional(address('Address to which the payer returns after paying.')),
    cancel_url: Type.Optional(address('Address to which the payer returns without paying.')),
    webhook_url: Type.Optional(address('Receiver of this session’s events.')),
    payment_methods: Type.Optional(
      methods(
        'Methods that the payer can choose. Default, also for an empty list: all available ones.',
        named,
      ),
    ),
    remove_payment_methods: Type.Optional(
      methods(
        'Methods to leave out; unknown names are ignored. Without effect if `payment_methods` is given.',
        named,
      ),
    ),
    transaction_description: Type.Optional(
      lines(2000, 'What the payer pays for. Default: a list of the items.'),
    ),
    expires_at: Type.Optional(
      Type.Union([timestamp('A time.'), Type.Null()], {
        description: 'Time at which the session expires, from 60 seconds to 180 days ahead. Default: never.',
      }),
    ),
    reference_id: Type.Optional(givenReference('Your reference. Default: a generated UUID.', 'order-1001')),
    metadata: Type.Optional(givenMetadata),
    txn_source: Type.Optional(Type.Unknown({ description: 'Accepted for compatibility; without effect.' })),
    txn_source_category: Type.Optional(
      Type.Unknown({ description: 'Accepted for compatibility; without effect.' }),
    ),
    same_as_billing_address: Type.Optional(
      Type.Unknown({ description: 'Accepted for compatibility; without effect.' }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        invoice_currency: 'EUR',
        items: [{ name: 'Widget', quantity: 2, unit_price: 1250 }],
        customer_details: { name: 'Ada Lovelace', email: 'ada@example.com', country: 'GB' },
        success_url: 'https://shop.example.com/thanks',
        cancel_url: 'https://shop.example.com/cart',
        webhook_url: 'https://shop.example.com/webhooks/opentill',
        reference_id: 'order-1001',
        metadata: { order_id: 'A-1001', customer_notes: 'Please wrap it.' },
      },
    ],
  },
);
export type CreateBody = Static<typeof createBody>;

export const updateBody = Type.Object(
  {
    items: Type.Optional(
      Type.Array(updateItem, {
        minItems: 1,
        maxItems: MAX_ITEMS,
        description: 'Replaces all items; the amount becomes their sum, and the description their list.',
      }),
    ),
    payment_methods: Type.Optional(
      methods('Replaces the methods that the payer can choose. At least one must be available.', {
        minItems: 1,
      }),
    ),
    metadata: Type.Optional(givenMetadata),
  },
  {
    additionalProperties: false,
    examples: [
      {
        items: [
          { name: 'Widget', quantity: 2, unit_price: 1250 },
          { name: 'Gadget', quantity: 1, unit_price: 700 },
        ],
        metadata: { order_id: 'A-1001', customer_notes: null },
      },
    ],
  },
);
export type UpdateBody = Static<typeof updateBody>;

export const idOf = <P extends IdPrefix>(prefix: P, what: string) =>
  Type.Object({ id: idInPath(prefix, `Id of the ${what}.`) });

export const pageSize = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Page size.' }),
);

export const pageQuery = <P extends IdPrefix>(prefix: P) => {
  const cursor = (description: string) => cursorText(prefix, description);
  return {
    limit: pageSize,
    after: Type.Optional(cursor('Cursor: the page of the next older rows.')),
    before: Type.Optional(cursor('Cursor: the page of the next newer rows.')),
  };
};
