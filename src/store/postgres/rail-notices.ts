/** What rails have said without being asked: one by one, in lists, and what is due. */
import type { Scope } from '../../checkout/session.ts';
import type { Notice } from '../notice.ts';
import type { NoticeFilter, Page, PageRequest } from '../store.ts';
import { pageOf, pageQuery } from './pages.ts';
import type { Pool } from './pool.ts';
import { type NoticeColumns, noticeColumns, noticeFrom, tenantOf } from './rows.ts';

export function railNoticeReader(pool: Pool) {
  return {
    async read(scope: Scope, id: string): Promise<Notice | null> {
      const [account, live] = tenantOf(scope);
      const [row] = await pool.read(
        (sql) => sql<NoticeColumns[]>`
          SELECT ${sql.unsafe(noticeColumns)} FROM notice
          WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? noticeFrom(row) : null;
    },

    async readByReference(scope: Scope, rail: string, reference: string): Promise<Notice | null> {
      const [account, live] = tenantOf(scope);
      const [row] = await pool.read(
        (sql) => sql<NoticeColumns[]>`
          SELECT ${sql.unsafe(noticeColumns)} FROM notice
          WHERE account = ${account} AND live = ${live} AND rail = ${rail} AND reference = ${reference}`,
      );
      return row ? noticeFrom(row) : null;
    },

    async list(scope: Scope, filter: NoticeFilter, page: PageRequest): Promise<Page<Notice>> {
      const { text, values } = noticeQuery(scope, filter, page);
      const rows = await pool.search((sql) => sql.unsafe<NoticeColumns[]>(text, values, { prepare: true }));
      return pageOf(rows.map(noticeFrom), page);
    },

    async due(scope: Scope, now: number, limit: number): Promise<Notice[]> {
      const [account, live] = tenantOf(scope);
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
export function noticeQuery(scope: Scope, { rail, state }: NoticeFilter, page: PageRequest) {
  return pageQuery(scope, { table: 'notice', columns: noticeColumns, equal: { rail }, state }, page);
}
