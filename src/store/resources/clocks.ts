/** Test clocks: how far each is ahead, and since when: what is kept for a time is as old as it is by real time. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { RealTime } from '../../lib/time.ts';
import { type Sql, sql } from '../sql.ts';
import { owned, type Read, single } from './read.ts';

export type ClockMove = { readonly at: RealTime; readonly advanceMs: number };

/** Only test data has a clock of its own. */
export const moveClock = (account: number, { at, advanceMs }: ClockMove): readonly Sql[] => [
  sql`UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ${advanceMs} WHERE number = ${account}`,
  sql`INSERT INTO clock_move (account, live, at, offset_ms)
      SELECT number, false, CAST(${at} AS bigint), test_clock_offset_ms FROM account WHERE number = ${account}
      ON CONFLICT (account, live, at) DO UPDATE SET offset_ms = excluded.offset_ms`,
];

/** Lead of a tenant's clock at a time: it only grows, also where the clock of the machine was set back. */
export const clockOffsetAt = (tenant: Tenant, at: RealTime): Read<number> =>
  single(
    sql`SELECT coalesce(max(offset_ms), 0) AS ahead FROM clock_move WHERE ${owned(tenant)} AND at <= ${at}`,
    ({ ahead }: { readonly ahead: number }) => ahead,
    'look',
  );
