/** Sessions: one by one, and in lists by their indexes. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import { searchable } from '../columns.ts';
import type { CheckoutFilter, Page, PageRequest } from '../store.ts';
import type { CheckoutCache } from './cache.ts';
import type { Pool } from './pool.ts';
import { type CheckoutRow, paymentsJson, tenantColumns } from './rows.ts';

/** Sessions that are read with one statement. */
const MAX_GATHERED = 256;

export function checkoutReader(pool: Pool, cache: CheckoutCache) {
  const readGathered = gatheringReader(pool, cache);
  return {
    read: readGathered,

    async readByAttempt(tenant: Tenant, attempt: string): Promise<Checkout | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<Array<{ checkout: string }>>`
          SELECT checkout FROM payment_attempt WHERE account = ${account} AND live = ${live} AND id = ${attempt}`,
      );
      return row ? readGathered(tenant, row.checkout) : null;
    },

    async readByRefund(tenant: Tenant, refund: string): Promise<Checkout | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<Array<{ checkout: string }>>`
          SELECT checkout FROM refund WHERE account = ${account} AND live = ${live} AND id = ${refund}`,
      );
      return row ? readGathered(tenant, row.checkout) : null;
    },

    /** Of the session that knows this attempt or payment. */
    async ownerOfReference(tenant: Tenant, rail: string, reference: string): Promise<string | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<Array<{ checkout: string }>>`
          SELECT checkout FROM payment_attempt
          WHERE account = ${account} AND live = ${live} AND rail = ${rail} AND reference = ${reference}
          UNION ALL
          SELECT checkout FROM payment
          WHERE account = ${account} AND live = ${live} AND rail = ${rail} AND reference = ${reference}`,
      );
      return row?.checkout ?? null;
    },

    /** Attempts that wait for a transfer of this amount, the newest first. */
    async awaiting(
      tenant: Tenant,
      currency: string,
      amount: number,
      limit: number,
    ): Promise<Array<{ checkout: string; attempt: string }>> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.read(
        (sql) => sql<Array<{ checkout: string; attempt: string }>>`
          SELECT checkout, attempt FROM awaited
          WHERE account = ${account} AND live = ${live} AND currency = ${currency} AND amount = ${amount}
          ORDER BY attempt DESC LIMIT ${limit}`,
      );
      return rows.map(({ checkout, attempt }) => ({ checkout, attempt }));
    },

    async list(tenant: Tenant, filter: CheckoutFilter, page: PageRequest): Promise<Page<Checkout>> {
      const { text, values } = listQuery(tenant, filter, page);
      // Of the many forms that this statement has each is rare: to prepare them all would only fill memory.
      const rows = await pool.search((sql) => sql.unsafe<CheckoutRow[]>(text, values, { prepare: false }));
      const shown = rows.slice(0, page.limit).map((row) => cache.same(tenant, row));
      return {
        rows: page.before === undefined ? shown : shown.reverse(),
        hasMore: rows.length > page.limit,
      };
    },
  };
}

/**
 * Reads with one statement what is asked for in one turn of the event loop, in each account and mode: a statement costs
 * more than a row. It is sent after the last of them has asked, so nobody gets what was older than the question.
 */
function gatheringReader(pool: Pool, cache: CheckoutCache) {
  type Gathering = { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, Checkout>> };
  const gatherings = new Map<number, Gathering>();

  function gather(tenant: Tenant, place: number): Gathering {
    const ids = new Set<string>();
    const turnIsOver = new Promise((resolve) => setImmediate(resolve));
    const found = turnIsOver.then(() => {
      if (gatherings.get(place)?.ids === ids) gatherings.delete(place);
      return pool.read((sql) => cache.read(sql, tenant, [...ids]));
    });
    const gathering = { ids, found };
    gatherings.set(place, gathering);
    return gathering;
  }

  return async (tenant: Tenant, id: string): Promise<Checkout | null> => {
    const place = 2 * tenant.account + Number(tenant.mode === 'live');
    const open = gatherings.get(place);
    const { ids, found } = open && open.ids.size < MAX_GATHERED ? open : gather(tenant, place);
    ids.add(id);
    return (await found).get(id) ?? null;
  };
}

type Value = string | number | boolean;

/**
 * Which rows are looked at, in the order of the list. What finds few among many leads, and the page is full after as
 * few rows as can be; all that is asked for besides is checked on each. Exported for the tests that hold every filter
 * to an index.
 */
export function listQuery(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
): { text: string; values: Value[] } {
  const values: Value[] = [...tenantColumns(tenant)];
  const bind = (value: Value): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  const add = (condition: string) => conditions.push(condition);
  const tenantKey = (table: string) => `${table}.account = $1 AND ${table}.live = $2`;

  // What an amount or a beginning is asked of has its own, narrow rows; each of them leads to its session.
  const { amountFrom, amountTo } = filter;
  const [led, ...further] = filter.metadata ?? [];
  const leader = led ? 'found' : amountFrom !== undefined || amountTo !== undefined ? 'overview' : 'checkout';
  const key = leader === 'found' ? 'found.checkout' : `${leader}.id`;
  const source = [
    ...(leader === 'found'
      ? ['checkout_metadata AS found JOIN checkout ON checkout.id = found.checkout']
      : []),
    ...(leader === 'overview'
      ? ['checkout_overview AS overview JOIN checkout ON checkout.id = overview.id']
      : []),
    ...(leader === 'checkout' ? ['checkout'] : []),
  ];
  const ranged = amountFrom !== undefined || amountTo !== undefined;
  if (leader === 'found' && ranged)
    source.push('JOIN checkout_overview AS overview ON overview.id = checkout.id');

  add(tenantKey('checkout'));
  if (ranged) add(tenantKey('overview'));
  if (led) add(`${tenantKey('found')} AND found.name = ${bind(led[0])} AND found.value = ${bind(led[1])}`);
  if (filter.status !== undefined) add(`status = ${bind(filter.status)}`);
  if (filter.paymentStatus !== undefined) add(`payment_status = ${bind(filter.paymentStatus)}`);
  if (filter.currency !== undefined) add(`invoice_currency = ${bind(filter.currency)}`);
  if (filter.referenceId !== undefined) add(`reference_id = ${bind(filter.referenceId)}`);
  if (filter.customer !== undefined) add(`customer = ${bind(filter.customer)}`);
  if (amountFrom !== undefined) add(`overview.amount >= ${bind(amountFrom)}`);
  if (amountTo !== undefined) add(`overview.amount <= ${bind(amountTo)}`);
  if (filter.partiallyPaid !== undefined) add(`${filter.partiallyPaid ? '' : 'NOT '}partially_paid`);
  if (filter.paidInExcess !== undefined) add(`${filter.paidInExcess ? '' : 'NOT '}paid_in_excess`);
  for (const [name, value] of further) {
    add(`EXISTS (SELECT 1 FROM checkout_metadata AS further WHERE ${tenantKey('further')}
      AND further.name = ${bind(name)} AND further.value = ${bind(value)} AND further.checkout = checkout.id)`);
  }
  const bounds = boundsOf(filter, page).map(([comparison, id]) => `${comparison} ${bind(id)}`);
  for (const bound of bounds) add(`${key} ${bound}`);

  const direction = page.before === undefined ? 'DESC' : 'ASC';
  const limit = bind(page.limit + 1);
  if (filter.search !== undefined) {
    const branches = searchBranches(filter.search).map(({ table, column, prefix }) => {
      const within = bounds.map((bound) => ` AND id ${bound}`).join('');
      return `SELECT id FROM ${table} WHERE ${tenantKey(table)}
        AND ${column} >= ${bind(prefix)} AND ${column} < ${bind(`${prefix}\u{10ffff}`)}${within}`;
    });
    add(`checkout.id IN (${branches.join(' UNION ALL ')})`);
  }
  return {
    text: `SELECT checkout.id, version, event_count, data, ${paymentsJson} AS payments FROM ${source.join(' ')}
           WHERE ${conditions.join(' AND ')} ORDER BY ${key} ${direction} LIMIT ${limit}`,
    values,
  };
}

type Bound = readonly [comparison: '<' | '>' | '>=', id: string];

/** Ids begin with the time at which they were made, so the order of ids serves ranges of time as well as pages. */
function boundsOf({ createdFrom, createdBefore }: CheckoutFilter, { after, before }: PageRequest): Bound[] {
  const bounds: Bound[] = [];
  if (createdFrom !== undefined) bounds.push(['>=', firstIdAt('chk', createdFrom)]);
  if (before !== undefined) bounds.push(['>', before]);
  if (createdBefore !== undefined) bounds.push(['<', firstIdAt('chk', createdBefore)]);
  if (after !== undefined) bounds.push(['<', after]);
  return bounds;
}

function searchBranches(search: string) {
  const prefix = searchable(search);
  return [
    { table: 'checkout', column: 'id', prefix },
    { table: 'checkout', column: 'reference_id', prefix: search },
    { table: 'checkout', column: 'email', prefix },
    { table: 'checkout_overview', column: 'description', prefix },
  ];
}
