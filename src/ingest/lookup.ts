/** Looks up everything a bank entry may concern, before the decision. */

import { type Lookup, ownIdOf, referencesOf } from '../banking/effects.ts';
import { type EntryContent, entryOfPayment, isIncoming, isRefundId } from '../banking/entry.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { Store } from '../store/store.ts';

/** Sessions that await the same amount, at most: nobody can tell more of them apart. */
const MAX_CANDIDATES = 20;
/** Transfers of one amount for one session, at most: more than one day brings. */
const MAX_BOOKED = 10;
/** References in one entry, at most: more than a transfer for several sessions names. */
const MAX_REFERENCES = 20;

type Reader = Pick<Store, 'checkouts' | 'bankEntries'>;

export async function lookUp(store: Reader, tenant: Tenant, entry: EntryContent): Promise<Lookup> {
  const nothing: Lookup = { owners: new Map(), candidates: [], refund: null, sentBack: null, booked: [] };
  const ownId = ownIdOf(entry);
  if (isRefundId(ownId)) {
    const checkout = await store.checkouts.fetchByRefund(tenant, ownId);
    const isOfBank = checkout?.refunds.some(({ id, rail }) => id === ownId && rail === BANK);
    if (checkout && isOfBank) return { ...nothing, refund: { checkout: checkout.id, id: ownId } };
  }
  if (ownId !== null && !isRefundId(ownId)) {
    const known = await store.bankEntries.fetch(tenant, ownId);
    if (known?.sentBack) return { ...nothing, sentBack: known.reference };
  }
  const owners = new Map<string, CheckoutId>();
  for (const reference of referencesOf(entry).slice(0, MAX_REFERENCES)) {
    const owner = await store.checkouts.idByReference(tenant, BANK, reference);
    if (owner !== null) owners.set(reference, owner);
  }
  if (owners.size > 0) return { ...nothing, owners, booked: await bookedLike(store, tenant, entry, owners) };
  if (!isIncoming(entry)) return nothing;
  const awaiting = await store.checkouts.listAwaiting(tenant, entry.currency, entry.amount, MAX_CANDIDATES);
  return { ...nothing, candidates: [...new Set(awaiting.map(({ checkout }) => checkout))] };
}

/**
 * References of the entries of the same amount already booked for the sessions that the entry names: payments, or, for
 * money that went out, what was taken back.
 */
async function bookedLike(
  store: Reader,
  tenant: Tenant,
  entry: EntryContent,
  owners: ReadonlyMap<string, CheckoutId>,
): Promise<string[]> {
  const booked: string[] = [];
  for (const owner of new Set(owners.values())) {
    const session = await store.checkouts.fetch(tenant, owner);
    const lines = (isIncoming(entry) ? session?.payments : session?.reversals) ?? [];
    // The newest are enough: only files of the same day report the same entry twice.
    const alike = lines
      .filter(({ rail, amount }) => rail === BANK && amount === entry.amount)
      .slice(-MAX_BOOKED);
    for (const line of alike) {
      const id = entryOfPayment(line);
      const known = id === null ? null : await store.bankEntries.fetch(tenant, id);
      if (known) booked.push(known.reference);
    }
  }
  return booked;
}
