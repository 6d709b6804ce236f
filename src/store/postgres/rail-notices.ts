/** What rails have said without being asked: one by one, in lists, and what is due. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Notice } from '../../methods/provider-event.ts';
import type { NoticeFilter, Page, PageRequest } from '../store.ts';
import { pageOf, pageQuery } from './pages.ts';
import type { Pool } from './pool.ts';
import { type NoticeColumns, noticeColumns, noticeFrom, tenantColumns } from './rows.ts';

export function railNoticeReader(pool: Pool) {
  return {
    async read(tenant: Tenant, id: string): Promise<Notice | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<NoticeColumns[]>`
          SELECT ${sql.unsafe(noticeColumns)} FROM notice
          WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? noticeFrom(row) : null;
    },

    async readByReference(tenant: Tenant, rail: string, reference: string): Promise<Notice | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<NoticeColumns[]>`
          SELECT ${sql.unsafe(noticeColumns)} FROM notice
          WHERE account = ${account} AND live = ${live} AND rail = ${rail} AND reference = ${reference}`,
      );
      return row ? noticeFrom(row) : null;
    },

    async list(tenant: Tenant, filter: NoticeFilter, page: PageRequest): Promise<Page<Notice>> {
      const { text, values } = noticeQuery(tenant, filter, page);
      const rows = await pool.search((sql) => sql.unsafe<NoticeColumns[]>(text, values, { prepare: true }));
      return pageOf(rows.map(noticeFrom), page);
    },

    async due(tenant: Tenant, now: number, limit: number): Promise<Notice[]> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.lookOut(
        (sql) => sql<NoticeColumns[]>`
          SELECT ${sql.unsafe(noticeColumns)} FROM notice
          WHERE account = ${account} AND live = ${live} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
      );
      return rows.map(noticeFrom);
    },
  };
}

/** Exported for the tests that hold every filter to an index. */
export function noticeQuery(tenant: Tenant, { rail, state }: NoticeFilter, page: PageRequest) {
  return pageQuery(tenant, { table: 'notice', columns: noticeColumns, equal: { rail }, state }, page);
}
