import type { CustomerCommand, CustomerFields } from '../../checkout/customer.ts';
import type { Problem } from '../../checkout/refusals.ts';
import { serializePhone } from '../../checkout/representation.ts';
import type { ContactDetails } from '../../checkout/session.ts';
import { newId } from '../../lib/id.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { JSON_TYPE, notFound, originOf, principalOf, sendResult } from '../answer.ts';
import type { Api } from '../api.ts';
import type { Dependencies } from '../dependencies.ts';
import { created, envelope, success } from '../envelope.ts';
import { fieldsError } from '../errors.ts';
import { readMetadata, readPatch, schemaProblems, usableFields } from '../input.ts';
import { pageOf, sendList } from '../list.ts';
import { operation } from '../operation.ts';
import { idOf, pageQuery } from '../schemas/checkout.ts';
import {
  contacts,
  country,
  email,
  type GivenContact,
  givenMetadata,
  givenReference,
  personName,
  phone,
} from '../schemas/fields.ts';
import { readPhone } from './checkout-input.ts';

const tag = 'Customers';
const params = idOf('cus', 'customer');
const NO_SUCH_CUSTOMER = 'There is no such customer.';

const customerBody = Type.Object(
  {
    name: Type.Optional(personName('Name.')),
    email: Type.Optional(email),
    country: Type.Optional(country),
    phone: Type.Optional(phone),
    billing: Type.Optional(contacts('Contacts for invoices.')),
    shipping: Type.Optional(contacts('Contacts for deliveries.')),
    billing_address: Type.Optional(contacts('Alias of `billing`; ignored if both are given.')),
    shipping_address: Type.Optional(contacts('Alias of `shipping`; ignored if both are given.')),
    reference_id: Type.Optional(givenReference('Your reference.', 'customer-42')),
    metadata: Type.Optional(givenMetadata),
  },
  {
    additionalProperties: false,
    examples: [{ name: 'Ada Lovelace', email: 'ada@example.com', country: 'GB' }],
  },
);

const query = Type.Object(
  { ...pageQuery('cus'), email: Type.Optional(email) },
  { additionalProperties: false },
);

export function customerRoutes(api: Api, { store, execute, serializer, now }: Dependencies): void {
  api.post(
    '/customer',
    operation(
      {
        operation: 'CUSTOMER.CREATE',
        tag,
        permission: 'write',
        summary: 'Create a customer',
        description: 'Creating a session with the details of its payer also creates a customer.',
        inV3: 'for a known e-mail address, the existing customer is updated and returned with 200.',
        statusCode: 201,
        answers: 'Customer',
        errors: ['bad_metadata', 'customer_exists'],
      },
      { body: customerBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const fields = readCustomer(request.body, schemaProblems(request), readMetadata);
      const time = await now(origin.tenant);
      const id = newId('cus', time);
      const { tenant } = origin;
      const ifKnown = request.loose ? 'update' : 'refuse';
      const command: CustomerCommand = { type: 'create_customer', id, tenant, now: time, fields, ifKnown };
      const executed = await execute({ subject: 'customer', origin, id, now: time, command }, (customer) => {
        const data = serializer.customer(customer);
        return customer.id === id
          ? created('CUSTOMER.CREATE', data, `/v3/customer/${id}`)
          : success('CUSTOMER.CREATE', data);
      });
      return sendResult(reply, executed);
    },
  );

  api.get(
    '/customer',
    operation(
      {
        operation: 'CUSTOMER.LIST',
        tag,
        permission: 'read',
        summary: 'List customers',
        description: 'Newest first.',
        lists: 'Customer',
      },
      { querystring: query },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const page = pageOf(request.query);
      const filter = request.query.email === undefined ? {} : { email: request.query.email };
      const { rows, hasMore } = await store.customers.list(principalOf(request).tenant, filter, page);
      return sendList(reply, 'CUSTOMER.LIST', rows, serializer.customer, { page, hasMore });
    },
  );

  api.get(
    '/customer/:id',
    operation(
      {
        operation: 'CUSTOMER.FETCH',
        tag,
        permission: 'read',
        summary: 'Fetch a customer',
        answers: 'Customer',
      },
      { params },
    ),
    async (request, reply) => {
      schemaProblems(request);
      const customer = await store.customers.fetch(principalOf(request).tenant, request.params.id);
      if (customer === null) throw notFound(NO_SUCH_CUSTOMER);
      return reply.type(JSON_TYPE).send(envelope('CUSTOMER.FETCH', serializer.customer(customer)));
    },
  );

  api.put(
    '/customer/:id',
    operation(
      {
        operation: 'CUSTOMER.UPDATE',
        tag,
        permission: 'write',
        summary: 'Update a customer',
        description:
          'Omitted fields keep their values. `billing` and `shipping` replace the whole list. `metadata` is a JSON merge patch (RFC 7396). Existing sessions keep their customer details.',
        answers: 'Customer',
        errors: ['bad_metadata', 'customer_exists'],
      },
      { params, body: customerBody },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      const fields = readCustomer(request.body, schemaProblems(request), readPatch);
      const change = {
        subject: 'customer',
        origin,
        id: request.params.id,
        now: await now(origin.tenant),
        command: { type: 'update_customer', fields },
      } as const;
      const executed = await execute(change, (customer) =>
        success('CUSTOMER.UPDATE', serializer.customer(customer)),
      );
      return sendResult(reply, executed);
    },
  );

  api.delete(
    '/customer/:id',
    operation(
      {
        operation: 'CUSTOMER.DELETE',
        tag,
        permission: 'write',
        noBody: true,
        summary: 'Erase a customer’s personal data',
        description:
          'Deletes the customer with its contacts, and removes name, address, e-mail, country and phone from its sessions and events. Amounts, statuses and references remain.',
        answers: 'Deleted',
      },
      { params },
    ),
    async (request, reply) => {
      const origin = originOf(request);
      schemaProblems(request);
      const { id } = request.params;
      const change = {
        subject: 'customer',
        origin,
        id,
        now: await now(origin.tenant),
        command: { type: 'erase_customer' },
      } as const;
      const data = JSON.stringify({ id, object: 'customer', deleted: true });
      const executed = await execute(change, () => success('CUSTOMER.DELETE', data));
      return sendResult(reply, executed);
    },
  );
}

function readCustomer(
  body: Static<typeof customerBody>,
  schemaProblems: readonly Problem[],
  readObject: typeof readMetadata | typeof readPatch,
): Partial<CustomerFields> {
  const given = usableFields(body, schemaProblems);
  const problems = [...schemaProblems];
  const metadata = readObject(given.metadata, problems);
  if (problems.length > 0) throw fieldsError(problems);
  const { name, email, country, phone, reference_id } = given;
  const billing = given.billing ?? given.billing_address;
  const shipping = given.shipping ?? given.shipping_address;
  return {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(country === undefined ? {} : { country: country.toUpperCase() }),
    ...(phone === undefined ? {} : { phone: readPhone(phone) }),
    ...(billing === undefined ? {} : { billing: readContacts(billing) }),
    ...(shipping === undefined ? {} : { shipping: readContacts(shipping) }),
    ...(reference_id === undefined ? {} : { referenceId: reference_id }),
    ...(metadata === null ? {} : { metadata }),
  };
}

/** Contacts in the form in which they are kept and shown; those that say nothing are left out. */
function readContacts(given: readonly GivenContact[]): ContactDetails[] {
  return given.map(readContact).filter((contact) => Object.values(contact).some(Boolean));
}

function readContact({ address = {}, label, name, email, phone, ...beside }: GivenContact): ContactDetails {
  const { label: itsLabel, phone: itsPhone, ...within } = address;
  const postal = { ...beside, ...within };
  const { line1 = '', line2 = '', city = '', state = '', country = '', postal_code = '' } = postal;
  const isNowhere = Object.keys(postal).length === 0;
  return {
    label: label ?? itsLabel ?? '',
    name: name ?? '',
    email: email ?? '',
    phone: serializePhone(readPhone(phone ?? itsPhone)),
    address: isNowhere ? null : { line1, line2, city, state, country: country.toUpperCase(), postal_code },
  };
}
