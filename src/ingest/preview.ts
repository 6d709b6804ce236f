/**
 * Foresees what an import would do, and writes nothing. The first entries are matched as an import would match them,
 * each with the sessions as the entries before it would leave them; further ones are only counted. By the time of the
 * import, sessions may have changed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BankFileId } from '../banking/bank-file.ts';
import { type EntryContent, type EntryId, type EntryState, newEntry } from '../banking/entry.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { newId } from '../lib/id.ts';
import { mapInTurns } from '../lib/map-in-turns.ts';
import {
  type Fault,
  type StatementEntry,
  StatementError,
  type StatementHeader,
  type StatementPart,
} from '../statements/entry.ts';
import { entryKey, occurrenceCounter } from '../statements/identity.ts';
import type { StatementFormat } from '../statements/read.ts';
import type { Store } from '../store/store.ts';
import { foreseeEntry, isTakenApart } from '../writer/handlers/bank-entry.ts';
import { accountFinder } from './account-finder.ts';
import { type Booking, bookingsOf } from './bookings.ts';
import { lookUp } from './lookup.ts';

/** Entries that are matched: looking them up is work for the thread that answers. */
const MAX_MATCHED = 1000;
/** Entries, statements and faults that are told one by one. */
const MAX_TOLD = 100;

export type ForeseenEntry = {
  readonly line: number;
  readonly entry: EntryContent;
  /** Null for an entry that was not matched. */
  readonly state: EntryState | 'known' | null;
};

export type ForeseenStatement = {
  /** With the id of the receiving account in the place of the number, if it is about one. */
  readonly header: StatementHeader;
  /** Id of the receiving account; null if it is about none. */
  readonly account: string | null;
  readonly entries: number;
  readonly credits: number;
  readonly debits: number;
  readonly from: string | null;
  readonly to: string | null;
};

export type StatementPreview = {
  readonly format: StatementFormat | null;
  readonly statements: readonly ForeseenStatement[];
  readonly counts: {
    readonly entries: number;
    readonly known: number;
    readonly settled: number;
    readonly open: number;
    readonly unmatched: number;
    readonly faults: number;
  };
  readonly entries: readonly ForeseenEntry[];
  readonly faults: readonly Fault[];
};

export type PreviewSource = {
  readonly format: () => Promise<StatementFormat>;
  /** Reads the content with its faults. */
  readonly read: () => AsyncIterable<StatementPart>;
};

type Reader = Pick<Store, 'accounts' | 'bankEntries' | 'bankFiles' | 'checkouts'>;
type Tally = { -readonly [K in keyof ForeseenStatement]: ForeseenStatement[K] };

export async function previewStatement(
  store: Reader,
  tenant: Tenant,
  source: PreviewSource,
  now: TenantTime,
): Promise<StatementPreview> {
  const counts = { entries: 0, known: 0, settled: 0, open: 0, unmatched: 0, faults: 0 };
  const faults: Fault[] = [];
  const told: ForeseenEntry[] = [];
  const tallies: Tally[] = [];
  /** The statements by what tells them apart: those of a CSV take turns. */
  const latest = new Map<string, Tally>();
  const fail = (fault: Fault) => {
    counts.faults++;
    if (faults.length < MAX_TOLD) faults.push(fault);
  };
  const accountOf = await accountFinder(store, tenant);
  const match = createMatcher(store, tenant, now);
  const occurrenceOf = occurrenceCounter();

  function begin(header: StatementHeader): Tally {
    let known = header;
    let account: string | null = null;
    try {
      known = accountOf(header);
      account = known.account;
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      fail(error.fault);
    }
    const tally = { header: known, account, entries: 0, credits: 0, debits: 0, from: null, to: null };
    latest.set(keyOf(header), tally);
    if (tallies.length < MAX_TOLD) tallies.push(tally);
    return tally;
  }

  async function take({ header, entries, sum }: Booking): Promise<void> {
    const tally = latest.get(keyOf(header)) ?? begin(header);
    const { header: own, account } = tally;
    /** Parts that are matched: a booking may have more of them than that. */
    const matched = account === null ? 0 : Math.max(0, MAX_MATCHED - counts.entries);
    for (const entry of entries) add(tally, entry);
    counts.entries += entries.length;
    const numbered = (entry: StatementEntry) => ({
      entry: newEntry(entry, own.account, match.file),
      reference: entryKey(own, entry, occurrenceOf(own, entry)),
    });
    const parts = await mapInTurns(entries.slice(0, matched), (entry) => ({
      line: entry.line,
      ...numbered(entry),
    }));
    const isKnown = matched > 0 && sum !== null && (await match.isKnownAsWhole(numbered(sum)));
    for (const part of parts) {
      const { state, content } = isKnown
        ? ({ state: 'known', content: part.entry } as const)
        : await match.entry(part);
      counts[countOf(state)]++;
      tell({ line: part.line, entry: content, state });
      // Requests of others go in between.
      await nextTurn();
    }
    // The rest is only counted, and shown as far as there is room; of a booking that is known as a whole it is known too.
    const rest = entries.slice(parts.length);
    const state = isKnown ? 'known' : null;
    counts[countOf(state)] += rest.length;
    for (const entry of rest.slice(0, MAX_TOLD))
      tell({ line: entry.line, entry: newEntry(entry, own.account, match.file), state });
  }

  function tell(entry: ForeseenEntry): void {
    if (told.length < MAX_TOLD) told.push(entry);
  }

  let format: StatementFormat | null = null;
  try {
    format = await source.format();
    for await (const booking of bookingsOf(withoutFaults(source.read(), fail), begin)) {
      await take(booking);
      await nextTurn();
    }
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    fail(error.fault);
  }
  return { format, statements: tallies, counts, entries: told, faults };
}

function countOf(state: ForeseenEntry['state']): 'known' | 'settled' | 'open' | 'unmatched' {
  if (state === null) return 'unmatched';
  if (state === 'known') return 'known';
  return state === 'open' || state === 'waiting' ? 'open' : 'settled';
}

const keyOf = ({ statementId, account, currency }: StatementHeader): string =>
  JSON.stringify([statementId, account, currency]);

function add(tally: Tally, { direction, amount, bookedOn }: StatementEntry): void {
  tally.entries++;
  tally[direction === 'credit' ? 'credits' : 'debits'] += amount;
  if (tally.from === null || bookedOn < tally.from) tally.from = bookedOn;
  if (tally.to === null || bookedOn > tally.to) tally.to = bookedOn;
}

async function* withoutFaults(
  parts: AsyncIterable<StatementPart>,
  fail: (fault: Fault) => void,
): AsyncGenerator<StatementPart> {
  for await (const part of parts) {
    if (part.kind === 'fault') fail(part.fault);
    else yield part;
  }
}

type Numbered = { readonly entry: EntryContent; readonly reference: string };

/** Matches entries in file order; the sessions that it would change are remembered as they would be. */
function createMatcher(store: Reader, tenant: Tenant, now: TenantTime) {
  const file: BankFileId = newId('bfl', now);
  const id: EntryId = newId('ntc', now);
  const changed = new Map<CheckoutId, Checkout>();
  const seen = new Set<string>();

  async function loadedFor(lookup: Awaited<ReturnType<typeof lookUp>>) {
    const { owners, candidates, refund, sentBack, booked } = lookup;
    const ids = new Set([...owners.values(), ...candidates, ...(refund === null ? [] : [refund.checkout])]);
    const checkouts = new Map<string, Checkout>();
    for (const each of ids) {
      const checkout = changed.get(each) ?? (await store.checkouts.fetch(tenant, each));
      if (checkout) checkouts.set(each, checkout);
    }
    const references = sentBack === null ? booked : [...booked, sentBack];
    const found = await Promise.all(
      references.map((reference) => store.bankEntries.fetchByReference(tenant, reference)),
    );
    const bankEntries = new Map(
      found.flatMap((each) => (each === null ? [] : [[each.reference, each] as const])),
    );
    return { checkouts, bankEntries };
  }

  return {
    file,

    async entry({
      entry,
      reference,
    }: Numbered): Promise<{ state: EntryState | 'known'; content: EntryContent }> {
      const isKnown =
        seen.has(reference) || (await store.bankEntries.fetchByReference(tenant, reference)) !== null;
      seen.add(reference);
      if (isKnown) return { state: 'known', content: entry };
      const found = await lookUp(store, tenant, entry);
      // A session that an entry before would pay waits no longer.
      const lookup = { ...found, candidates: found.candidates.filter((each) => !changed.has(each)) };
      const foreseen = foreseeEntry(entry, lookup, { loaded: await loadedFor(lookup), now, id });
      for (const checkout of foreseen.checkouts) changed.set(checkout.id, checkout);
      return foreseen;
    },

    /** True if the sum of a booking is known, so that its parts add nothing. */
    async isKnownAsWhole({ entry, reference }: Numbered): Promise<boolean> {
      const known = await store.bankEntries.fetchByReference(tenant, reference);
      const apart = known?.takenApartBy ? await store.bankFiles.fetch(tenant, known.takenApartBy) : null;
      return apart?.kind === 'statement' || !isTakenApart(known, entry, file);
    },
  };
}
