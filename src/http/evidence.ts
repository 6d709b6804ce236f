/** Evidence of events, with what is kept of it: the bank entry and its statement, or what a provider has sent. */
import type { EntryId } from '../banking/entry.ts';
import { type Evidence, evidenceOf, type Told } from '../checkout/evidence.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { Cause, EventRow } from '../events/event.ts';
import { BANK } from '../methods/bank/receiving-account.ts';
import type { ProviderEventId } from '../methods/provider-event.ts';
import type { ProviderNews } from '../store/resources/provider-events.ts';
import type { Store } from '../store/store.ts';

/** An event of the history with its cause, which was written with it. */
type Caused = Told & Pick<EventRow, 'cause'>;

type Kept = {
  readonly statements: ReadonlyMap<string, string>;
  readonly news: ReadonlyMap<string, ProviderNews>;
};
type Shown = ReturnType<typeof representEvidence>;

/** Evidence of each of these events of the session, in their order. */
export async function evidenceOfAll(
  { bankEntries, providerEvents }: Pick<Store, 'bankEntries' | 'providerEvents'>,
  tenant: Tenant,
  checkout: Checkout,
  events: readonly Caused[],
): Promise<Shown[][]> {
  const all = events.map((event) => ({ cause: event.cause, found: evidenceOf(checkout, event) }));
  const entries = new Set(
    all.flatMap(({ cause, found }) => found.flatMap((each) => entryOf(each, cause) ?? [])),
  );
  const sent = new Set(all.flatMap(({ cause }) => (isSent(cause) ? [cause] : [])));
  const [statements, news] = await Promise.all([
    entries.size === 0 ? new Map<string, string>() : bankEntries.statementsOf(tenant, [...entries]),
    sent.size === 0 ? [] : providerEvents.named(tenant, [...sent]),
  ]);
  const kept = { statements, news: new Map(news.map((each) => [each.id, each])) };
  return all.map(({ cause, found }) =>
    found.filter((each) => isOf(each, cause, kept)).map((each) => representEvidence(each, cause, kept)),
  );
}

/**
 * True if it is of the change that has this cause, and not of another one in the same moment. Of an attempt without money
 * there is none unless its rail has said something.
 */
function isOf(evidence: Evidence, cause: Cause | null, { news }: Kept): boolean {
  if (evidence.isOfAttempt && cause === null) return false;
  const booked = bookedBy(evidence);
  if (booked !== null) return booked === cause;
  const told = isSent(cause) ? news.get(cause) : undefined;
  if (told === undefined) return true;
  return [told.attemptReference, told.paymentReference].some(
    (name) => name !== null && evidence.names.includes(name),
  );
}

const isSent = (cause: Cause | null): cause is ProviderEventId => cause?.startsWith('pev_') ?? false;

const isEntry = (id: string | null): id is EntryId => id?.startsWith('ntc_') ?? false;

/** The bank entry that has brought it: payments of the rail are named by it, and by a number where it was split. */
function bookedBy({ rail, reference, isOfAttempt }: Evidence): EntryId | null {
  const [id = ''] = rail === BANK && !isOfAttempt ? reference.split('.') : [];
  return isEntry(id) ? id : null;
}

/** The same, or the entry that shows money that went back. */
function entryOf(evidence: Evidence, cause: Cause | null): EntryId | null {
  return bookedBy(evidence) ?? (evidence.rail === BANK && isEntry(cause) ? cause : null);
}

export function representEvidence(evidence: Evidence, cause: Cause | null, { statements, news }: Kept) {
  const { rail, reference } = evidence;
  const entry = entryOf(evidence, cause);
  return {
    rail,
    reference,
    bank_entry: entry,
    statement: entry === null ? null : (statements.get(entry) ?? null),
    provider_event: news.get(cause ?? '')?.reference ?? null,
  };
}
