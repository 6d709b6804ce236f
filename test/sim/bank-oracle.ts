/**
 * The part of the oracle that knows what each booking of the bank must come to: one entry, however many files tell of
 * it; booked once for the session that it names; open in the inbox otherwise. Written from the contract and the guides.
 */
import { type BankEntry, endToEndIdOf, entryOfPayment, idFromEndToEnd } from '../../src/banking/entry.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { sameTenant, type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';
import { isUsable } from '../../src/statements/values.ts';
import type { Writes } from '../../src/store/store.ts';
import type { Bank, Booking } from './bank.ts';
import { type BankFile, tellingOf, tellingOfEntry } from './bank-files.ts';
import { movesOf } from './bank-moves.ts';
import type { Truth } from './truth.ts';

type Line = { readonly reference: string; readonly amount: number };

export type BankOracle = ReturnType<typeof createBankOracle>;

const sum = (all: readonly { readonly amount: number }[]): number =>
  all.reduce((total, { amount }) => total + amount, 0);
const dueOf = ({ amount, payments }: Checkout): number => amount - sum(payments);

function add<T>(to: Map<string, T[]>, key: string, item: T): void {
  to.set(key, [...(to.get(key) ?? []), item]);
}

/** Ids of the transfers in a payment file. */
const idsIn = (content: string): string[] =>
  [...content.matchAll(/<EndToEndId>(\w+)</g)].flatMap(([, id = '']) => idFromEndToEnd(id) ?? []);

export function createBankOracle(bank: Bank, fault: (text: string) => void) {
  const entries = new Map<string, { readonly tenant: Tenant; readonly entry: BankEntry }>();
  /** Bookings by tenant and telling: how often one file tells them at most, and how often they are stored. */
  const told = new Map<string, { readonly booking: Booking; atMost: number; stored: number }>();
  const references = new Set<string>();
  /** Payments by attempt. */
  const paid = new Map<string, Line[]>();
  const reversed = new Map<string, Line>();
  const refundStatuses = new Map<string, string>();
  /** Payment files by the refunds in them; money of an entry that is sent back may be in several. */
  const files = new Map<string, string>();
  /** Entries that were booked without a person, by what may be the same money. */
  const booked = new Map<string, number>();
  /** Ids of what a person has decided on again: whoever reopens what is at the bank has to know what that does. */
  const reopened = new Set<string>();

  const nameOf = (tenant: Tenant, telling: string) => `${tenantName(tenant)} ${telling}`;
  const moneyOf = ({ tenant, amount, bookedOn, names }: Booking) =>
    JSON.stringify([tenantName(tenant), amount, bookedOn, names]);

  function countsOf({ tenant, format, bookings }: BankFile): Map<string, readonly Booking[]> {
    return Map.groupBy(bookings, (booking) => nameOf(tenant, tellingOf(booking, format)));
  }

  /** An entry that was never seen: a file tells of it, more often than of those that are stored. */
  function appeared(tenant: Tenant, entry: BankEntry): Booking | null {
    const known = told.get(nameOf(tenant, tellingOfEntry(entry)));
    if (references.has(`${tenantName(tenant)} ${entry.reference}`))
      fault(`${entry.id} has the key of another`);
    references.add(`${tenantName(tenant)} ${entry.reference}`);
    if (known === undefined) fault(`${entry.id} tells of what is in no file`);
    else if (++known.stored > known.atMost) fault(`${entry.id} tells once more of what is stored already`);
    return known?.booking ?? null;
  }

  function judge(tenant: Tenant, booking: Booking, entry: BankEntry, stored: readonly Checkout[]): void {
    const owners = stored.filter((each) => sameTenant(each.tenant, tenant) && isNamed(each, booking));
    if (booking.what === 'transfer') judgeTransfer(booking, entry, owners, stored);
    if (booking.what === 'recall') judgeRecall(booking, entry, owners);
  }

  function judgeTransfer(
    booking: Booking,
    entry: BankEntry,
    owners: readonly Checkout[],
    stored: readonly Checkout[],
  ): void {
    const { id, amount, parts, problem, state } = entry;
    const [only] = owners;
    if (parts.length > 0) {
      const times = (booked.get(moneyOf(booking)) ?? 0) + 1;
      booked.set(moneyOf(booking), times);
      const came = bank.bookings.filter(
        (each) => each.what === 'transfer' && moneyOf(each) === moneyOf(booking),
      );
      if (times > came.length) fault(`${id} books money that came ${came.length} times once more`);
      if (sum(parts) !== amount) fault(`${id} is booked in part, and nobody has asked for that`);
      for (const owner of owners)
        if (isHeld(owner, booking)) fault(`${id} is booked for ${owner.id}, which wanted to be asked`);
    }
    const are = parts.map(({ checkout, amount }) => [checkout, amount]).sort();
    const shares = owners.map((owner) => [owner.id, dueOf(owner)] as const);
    const isExact =
      shares.every(([, due]) => due > 0) && shares.reduce((all, [, due]) => all + due, 0) === amount;
    const named = only && attemptNamed(only, booking)?.id;
    if (owners.length === 1 && parts.some(({ attempt }) => attempt !== named))
      fault(`${id} is booked for another attempt than ${named}`);
    const due = owners.length > 1 ? (isExact ? [...shares].sort() : []) : only ? [[only.id, amount]] : null;
    if (due === null) {
      // Money without a reference may be booked for the one session that waits for it from this payer.
      const isFitting = (each: Checkout) => sameTenant(each.tenant, booking.tenant) && waitsFor(each, entry);
      const fitting = stored.filter(isFitting);
      if (are.length === 0) judgeOpen(entry, booking.names.length > 0 ? ['unknown_reference'] : null);
      else if (booking.names.length > 0) fault(`${id} names nobody, and is booked`);
      else if (fitting.length !== 1 || fitting[0]?.id !== parts[0]?.checkout)
        fault(`${id} is booked for ${are}, and could be for ${fitting.map((each) => each.id)}`);
      return;
    }
    if (are.length > 0 && `${are}` !== `${due}`) fault(`${id} is booked as ${are}, not as ${due}`);
    if (are.length > 0) return;
    const reasons = [
      ...(owners.length > 1 && !isExact ? ['several_references'] : []),
      ...(owners.some((owner) => owner.policy.late === 'hold' && owner.expiresAt !== null)
        ? ['held_late']
        : []),
      ...(owners.some((owner) => mayBeKnown(owner, entry)) ? ['maybe_known'] : []),
    ];
    judgeOpen(entry, reasons);
    if (state !== 'open') fault(`${id} is ${state} as ${problem}`);
  }

  /** Null: for any reason. */
  function judgeOpen({ id, state, problem }: BankEntry, reasons: readonly string[] | null): void {
    if (state !== 'open' && state !== 'waiting') fault(`${id} is ${state}, and its money is nowhere`);
    if (reasons !== null && !reasons.includes(problem ?? ''))
      fault(`${id} stays ${state} as ${problem}; there is reason for ${reasons.join() || 'nothing'}`);
  }

  function judgeRecall(booking: Booking, entry: BankEntry, owners: readonly Checkout[]): void {
    const [only] = owners;
    const attempt = only && attemptNamed(only, booking);
    const isOfAttempt = (each: { readonly attempt: string }) => each.attempt === attempt?.id;
    const left = only ? sum(only.payments.filter(isOfAttempt)) - sum(only.reversals.filter(isOfAttempt)) : 0;
    const isClear = owners.length === 1 && entry.amount <= left;
    const is = entry.state === 'done' ? entry.concerns : '';
    const due = isClear ? only?.id : '';
    if (is !== due) fault(`${entry.id} takes money back from ${is || 'nobody'}, not from ${due || 'nobody'}`);
  }

  /** The session has a payment of this amount and day that may be the same one, told by another file. */
  function mayBeKnown(session: Checkout, entry: BankEntry): boolean {
    return session.payments.some((payment) => {
      const other = payment.rail === BANK ? entries.get(entryOfPayment(payment) ?? '')?.entry : undefined;
      return (
        other?.bookedOn === entry.bookedOn &&
        payment.amount === entry.amount &&
        !(isUsable(other.bankReference) && isUsable(entry.bankReference))
      );
    });
  }

  /** A payment file goes to the bank: each of its payments for the first time, unless a person has taken it back. */
  function ordered(tenant: Tenant, content: string): void {
    const known = [...entries.values()].map(({ entry }) => entry.id).filter((id) => reopened.has(id));
    const again = new Set(known.map(endToEndIdOf));
    for (const { endToEndId } of bank.accept(tenant, content))
      if (!again.has(endToEndId) && bank.ordered.filter((each) => each.endToEndId === endToEndId).length > 1)
        fault(`${endToEndId} is in two payment files`);
  }

  return {
    entries,

    /** A file is about to be read. */
    given(file: BankFile): void {
      for (const [name, bookings] of countsOf(file)) {
        const known = told.get(name);
        const [booking] = bookings;
        if (known) known.atMost = Math.max(known.atMost, bookings.length);
        else if (booking) told.set(name, { booking, atMost: bookings.length, stored: 0 });
      }
    },

    /** A file was read to its end: all that it tells is stored. */
    accepted(file: BankFile, counted: unknown): void {
      if (counted !== file.bookings.length) fault(`a file of ${file.bookings.length} entries has ${counted}`);
      for (const [name, bookings] of countsOf(file))
        if ((told.get(name)?.stored ?? 0) < bookings.length)
          fault(`${name} was in a file, and is not stored`);
    },

    /** The writes of one decision, made by a person or by itself, and all sessions as they were before it. */
    committed(
      tenant: Tenant,
      writes: readonly Writes[],
      byPerson: boolean,
      stored: ReadonlyMap<string, Checkout>,
    ): void {
      for (const { bankFile } of writes) {
        if (bankFile?.kind !== 'payments') continue;
        ordered(tenant, bankFile.content);
        for (const id of idsIn(bankFile.content)) files.set(id, bankFile.id);
      }
      const changed = writes.flatMap(({ checkout }) => checkout ?? []);
      // Refunds of one session are filed one by one, in the same commit.
      const last = new Map(changed.map(({ after }) => [after.id, after]));
      for (const { refunds } of last.values())
        for (const { id, paymentFile } of refunds)
          if (paymentFile !== files.get(id))
            fault(`the refund ${id} is in ${files.get(id)}, and says ${paymentFile}`);
      const written = writes.flatMap(({ bankEntry }) => bankEntry ?? []);
      const moves = movesOf(written, changed, (id) => entries.get(id)?.entry);
      for (const text of moves.faults) fault(text);
      for (const { attempt, payment: reference, amount } of moves.parts)
        add(paid, attempt, { reference, amount });
      for (const { id, status } of moves.refunds) refundStatuses.set(id, status);
      for (const { reference, amount } of moves.reversals) reversed.set(reference, { reference, amount });
      for (const entry of written) {
        const before = entries.get(entry.id)?.entry;
        const booking = before ? null : appeared(tenant, entry);
        if (booking && !byPerson) judge(tenant, booking, entry, [...stored.values()]);
        if (byPerson && before?.sentBack?.state === 'pending') reopened.add(entry.id);
        entries.set(entry.id, { tenant, entry });
      }
    },

    truth: {
      statusOf: () => null,
      mayHaveSaid: (_reference, status) => status === 'succeeded',
      payments: ({ id }) => paid.get(id) ?? [],
      refundStatus: (_reference, id) => refundStatuses.get(id),
      reversal: (reference) => {
        const line = reversed.get(reference);
        return line ? { amount: line.amount, statuses: ['lost'] } : null;
      },
      flaws: () => [],
    } satisfies Truth,

    /** Unfinished entries and sessions, once every booking was told in one file and all time has passed. */
    unsettled(sessions: Iterable<Checkout>, goesBack: boolean): string[] {
      const late = [...entries.values()].flatMap(({ entry: { id, dueAt, sentBack } }) => {
        const state = reopened.has(id) ? undefined : bank.stateOf(id);
        const due = state === 'paid' ? 'succeeded' : state === 'returned' ? 'failed' : undefined;
        return [
          ...(dueAt !== null && !goesBack ? [`${id} is still to be matched again`] : []),
          ...(due !== undefined && sentBack?.state !== due
            ? [`${id} is ${sentBack?.state}, not ${due}`]
            : []),
        ];
      });
      const wrong = [...sessions].flatMap(({ refunds }) =>
        refunds.flatMap(({ id, rail, status }) => {
          const state = rail === BANK ? (bank.stateOf(id) ?? 'ordered') : null;
          if (state === null) return [];
          const due = { ordered: 'pending', paid: 'succeeded', returned: 'failed' }[state];
          return status === due ? [] : [`the refund ${id} is ${status}, not ${due}`];
        }),
      );
      return [...late, ...wrong];
    },
  };
}

const isNamed = ({ attempts }: Checkout, { names }: Booking): boolean =>
  attempts.some(({ rail, reference }) => rail === BANK && names.includes(reference));

function attemptNamed({ attempts }: Checkout, { names }: Booking) {
  const first = names.find((name) =>
    attempts.some(({ rail, reference }) => rail === BANK && reference === name),
  );
  return attempts.find(({ rail, reference }) => rail === BANK && reference === first);
}

/** The merchant wants to be asked about money of a day that had begun nowhere when the session ended: not in Kiribati, UTC+14. */
function isHeld({ lifecycle, policy }: Checkout, { bookedOn }: Booking): boolean {
  const firstAt = Date.parse(`${bookedOn}T00:00:00+14:00`);
  return policy.late === 'hold' && lifecycle.state === 'expired' && firstAt > lifecycle.at;
}

/** True if the session waits for just this amount, from a payer of this name. */
function waitsFor({ attempts, payer, policy, lifecycle }: Checkout, entry: BankEntry): boolean {
  const isOpen = attempts.some(
    ({ rail, status, amount }) => rail === BANK && status === 'requires_action' && amount === entry.amount,
  );
  const isMeant = policy.unreferenced === 'match' && payer.name === entry.counterparty.name;
  return isOpen && isMeant && lifecycle.state === 'active';
}
