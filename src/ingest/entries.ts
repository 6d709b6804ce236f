/** Ingests the entries of a statement, each once: looks up what an entry may concern, then lets the writer decide. */

import type { BankFileId } from '../banking/bank-file.ts';
import type { EntryContent, EntryState } from '../banking/entry.ts';
import { isRefusal } from '../checkout/refusals.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { newId } from '../lib/id.ts';
import type { Store } from '../store/store.ts';
import type { EntryAction, Origin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';
import { lookUp } from './lookup.ts';

export type IngestDependencies = { readonly store: Store; readonly execute: Execute };

type Work = {
  readonly dependencies: IngestDependencies;
  readonly origin: Origin;
  /** Id of the file. */
  readonly file: BankFileId;
  readonly now: TenantTime;
};

type Numbered = {
  readonly entry: EntryContent;
  /** Identifies the same entry in any file. */
  readonly reference: string;
};

/** State of an entry that this file brought, or `known` if another file brought it before. */
export type IngestedState = EntryState | 'known';

export async function ingestEntry(work: Work, { entry, reference }: Numbered): Promise<IngestedState> {
  const { store } = work.dependencies;
  const { tenant } = work.origin;
  // Most entries of overlapping statements are found here; the writer looks again.
  const known = await store.bankEntries.fetchByReference(tenant, reference);
  // An entry of this very file comes from an interrupted try.
  if (known) return known.statement === work.file ? known.state : 'known';
  const lookup = await lookUp(store, tenant, entry);
  const { result } = await change(work, reference, { type: 'ingest', entry, lookup });
  if (isRefusal(result)) throw new Error(`the entry was refused: ${result.detail}`);
  return result.kind === 'change' ? result.value.state : 'known';
}

/**
 * Ingests the parts of a booking, unless the booking is known: as one sum that was already assigned, or as parts from
 * another file, whose texts may differ from these. While that other file is still being ingested, each part is looked
 * up by itself: parts with the same text are found, as in any overlap.
 */
export async function ingestParts(
  work: Work,
  sum: Numbered,
  parts: readonly Numbered[],
  atOnce: number,
): Promise<readonly IngestedState[]> {
  const { store } = work.dependencies;
  const { tenant } = work.origin;
  const allKnown = parts.map((): IngestedState => 'known');
  const known = await store.bankEntries.fetchByReference(tenant, sum.reference);
  const takenApartBy = known?.takenApartBy ? await store.bankFiles.fetch(tenant, known.takenApartBy) : null;
  // A file that is still being ingested may have been interrupted: some of its parts may exist, so each is looked up.
  if (takenApartBy?.kind === 'statement') return allKnown;
  const action = { type: 'take_apart', entry: sum.entry, file: work.file } as const;
  const { result } = await change(work, sum.reference, action);
  if (isRefusal(result)) return allKnown;
  const states: IngestedState[] = [];
  for (let from = 0; from < parts.length; from += atOnce) {
    const some = parts.slice(from, from + atOnce);
    states.push(...(await Promise.all(some.map((part) => ingestEntry(work, part)))));
  }
  return states;
}

function change({ dependencies, origin, now }: Work, reference: string, action: EntryAction) {
  return dependencies.execute({
    subject: 'bank_entry',
    // The key of the request is for the file as a whole.
    origin: { ...origin, idempotency: null },
    now,
    id: newId('ntc', now),
    reference,
    action,
  });
}
