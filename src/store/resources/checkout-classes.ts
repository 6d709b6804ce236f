/**
 * Classes of sessions: those with the same currency, status, payment status, and state of their payment. There are few,
 * and one index has the sessions of each in the order of lists. Whatever is asked of these five, alone or together, is a
 * number of classes, and a page of a list is found in the first of each.
 */
import type { PaymentStatus, Status } from '../../checkout/statuses.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { PageRequest } from '../page.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import type { CheckoutFilter } from './checkout-filters.ts';
import { directionOf, indexedBy, owned, upTo } from './read.ts';

const statuses: readonly Status[] = ['active', 'completed', 'expired'];
const paymentStatuses: readonly PaymentStatus[] = ['unpaid', 'paid', 'expired'];
/** Partially paid, and paid in excess. */
const states = [
  [false, false],
  [true, false],
  [false, true],
] as const;

const fits = <T>(asked: T | undefined, value: T): boolean => asked === undefined || asked === value;

/** The classes of a currency as rows; there is always one, which may have no sessions. */
export function classesOf({ status, paymentStatus, partiallyPaid, paidInExcess }: CheckoutFilter): Sql {
  const rows: string[] = [];
  for (const one of statuses.filter((each) => fits(status, each))) {
    for (const other of paymentStatuses.filter((each) => fits(paymentStatus, each))) {
      for (const [partially, excess] of states) {
        if (!fits(partiallyPaid, partially) || !fits(paidInExcess, excess)) continue;
        rows.push(`('${one}', '${other}', ${partially}, ${excess})`);
      }
    }
  }
  return raw(`VALUES ${rows.join(', ') || `('', '', false, false)`}`);
}

/** The currencies of the tenant, from each to the next one in the index. */
export function currenciesOf(tenant: Tenant, { currency }: Pick<CheckoutFilter, 'currency'>): Sql {
  if (currency !== undefined) {
    return either({ sqlite: sql`SELECT ${currency}`, postgres: sql`SELECT ${currency}::text COLLATE "C"` });
  }
  const from = sql`FROM checkout${indexedBy('checkout_class')} WHERE ${owned(tenant)}`;
  return sql`SELECT min(invoice_currency) ${from} UNION ALL
    SELECT (SELECT min(invoice_currency) ${from} AND invoice_currency > name) FROM currency WHERE name IS NOT NULL`;
}

/** The condition that a session is of the class and the currency of a row. */
export const isOfClass = (tenant: Tenant): Sql => sql`${owned(tenant, 'checkout')}
  AND invoice_currency = currency.name
  AND checkout.status = class.status AND checkout.payment_status = class.payment_status
  AND checkout.partially_paid = class.partially_paid AND checkout.paid_in_excess = class.paid_in_excess`;

type How = {
  readonly page: PageRequest;
  /** Bounds of the ids, each behind an AND. */
  readonly within: Sql;
  /** So many of each class are enough, the first in the order of the list. */
  readonly most: number | null;
};

/** The ids of the sessions in all classes that the filter stands for. */
export function classed(tenant: Tenant, filter: CheckoutFilter, { page, within, most }: How): Sql {
  const conditions = sql`${isOfClass(tenant)}${within}`;
  const first = sql`SELECT id FROM checkout${indexedBy('checkout_class')} WHERE ${conditions}
    ORDER BY id ${directionOf(page)}${upTo(most)}`;
  const lateral = either({
    // SQLite has no LATERAL, and a value may depend on what stands before it.
    sqlite:
      most === null
        ? sql`checkout.id FROM currency CROSS JOIN class CROSS JOIN checkout INDEXED BY checkout_class ON ${conditions}`
        : sql`found.value FROM currency CROSS JOIN class
            CROSS JOIN json_each((SELECT json_group_array(id) FROM (${first}))) AS found`,
    postgres: sql`found.id FROM currency CROSS JOIN class CROSS JOIN LATERAL (${first}) AS found`,
  });
  return sql`WITH RECURSIVE currency (name) AS (${currenciesOf(tenant, filter)}),
    class (status, payment_status, partially_paid, paid_in_excess) AS (${classesOf(filter)})
    SELECT ${lateral}`;
}
