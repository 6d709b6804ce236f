/** Evidence of events, with what is kept of it: the bank entry and its statement, or what a provider has sent. */
import type { EntryId } from '../banking/entry.ts';
import { type Evidence, evidenceOf, type Told } from '../checkout/evidence.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { ProviderNews } from '../store/resources/provider-events.ts';
import type { Store } from '../store/store.ts';

type Kept = { readonly statements: ReadonlyMap<string, string>; readonly news: readonly ProviderNews[] };
type Shown = ReturnType<typeof representEvidence>;

/** Evidence of each of these events of the session, in their order. */
export async function evidenceOfAll(
  { bankEntries, providerEvents }: Pick<Store, 'bankEntries' | 'providerEvents'>,
  tenant: Tenant,
  checkout: Checkout,
  events: readonly Told[],
): Promise<Shown[][]> {
  const all = events.map((event) => evidenceOf(checkout, event));
  const entries = [...new Set(all.flat().flatMap((each) => entryOf(each) ?? []))];
  const named = all.flat().filter(({ rail }) => rail !== BANK);
  const references = [...new Set(named.flatMap(({ names }) => names))];
  const [statements, news] = await Promise.all([
    entries.length === 0 ? new Map<string, string>() : bankEntries.statementsOf(tenant, entries),
    references.length === 0 ? [] : providerEvents.listAbout(tenant, references),
  ]);
  return all.map((found, index) => {
    const at = events[index]?.createdAt ?? 0;
    return found.flatMap((each) => {
      const shown = representEvidence(each, at, { statements, news });
      return each.isOfAttempt && shown.provider_event === null ? [] : [shown];
    });
  });
}

/** The id of the bank entry: payments of the rail are named by it, and by a number where it was split. A refund tells it. */
function entryOf({ rail, reference, bankEntry, isOfAttempt }: Evidence): EntryId | null {
  const [id = ''] = rail === BANK && !isOfAttempt ? (bankEntry ?? reference).split('.') : [];
  return id.startsWith('ntc_') ? (id as EntryId) : null;
}

export function representEvidence(evidence: Evidence, at: number, { statements, news }: Kept) {
  const { rail, reference, names } = evidence;
  const entry = entryOf(evidence);
  // The newest one that had come by then: it is why the rail was asked.
  const event = news.find(
    (each) =>
      each.rail === rail &&
      each.receivedAt <= at &&
      [each.attemptReference, each.paymentReference].some((name) => name !== null && names.includes(name)),
  );
  return {
    rail,
    reference,
    bank_entry: entry,
    statement: entry === null ? null : (statements.get(entry) ?? null),
    provider_event: event?.reference ?? null,
  };
}
