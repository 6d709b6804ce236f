/** Test clocks: how far each is ahead, and since when: what is kept for a time is as old as it is by real time. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { RealTime } from '../../lib/time.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import { owned, type Read, single } from './read.ts';

export type ClockMove = { readonly at: RealTime; readonly advanceMs: number };

/**
 * Moves the clock of test data, which alone has one of its own. The move is noted no earlier than the newest event or the
 * move before it, whatever the clock of the machine says that may have been set back: what is there already would count
 * as made with the new lead, and be older by as much.
 */
export function moveClock(account: number, { at, advanceMs }: ClockMove): readonly Sql[] {
  const ofTenant = owned({ account, mode: 'test' });
  const leadBefore = sql`test_clock_offset_ms - CAST(${advanceMs} AS bigint)`;
  const known = sql`
    coalesce((SELECT created_at FROM event WHERE ${ofTenant} ORDER BY id DESC LIMIT 1) - (${leadBefore}), 0),
    coalesce((SELECT max(at) FROM clock_move WHERE ${ofTenant}), 0)`;
  return [
    sql`UPDATE account SET test_clock_offset_ms = test_clock_offset_ms + ${advanceMs} WHERE number = ${account}`,
    sql`INSERT INTO clock_move (account, live, at, offset_ms)
        SELECT number, false, ${either({ sqlite: raw('max'), postgres: raw('greatest') })}(CAST(${at} AS bigint), ${known}),
          test_clock_offset_ms FROM account WHERE number = ${account}
        ON CONFLICT (account, live, at) DO UPDATE SET offset_ms = excluded.offset_ms`,
  ];
}

/** Lead of a tenant's clock at a time: it only grows, also where the clock of the machine was set back. */
export const clockOffsetAt = (tenant: Tenant, at: RealTime): Read<number> =>
  single(
    sql`SELECT coalesce(max(offset_ms), 0) AS ahead FROM clock_move WHERE ${owned(tenant)} AND at <= ${at}`,
    ({ ahead }: { readonly ahead: number }) => ahead,
    'look',
  );
