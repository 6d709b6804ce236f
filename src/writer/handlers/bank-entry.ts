/** Orders about an entry of a bank statement: what it means is decided on what was loaded, all of it or nothing. */

import {
  assigned,
  assignedReturn,
  type Effect,
  type EntryEffects,
  effectsOf,
  type Facts,
  type Fresh,
  isReturn,
  isSettled,
  objection,
} from '../../banking/effects.ts';
import {
  type BankEntry,
  dataOfEntry,
  type EntryProblem,
  entryOf,
  isIncoming,
  unassigned,
} from '../../banking/entry.ts';
import { representEntry } from '../../banking/representation.ts';
import { type Change, decide } from '../../checkout/decide.ts';
import { type Refusal, refuse, refuseFields } from '../../checkout/refusals.ts';
import type { Serializer } from '../../checkout/serializer.ts';
import type { Checkout } from '../../checkout/session.ts';
import { newId } from '../../lib/id.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import type { Notice } from '../../methods/provider-event.ts';
import type { Loaded, Needs } from '../../store/store.ts';
import { answerOf, auditOf, type Decided, noAnswer, type SettleEntry } from '../command.ts';
import { writesOfChange } from './checkout.ts';

/** When an entry that names a reference nobody knows yet is looked at again, counted from the look before. */
const RETRY_AFTER_MS = [10, 60, 360, 1440].map((minutes) => minutes * 60_000);

export function entryNeeds({ origin: { tenant }, reference, action }: SettleEntry): Needs {
  const checkouts = concerned(action);
  const sentBack = 'facts' in action ? action.facts.sentBack : null;
  return {
    tenant,
    notice: { rail: BANK, reference },
    ...(sentBack ? { notices: [{ rail: BANK, reference: sentBack.reference }] } : {}),
    ...(checkouts.length > 0 ? { checkouts, endpoints: true as const } : {}),
  };
}

function concerned(action: SettleEntry['action']): string[] {
  if (action.type === 'assign') return [...new Set(action.parts.map(({ checkout }) => checkout))];
  if (!('facts' in action)) return [];
  const { owners, candidates, refund } = action.facts;
  const all = [...owners.values(), ...candidates, ...(refund ? [refund.checkout] : [])];
  return [...new Set(all.map(({ id }) => id))];
}

export function decideOnEntry(order: SettleEntry, loaded: Loaded, serializer: Serializer): Decided | Refusal {
  const { action, origin, id, reference, now } = order;
  const known = loaded.notice;
  // The same entry of another statement, or of the same one read again.
  if (action.type === 'take_in' && known !== null) return unchanged(known, order);
  // Somebody was faster than the clock.
  if (action.type === 'retry' && known !== null && known.dueAt === null) return unchanged(known, order);
  const isNew = action.type === 'take_in' || action.type === 'take_apart';
  if (!isNew && known === null) return refuse('not_found', 'There is no such entry.');
  const outcome = outcomeOf(order, known, loaded);
  if ('kind' in outcome) return outcome;
  const { entry, state, changes, sentBack } = outcome;
  const tries = (known?.tries ?? 0) + (action.type === 'retry' ? 1 : 0);
  // What goes back waits for the bank; everything else is tried again, and then left to a person.
  const isTried = state === 'waiting' && entry.sentBack?.state !== 'pending';
  const wait = isTried ? RETRY_AFTER_MS[tries] : undefined;
  const notice: Notice = {
    id: known?.id ?? id,
    rail: BANK,
    reference,
    receivedAt: known?.receivedAt ?? now,
    state: isTried && wait === undefined ? 'open' : state,
    dueAt: wait === undefined ? null : now + wait,
    tries,
    data: dataOfEntry(entry),
  };
  const written = changes.map(({ change, before }) =>
    writesOfChange(change, before, loaded.endpoints, { origin, now, type: change.type }, serializer),
  );
  const audit = (subject: string, action: string) => auditOf(origin, subject, 0, now, action);
  const settled = sentBack ? [{ notice: sentBack, audit: audit(sentBack.id, 'sent_back') }] : [];
  const events = written.flatMap((each) => each.events ?? []);
  const deliveries = written.flatMap((each) => each.deliveries ?? []);
  return {
    writes: { notice, audit: audit(notice.id, action.type) },
    further: [...written, ...settled],
    answer: answerFor(notice, order),
    committed: {
      tenant: origin.tenant,
      checkouts: changes.map(({ change }) => change.checkout.id),
      events: events.length,
      deliveries: deliveries.length,
    },
  };
}

function unchanged(known: Notice, order: SettleEntry): Decided {
  return { writes: {}, answer: answerFor(known, order), committed: null };
}

/** Where nobody waits for an answer, it is how the entry stands: what an import counts. */
function answerFor(notice: Notice, { reply }: SettleEntry): Decided['answer'] {
  if (!reply) return { ...noAnswer, body: notice.state };
  return answerOf(reply, JSON.stringify(representEntry(notice)));
}

type Changed = { readonly change: Change & { readonly type: string }; readonly before: Checkout };
type EntryOutcome = {
  readonly entry: BankEntry;
  readonly state: Notice['state'];
  readonly changes: readonly Changed[];
  /** Another entry, whose money was sent back, where it changes. */
  readonly sentBack?: Notice;
};

function outcomeOf(order: SettleEntry, known: Notice | null, loaded: Loaded): EntryOutcome | Refusal {
  const { action, now } = order;
  const fresh = {
    now,
    id: known?.id ?? order.id,
    newAttempt: () => newId('pat', now),
    newRefund: () => newId('rfd', now),
  };
  if (action.type === 'take_in')
    return matched(effectsOf(action.entry, current(action.facts, loaded), fresh), loaded, now);
  if (action.type === 'take_apart') return takenApart(known, action);
  if (known === null) return refuse('not_found', 'There is no such entry.');
  const entry = entryOf(known);
  const isGoingBack = entry.sentBack?.state === 'pending';
  const isUnsettled = (known.state === 'open' || known.state === 'waiting') && !isGoingBack;
  switch (action.type) {
    case 'retry': {
      const afresh = { ...entry, problem: null, suggestions: [] };
      return matched(effectsOf(afresh, current(action.facts, loaded), fresh), loaded, now);
    }
    case 'assign': {
      if (!isUnsettled) return settledAlready();
      if (isReturn(entry)) return returnAssigned(entry, action.parts, loaded, fresh);
      const problems = assignProblems(entry, action.parts, loaded);
      if (problems.length > 0) return refuseFields(problems);
      const wanted = action.parts.flatMap(({ checkout: id, amount }) => {
        const checkout = loaded.checkouts.get(id);
        return checkout ? [{ checkout, amount }] : [];
      });
      const meaning = assigned(entry, wanted, fresh);
      const changes = changesOf(meaning.effects, loaded);
      if ('kind' in changes) return changes;
      const isRest = unassigned(meaning.entry) > 0;
      return { entry: meaning.entry, state: isRest ? 'open' : 'done', changes };
    }
    case 'ignore':
      if (!isUnsettled) return settledAlready();
      return { entry: { ...entry, note: action.reason }, state: 'ignored', changes: [] };
    case 'reopen': {
      // What was decided by mistake, or what the bank has not carried out: the person who says so has looked.
      if (known.state === 'ignored')
        return { entry: { ...entry, note: action.reason }, state: 'open', changes: [] };
      if (!isGoingBack || !entry.sentBack) return settledAlready();
      const reason = action.reason || entry.sentBack.reason;
      const sentBack = { ...entry.sentBack, state: 'failed', reason } as const;
      return { entry: { ...entry, sentBack }, state: 'open', changes: [] };
    }
    case 'send_back': {
      if (!isUnsettled || !isIncoming(entry)) return settledAlready();
      if (entry.counterparty.account === '') {
        return refuse('not_refundable', 'The bank did not tell the account of the sender.');
      }
      const { reason } = action;
      const sentBack = { amount: unassigned(entry), state: 'pending', reason, file: '' } as const;
      // It waits for no time, but for a file of payments and the statement that shows it.
      const sent = { ...entry, problem: null, suggestions: [], sentBack };
      return { entry: sent, state: 'waiting', changes: [] };
    }
  }
}

/** A return takes back all of its amount, from one session. */
function returnAssigned(
  entry: BankEntry,
  parts: ReadonlyArray<{ readonly checkout: string; readonly amount: number }>,
  loaded: Loaded,
  fresh: Fresh,
): EntryOutcome | Refusal {
  const [part, ...others] = parts;
  const checkout = part && loaded.checkouts.get(part.checkout);
  if (!checkout) return refuseFields([{ pointer: '/parts/0/payin', detail: 'must be the id of a payin' }]);
  if (others.length > 0 || part.amount !== entry.amount) {
    return refuseFields([
      { pointer: '/parts', detail: `must be one part, of ${entry.amount}: a return is whole` },
    ]);
  }
  const meaning = assignedReturn(entry, checkout, fresh);
  if (meaning === null) {
    const detail = 'must have brought as much by a bank transfer in the same currency';
    return refuseFields([{ pointer: '/parts/0/payin', detail }]);
  }
  const changes = changesOf(meaning.effects, loaded);
  return 'kind' in changes ? changes : { entry: meaning.entry, state: 'done', changes };
}

/**
 * The parts of a booking take the place of its sum, unless something was made of that already: booked, sent back, or
 * set aside, the same money must not come in once more. A sum that went out is done by itself, and says nothing yet.
 */
function takenApart(
  known: Notice | null,
  { entry, file }: Extract<SettleEntry['action'], { type: 'take_apart' }>,
): EntryOutcome | Refusal {
  const sum = known === null ? entry : entryOf(known);
  const isUsed = sum.parts.length > 0 || sum.sentBack !== null || sum.concerns !== '';
  if (isUsed || known?.state === 'ignored') return settledAlready();
  const apart = { ...sum, problem: null, suggestions: [], takenApartBy: file };
  return { entry: apart, state: 'done', changes: [] };
}

function settledAlready(): Refusal {
  return refuse('entry_settled', 'The entry has been dealt with already.');
}

function assignProblems(
  entry: BankEntry,
  parts: ReadonlyArray<{ readonly checkout: string; readonly amount: number }>,
  loaded: Loaded,
) {
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  const left = isIncoming(entry) ? unassigned(entry) : 0;
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
    ...(total > left ? [{ pointer: '/parts', detail: `must add up to at most ${left}` }] : []),
  ];
}

/** What was found before, as it is now. */
function current(
  { owners, candidates, refund, sentBack, booked }: Facts,
  { checkouts, notices }: Loaded,
): Facts {
  const now = (checkout: Checkout) => checkouts.get(checkout.id) ?? checkout;
  const session = refund && now(refund.checkout);
  const asked = session?.refunds.find(({ id }) => id === refund?.refund.id);
  return {
    owners: new Map([...owners].map(([reference, checkout]) => [reference, now(checkout)])),
    candidates: candidates.map(now),
    refund: session && asked ? { checkout: session, refund: asked } : null,
    sentBack: sentBack && (notices.get(sentBack.id) ?? null),
    booked,
  };
}

/** What speaks against it leaves the whole entry to a person. */
function matched(meaning: EntryEffects, loaded: Loaded, now: number): EntryOutcome {
  const changes = changesOf(meaning.effects, loaded);
  const problem = objectionTo(meaning, loaded, now) ?? ('kind' in changes ? 'not_payable' : null);
  if (problem !== null || 'kind' in changes) {
    const suggestions = meaning.effects.map(({ checkout }) => ({ checkout, score: 100 }));
    const entry = { ...meaning.entry, parts: [], problem, suggestions };
    return { entry, state: 'open', changes: [] };
  }
  const { entry, sentBack } = meaning;
  const settled = isSettled(entry) ? 'done' : 'open';
  const state = entry.problem === 'unknown_reference' ? 'waiting' : settled;
  return { entry, state, changes, ...(sentBack ? { sentBack } : {}) };
}

function objectionTo(
  { entry, effects }: EntryEffects,
  { checkouts }: Loaded,
  now: number,
): EntryProblem | null {
  for (const { checkout: id, part } of effects) {
    const checkout = checkouts.get(id);
    const problem = part && checkout ? objection(checkout, entry, now) : null;
    if (problem !== null) return problem;
  }
  return null;
}

/** The changes of all sessions that are concerned, or why one of them refuses. */
function changesOf(effects: readonly Effect[], { checkouts }: Loaded): Changed[] | Refusal {
  const changes: Changed[] = [];
  for (const { checkout: id, command } of effects) {
    const before = checkouts.get(id);
    if (!before) return refuse('not_found', 'There is no such session.');
    const decision = decide(before, command);
    if (decision.kind === 'refusal') return decision;
    if (decision.kind === 'change') changes.push({ change: { ...decision, type: command.type }, before });
  }
  return changes;
}
