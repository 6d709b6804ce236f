/** Notices of rails: one by one, in lists, and those that are due. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import type { Notice, NoticeId, NoticeState } from '../../methods/provider-event.ts';
import type { Page, PageRequest } from '../page.ts';
import { noticeFrom } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import {
  type AskedOf,
  all,
  boundsOf,
  conditionsOf,
  indexedBy,
  one,
  owned,
  pageOf,
  type Read,
  word,
} from './read.ts';

const columns = raw(columnsIn('notice'));

const filters = {
  rail: (rail: string) => sql`rail = ${rail}`,
  state: (state: NoticeState) => sql`state = ${word(state)}`,
};

/** Every list of notices is one of a rail. */
export type NoticeFilter = AskedOf<typeof filters> & { readonly rail: string };

export const notices = {
  fetch: (tenant: Tenant, id: NoticeId): Read<Notice | null> =>
    one(sql`SELECT ${columns} FROM notice WHERE ${owned(tenant)} AND id = ${id}`, noticeFrom),

  fetchByReference: (tenant: Tenant, rail: string, reference: string): Read<Notice | null> =>
    one(
      sql`SELECT ${columns} FROM notice WHERE ${owned(tenant)} AND rail = ${rail} AND reference = ${reference}`,
      noticeFrom,
    ),

  list: (tenant: Tenant, filter: NoticeFilter, page: PageRequest): Read<Page<Notice>> =>
    pageOf(
      {
        select: sql`SELECT ${columns} FROM notice${indexedBy(filter.state === undefined ? 'notice_rail' : 'notice_state')}`,
        conditions: [owned(tenant), ...conditionsOf(filters, filter)],
        bounds: boundsOf('ntc', {}, page),
        row: noticeFrom,
      },
      page,
    ),

  listDue: (tenant: Tenant, now: TenantTime, limit: number): Read<Notice[]> =>
    all(
      sql`SELECT ${columns} FROM notice${indexedBy('notice_due')}
          WHERE ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
      noticeFrom,
      'look',
    ),
};
