/** Finds tenants that have something due, old or stranded, with one question for all of them. */
import { firstIdAt } from '../../lib/id.ts';
import type { Run } from '../resources/read.ts';
import { type Reachable, tenantsWith } from '../resources/tenants.ts';
import { isStranded } from '../resources/work.ts';
import type { Parts } from '../shared.ts';
import { sql } from '../sql.ts';

/** Table with a due_at for each kind of work. */
const tables = {
  checkouts: 'timer',
  deliveries: 'delivery',
  providerEvents: 'provider_event',
  bankEntries: 'bank_entry',
} as const;

export function tenantFinder(run: Run, reachable: () => Reachable): Parts['tenants'] {
  return {
    withDue: (kind, realNow) =>
      run(
        tenantsWith(
          tables[kind],
          (live) => (live ? sql`due_at <= ${realNow}` : sql`due_at <= ${realNow} + test_clock_offset_ms`),
          reachable(),
        ),
      ),

    withOld(what, createdBefore) {
      const [table, prefix] =
        what === 'events' ? (['event', 'evt'] as const) : (['delivery', 'whd'] as const);
      const old = sql`id < ${firstIdAt(prefix, createdBefore)}`;
      // Where the clock was moved, what is old may be ahead.
      return run(
        tenantsWith(table, (live) => (live ? old : sql`(${old} OR test_clock_offset_ms > 0)`), reachable()),
      );
    },

    /** On one server the lock of the subject holds, and there are none. */
    async withStranded(since) {
      const where = reachable();
      return where.inShards ? run(tenantsWith('delivery', () => isStranded(since, where.among), where)) : [];
    },
  };
}
