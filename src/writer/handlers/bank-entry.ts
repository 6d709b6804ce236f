/** Commands about an entry of a bank statement: its effects are decided on what was loaded, all of them or none. */

import { CHANGED_SINCE } from '../../accounts/tags.ts';
import type { BankFileId } from '../../banking/bank-file.ts';
import {
  assigned,
  assignedRefund,
  assignedReturn,
  type Effect,
  type EntryEffects,
  effectsOf,
  type Facts,
  type Fresh,
  isReturn,
  isSettled,
  type Lookup,
} from '../../banking/effects.ts';
import {
  type BankEntry,
  type EntryContent,
  type EntryId,
  type EntryProblem,
  type EntryState,
  isIncoming,
  unassigned,
} from '../../banking/entry.ts';
import { objection } from '../../banking/objection.ts';
import { entryTag } from '../../banking/tags.ts';
import { type Change, decide } from '../../checkout/decide.ts';
import type { CheckoutId } from '../../checkout/ids.ts';
import { formatAmount } from '../../checkout/money.ts';
import { isRefusal, type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { isMet } from '../../lib/condition.ts';
import { newId } from '../../lib/id.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import {
  auditOf,
  type ChangeBankEntry,
  type Context,
  type Decided,
  type EntryAction,
  type Origin,
} from '../command.ts';
import { writesOfChange } from './checkout.ts';

/** Delays after which an entry that names an unknown reference is looked at again, each from the look before. */
const RETRY_AFTER_MS = [10, 60, 360, 1440].map((minutes) => minutes * 60_000);

export function bankEntryNeeds({ origin: { tenant }, reference, action }: ChangeBankEntry): Needs {
  const checkouts = concerned(action);
  const { sentBack, booked } = 'lookup' in action ? action.lookup : { sentBack: null, booked: [] };
  const others = sentBack === null ? booked : [...booked, sentBack];
  return {
    tenant,
    bankEntries: [reference, ...others],
    ...(checkouts.length > 0 ? { checkouts, endpoints: true as const } : {}),
  };
}

function concerned(action: EntryAction): CheckoutId[] {
  if (action.type === 'assign') return [...new Set(action.parts.map(({ checkout }) => checkout))];
  if (!('lookup' in action)) return [];
  const { owners, candidates, refund } = action.lookup;
  return [...new Set([...owners.values(), ...candidates, ...(refund ? [refund.checkout] : [])])];
}

export function decideOnBankEntry(
  command: ChangeBankEntry,
  loaded: Loaded,
  context: Context,
): Decided<BankEntry> | Refusal {
  const { action, origin, id, reference, now, condition } = command;
  const known = loaded.bankEntries.get(reference) ?? null;
  // The same entry of another statement, or of the same one read again; or a person, or another process that found it due
  // as well, was faster.
  const isDue = known?.dueAt != null && known.dueAt <= now;
  const isDone = action.type === 'ingest' || (action.type === 'retry' && !isDue);
  if (known !== null && isDone) return { value: known, writes: [] };
  const next = nextOf(command, known, loaded);
  if (isRefusal(next)) return next;
  // A refusal for what the entry has become says more (RFC 9110, section 13.2.1).
  if (condition !== undefined && !isMet(condition, known && entryTag(known)))
    return refuse('version_stale', CHANGED_SINCE);
  const { content, state, changes, sentBack } = next;
  const tries = (known?.tries ?? 0) + (action.type === 'retry' ? 1 : 0);
  // What goes back waits for the bank; everything else is tried again, and then left to a person.
  const isTried = state === 'waiting' && content.sentBack?.state !== 'pending';
  const wait = isTried ? RETRY_AFTER_MS[tries] : undefined;
  const entry: BankEntry = {
    ...content,
    id: known?.id ?? id,
    reference,
    receivedAt: known?.receivedAt ?? now,
    state: isTried && wait === undefined ? 'open' : state,
    dueAt: wait === undefined ? null : now + wait,
    tries,
  };
  const audit = (subject: string, action: string) => auditOf(origin, subject, 0, now, action);
  // The entry, whoever has assigned it: the money is its own.
  const because: Origin = { ...origin, cause: entry.id };
  const written = changes.map(({ change, before }) =>
    writesOfChange(change, before, loaded.endpoints, { origin: because, now, type: change.type }, context),
  );
  const settled = sentBack ? [{ bankEntry: sentBack, audit: audit(sentBack.id, 'sent_back') }] : [];
  return {
    value: entry,
    writes: [{ bankEntry: entry, audit: audit(entry.id, action.type) }, ...written, ...settled],
  };
}

/** Outlook of a new entry, without making anything of it: the entry, and the sessions that change with it. */
export function foreseeEntry(
  content: EntryContent,
  lookup: Lookup,
  { loaded, now, id }: { readonly loaded: Found; readonly now: TenantTime; readonly id: EntryId },
): { readonly content: EntryContent; readonly state: EntryState; readonly checkouts: readonly Checkout[] } {
  const effects = effectsOf(content, factsOf(lookup, loaded), freshFor(now, id));
  const { content: after, state, changes } = matched(effects, loaded, now);
  return { content: after, state, checkouts: changes.map(({ change }) => change.checkout) };
}

/** True if the parts of a booking would take the place of its sum. */
export const isTakenApart = (known: BankEntry | null, sum: EntryContent, file: BankFileId): boolean =>
  !isRefusal(takenApart(known, { type: 'take_apart', entry: sum, file }));

/** Facts that decisions on entries look at. */
type Found = Pick<Loaded, 'checkouts' | 'bankEntries'>;

const freshFor = (now: TenantTime, id: EntryId): Fresh => ({
  now,
  id,
  newAttempt: () => newId('pat', now),
  newRefund: () => newId('rfd', now),
});

type Changed = { readonly change: Change & { readonly type: string }; readonly before: Checkout };
type Next = {
  readonly content: EntryContent;
  readonly state: EntryState;
  readonly changes: readonly Changed[];
  /** Another entry, whose money was sent back, where it changes. */
  readonly sentBack?: BankEntry;
};

/** The entry as the command makes it, and the sessions that change with it. */
function nextOf(command: ChangeBankEntry, entry: BankEntry | null, loaded: Loaded): Next | Refusal {
  const { action, now } = command;
  const fresh = freshFor(now, entry?.id ?? command.id);
  const match = (content: EntryContent, lookup: Lookup) =>
    matched(effectsOf(content, factsOf(lookup, loaded), fresh), loaded, now);
  if (action.type === 'ingest') return match(action.entry, action.lookup);
  if (action.type === 'take_apart') return takenApart(entry, action);
  if (entry === null) return refuse('not_found', 'There is no such entry.');
  const isGoingBack = entry.sentBack?.state === 'pending';
  const isUnsettled = (entry.state === 'open' || entry.state === 'waiting') && !isGoingBack;
  switch (action.type) {
    case 'retry':
      return match({ ...entry, problem: null, suggestions: [] }, action.lookup);
    case 'assign': {
      if (!isUnsettled) return settledAlready();
      const left = assignable(entry);
      if (action.left !== undefined && action.left !== left) {
        const detail = `must be what is left now, ${formatAmount(left, entry.currency)}`;
        return refuseFields([{ pointer: '/amount_unassigned', detail }]);
      }
      if (isReturn(entry)) return returnAssigned(entry, action.parts, loaded, fresh);
      const problems = assignProblems(entry, action.parts, loaded);
      if (problems.length > 0) return refuseFields(problems);
      const wanted = action.parts.flatMap(({ checkout: id, amount }) => {
        const checkout = loaded.checkouts.get(id);
        return checkout ? [{ checkout, amount }] : [];
      });
      const [first] = wanted;
      const effects =
        (first && assignedRefund(entry, first.checkout, first.amount, fresh)) ??
        assigned(entry, wanted, fresh);
      const changes = changesOf(effects.effects, loaded);
      if (isRefusal(changes)) return changes;
      return { content: effects.entry, state: isSettled(effects.entry) ? 'done' : 'open', changes };
    }
    case 'ignore':
      if (!isUnsettled) return settledAlready();
      return { content: { ...entry, note: action.reason }, state: 'ignored', changes: [] };
    case 'reopen': {
      // What was decided by mistake, or what the bank has not carried out: the person who says so has looked.
      if (entry.state === 'ignored')
        return { content: { ...entry, note: action.reason }, state: 'open', changes: [] };
      if (!isGoingBack || !entry.sentBack) return settledAlready();
      const reason = action.reason || entry.sentBack.reason;
      const sentBack = { ...entry.sentBack, state: 'failed', reason } as const;
      return { content: { ...entry, sentBack }, state: 'open', changes: [] };
    }
    case 'send_back': {
      if (!isUnsettled || !isIncoming(entry)) return settledAlready();
      if (entry.counterparty.account === '') {
        return refuse('not_refundable', 'The bank did not report the account of the sender.');
      }
      const { reason } = action;
      const sentBack = { amount: unassigned(entry), state: 'pending', reason, file: '' } as const;
      // It waits for no time, but for a file of payments and the statement that shows it.
      const sent = { ...entry, problem: null, suggestions: [], sentBack };
      return { content: sent, state: 'waiting', changes: [] };
    }
  }
}

/** A return takes back all of its amount, from one session. */
function returnAssigned(
  entry: EntryContent,
  parts: ReadonlyArray<{ readonly checkout: string; readonly amount: number }>,
  loaded: Loaded,
  fresh: Fresh,
): Next | Refusal {
  const [part, ...others] = parts;
  const checkout = part && loaded.checkouts.get(part.checkout);
  if (!checkout) return refuseFields([{ pointer: '/parts/0/payin', detail: 'must be the id of a payin' }]);
  if (others.length > 0 || part.amount !== entry.amount) {
    return refuseFields([
      {
        pointer: '/parts',
        detail: `must be one part, of ${formatAmount(entry.amount, entry.currency)}: a return is whole`,
      },
    ]);
  }
  const effects = assignedReturn(entry, checkout, fresh);
  if (effects === null) {
    const detail = 'must have brought as much by a bank transfer in the same currency';
    return refuseFields([{ pointer: '/parts/0/payin', detail }]);
  }
  const changes = changesOf(effects.effects, loaded);
  return isRefusal(changes) ? changes : { content: effects.entry, state: 'done', changes };
}

/**
 * The parts of a booking take the place of its sum, unless something was made of that already: booked, sent back, or
 * set aside, the same money must not come in once more. A sum that went out is done by itself, and says nothing yet.
 */
function takenApart(
  known: BankEntry | null,
  { entry, file }: Extract<EntryAction, { type: 'take_apart' }>,
): Next | Refusal {
  const sum = known ?? entry;
  // While a person has still to decide, what it concerns is a guess.
  const hadEffect = known?.state === 'done' && sum.concerns !== '';
  const isUsed = sum.parts.length > 0 || sum.sentBack !== null || hadEffect;
  if (isUsed || known?.state === 'ignored') return settledAlready();
  const apart = { ...sum, problem: null, suggestions: [], concerns: '', takenApartBy: file };
  return { content: apart, state: 'done', changes: [] };
}

function settledAlready(): Refusal {
  return refuse('entry_settled', 'The bank entry is already settled.');
}

/** Amount that can be booked for sessions. */
const assignable = (entry: EntryContent): number => (isIncoming(entry) ? unassigned(entry) : 0);

function assignProblems(
  entry: EntryContent,
  parts: ReadonlyArray<{ readonly checkout: string; readonly amount: number }>,
  loaded: Loaded,
) {
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  const left = assignable(entry);
  return [
    ...parts.flatMap(({ checkout: id }, index) => {
      const pointer = `/parts/${index}/payin`;
      const checkout = loaded.checkouts.get(id);
      if (!checkout) return [{ pointer, detail: 'must be the id of a payin' }];
      if (parts.findIndex((each) => each.checkout === id) !== index) {
        return [{ pointer, detail: 'must not be named twice' }];
      }
      if (checkout.currency === entry.currency) return [];
      return [{ pointer, detail: `must be a payin in ${entry.currency}` }];
    }),
    ...(total > left
      ? [{ pointer: '/parts', detail: `must add up to at most ${formatAmount(left, entry.currency)}` }]
      : []),
  ];
}

/** What the lookup has found, as it is now. */
function factsOf({ owners, candidates, refund, sentBack, booked }: Lookup, loaded: Found): Facts {
  const { checkouts, bankEntries } = loaded;
  const session = checkouts.get(refund?.checkout ?? '');
  const asked = session?.refunds.find(({ id }) => id === refund?.id);
  return {
    owners: new Map(
      [...owners].flatMap(([reference, id]) => {
        const checkout = checkouts.get(id);
        return checkout ? [[reference, checkout] as const] : [];
      }),
    ),
    candidates: candidates.flatMap((id) => checkouts.get(id) ?? []),
    refund: session && asked ? { checkout: session, refund: asked } : null,
    sentBack: bankEntries.get(sentBack ?? '') ?? null,
    booked: booked.flatMap((reference) => bankEntries.get(reference) ?? []),
  };
}

/** An objection leaves the whole entry to a person. */
function matched(effects: EntryEffects, loaded: Found, now: TenantTime): Next {
  const changes = changesOf(effects.effects, loaded);
  const problem = objectionTo(effects, loaded, now) ?? (isRefusal(changes) ? 'not_payable' : null);
  if (problem !== null || isRefusal(changes)) {
    const suggestions = effects.effects.map(({ checkout }) => ({ checkout, score: 100 }));
    const content = { ...effects.entry, parts: [], problem, suggestions };
    return { content, state: 'open', changes: [] };
  }
  const { entry: content, sentBack } = effects;
  const settled = isSettled(content) ? 'done' : 'open';
  const state = content.problem === 'unknown_reference' ? 'waiting' : settled;
  return { content, state, changes, ...(sentBack ? { sentBack } : {}) };
}

function objectionTo(
  { entry, effects }: EntryEffects,
  { checkouts }: Pick<Found, 'checkouts'>,
  now: TenantTime,
): EntryProblem | null {
  for (const { checkout: id, part } of effects) {
    const checkout = checkouts.get(id);
    const problem = part && checkout ? objection(checkout, entry, now) : null;
    if (problem !== null) return problem;
  }
  return null;
}

/** The changes of all sessions that are concerned, or why one of them refuses. */
function changesOf(effects: readonly Effect[], { checkouts }: Pick<Found, 'checkouts'>): Changed[] | Refusal {
  const changes: Changed[] = [];
  for (const { checkout: id, command } of effects) {
    const before = checkouts.get(id);
    if (!before) return refuse('not_found', 'There is no such session.');
    const decision = decide(before, command);
    if (isRefusal(decision)) return decision;
    if (decision.kind === 'change') changes.push({ change: { ...decision, type: command.type }, before });
  }
  return changes;
}
