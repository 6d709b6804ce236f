/** Finds tenants that have something due, old or stranded, with one question for all of them. */
import { keysOf } from '../../lib/keys.ts';
import type { RealTime } from '../../lib/time.ts';
import type { Read, Run } from '../resources/read.ts';
import {
  type Reachable,
  tenantsByTable,
  tenantsWith,
  tenantsWithOld,
  tenantsWithOldRequests,
} from '../resources/tenants.ts';
import { isStranded, noTenants } from '../resources/work.ts';
import type { Parts } from '../shared.ts';
import { sql } from '../sql.ts';
import type { DueTenants, WorkKind } from '../store.ts';

/** Tables with a due_at, each with its kind of work. */
const kinds = {
  timer: 'checkouts',
  delivery: 'deliveries',
  provider_event: 'providerEvents',
  bank_entry: 'bankEntries',
} as const satisfies Readonly<Record<string, WorkKind>>;

/** All kinds in one statement: in shards each statement is one for every shard. */
export function tenantsWithDue(realNow: RealTime, reachable: Reachable): Read<DueTenants> {
  const { from, ...read } = tenantsByTable(
    keysOf(kinds),
    (live) => (live ? sql`due_at <= ${realNow}` : sql`due_at <= ${realNow} + test_clock_offset_ms`),
    reachable,
  );
  return {
    ...read,
    from(rows) {
      const due = noTenants();
      for (const { table, tenant } of from(rows)) due[kinds[table]].push(tenant);
      return due;
    },
  };
}

export function tenantFinder(run: Run, reachable: () => Reachable): Parts['tenants'] {
  return {
    withDue: (realNow) => run(tenantsWithDue(realNow, reachable())),

    withOld: (what, createdBefore) => run(tenantsWithOld(what, createdBefore, reachable())),

    withOldRequests: (createdBefore) => run(tenantsWithOldRequests(createdBefore, reachable())),

    /** On one server the lock of the subject holds, and there are none. */
    async withStranded(since) {
      const where = reachable();
      return where.inShards ? run(tenantsWith('delivery', () => isStranded(since, where.among), where)) : [];
    },
  };
}
