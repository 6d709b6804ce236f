/**
 * The bank in a simulation: what it has booked is what is true. Payers transfer, and take transfers back; it carries out
 * payment files, and returns what cannot arrive. The service hears of that by files alone (`bank-files.ts`).
 */
import { endToEndIdOf } from '../../src/banking/entry.ts';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import { creditorReference, displayReference } from '../../src/methods/bank/references.ts';
import { PAYER_IBAN } from '../support/statements.ts';
import type { World } from './world.ts';

/** A booking on the account of a tenant, as the bank has it. Texts that it does not have are empty. */
export type Booking = {
  readonly tenant: Tenant;
  readonly what: 'transfer' | 'recall' | 'payment' | 'return';
  readonly direction: 'credit' | 'debit';
  readonly amount: number;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
  /** Unique; or only on its day, if it is short; or empty, as some banks give none. */
  readonly bankReference: string;
  readonly endToEndId: string;
  readonly creditorReference: string;
  readonly text: string;
  readonly payer: Payer;
  /** References of attempts that the payer has named, in whatever spelling. */
  readonly names: readonly string[];
};

export type Payer = { readonly name: string; readonly iban: string };
export const PAYERS: readonly Payer[] = [
  { name: 'Ada Lovelace', iban: PAYER_IBAN },
  { name: 'Grace Hopper', iban: 'DE89370400440532013000' },
];

/** The place of the references: as text, badly spelt, in the field for it, or as the end-to-end id. */
export type Spelling = 'text' | 'spelt' | 'structured' | 'end to end';
export type BankNumber = 'long' | 'short' | 'none';

export type Transfer = {
  readonly tenant: Tenant;
  readonly amount: number;
  readonly names: readonly string[];
  readonly spelling: Spelling;
  readonly payer: number;
  readonly number: BankNumber;
};

/** A transfer that a payment file asks for. */
type Ordered = {
  readonly tenant: Tenant;
  readonly endToEndId: string;
  readonly amount: number;
  /** The bank's progress: nothing yet, carried out, or returned afterwards. */
  state: 'ordered' | 'paid' | 'returned';
};

/** A reference with the right check digits that was never given out. */
export const UNKNOWN = creditorReference('0000000000000000X1');

export type Bank = ReturnType<typeof createBank>;

export function createBank(world: World) {
  // The bank's clock is right, whatever that of the machine shows.
  const begun = world.wall() - world.elapsed();
  const bookings: Booking[] = [];
  const ordered: Ordered[] = [];
  const recalled = new Set<Booking>();

  const today = () => new Date(begun + world.elapsed()).toISOString().slice(0, 10);

  function numberOf(kind: BankNumber): string {
    if (kind === 'none') return '';
    if (kind === 'long') return `2027${String(bookings.length).padStart(12, '0')}`;
    return String(bookings.filter(({ bookedOn }) => bookedOn === today()).length + 1);
  }

  function book(booking: Omit<Booking, 'bookedOn'>): void {
    bookings.push({ ...booking, bookedOn: today() });
  }

  function settle(each: Ordered, what: 'payment' | 'return'): void {
    const { tenant, endToEndId, amount } = each;
    each.state = what === 'payment' ? 'paid' : 'returned';
    book({
      tenant,
      what,
      direction: what === 'payment' ? 'debit' : 'credit',
      amount,
      bankReference: numberOf('long'),
      endToEndId,
      creditorReference: '',
      text: what === 'payment' ? 'Refund' : 'Account closed',
      payer: PAYERS[0] as Payer,
      names: [],
    });
  }

  return {
    bookings: bookings as readonly Booking[],
    ordered: ordered as readonly Ordered[],

    transfer({ tenant, amount, names, spelling, payer, number }: Transfer): void {
      const [first = ''] = names;
      book({
        tenant,
        what: 'transfer',
        direction: 'credit',
        amount,
        bankReference: numberOf(number),
        endToEndId: spelling === 'end to end' ? first : '',
        creditorReference: spelling === 'structured' ? first : '',
        text: textFor(names, spelling),
        payer: PAYERS[payer % PAYERS.length] as Payer,
        names: spelling === 'text' || spelling === 'spelt' ? names : names.slice(0, 1),
      });
    },

    /** The payer's bank takes one of the transfers back, once. */
    recall(number: number): void {
      const open = bookings.filter((each) => each.what === 'transfer' && !recalled.has(each));
      const booking = open[number % open.length];
      if (booking === undefined) return;
      recalled.add(booking);
      const { bookedOn, ...same } = booking;
      book({ ...same, what: 'recall', direction: 'debit', bankReference: numberOf('long') });
    },

    /** A person hands in a payment file: it is XML, of which the bank reads what it needs. */
    accept(tenant: Tenant, content: string): readonly Ordered[] {
      const known = ordered.length;
      for (const [, endToEndId = '', amount = ''] of content.matchAll(
        /<CdtTrfTxInf>.*?<EndToEndId>(\w+)<.*?<InstdAmt Ccy="EUR">([\d.]+)</gs,
      ))
        ordered.push({ tenant, endToEndId, amount: Math.round(Number(amount) * 100), state: 'ordered' });
      return ordered.slice(known);
    },
    carryOut(number: number): void {
      const open = ordered.filter(({ state }) => state === 'ordered');
      const each = open[number % open.length];
      if (each) settle(each, 'payment');
    },
    carryOutAll(): void {
      for (const each of ordered) if (each.state === 'ordered') settle(each, 'payment');
    },
    /** Returns a transfer that was carried out. */
    giveBack(number: number): void {
      const paid = ordered.filter(({ state }) => state === 'paid');
      const each = paid[number % paid.length];
      if (each) settle(each, 'return');
    },

    of: (tenant: Tenant): Booking[] => bookings.filter((each) => sameTenant(each.tenant, tenant)),
    /** The state of a refund, or of money that is sent back, by our id; undefined if no file has it. */
    stateOf: (id: string): Ordered['state'] | undefined =>
      ordered.findLast(({ endToEndId }) => endToEndId === endToEndIdOf(id))?.state,
  };
}

function textFor(names: readonly string[], spelling: Spelling): string {
  if (spelling === 'text') return ['Order', ...names].join(' ');
  if (spelling === 'spelt') return names.map((name) => displayReference(name).toLowerCase()).join(' + ');
  return 'Thanks';
}
