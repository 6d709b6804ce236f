/** Makes entries of a bank, sessions that a transfer has paid, and a store of them for the tests of banking. */
import type { EntryEffects, effectsOf, Fresh } from '../../src/banking/effects.ts';
import { type BankEntry, type EntryContent, type EntryId, newEntry } from '../../src/banking/entry.ts';
import type { outgoingFrom } from '../../src/banking/outgoing.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { creditorReference } from '../../src/methods/bank/references.ts';
import type { StatementEntry } from '../../src/statements/entry.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { attempt, checkout, NOW, payment } from '../checkout/build.ts';
import { entry as statementEntry } from '../statements/support.ts';

export const PAYER = 'DE89370400440532013000';
export const fresh: Fresh = {
  now: NOW,
  id: 'ntc_1',
  newAttempt: () => 'pat_new',
  newRefund: () => 'rfd_new',
};

/** 10 euro that came into the account `eur`, of which the bank says nothing else. */
export function entry(given: Partial<StatementEntry> = {}): EntryContent {
  return newEntry(statementEntry({ amount: 1000, currency: 'EUR', ...given }), 'eur', 'bfl_1');
}

/** The bank entry with this content, as the store has it. */
export function entryOf(id: EntryId, content: EntryContent, given: Partial<BankEntry> = {}): BankEntry {
  return {
    ...content,
    id,
    reference: `key of ${id}`,
    receivedAt: NOW,
    state: 'done',
    dueAt: null,
    tries: 0,
    ...given,
  };
}

/** An attempt `pat_<name>` of the bank that stands open under the reference of its name. */
export function transfer(name: string, given: Parameters<typeof attempt>[1] = {}) {
  const reference = creditorReference(name);
  return attempt('requires_action', { name, rail: BANK, reference, traits: { standing: true }, ...given });
}

/** The session `chk_<name>`, which waits for a transfer of this amount. */
export function waitingSession(name: string, amount: number, given: Partial<Checkout> = {}): Checkout {
  return checkout({ id: `chk_${name}`, currency: 'EUR', amount, attempts: [transfer(name)], ...given });
}

/** The same once the entry `ntc_<name>` has paid it. */
export function paidSession(name: string, amount: number, given: Partial<Checkout> = {}): Checkout {
  const paid = { ...transfer(name), status: 'succeeded' } as const;
  return waitingSession(name, amount, {
    attempts: [paid],
    payments: [payment(amount, { rail: BANK, reference: `ntc_${name}`, attempt: paid.id })],
    ...given,
  });
}

type Facts = Parameters<typeof effectsOf>[1];
export const nothing: Facts = {
  owners: new Map(),
  candidates: [],
  refund: null,
  sentBack: null,
  booked: [],
};

/** Sessions that know a reference which the entry names. */
export function owners(...sessions: readonly Checkout[]): Facts {
  return { ...nothing, owners: new Map(sessions.map((each) => [each.attempts[0]?.reference ?? '', each])) };
}

/** A short form of the result: the problem, the commands, and their sessions. */
export function summary({ entry: { problem }, effects }: EntryEffects): readonly unknown[] {
  return [problem, ...effects.map((effect) => `${effect.command.type} ${effect.checkout}`)];
}

type Reader = Parameters<typeof outgoingFrom>[0];

/** A store of just these, as far as it is read here; it notes the pages that are asked for. */
export function storeOf({
  refunds = [],
  entries = [],
}: {
  readonly refunds?: ReadonlyArray<{ readonly id: string; readonly checkout: Checkout }>;
  readonly entries?: readonly BankEntry[];
}): { readonly store: Reader; readonly pages: ReadonlyArray<string | undefined> } {
  const pages: Array<string | undefined> = [];
  function pageOf<T extends { readonly id: string }>(
    all: readonly T[],
    { limit, after }: { readonly limit: number; readonly after?: string },
  ) {
    pages.push(after);
    const from = all.findIndex(({ id }) => id === after) + 1;
    return { rows: all.slice(from, from + limit), hasMore: all.length > from + limit };
  }
  const read = {
    refunds: {
      list: async (_tenant: unknown, _filter: unknown, page: PageRequest) => pageOf(refunds, page),
    },
    bankEntries: {
      list: async (_tenant: unknown, { state }: { readonly state?: string }, page: PageRequest) =>
        pageOf(
          entries.filter((each) => each.state === state),
          page,
        ),
      fetch: async (_tenant: unknown, id: string) => entries.find((each) => each.id === id) ?? null,
    },
  };
  return { store: read as unknown as Reader, pages };
}
