/** The log of changes. */
import type { AuditEntry } from '../../accounts/audit.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt, newId } from '../../lib/id.ts';
import { checksumIn, sound } from '../checksum.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { conditionsOf, directionOf, type Filters, indexedBy, owned, pageFrom, type Read } from './read.ts';

export type Audit = Omit<AuditEntry, 'id'>;

/** The id is for PostgreSQL: a line may say the same as another one, and a row without a key cannot be moved to another node. */
export const writeAudit = rowOf('audit', (audit: Audit) => ({ ...audit, id: newId('aud', audit.at) }));

/** In SQLite a line of the log of changes has a number, which stays: none is ever removed. */
export const idOfLine = "printf('aud_%026d', rowid)";

/** The number in such an id. Another one is that of no line. */
function lineOf(id: string): number {
  const line = Number(id.slice('aud_'.length));
  return Number.isSafeInteger(line) ? line : 0;
}

const id = either({ sqlite: raw(`${idOfLine} AS id`), postgres: raw('id') });
const columns = sql`${id}, ${raw(columnsIn('audit'))}${checksumIn('audit')}`;

const key = either({ sqlite: raw('rowid'), postgres: raw('id') });
const from = sql`FROM audit${indexedBy('audit_tenant')}`;

/** Lines of the log that are asked for; times are inclusive at the start and exclusive at the end. */
export type AuditFilter = {
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly requestId?: string;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
};

/**
 * No filter has an index: each would cost every change of whatever kind one more page of SQLite's log, in batches as well
 * (by subject 1.1 pages a change: the lines of old sessions lie anywhere in it). A filtered page looks at lines one by one
 * instead, at `WALK` of them at most.
 */
const filters: Filters<Required<AuditFilter>> = {
  subject: { condition: (subject) => sql`subject = ${subject}` },
  actor: { condition: (actor) => sql`actor = ${actor}` },
  action: { condition: (action) => sql`action = ${action}` },
  requestId: { condition: (id) => sql`request_id = ${id}` },
  createdFrom: { condition: (time) => sql`at >= ${time}` },
  createdBefore: { condition: (time) => sql`at < ${time}` },
};

/** Lines that a filtered page looks at: some milliseconds of a thread that reads. */
const WALK = 5000;

/** Lines are in the order in which they were written. Their times are as well, but for clocks that differ by less than that. */
const DISORDER_MS = 3_600_000;

export const audit = {
  /** Lines of the tenant, the newest first. */
  list(tenant: Tenant, filter: AuditFilter, page: PageRequest): Read<AuditPage> {
    const conditions = conditionsOf(filters, filter);
    return conditions.length === 0 ? whole(tenant, page) : walk(tenant, filter, conditions, page);
  },
};

const soundLine = (row: AuditEntry) => sound('audit', row);

/** A page; `edge` is the last line that was looked at, if the page ends there before it is full. */
export type AuditPage = Page<AuditEntry> & { readonly edge?: string };

function whole(tenant: Tenant, page: PageRequest): Read<AuditPage> {
  return {
    sql: sql`SELECT ${columns} ${from} WHERE ${owned(tenant)}${beyond(page)}
      ORDER BY ${key} ${directionOf(page)} LIMIT ${page.limit + 1}`,
    by: 'page',
    from: pageFrom(page, soundLine),
  };
}

type Walked = { readonly edge: string | null; readonly edgeAt: number | null } & (
  | AuditEntry
  | { readonly id: null }
);

/** Lines that fit, up to the edge, which is the last one that the page may look at; there may be none so far. */
function walk(
  tenant: Tenant,
  filter: AuditFilter,
  conditions: readonly Sql[],
  page: PageRequest,
): Read<AuditPage> {
  const direction = directionOf(page);
  const isDown = page.before === undefined;
  const lines = sql`${from} WHERE ${owned(tenant)}${isDown ? below(tenant, filter, page) : beyond(page)}`;
  const inOrder = sql`ORDER BY ${key} ${direction}`;
  const edge = sql`(SELECT line FROM edge)`;
  const reached = isDown
    ? sql`${key} >= coalesce(${edge}, ${either({ sqlite: raw('0'), postgres: raw("''") })})`
    : sql`${key} <= coalesce(${edge}, ${either({ sqlite: raw('9223372036854775807'), postgres: raw("'~'") })})`;
  return {
    sql: sql`
      WITH edge AS MATERIALIZED (
        SELECT ${key} AS line, ${id}, at ${lines} ${inOrder} LIMIT 1 OFFSET ${(page.walk ?? WALK) - 1}
      ), found AS (
        SELECT ${columns} ${lines} AND ${join([reached, ...conditions], ' AND ')} ${inOrder} LIMIT ${page.limit + 1}
      )
      SELECT edge.id AS edge, edge.at AS "edgeAt", found.*
      FROM (SELECT 1) AS page LEFT JOIN edge ON true LEFT JOIN found ON true ORDER BY found.id ${direction}`,
    by: 'list',
    tenant,
    rare: true,
    from(rows) {
      const walked = rows as readonly Walked[];
      const [{ edge, edgeAt } = { edge: null, edgeAt: null }] = walked;
      const found = walked.flatMap(({ edge: _, edgeAt: __, ...line }) => (line.id === null ? [] : [line]));
      const { rows: fitting, hasMore } = pageFrom(page, soundLine)(found);
      if (hasMore || edge === null || edgeAt === null) return { rows: fitting, hasMore };
      return { rows: fitting, hasMore: !isOutside(filter, Number(edgeAt), isDown), edge };
    },
  };
}

/** True if no line behind the edge can be of the time that is asked for. */
function isOutside({ createdFrom, createdBefore }: AuditFilter, edgeAt: number, isDown: boolean): boolean {
  return isDown
    ? createdFrom !== undefined && edgeAt < createdFrom - DISORDER_MS
    : createdBefore !== undefined && edgeAt >= createdBefore + DISORDER_MS;
}

/**
 * The condition that a line is below the cursor, and not above the first one that can be of the time asked for, so that a
 * walk through the past begins there. PostgreSQL finds it by the time in the ids; those of lines that came from SQLite have
 * none, and are below all others. SQLite halves the numbers of lines until it has found it.
 */
function below(tenant: Tenant, { createdBefore: end }: AuditFilter, page: PageRequest): Sql {
  if (end === undefined) return beyond(page);
  const middle = raw('(low + high) / 2');
  const isLate = sql`(SELECT at ${from} WHERE ${owned(tenant)} AND rowid >= ${middle} ORDER BY rowid LIMIT 1)
    >= ${end + DISORDER_MS}`;
  const highest = page.after === undefined ? raw('9223372036854775807') : sql`${lineOf(page.after)}`;
  return either({
    // The lower of two ends: of two conditions, SQLite would seek by one and look at every line with the other.
    sqlite: sql` AND rowid < min(${highest}, (
      WITH RECURSIVE halved(low, high) AS (
        SELECT 0, coalesce((SELECT rowid ${from} WHERE ${owned(tenant)} ORDER BY rowid DESC LIMIT 1), 0) + 1
        UNION ALL
        SELECT iif(${isLate}, low, ${middle}), iif(${isLate}, ${middle}, high) FROM halved WHERE high - low > 1
      ) SELECT min(high) FROM halved))`,
    postgres: sql`${beyond(page)} AND id < ${firstIdAt('aud', end)}`,
  });
}

/** The condition that a line is on the other side of the cursor. */
function beyond({ after, before }: PageRequest): Sql {
  const cursor = before ?? after;
  if (cursor === undefined) return nothing;
  const comparison = raw(before === undefined ? '<' : '>');
  return either({
    sqlite: sql` AND rowid ${comparison} ${lineOf(cursor)}`,
    postgres: sql` AND id ${comparison} ${cursor}`,
  });
}
