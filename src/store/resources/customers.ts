import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { CustomerId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { byKey, load, locked } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { type AskedOf, boundsOf, conditionsOf, one, owned, pageOf, type Read } from './read.ts';

const filters = {
  email: (email: string) => sql`email = ${emailKey(email)}`,
};

export type CustomerFilter = AskedOf<typeof filters>;

export function customerFrom({ data }: Pick<Row<'customer'>, 'data'>): Customer {
  return JSON.parse(data);
}

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
  fetch: (tenant: Tenant, id: CustomerId): Read<Customer | null> =>
    one(sql`SELECT data FROM customer WHERE ${owned(tenant)} AND id = ${id}`, customerFrom),

  list: (tenant: Tenant, filter: CustomerFilter, page: PageRequest): Read<Page<Customer>> =>
    pageOf(
      {
        select: sql`SELECT data FROM customer`,
        conditions: [owned(tenant), ...conditionsOf(filters, filter)],
        bounds: boundsOf('cus', {}, page),
        row: customerFrom,
      },
      page,
    ),
};

type Change = { readonly customer?: Customer };

export const loadCustomers = load({
  keyOf: (id: CustomerId) => id,
  read: (tenant, ids) =>
    byKey(
      sql`SELECT id, data FROM customer WHERE ${owned(tenant)} AND ${isAnyOf('id', ids)}${locked('id')}`,
      (row: Row<'customer'>) => [row.id, customerFrom(row)],
    ),
  apply(known, { customer }: Change) {
    if (customer) known.set(customer.id, customer);
  },
});

/** By the keys of their e-mail addresses. Whoever makes a session for somebody must find them there still. */
export const loadCustomersByEmail = load({
  keyOf: (email: string) => email,
  read: (tenant, emails) =>
    byKey(
      sql`SELECT email, data FROM customer
          WHERE ${owned(tenant)} AND ${isAnyOf('email', emails)}${locked('id', 'KEY SHARE')}`,
      (row: Row<'customer'>) => [row.email ?? '', customerFrom(row)],
    ),
  apply(known, { customer }: Change) {
    if (!customer) return;
    for (const [email, { id }] of known) if (id === customer.id) known.delete(email);
    const email = emailKey(customer.email);
    if (email !== '') known.set(email, customer);
  },
});
