/** The one transaction in which everything of a batch is written. */
import type { Customer } from '../../checkout/customer.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { erase } from '../erase.ts';
import type { Unit, Writes } from '../store.ts';
import { changesDeliveries } from '../write-deliveries.ts';
import { again } from './again.ts';
import { type CheckoutCache, createCheckoutCache, type Revision } from './checkouts.ts';
import { loadView, type View } from './load.ts';
import type { Pool, Transaction } from './pool.ts';
import { stepsOn } from './run.ts';
import { changesOf, nextRevision, writeStatements } from './write.ts';

export type Committed = { readonly checkouts: readonly Revision[]; readonly writes: readonly Writes[] };

type Parts = { readonly pool: Pool; readonly cache: CheckoutCache; readonly inShards: boolean };

export function committer({ pool, ...parts }: Parts) {
  return async (units: readonly Unit[]): Promise<Committed> => {
    const tenant = tenantOf(units);
    if (tenant === null) return { checkouts: [], writes: [] };
    return again(() =>
      pool.transaction(tenant, (transaction) => commitOnce(transaction, tenant, units, parts)),
    );
  };
}

/** The tenant of a batch: one, so that on a database in shards it stays on one of them. */
function tenantOf(units: readonly Unit[]): Tenant | null {
  const [first] = units;
  if (!first) return null;
  const { account, mode } = first.needs.tenant;
  if (units.some(({ needs: { tenant } }) => tenant.account !== account || tenant.mode !== mode)) {
    throw new Error('a batch must be of one tenant');
  }
  return first.needs.tenant;
}

async function commitOnce(
  { sql, commit }: Transaction,
  tenant: Tenant,
  units: readonly Unit[],
  { cache, inShards }: Omit<Parts, 'pool'>,
): Promise<Committed> {
  const checkouts = new Map<string, Revision>();
  const writes: Writes[] = [];
  for (let rest = units, known = cache; ; ) {
    const needs = rest.map((unit) => unit.needs);
    const view = await loadView(sql, tenant, needs, known);
    // From here to the sending of the statements nothing may be waited for.
    const decided = decideInTurn(rest, view);
    const changes = changesOf(decided.writes);
    const statements = writeStatements(sql, tenant, decided.writes, {
      changes,
      seen: view.seen,
      inShards,
    });
    writes.push(...decided.writes);
    for (const { after } of changes) {
      checkouts.set(after.id, { checkout: after, revision: nextRevision(view.seen, after) });
    }
    if (decided.isAll) {
      await commit(statements);
      return { checkouts: [...checkouts.values()], writes };
    }
    // These change rows beyond those that were decided on: the units behind must read them anew. What they read may come
    // to nothing with this transaction, and is not for others.
    await Promise.all(statements);
    if (decided.erasing !== null) {
      for (const id of await stepsOn(sql, erase(tenant, decided.erasing))) checkouts.delete(id);
    }
    rest = rest.slice(decided.done);
    known = createCheckoutCache();
  }
}

type DecidedUnits = {
  readonly writes: readonly Writes[];
  /** Number of units that have decided. */
  readonly done: number;
  /** True if nothing is left to do but to commit. */
  readonly isAll: boolean;
  readonly erasing: Customer | null;
};

/**
 * Lets the units decide, each seeing what those before it write. Ends behind one that erases somebody, and before one
 * that needs deliveries of which any may have changed.
 */
function decideInTurn(units: readonly Unit[], view: View): DecidedUnits {
  const all: Writes[] = [];
  for (const [index, { needs, decide }] of units.entries()) {
    if (needs.deliveries && all.some(changesDeliveries)) {
      return { writes: all, done: index, isAll: false, erasing: null };
    }
    const writes = decide(view.of(needs));
    all.push(...writes);
    for (const each of writes) view.apply(each);
    const erasing = writes.find(({ erasedCustomer }) => erasedCustomer)?.erasedCustomer;
    if (erasing) return { writes: all, done: index + 1, isAll: false, erasing };
  }
  return { writes: all, done: units.length, isAll: true, erasing: null };
}
