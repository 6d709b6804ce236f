/** What the service answers. These describe and test the answers; the bytes themselves are made by the serializer. */
import Type, { type TSchema } from 'typebox';
import { attemptStatuses, refundStatuses } from '../../checkout/session.ts';
import { closed, id, kind, nullable, oneOf, text, time } from './answer-fields.ts';
import { bankResources } from './bank.ts';
import { webhookResources } from './webhook-answers.ts';

const minorUnits = (description: string) => Type.Integer({ minimum: 0, description, examples: [2500] });
const ref = (name: string) => Type.Unsafe<unknown>({ $ref: `${name}#` });
const freeForm = (description: string) => Type.Object({}, { additionalProperties: true, description });
const metadata = freeForm('Whatever the merchant has put there.');

const phone = Type.Object({ calling_code: Type.String(), number: Type.String() }, closed);

const payer = Type.Object(
  {
    customer: text('Id of the customer, or an empty string.', 'cus_01k9zq4tn30000x5r7m2c9w1he'),
    name: text('Name.', 'Ada Lovelace'),
    email: text('E-mail address.', 'ada@example.com'),
    country: text('ISO 3166-1 alpha-2 code.', 'GB'),
    phone: nullable(phone),
    billing_details: nullable(freeForm('Where the invoice goes.')),
    shipping_details: nullable(freeForm('Where the goods go.')),
  },
  closed,
);

const paymentFacts = {
  invoice_currency: text('ISO 4217 code.', 'EUR'),
  amount: minorUnits('Total to pay, in minor units of the currency.'),
  amount_paid: minorUnits('Sum of the booked payments.'),
  customer_details: payer,
  success_url: text('Where the payer goes after paying.', 'https://shop.example.com/thanks'),
  cancel_url: text('Where the payer goes who does not want to pay.', 'https://shop.example.com/cart'),
  webhook_url: text('Where events of the session are sent.', 'https://shop.example.com/webhooks/opentill'),
  transaction_description: text('What is being paid.', '2 x Widget'),
  payment_attempts: Type.Array(ref('PaymentAttempt')),
  latest_payment_attempt: Type.String({
    description: 'Id of the newest attempt, or an empty string.',
    examples: [''],
  }),
  partially_paid: Type.Boolean({ description: 'A part is paid, but not all.' }),
  paid_in_excess: Type.Boolean({ description: 'More is paid than was asked for.' }),
  transaction_documents: Type.Array(
    Type.Object(
      {
        type: oneOf(
          ['receipt', 'invoice'],
          '`receipt`: from the first payment on. `invoice`: with the details of the transfer, while one is waited for.',
        ),
        url: text('A PDF for the payer.', 'https://pay.example.com/transaction/1t01k9zq…/receipt.pdf'),
      },
      closed,
    ),
    { description: 'PDF documents for the payer.' },
  ),
  reference_id: text('The merchant’s reference, or a UUID.', 'order-1001'),
  metadata,
};

export const resources = {
  Checkout: Type.Object(
    {
      id: id('chk'),
      object: kind('checkout'),
      ...paymentFacts,
      payment_methods: Type.Array(Type.String(), { examples: [['card']] }),
      expires_at: nullable(time('When the session expires or has expired; null for never.')),
      created_at: time('When it was created.'),
      url: text('The payer’s page.', 'https://pay.example.com/transaction/1t01k9zq…'),
      status: oneOf(['active', 'completed', 'expired'], 'Where the session is in its life.'),
      payment_status: oneOf(
        ['unpaid', 'paid', 'expired'],
        '`paid` once the amount is covered, and then for good.',
      ),
      payment_status_description: Type.String({ description: 'Empty when there is nothing to say.' }),
      payin: id('chk'),
    },
    { ...closed, $id: 'Checkout', description: 'A hosted payment request for an invoice.' },
  ),
  PaymentAttempt: Type.Object(
    {
      id: id('pat'),
      object: kind('payment_attempt'),
      created_at: time('When it started.'),
      amount: minorUnits('What the payer was asked for.'),
      charge_currency: text('ISO 4217 code.', 'EUR'),
      payin: id('chk'),
      status: oneOf(
        attemptStatuses,
        'How it stands. `unknown`: the rail has not answered yet, and is asked again.',
      ),
      status_description: Type.String({ description: 'Why it failed, or what was received; else empty.' }),
      payment_method_details: Type.Object(
        {
          type: text('Payment method.', 'card'),
          rail: text('Who carries it out.', 'sandbox'),
          reference: Type.String(),
        },
        closed,
      ),
      refunded: Type.Boolean(),
      metadata,
    },
    { ...closed, $id: 'PaymentAttempt', description: 'One try of a payer to pay a session.' },
  ),
  Payin: Type.Object(
    {
      id: id('chk'),
      object: kind('payin'),
      checkout: id('chk'),
      created_at: time('When the session was created.'),
      status: oneOf(
        ['requires_payment_method', 'requires_action', 'processing', 'succeeded', 'cancelled'],
        'How the collection of the money stands.',
      ),
      status_description: Type.String(),
      ...paymentFacts,
      amount_refunded: minorUnits('What has gone back to the payer.'),
      refunds: Type.Array(ref('Refund'), { description: 'Oldest first.' }),
      reversals: Type.Array(ref('Reversal'), { description: 'Money that a rail takes back, oldest first.' }),
    },
    { ...closed, $id: 'Payin', description: 'The collection of a session’s money; it has the session’s id.' },
  ),
  Refund: Type.Object(
    {
      id: id('rfd'),
      object: kind('refund'),
      created_at: time('When it was asked for.'),
      amount: minorUnits('What goes back.'),
      currency: text('ISO 4217 code.', 'EUR'),
      payin: id('chk'),
      payment_attempt: id('pat'),
      status: oneOf(refundStatuses, 'How it stands.'),
      status_description: Type.String({ description: 'Why it failed; else empty.' }),
      reason: text('As given.', 'The parcel was lost.'),
      remarks: Type.String({ description: 'As given.' }),
      reference: Type.String({ description: 'The rail’s own id of it, or empty.' }),
      webhook_url: Type.String({
        description: 'Where its events are sent; empty: where those of the session are.',
      }),
      metadata,
    },
    { ...closed, $id: 'Refund', description: 'Money that goes back to the payer.' },
  ),
  Reversal: Type.Object(
    {
      object: kind('reversal'),
      kind: oneOf(['dispute', 'return'], 'A card holder disputes a charge, or a bank returns a transfer.'),
      reference: text('The rail’s own id of it.', 'dp_1N2x'),
      created_at: time('When it became known.'),
      amount: minorUnits('What is taken back.'),
      currency: text('ISO 4217 code.', 'EUR'),
      payin: id('chk'),
      payment_attempt: id('pat'),
      status: oneOf(['open', 'lost', 'won'], '`open`: not decided; `lost`: the money is gone.'),
      reason: Type.String({ description: 'In the rail’s words.' }),
    },
    { ...closed, $id: 'Reversal', description: 'Money that a rail takes back.' },
  ),
  Customer: Type.Object(
    {
      id: id('cus'),
      object: kind('customer'),
      created_at: time('When it was created.'),
      name: text('Name.', 'Ada Lovelace'),
      email: text('E-mail address; no two customers have the same.', 'ada@example.com'),
      country: text('ISO 3166-1 alpha-2 code.', 'GB'),
      phone: nullable(phone),
      reference_id: text('The merchant’s reference.', 'customer-42'),
      metadata,
    },
    { ...closed, $id: 'Customer', description: 'The merchant’s record of a payer.' },
  ),
  Event: Type.Object(
    {
      type: text('What happened.', 'checkout.paid'),
      id: id('evt'),
      object: kind('event'),
      created_at: time('When it happened.'),
      data: freeForm(
        'The whole session, attempt, refund, reversal, payin or webhook endpoint as it was then.',
      ),
      version: Type.Integer({
        minimum: 1,
        description: 'Version of the session (or endpoint) after the change.',
        examples: [3],
      }),
      sequence: Type.Integer({
        minimum: 1,
        description: 'Counts the events of the session (or endpoint).',
        examples: [4],
      }),
    },
    {
      ...closed,
      $id: 'Event',
      description:
        'Something that happened to a session or an endpoint. The same bytes are sent to receivers.',
    },
  ),
  TimelineEntry: Type.Object(
    {
      event: id('evt'),
      object: kind('timeline_entry'),
      type: text('Type of the event.', 'checkout.paid'),
      description: text('In words.', 'The session was paid.'),
      created_at: time('When it happened.'),
      version: Type.Integer({ minimum: 1 }),
      sequence: Type.Integer({ minimum: 1 }),
    },
    { ...closed, $id: 'TimelineEntry', description: 'A line of a session’s history.' },
  ),
  PaymentMethods: Type.Object(
    {
      object: kind('payment_methods'),
      amount: nullable(minorUnits('As asked.')),
      invoice_currency: text('As asked.', 'EUR'),
      customer_country: Type.String({ description: 'As asked, or empty.' }),
      payment_methods: Type.Array(
        Type.Object(
          { type: text('As clients write it.', 'card'), name: text('As payers know it.', 'Card') },
          closed,
        ),
      ),
    },
    { ...closed, $id: 'PaymentMethods', description: 'What payers can choose from on this occasion.' },
  ),
  Clock: Type.Object(
    { object: kind('clock'), now: time('What the test clock shows now.') },
    { ...closed, $id: 'Clock', description: 'The clock of an account’s test data.' },
  ),
  ...webhookResources,
  ...bankResources,
  FileContent: Type.Object(
    {
      object: kind('file_content'),
      name: text('A name for the file.', 'bfl_01k9zq4tn30000x5r7m2c9w1he.xml'),
      media_type: text('Of the content.', 'application/xml'),
      content: Type.String({ description: 'The text of the file (UTF-8).' }),
    },
    { ...closed, $id: 'FileContent', description: 'A file that was made here.' },
  ),
  Deleted: Type.Object(
    { id: Type.String(), object: Type.String(), deleted: Type.Literal(true) },
    { ...closed, $id: 'Deleted', description: 'What is gone.' },
  ),
  Error: Type.Object(
    {
      status: Type.Literal('error', { type: 'string' }),
      message: text('`RESOURCE.OPERATION.REASON`.', 'CHECKOUT.UPDATE.NOT_FOUND'),
      errors: Type.Array(
        Type.Object(
          {
            code: Type.Integer({ description: 'See the reference of errors.', examples: [105] }),
            message: text('What is wrong, in a sentence.', 'There is no such checkout session.'),
            remarks: Type.String({ description: 'The field as a JSON pointer (RFC 6901), or empty.' }),
          },
          closed,
        ),
        { minItems: 1 },
      ),
      request_id: text('Names the request in the logs.', 'req_1x2y3z0001'),
    },
    { ...closed, $id: 'Error', description: 'A request that failed; all its mistakes at once.' },
  ),
  Problem: Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      instance: Type.String(),
      code: Type.Integer(),
      message: Type.String(),
      errors: Type.Array(
        Type.Object({ code: Type.Integer(), detail: Type.String(), pointer: Type.String() }, closed),
      ),
      request_id: Type.String(),
    },
    { ...closed, $id: 'Problem', description: 'The same as a problem document (RFC 9457).' },
  ),
} as const;

export type ResourceName = keyof typeof resources;

export function successOf(operation: string, resource: ResourceName): TSchema {
  return Type.Object({ ...envelopeFields(operation), data: ref(resource) }, { additionalProperties: false });
}

export function listOf(operation: string, resource: ResourceName): TSchema {
  return Type.Object(
    {
      ...envelopeFields(operation),
      data: Type.Array(ref(resource)),
      has_more: Type.Boolean({ description: 'There are more rows in this direction.' }),
      next_cursor: nullable(Type.String({ description: 'Where the next page begins.' })),
    },
    { additionalProperties: false },
  );
}

function envelopeFields(operation: string) {
  return {
    status: Type.Literal('success', { type: 'string' }),
    message: Type.Literal(`${operation}.SUCCESS`, { type: 'string' }),
  };
}
