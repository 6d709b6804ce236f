import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../store.ts';
import type { Pool } from './pool.ts';
import { customerFrom, tenantColumns } from './rows.ts';

type DataRow = { readonly data: string };

export function customerReader(pool: Pool) {
  return {
    async read(tenant: Tenant, id: string): Promise<Customer | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<DataRow[]>`
          SELECT data FROM customer WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? customerFrom(row) : null;
    },

    async list(tenant: Tenant, filter: { email?: string }, page: PageRequest): Promise<Page<Customer>> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.search(
        (sql) => sql<DataRow[]>`
          SELECT data FROM customer WHERE account = ${account} AND live = ${live}
            ${filter.email === undefined ? sql`` : sql`AND email = ${emailKey(filter.email)}`}
            ${page.after === undefined ? sql`` : sql`AND id < ${page.after}`}
            ${page.before === undefined ? sql`` : sql`AND id > ${page.before}`}
          ORDER BY id ${page.before === undefined ? sql`DESC` : sql`ASC`} LIMIT ${page.limit + 1}`,
      );
      const shown = rows.slice(0, page.limit).map(customerFrom);
      return { rows: page.before === undefined ? shown : shown.reverse(), hasMore: rows.length > page.limit };
    },
  };
}
