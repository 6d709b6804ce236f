/** Resources that the API answers with. They describe and test the answers; the bytes are made by the serializers. */
import type { representCustomer } from '../../checkout/representation.ts';
import { Type } from '../../lib/json-schema.ts';
import {
  closed,
  createdAt,
  explanation,
  type FieldsOf,
  freeForm,
  id,
  kind,
  minorUnits,
  mistake,
  nullable,
  oneOf,
  phone,
  ref,
  requestId,
  text,
  time,
} from './answer-fields.ts';
import { bankResources } from './bank-answers.ts';
import { eventResources } from './event-answers.ts';
import { titled } from './fields.ts';
import { managementResources } from './management-answers.ts';
import { movementResources } from './movement-answers.ts';
import { overviewResources } from './overview-answers.ts';
import { refundResources } from './refund-answers.ts';
import { sessionResources } from './session-answers.ts';
import { webhookResources } from './webhook-answers.ts';

export const resources = {
  ...sessionResources,
  ...refundResources,
  ...movementResources,
  ...overviewResources,
  Customer: Type.Object(
    {
      id: id('cus'),
      object: kind('customer'),
      created_at: createdAt,
      name: text('Name.', 'Ada Lovelace'),
      email: text('E-mail address; unique among the customers of an account and mode.', 'ada@example.com'),
      country: text('ISO 3166-1 alpha-2 code.', 'GB'),
      phone: nullable(ref('PhoneNumber')),
      billing: Type.Array(ref('ContactDetails'), { description: 'Contacts for invoices.' }),
      shipping: Type.Array(ref('ContactDetails'), { description: 'Contacts for deliveries.' }),
      reference_id: text('Your reference.', 'customer-42'),
      metadata: freeForm('Your own data.', { tier: 'gold' }),
    } satisfies FieldsOf<typeof representCustomer>,
    { ...closed, description: 'Your record of a payer.' },
  ),
  PhoneNumber: phone,
  ContactDetails: Type.Object(
    {
      label: text('A name for the contact, or empty.', 'Home'),
      name: text('Name of the person or company.', 'Ada Lovelace'),
      email: text('E-mail address, or empty.', 'ada@example.com'),
      phone: nullable(ref('PhoneNumber')),
      address: nullable(ref('Address')),
    },
    { ...closed, description: 'A contact of a customer.' },
  ),
  Address: Type.Object(
    {
      line1: text('Line 1.', '12 St James’s Square'),
      line2: text('Second line, or empty.', ''),
      city: text('City.', 'London'),
      state: text('State or region, or empty.', ''),
      country: text('ISO 3166-1 alpha-2 code.', 'GB'),
      postal_code: text('Postcode.', 'SW1Y 4LB'),
    },
    { ...closed, description: 'A postal address.' },
  ),
  ...eventResources,
  PaymentMethods: Type.Object(
    {
      object: kind('payment_methods'),
      amount: nullable(minorUnits('Amount of the request.')),
      invoice_currency: text('Currency of the request.', 'EUR'),
      customer_country: text('Country of the request, or empty.', 'DE'),
      country: text('The same country.', 'DE'),
      payment_methods: Type.Array(
        Type.Object(
          {
            type: text('Name in requests and answers.', 'card'),
            name: text('Name that payers see.', 'Card'),
            display_name: text('The same name.', 'Card'),
            group: text('`card`, `bank_transfer`, `APM` for others.', 'card'),
            family: text('Kind of the method.', 'card'),
            currency: text('Currency that the payer pays in.', 'EUR'),
            amount: nullable(minorUnits('Amount that the payer pays.')),
            logo: Type.Array(Type.String(), { description: 'Addresses of logos; empty.' }),
            experience_type: oneOf(
              ['redirect', 'inline'],
              '`redirect`: the payer leaves the payment page to pay.',
            ),
          },
          closed,
        ),
        { description: 'Available methods.' },
      ),
    },
    { ...closed, description: 'Payment methods available for an amount, currency and country.' },
  ),
  Clock: Type.Object(
    { object: kind('clock'), now: time('Time of the test clock.') },
    { ...closed, description: 'The clock of an account’s test data.' },
  ),
  ...webhookResources,
  ...bankResources,
  ...managementResources,
  FileContent: Type.Object(
    {
      object: kind('file_content'),
      name: text('Suggested file name.', 'bfl_01k9zq4tn30000x5r7m2c9w1he.xml'),
      media_type: text('Media type of the content.', 'application/xml'),
      content: text(
        'Text of the file (UTF-8).',
        '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">…</Document>\n',
      ),
    },
    { ...closed, description: 'The content of a generated file.' },
  ),
  Deleted: Type.Object(
    {
      id: text('Id of what was deleted.', 'cus_01k9zq4tn30000x5r7m2c9w1he'),
      object: text('Kind of the deleted resource.', 'customer'),
      deleted: Type.Literal(true),
    },
    { ...closed, description: 'Confirmation of a deletion.' },
  ),
} as const;

const refusedBecause = titled(
  'ErrorMessage',
  text('`RESOURCE.OPERATION.REASON`.', 'CHECKOUT.UPDATE.NOT_FOUND'),
);

/** Bodies of failed requests. */
export const errorBodies = {
  Error: Type.Object(
    {
      status: Type.Literal('error', { type: 'string' }),
      message: refusedBecause,
      errors: Type.Array(mistake, { minItems: 1, description: 'All mistakes of the request.' }),
      request_id: requestId('Identifies the request in the log.'),
    },
    { ...closed, description: 'A failed request, with all its mistakes.' },
  ),
  Problem: Type.Object(
    {
      type: text('URL of the page about the reason.', 'https://pay.example.com/docs/errors#not_found'),
      title: text('Meaning of the reason.', 'The resource does not exist.'),
      status: Type.Integer({ description: 'HTTP status.', examples: [404] }),
      detail: text('Explanation of this case.', 'There is no such checkout session.'),
      instance: text('URN of the request.', 'urn:opentill:request:req_1x2y3z0001'),
      code: Type.Integer({ description: 'Code of the reason.', examples: [105] }),
      message: refusedBecause,
      errors: Type.Array(
        Type.Object(
          {
            code: Type.Integer({ description: 'Code of the reason.', examples: [105] }),
            detail: explanation,
            pointer: text('Invalid field as JSON pointer (RFC 6901), or empty.', ''),
          },
          closed,
        ),
        { description: 'All mistakes of the request.' },
      ),
      request_id: requestId('Identifies the request in the log.'),
    },
    { ...closed, description: 'A failed request as a problem document (RFC 9457).' },
  ),
} as const;

export type ResourceName = keyof typeof resources;
