/** The part of the oracle that knows people: who was forgotten, what that leaves of their sessions and events. */
import { DatabaseSync } from 'node:sqlite';
import type { Customer } from '../../src/checkout/customer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { sameTenant, type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import type { Writes } from '../../src/store/store.ts';
import { nobody } from '../checkout/build.ts';

type Known = { readonly tenant: Tenant; readonly customer: Customer };

export function createPeopleOracle() {
  const known = new Map<string, Known>();
  /** The number of times that a person was erased: another one comes after each. */
  const times = new Map<number, number>();
  /** E-mail addresses of the forgotten, in tenants where they did not come again. */
  const forgotten = new Map<string, string>();

  return {
    known,

    /** The details that a person gives to a shop. */
    detailsOf(person: number): { readonly name: string; readonly email: string } {
      const name = `Person ${person}${times.get(person) ?? 0}`;
      return { name, email: `${name.replace(' ', '-').toLowerCase()}@example.com` };
    },

    committed(tenant: Tenant, { customer, checkout, erasedCustomer }: Writes): void {
      if (customer) known.set(customer.id, { tenant, customer });
      // A request from before may be carried out only now.
      const email = customer?.email || checkout?.after.payer.email;
      if (email) forgotten.delete(`${tenantName(tenant)} ${email}`);
      if (!erasedCustomer) return;
      known.delete(erasedCustomer.id);
      const [, person] = /^Person (\d)/.exec(erasedCustomer.name) ?? [];
      if (person !== undefined) times.set(Number(person), (times.get(Number(person)) ?? 0) + 1);
      if (erasedCustomer.email)
        forgotten.set(`${tenantName(tenant)} ${erasedCustomer.email}`, erasedCustomer.email);
    },

    /** True if the session is one of theirs. */
    isOf: ({ id, tenant }: Customer, session: Checkout): boolean =>
      session.payer.customer === id && sameTenant(session.tenant, tenant),

    /** A session of theirs afterwards: it has a further version, and tells of nobody. */
    without: (session: Checkout): Checkout => ({
      ...session,
      version: session.version + 1,
      payer: { ...nobody, customer: session.payer.customer },
    }),

    /** Places where somebody who was forgotten is still found. */
    traces(path: string): string[] {
      const emails = [...forgotten.values()].filter(
        (email) => ![...known.values()].some(({ customer }) => customer.email === email),
      );
      if (emails.length === 0) return [];
      const database = new DatabaseSync(path, { readOnly: true });
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const found = tables.flatMap(({ name }) =>
        database
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .flatMap((row) => {
            const text = Object.values(row).join('\n');
            return emails.filter((email) => text.includes(email)).map((email) => `${name} has ${email}`);
          }),
      );
      database.close();
      return found;
    },
  };
}

/** The text without the customer's personal data. */
export function withoutPerson(text: string, { name, email }: Customer): string {
  return [name, email]
    .filter((said) => said !== '')
    .reduce((left, said) => left.replaceAll(JSON.stringify(said), '""'), text);
}
