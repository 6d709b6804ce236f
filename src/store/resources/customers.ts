import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { CustomerId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { load } from '../loads.ts';
import type { PageRequest } from '../page.ts';
import { sql } from '../sql.ts';
import { rowOf } from '../writes.ts';
import { type AskedOf, conditionsOf } from './read.ts';
import { thingsIn } from './things.ts';

const people = thingsIn('customer', ({ data }): Customer => JSON.parse(data));

const filters = {
  // It is unique, and leads by itself.
  email: { condition: (email: string) => sql`email = ${emailKey(email)}` },
};

export type CustomerFilter = AskedOf<typeof filters>;

export const writeCustomer = rowOf(
  'customer',
  (customer: Customer) => ({
    id: customer.id,
    email: emailKey(customer.email) || null,
    data: JSON.stringify(customer),
  }),
  { sets: 'all', by: 'email' },
);

export const customers = {
  fetch: (tenant: Tenant, id: CustomerId) => people.fetch(tenant, 'id', id),

  list: (tenant: Tenant, filter: CustomerFilter, page: PageRequest) =>
    people.page(tenant, conditionsOf(filters, filter), page),
};

type Change = { readonly customer?: Customer };

export const loadCustomers = load({
  keyOf: (id: CustomerId) => id,
  ...people.loadedBy('id'),
  apply(known, { customer }: Change) {
    if (customer) known.set(customer.id, customer);
  },
});

/** Customers by the keys of their e-mail addresses. Whoever makes a session for somebody must find them there still. */
export const loadCustomersByEmail = load({
  keyOf: (email: string) => email,
  ...people.loadedBy('email', { how: 'KEY SHARE' }),
  apply(known, { customer }: Change) {
    if (!customer) return;
    for (const [email, { id }] of known) if (id === customer.id) known.delete(email);
    const email = emailKey(customer.email);
    if (email !== '') known.set(email, customer);
  },
});
