import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { CustomerId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { sql } from '../sql.ts';
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

/** By the key of the e-mail address; nobody has the empty one. */
export function customerByEmail(tenant: Tenant, email: string): Read<Customer | null> {
  return one(
    sql`SELECT data FROM customer WHERE ${owned(tenant)} AND email = ${email || null}`,
    customerFrom,
  );
}
