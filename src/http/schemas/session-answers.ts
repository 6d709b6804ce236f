/** Resources around a session: the session itself, its attempts and its payin. */

import type {
  representAttempt,
  representCheckout,
  representItem,
  representPayin,
} from '../../checkout/representation.ts';
import { attemptStatuses } from '../../checkout/session.ts';
import { Type } from '../../lib/json-schema.ts';
import {
  closed,
  createdAt,
  currencyCode,
  type FieldsOf,
  freeForm,
  id,
  kind,
  minorUnits,
  nullable,
  oneOf,
  ref,
  text,
  time,
} from './answer-fields.ts';
import { titled } from './fields.ts';

const metadata = titled('Metadata', freeForm('Your own data.', { order_id: 'A-1001' }));

const customer = titled(
  'CustomerIdOrEmpty',
  text('Id of the customer, or empty.', 'cus_01k9zq4tn30000x5r7m2c9w1he'),
);
const payerContacts = {
  billing_details: titled('BillingDetails', nullable(freeForm('Contact for the invoice.'))),
  shipping_details: titled('ShippingDetails', nullable(freeForm('Contact for the delivery.'))),
};

const token = text('Opens the payment page alone.', '1t01k9zq…');

const paymentFacts = {
  invoice_currency: currencyCode(),
  amount: minorUnits('Total to pay, in minor units of the currency.'),
  amount_paid: minorUnits('Sum of the booked payments.'),
  customer,
  customer_details: ref('CustomerDetails'),
  ...payerContacts,
  items: Type.Array(ref('Item'), { description: 'Items of the invoice.' }),
  success_url: titled(
    'SuccessAddress',
    text('Address to which the payer returns after paying.', 'https://shop.example.com/thanks'),
  ),
  cancel_url: titled(
    'CancelAddress',
    text('Address to which the payer returns without paying.', 'https://shop.example.com/cart'),
  ),
  webhook_url: titled(
    'ReceiverAddress',
    text('Receiver of the session’s events.', 'https://shop.example.com/webhooks/opentill'),
  ),
  transaction_description: text('What the payer pays for.', '2 x Widget'),
  payment_attempts: Type.Array(ref('PaymentAttempt'), {
    title: 'PaymentAttempts',
    description: 'Oldest first.',
  }),
  latest_payment_attempt: text('Id of the newest attempt, or empty.', ''),
  partially_paid: Type.Boolean({ description: 'Part of the amount is paid.' }),
  paid_in_excess: Type.Boolean({ description: 'More than the amount is paid.' }),
  transaction_documents: Type.Array(ref('TransactionDocument'), {
    title: 'TransactionDocuments',
    description: 'PDF documents for the payer.',
  }),
  reference_id: text('Your reference, or a generated UUID.', 'order-1001'),
  metadata,
};

const payinFacts = {
  id: id('chk'),
  object: kind('payin'),
  checkout: id('chk'),
  created_at: time('Time at which the session was created.'),
  status: oneOf(
    ['requires_payment_method', 'requires_action', 'processing', 'succeeded', 'cancelled'],
    'Status of the collection.',
  ),
  status_description: text('Explanation of the status, or empty.', ''),
  ...paymentFacts,
  client_token: token,
  amount_refunded: minorUnits('Sum of the refunds.'),
  refunds: Type.Array(ref('Refund'), { description: 'Oldest first.' }),
  reversals: Type.Array(ref('Reversal'), {
    description: 'Payments that a rail takes back, oldest first.',
  }),
} satisfies FieldsOf<typeof representPayin>;

export const sessionResources = {
  Checkout: Type.Object(
    {
      id: id('chk'),
      object: kind('checkout'),
      ...paymentFacts,
      payment_methods: Type.Array(Type.String(), {
        description: 'Methods that the payer can choose.',
        examples: [['card']],
      }),
      expires_at: nullable(time('Time at which the session expires or has expired; null if it never does.')),
      created_at: createdAt,
      url: text('Payment page.', 'https://pay.example.com/transaction/1t01k9zq…'),
      token,
      status: oneOf(['active', 'completed', 'expired'], 'Lifecycle.'),
      payment_status: oneOf(
        ['unpaid', 'paid', 'expired'],
        '`paid` once the payments cover the amount; this is final.',
      ),
      payment_status_description: text('Explanation of the payment status, or empty.', ''),
      payin: id('chk'),
    } satisfies FieldsOf<typeof representCheckout>,
    { ...closed, description: 'A hosted payment request for an invoice.' },
  ),
  Item: Type.Object(
    {
      name: text('Name.', 'Widget'),
      description: text('Details, or empty.', ''),
      quantity: Type.Integer({ description: 'Quantity.', examples: [2] }),
      unit_price: minorUnits('Price of one unit.'),
      amount: minorUnits('Price of all units.'),
    } satisfies FieldsOf<typeof representItem>,
    { ...closed, description: 'One line of the invoice.' },
  ),
  CustomerDetails: Type.Object(
    {
      customer,
      name: text('Name.', 'Ada Lovelace'),
      email: text('E-mail address.', 'ada@example.com'),
      country: text('ISO 3166-1 alpha-2 code.', 'GB'),
      phone: nullable(ref('PhoneNumber')),
      ...payerContacts,
    },
    { ...closed, description: 'The payer of a session.' },
  ),
  TransactionDocument: Type.Object(
    {
      type: oneOf(
        ['receipt', 'invoice'],
        '`receipt`: from the first payment on. `invoice`: the details of a bank transfer, while one is expected.',
      ),
      url: text('Address of the PDF.', 'https://pay.example.com/transaction/1t01k9zq…/receipt.pdf'),
    },
    { ...closed, description: 'A PDF document for the payer.' },
  ),
  PaymentAttempt: Type.Object(
    {
      id: id('pat'),
      object: kind('payment_attempt'),
      created_at: time('Time of its start.'),
      amount: minorUnits('Requested amount.'),
      charge_currency: currencyCode(),
      payin: id('chk'),
      checkout: id('chk'),
      reference_id: text('Reference of the session.', 'order-1001'),
      customer,
      status: oneOf(
        attemptStatuses,
        'Status. `unknown`: the rail has not answered yet; the service asks again.',
      ),
      status_description: text('Reason of a failure, or the amount received; otherwise empty.', ''),
      payment_method_details: Type.Object(
        {
          type: text('Payment method.', 'card'),
          rail: text('Rail that carries out the payment.', 'sandbox'),
          reference: text('Reference of the payment at the rail.', 'pi_3Q1x2y'),
        },
        { ...closed, description: 'Payment method of the attempt.' },
      ),
      refunded: Type.Boolean({ description: 'Its whole payment was refunded.' }),
      metadata,
    } satisfies FieldsOf<typeof representAttempt>,
    { ...closed, description: 'One attempt of a payer to pay a session.' },
  ),
  Payin: Type.Object(payinFacts, {
    ...closed,
    description: 'The collection of a session’s money; its id is the id of the session.',
  }),
  ConfirmedPayin: Type.Object(
    {
      ...payinFacts,
      redirect_url: text(
        'Address at which the payer continues.',
        'https://pay.example.com/transaction/1t01k9zq…',
      ),
    },
    { ...closed, description: 'A payin with an attempt that was just started.' },
  ),
} as const;
