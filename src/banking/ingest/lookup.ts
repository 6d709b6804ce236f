/** Looks up everything a bank entry may concern, before the decision. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import type { Store } from '../../store/store.ts';
import { type Facts, ownIdOf, referencesOf } from '../effects.ts';
import { type BankEntry, entryOf, isIncoming } from '../entry.ts';

/** Sessions that await the same amount, at most: nobody can tell more of them apart. */
const MAX_CANDIDATES = 20;
/** Transfers of one amount for one session, at most: more than one day brings. */
const MAX_BOOKED = 10;
/** References in one entry, at most: more than a transfer for several sessions names. */
const MAX_REFERENCES = 20;

type Reader = Pick<Store, 'checkouts' | 'notices'>;

export async function lookUpFacts(store: Reader, tenant: Tenant, entry: BankEntry): Promise<Facts> {
  const nothing: Facts = { owners: new Map(), candidates: [], refund: null, sentBack: null, booked: [] };
  const ownId = ownIdOf(entry);
  if (ownId?.startsWith('rfd_')) {
    const checkout = await store.checkouts.fetchByRefund(tenant, ownId);
    const refund = checkout?.refunds.find(({ id, rail }) => id === ownId && rail === BANK);
    if (checkout && refund) return { ...nothing, refund: { checkout, refund } };
  }
  if (ownId?.startsWith('ntc_')) {
    const notice = await store.notices.fetch(tenant, ownId);
    if (notice?.rail === BANK && entryOf(notice).sentBack) return { ...nothing, sentBack: notice };
  }
  const owners = new Map<string, Checkout>();
  for (const reference of referencesOf(entry).slice(0, MAX_REFERENCES)) {
    const owner = await store.checkouts.idByReference(tenant, BANK, reference);
    const checkout = owner === null ? null : await store.checkouts.fetch(tenant, owner);
    if (checkout) owners.set(reference, checkout);
  }
  if (!isIncoming(entry)) return { ...nothing, owners };
  if (owners.size > 0) return { ...nothing, owners, booked: await bookedLike(store, tenant, entry, owners) };
  const awaiting = await store.checkouts.listAwaiting(tenant, entry.currency, entry.amount, MAX_CANDIDATES);
  const ids = [...new Set(awaiting.map(({ checkout }) => checkout))];
  const found = await Promise.all(ids.map((id) => store.checkouts.fetch(tenant, id)));
  return { ...nothing, candidates: found.flatMap((checkout) => checkout ?? []) };
}

/** Entries of the same amount already booked for the sessions that the entry names. */
async function bookedLike(
  store: Reader,
  tenant: Tenant,
  { amount }: BankEntry,
  owners: ReadonlyMap<string, Checkout>,
): Promise<BankEntry[]> {
  const booked: BankEntry[] = [];
  for (const { payments } of owners.values()) {
    // The newest are enough: only files of the same day report the same entry twice.
    const alike = payments.filter((each) => each.rail === BANK && each.amount === amount).slice(-MAX_BOOKED);
    for (const payment of alike) {
      const notice = await store.notices.fetch(tenant, payment.reference.split('.')[0] ?? '');
      if (notice) booked.push(entryOf(notice));
    }
  }
  return booked;
}
