/** Takes in the entries of a statement, each once: what it may concern is looked up, and the order decides. */

import { newId } from '../../lib/id.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import type { NoticeState } from '../../methods/provider-event.ts';
import type { Store } from '../../store/store.ts';
import type { Origin } from '../../writer/command.ts';
import type { Execute } from '../../writer/writer.ts';
import { type BankEntry, entryOf } from '../entry.ts';
import { lookUpFacts } from './lookup.ts';

export type Duties = { readonly store: Store; readonly execute: Execute };

type Work = {
  readonly duties: Duties;
  readonly origin: Origin;
  /** Id of the file. */
  readonly file: string;
  readonly now: number;
};

type Numbered = {
  readonly entry: BankEntry;
  /** By which the same entry is known again. */
  readonly reference: string;
};

/** How an entry that this file has brought stands, or that it was known before. */
export type Taken = NoticeState | 'known';

export async function takeIn(work: Work, { entry, reference }: Numbered): Promise<Taken> {
  const { store } = work.duties;
  const { tenant } = work.origin;
  // Most entries of a statement that overlaps with another are found here; the order looks again.
  const known = await store.notices.fetchByReference(tenant, BANK, reference);
  // Of this very file: another try was interrupted.
  if (known) return entryOf(known).statement === work.file ? known.state : 'known';
  const facts = await lookUpFacts(store, tenant, entry);
  const { outcome, committed } = await order(work, reference, { type: 'take_in', entry, facts });
  if (outcome.kind === 'refusal') throw new Error(`the entry was refused: ${outcome.detail}`);
  return committed === null ? 'known' : (outcome.answer.body as NoticeState);
}

/**
 * Takes in the parts of a booking, unless the booking is known: in one sum of which something was made, or in parts that
 * another file has brought, whose texts may differ from these. While that file is still being taken in, each of the
 * parts is looked for by itself: those that banks tell in the same words are known then, as in any overlap.
 */
export async function takeInParts(
  work: Work,
  sum: Numbered,
  parts: readonly Numbered[],
  atOnce: number,
): Promise<readonly Taken[]> {
  const { store } = work.duties;
  const { tenant } = work.origin;
  const allKnown = parts.map((): Taken => 'known');
  const known = await store.notices.fetchByReference(tenant, BANK, sum.reference);
  const takenApartBy = known ? entryOf(known).takenApartBy : '';
  const isElsewhere = takenApartBy !== '' && takenApartBy !== work.file;
  // A file that is not kept was interrupted: then there may be some of the parts, and each is looked for.
  if (isElsewhere && (await store.bankFiles.fetch(tenant, takenApartBy))) return allKnown;
  const action = { type: 'take_apart', entry: sum.entry, file: work.file } as const;
  const { outcome } = await order(work, sum.reference, action);
  if (outcome.kind === 'refusal') return allKnown;
  const taken: Taken[] = [];
  for (let from = 0; from < parts.length; from += atOnce) {
    const some = parts.slice(from, from + atOnce);
    taken.push(...(await Promise.all(some.map((part) => takeIn(work, part)))));
  }
  return taken;
}

type Action = Parameters<Execute>[0] & { subject: 'entry' };

function order({ duties, origin, now }: Work, reference: string, action: Action['action']) {
  return duties.execute({
    subject: 'entry',
    origin: { ...origin, idempotency: null },
    now,
    id: newId('ntc', now),
    reference,
    action,
  });
}
