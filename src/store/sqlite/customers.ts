import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Scope } from '../../checkout/session.ts';
import type { Page, PageRequest } from '../store.ts';
import { customerFrom, liveOf, type Row } from './rows.ts';

export type CustomerReader = ReturnType<typeof customerReader>;

export function customerReader(database: DatabaseSync) {
  const byId = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND id = ?');
  const byEmail = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND email = ?');
  const one = (row: unknown) => (row === undefined ? null : customerFrom(row as Row));

  return {
    read: (scope: Scope, id: string): Customer | null => one(byId.get(scope.account, liveOf(scope), id)),

    readByEmail: (scope: Scope, email: string): Customer | null =>
      email === '' ? null : one(byEmail.get(scope.account, liveOf(scope), email)),

    list(scope: Scope, filter: { email?: string }, page: PageRequest): Page<Customer> {
      const conditions = ['account = ? AND live = ?'];
      const values: SQLInputValue[] = [scope.account, liveOf(scope)];
      const add = (condition: string, value: SQLInputValue) => {
        conditions.push(condition);
        values.push(value);
      };
      if (filter.email !== undefined) add('email = ?', emailKey(filter.email));
      if (page.after !== undefined) add('id < ?', page.after);
      if (page.before !== undefined) add('id > ?', page.before);
      const direction = page.before === undefined ? 'DESC' : 'ASC';
      const sql = `SELECT data FROM customer WHERE ${conditions.join(' AND ')} ORDER BY id ${direction} LIMIT ?`;
      const rows = database.prepare(sql).all(...values, page.limit + 1);
      const shown = rows.slice(0, page.limit).map((row) => customerFrom(row as Row));
      return { rows: page.before === undefined ? shown : shown.reverse(), hasMore: rows.length > page.limit };
    },
  };
}
