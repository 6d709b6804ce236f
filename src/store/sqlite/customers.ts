import type { DatabaseSync } from 'node:sqlite';
import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../store.ts';
import { type Condition, pageOf, pageQuery } from './page.ts';
import { customerFrom, liveOf, type Row } from './rows.ts';

export type CustomerReader = ReturnType<typeof customerReader>;

export function customerReader(database: DatabaseSync) {
  const byId = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND id = ?');
  const byEmail = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND email = ?');
  const one = (row: unknown) => (row === undefined ? null : customerFrom(row as Row));

  return {
    read: (tenant: Tenant, id: string): Customer | null => one(byId.get(tenant.account, liveOf(tenant), id)),

    readByEmail: (tenant: Tenant, email: string): Customer | null =>
      email === '' ? null : one(byEmail.get(tenant.account, liveOf(tenant), email)),

    list(tenant: Tenant, filter: { email?: string }, page: PageRequest): Page<Customer> {
      const ofEmail: Condition = filter.email === undefined ? null : ['email = ?', emailKey(filter.email)];
      const { sql, values } = pageQuery('SELECT data FROM customer', tenant, [ofEmail], page);
      const rows = database.prepare(sql).all(...values) as Row[];
      return pageOf(rows.map(customerFrom), page);
    },
  };
}
