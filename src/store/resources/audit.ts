/** The log of changes. */
import type { AuditEntry } from '../../accounts/audit.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { newId } from '../../lib/id.ts';
import { checksumIn, sound } from '../checksum.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, nothing, raw, type Sql, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { directionOf, indexedBy, owned, pageFrom, type Read } from './read.ts';

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

export const audit = {
  /** Lines of the tenant, the newest first. */
  list(tenant: Tenant, page: PageRequest): Read<Page<AuditEntry>> {
    const direction = directionOf(page);
    return {
      sql: sql`SELECT ${columns} FROM audit${indexedBy('audit_tenant')} WHERE ${owned(tenant)}${beyond(page)}
        ORDER BY ${either({ sqlite: raw('rowid'), postgres: raw('id') })} ${direction} LIMIT ${page.limit + 1}`,
      by: 'page',
      from: pageFrom(page, (row: AuditEntry) => sound('audit', row)),
    };
  },
};

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
