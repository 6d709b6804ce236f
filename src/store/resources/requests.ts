/** The log of requests: entries in lists, as rows, and those that go in time. */
import { MOST_REQUESTS, type RequestEntry } from '../../accounts/request-log.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { RealTime } from '../../lib/time.ts';
import { checksumIn, sound } from '../checksum.ts';
import type { Page, PageRequest } from '../page.ts';
import { raw, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { columnsIn, type Row } from '../tables.ts';
import { type AskedOf, boundsOf, conditionsOf, inTime, one, owned, pageOf, type Read } from './read.ts';

export type NewRequest = { readonly tenant: Tenant; readonly entry: RequestEntry };

/** Entries that are removed at once. */
const AT_ONCE = 500;

export const requestRow = ({ errors, ...entry }: RequestEntry): Row<'request_log'> => ({
  ...entry,
  errors: JSON.stringify(errors),
});

function entryIn(row: Row<'request_log'>): RequestEntry {
  const { errors, ...entry } = sound('request_log', row);
  return { ...entry, errors: JSON.parse(errors) };
}

/** True for most entries: the table has no numbers of rows, and times end in anything. */
const RARELY = 'at & 63';

/** Statuses from the first to the last of these. */
export type Statuses = readonly [from: number, to: number];

/**
 * No filter has an index: a tenant has so few entries that a page may look at all of them, and each index would be written
 * with every entry.
 */
const filters = {
  requestId: { condition: (id: string) => sql`request_id = ${id}` },
  actor: { condition: (actor: string) => sql`actor = ${actor}` },
  operation: { condition: (operation: string) => sql`operation = ${operation}` },
  subject: { condition: (id: string) => sql`subject = ${id}` },
  status: { condition: ([from, to]: Statuses) => sql`status BETWEEN ${from} AND ${to}` },
};

/** Entries that are asked for; times are inclusive at the start and exclusive at the end. */
export type RequestFilter = AskedOf<typeof filters> & {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
};

export const requestLog = {
  list: (tenant: Tenant, filter: RequestFilter, page: PageRequest): Read<Page<RequestEntry>> =>
    pageOf(
      {
        select: sql`SELECT ${raw(columnsIn('request_log'))}${checksumIn('request_log')} FROM request_log`,
        conditions: [owned(tenant), ...conditionsOf(filters, filter), inTime(RARELY)],
        bounds: boundsOf({ ...filter, prefix: 'rql' }, page),
        row: entryIn,
        rare: true,
        searches: tenant,
      },
      page,
    ),
};

/** Id of the oldest entry that stays for the number of them, or null where all do. */
export const oldestKept = (tenant: Tenant): Read<string | null> => ({
  ...one(
    sql`SELECT id FROM request_log WHERE ${owned(tenant)} AND ${inTime(RARELY)}
        ORDER BY id DESC LIMIT 1 OFFSET ${MOST_REQUESTS - 1}`,
    ({ id }: { readonly id: string }) => id,
  ),
  by: 'list',
  tenant,
  rare: true,
});

/** Removes entries from before a time, and those in front of this one: some of them at a time, the oldest first. */
export function* trimRequests(tenant: Tenant, createdBefore: RealTime, kept: string | null): Steps<number> {
  const first = firstIdAt('rql', createdBefore);
  const end = kept !== null && kept > first ? kept : first;
  const [last] = yield* rowsOf<{ readonly id: string }>(sql`
    SELECT id FROM request_log WHERE ${owned(tenant)} AND id < ${end} ORDER BY id LIMIT 1 OFFSET ${AT_ONCE - 1}`);
  const isOld = last === undefined ? sql`id < ${end}` : sql`id <= ${last.id}`;
  const gone = yield* rowsOf(sql`DELETE FROM request_log WHERE ${owned(tenant)} AND ${isOld} RETURNING id`);
  return gone.length;
}
