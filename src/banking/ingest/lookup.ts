/** Looks up what an entry of a statement may concern, before anything is decided. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import type { Store } from '../../store/store.ts';
import { type Facts, ownIdOf, referencesOf } from '../effects.ts';
import { type BankEntry, entryOf, isIncoming } from '../entry.ts';

/** More sessions that wait for the same amount than anybody can tell apart. */
const MAX_CANDIDATES = 20;
/** More transfers of one amount for a session than one day brings. */
const MAX_BOOKED = 10;
/** More references than a transfer for several orders names. */
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

/** What has been booked of the same amount for the sessions that the entry names. */
async function bookedLike(
  store: Reader,
  tenant: Tenant,
  { amount }: BankEntry,
  owners: ReadonlyMap<string, Checkout>,
): Promise<BankEntry[]> {
  const booked: BankEntry[] = [];
  for (const { payments } of owners.values()) {
    // The newest are enough: it is the files of one day that tell of the same twice.
    const alike = payments.filter((each) => each.rail === BANK && each.amount === amount).slice(-MAX_BOOKED);
    for (const payment of alike) {
      const notice = await store.notices.fetch(tenant, payment.reference.split('.')[0] ?? '');
      if (notice) booked.push(entryOf(notice));
    }
  }
  return booked;
}
