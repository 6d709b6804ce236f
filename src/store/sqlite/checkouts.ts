/** Sessions in memory: what is written, and what is read again, stays there. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout, Payment } from '../../checkout/session.ts';
import { sameTenant, type Tenant } from '../../checkout/tenant.ts';
import { type Beside, createBesideCopied } from '../../lib/beside.ts';
import { createLru } from '../../lib/lru.ts';
import { createSeenLately } from '../../lib/seen-lately.ts';
import { checksumOfSession, refuseDamaged } from '../checksum.ts';
import { bytesOf, type CheckoutRow, checkoutFrom, paymentsFrom } from '../columns.ts';
import { fetchCheckout, fetchLedger, NOT_READ } from '../resources/checkouts.ts';
import type { Runner } from './run.ts';

/** Memory of sessions that are kept, with the JSON that is made from them; a usual one takes 3 KiB. */
const CACHE_BYTES = 96 * 2 ** 20;

/**
 * Positions of the newest events of sessions in memory, by the very session that was read or written: one from a
 * transaction that came to nothing is never asked about.
 */
export type LastEvents = Beside<Checkout, number>;

/** Positions of the newest events of sessions. */
export const createLastEvents = (): LastEvents => createBesideCopied();

export type CheckoutReader = ReturnType<typeof checkoutReader>;

/**
 * Sessions change only on this connection, and its commits put what they write here, so a read is never older than the
 * last commit; nor newer, since nobody reads during one, and one that comes to nothing is forgotten.
 */
export function checkoutReader(runner: Runner) {
  const cache = createLru<string, Checkout>({ most: CACHE_BYTES, sizeOf: bytesOf });
  const seenLately = createSeenLately();
  const lastEvents = createLastEvents();

  return {
    lastEvents,

    read(tenant: Tenant, id: CheckoutId): Checkout | null {
      // Ids are unique across accounts, and yet a session may only be found by its own.
      const cached = cache.get(id);
      if (cached) return sameTenant(cached.tenant, tenant) ? cached : null;
      const row = runner.read(fetchCheckout(tenant, id));
      if (row === null) return null;
      const checkout = soundCheckout(runner, tenant, row);
      if (seenLately(id)) cache.set(id, checkout);
      lastEvents.set(checkout, row.lastEvent);
      return checkout;
    },

    remember(checkout: Checkout): void {
      cache.set(checkout.id, checkout);
    },

    forget(id: CheckoutId): void {
      cache.delete(id);
    },

    forgetAll(): void {
      cache.clear();
    },
  };
}

/** Session of a row; throws if that is not the one that was written. */
export function soundCheckout(runner: Runner, tenant: Tenant, row: CheckoutRow): Checkout {
  return checkoutFrom(row, tenant, soundLedger(runner, tenant, row));
}

/** Ledger of a row; throws if they are not what was written. */
export function soundLedger({ read }: Runner, tenant: Tenant, row: CheckoutRow): readonly Payment[] {
  const ledger = paymentsFrom(row.payments === NOT_READ ? read(fetchLedger(tenant, row.id)) : row.payments);
  refuseDamaged('checkout', checksumOfSession(row, ledger), row.checksum, row.id);
  return ledger;
}
