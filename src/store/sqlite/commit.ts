/** The one transaction in which everything of a change is written. */
import type { DatabaseSync } from 'node:sqlite';
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import { sameTenant, type Tenant } from '../../checkout/tenant.ts';
import { loadResources } from '../resources/all.ts';
import type { Loaded, Needs, Unit, Writes } from '../store.ts';
import type { CheckoutReader } from './checkouts.ts';
import type { EndpointReader } from './endpoints.ts';
import { type Changed, everything } from './log-sync.ts';
import type { Runner } from './run.ts';
import { inTransaction } from './transaction.ts';
import { OutdatedCheckout, writer } from './write.ts';

/** Caches of what commits change, and who else hears of a change. */
type Parts = {
  readonly checkouts: CheckoutReader;
  readonly endpoints: EndpointReader;
  readonly accountsChanged: () => void;
  readonly committed: (writes: Writes) => void;
};

export function committer(database: DatabaseSync, runner: Runner, parts: Parts) {
  const { checkouts, endpoints, accountsChanged, committed } = parts;
  const beginWriting = writer(database, runner);

  function load(needs: Needs, changed: ReadonlyMap<string, Checkout>): Loaded {
    const { tenant } = needs;
    const found = new Map<string, Checkout>();
    for (const id of needs.checkouts ?? []) {
      const checkout = own(tenant, changed.get(id)) ?? checkouts.read(tenant, id);
      if (checkout !== null) found.set(id, checkout);
    }
    return {
      ...loadResources(tenant, [needs], (one, done) => done(runner.read(one))),
      checkouts: found,
      endpoints: needs.endpoints ? endpoints.list(tenant) : [],
    };
  }

  function commitOnce(units: readonly Unit[]): Changed {
    // Sessions that this transaction has changed, for the units behind; only a commit makes them known to readers.
    const changed = new Map<CheckoutId, Checkout>();
    const written: Writes[] = [];
    let erased = false;
    try {
      inTransaction(database, () => {
        const write = beginWriting();
        for (const { needs, decide } of units) {
          for (const writes of decide(load(needs, changed))) {
            write(needs.tenant, writes);
            written.push(writes);
            if (writes.checkout) changed.set(writes.checkout.after.id, writes.checkout.after);
            if (writes.endpoints) endpoints.forget();
            if (writes.erasedCustomer) {
              // It has changed rows of sessions: the units behind must read them anew.
              erased = true;
              changed.clear();
              checkouts.forgetAll();
            }
          }
        }
      });
    } finally {
      // And if nothing of it was committed, nothing that they have read may stay.
      if (erased) checkouts.forgetAll();
      if (written.some((writes) => writes.endpoints)) endpoints.forget();
    }
    for (const checkout of changed.values()) checkouts.remember(checkout);
    for (const writes of written) committed(writes);
    const movesClock = written.some(({ clockMove }) => clockMove);
    if (movesClock) accountsChanged();
    // Sessions of a customer who was forgotten are not counted.
    if (erased || movesClock) return everything;
    return { has: (what) => what !== 'accounts' && changed.has(what) };
  }

  /** Commits units; returns what was changed. */
  return (units: readonly Unit[]): Changed => {
    try {
      return commitOnce(units);
    } catch (error) {
      if (!(error instanceof OutdatedCheckout)) throw error;
      // Memory is not what is stored, whoever has seen to that. All is decided anew, on what is stored.
      checkouts.forgetAll();
      endpoints.forget();
      return commitOnce(units);
    }
  };
}

/** A session that an earlier unit has changed may be another account's, whose units share the batch. */
function own(tenant: Tenant, checkout: Checkout | undefined): Checkout | null {
  return checkout !== undefined && sameTenant(checkout.tenant, tenant) ? checkout : null;
}
