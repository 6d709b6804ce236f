/** The one transaction in which everything of a change is written. */
import type { DatabaseSync } from 'node:sqlite';
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { loadResources } from '../resources/all.ts';
import { changesDirectory } from '../resources/directory.ts';
import type { Loaded, Needs, Unit, Writes } from '../store.ts';
import type { CheckoutReader } from './checkouts.ts';
import type { DueTimes } from './due-times.ts';
import type { EndpointReader } from './endpoints.ts';
import { type Changed, everything } from './log-sync.ts';
import type { Runner } from './run.ts';
import { inTransaction } from './transaction.ts';
import { OutdatedCheckout, writer } from './write.ts';

/** Caches of what commits change, and who else hears of a change. */
type Parts = {
  readonly checkouts: CheckoutReader;
  readonly endpoints: EndpointReader;
  readonly dueTimes: DueTimes;
  readonly accountsChanged: () => void;
  readonly committed: (writes: Writes) => void;
};

export function committer(database: DatabaseSync, runner: Runner, parts: Parts) {
  const { checkouts, endpoints, dueTimes, accountsChanged, committed } = parts;
  const beginWriting = writer(database, runner, checkouts.lastEvents);

  function load(needs: Needs): Loaded {
    const { tenant } = needs;
    const found = new Map<string, Checkout>();
    for (const id of needs.checkouts ?? []) {
      const checkout = checkouts.read(tenant, id);
      if (checkout !== null) found.set(id, checkout);
    }
    return {
      ...loadResources(tenant, [needs], (one, done) => done(runner.read(one))),
      checkouts: found,
      endpoints: needs.endpoints ? endpoints.list(tenant) : [],
    };
  }

  function commitOnce(units: readonly Unit[]): Changed {
    const changed = new Set<CheckoutId>();
    const written: Writes[] = [];
    let erases = false;

    /** Lets the units behind see what is written. Nobody else does before the commit: nothing is waited for until then. */
    function note(tenant: Tenant, writes: Writes): void {
      written.push(writes);
      dueTimes.forget(tenant);
      if (writes.checkout) {
        changed.add(writes.checkout.after.id);
        checkouts.remember(writes.checkout.after);
      }
      if (writes.endpoints) endpoints.forget();
      if (writes.erasedCustomer) {
        // It has changed rows of sessions, which must be read anew.
        erases = true;
        checkouts.forgetAll();
      }
    }

    try {
      inTransaction(database, () => {
        const write = beginWriting();
        for (const { needs, decide } of units) {
          for (const writes of decide(load(needs))) {
            write(needs.tenant, writes);
            note(needs.tenant, writes);
          }
        }
      });
    } catch (error) {
      // Nothing of it was committed, and nothing that was read of it may stay.
      if (erases) checkouts.forgetAll();
      else for (const id of changed) checkouts.forget(id);
      endpoints.forget();
      throw error;
    }
    for (const writes of written) committed(writes);
    const directoryChanged = written.some(changesDirectory);
    if (directoryChanged) accountsChanged();
    // Sessions of a customer who was forgotten are not counted.
    if (erases || directoryChanged) return everything;
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
