/** What rails have said without being asked. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Notice } from '../../methods/provider-event.ts';
import type { NoticeFilter, Page, PageRequest } from '../store.ts';
import { pageOf, pageQuery, type Query } from './page.ts';
import { liveOf, noticeFrom, type Row } from './rows.ts';

const columns = 'id, rail, reference, received_at, state, due_at, tries, data';

/** Exported for the test that holds it to its index. */
export const dueNoticesSql = `
  SELECT ${columns} FROM notice INDEXED BY notice_due
  WHERE account = ? AND live = ? AND due_at <= ? ORDER BY due_at LIMIT ?`;

export type NoticeReader = ReturnType<typeof noticeReader>;

export function noticeReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM notice WHERE account = ? AND live = ? AND id = ?`);
  const byReference = database.prepare(
    `SELECT ${columns} FROM notice WHERE account = ? AND live = ? AND rail = ? AND reference = ?`,
  );
  const due = database.prepare(dueNoticesSql);
  const one = (row: unknown) => (row === undefined ? null : noticeFrom(row as Row));

  return {
    read: (tenant: Tenant, id: string): Notice | null => one(byId.get(tenant.account, liveOf(tenant), id)),

    readByReference: (tenant: Tenant, rail: string, reference: string): Notice | null =>
      one(byReference.get(tenant.account, liveOf(tenant), rail, reference)),

    list(tenant: Tenant, filter: NoticeFilter, page: PageRequest): Page<Notice> {
      const { sql, values } = noticeQuery(tenant, filter, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      return pageOf(rows.map(noticeFrom), page);
    },

    due: (tenant: Tenant, now: number, limit: number): Notice[] =>
      due.all(tenant.account, liveOf(tenant), now, limit).map((row) => noticeFrom(row as Row)),
  };
}

/** Exported for the tests that hold every filter to an index, which SQLite by itself would not choose. */
export function noticeQuery(tenant: Tenant, { rail, state }: NoticeFilter, page: PageRequest): Query {
  const index = state === undefined ? 'notice_rail' : 'notice_state';
  return pageQuery(
    `SELECT ${columns} FROM notice INDEXED BY ${index}`,
    tenant,
    [['rail = ?', rail], state === undefined ? null : ['state = ?', state]],
    page,
  );
}

/** Of a notice that is known only what becomes of it changes: by what the rail calls it, it stays what it was. */
export function noticeWriter(prepare: (sql: string) => StatementSync) {
  const upsert = prepare(
    `INSERT INTO notice (account, live, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE
       SET state = excluded.state, due_at = excluded.due_at, tries = excluded.tries, data = excluded.data`,
  );

  return (tenant: Tenant, notice: Notice): void => {
    const { id, rail, reference, receivedAt, state, dueAt, tries, data } = notice;
    const stored = JSON.stringify(data);
    upsert.run(tenant.account, liveOf(tenant), id, rail, reference, receivedAt, state, dueAt, tries, stored);
  };
}
