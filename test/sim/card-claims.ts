/**
 * Claims on card payments in a simulation: disputes, which may begin as inquiries, and refunds that somebody makes at
 * Stripe and not here.
 */
import type { Books, Dispute, Intent, Refund, StandInEvent } from '../support/stripe-stand-in-books.ts';

export type DisputeBeginning = 'needs_response' | 'warning_needs_response';
export type DisputeEnd = 'under_review' | 'won' | 'lost';

type Claim = { readonly amount: number; readonly statuses: readonly string[]; readonly intent: string };

/** The status that a session may have heard of a claim, by its status at Stripe, the newest last. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  won: ['open', 'won'],
  lost: ['open', 'lost'],
  succeeded: ['open', 'lost'],
  failed: ['open', 'lost', 'won'],
};

/** The bank has only asked, and has taken nothing. */
const isInquiry = (status: string): boolean => status.startsWith('warning_');

/** What becomes of an inquiry where a dispute would end so: a bank that does not believe the merchant escalates it. */
const INQUIRY_ENDS: Readonly<Record<DisputeEnd, string>> = {
  under_review: 'warning_under_review',
  won: 'warning_closed',
  lost: 'needs_response',
};

const calledOf = (status: string): readonly string[] =>
  isInquiry(status) ? [] : (CALLED[status] ?? ['open']);

export function createClaims(both: readonly Books[]) {
  const all = <Kept>(of: (books: Books) => ReadonlyMap<string, Kept>) =>
    both.flatMap((books) => [...of(books).values()].map((kept) => ({ books, kept })));

  const isForeign = ({ metadata }: Refund): boolean => !metadata.refund;
  const disputes = () => all<Dispute>((books) => books.disputes);
  const foreign = () => all<Refund>((books) => books.refunds).filter(({ kept }) => isForeign(kept));

  /** A payment that has come. */
  function paid(number: number): { readonly books: Books; readonly kept: Intent } | undefined {
    const found = all<Intent>((books) => books.intents).filter(({ kept }) => kept.amount_received > 0);
    return found[number % found.length];
  }

  return {
    isForeign,

    /** A card holder disputes a payment, once, or a part of it. */
    dispute(number: number, share: number, status: DisputeBeginning): void {
      const payment = paid(number);
      if (payment === undefined || disputes().some(({ kept }) => kept.payment_intent === payment.kept.id))
        return;
      const amount = Math.max(1, Math.floor(payment.kept.amount_received * share));
      payment.books.dispute(payment.kept.id, { amount, status });
    },
    /** Ends a dispute or an inquiry; one that is closed may still escalate. */
    end(number: number, status: DisputeEnd): void {
      const open = disputes().filter(({ kept }) => kept.status !== 'won' && kept.status !== 'lost');
      const found = open[number % open.length];
      if (found === undefined) return;
      const { id, status: was } = found.kept;
      found.books.settleDispute(id, isInquiry(was) ? INQUIRY_ENDS[status] : status);
    },

    /** Refunds a part of a payment at Stripe, without the service. */
    refund(number: number, share: number): void {
      const payment = paid(number);
      const charge = payment?.books.charges.get(payment.kept.latest_charge ?? '');
      const amount = charge ? Math.floor((charge.amount - charge.amount_refunded) * share) : 0;
      if (amount > 0)
        payment?.books.createRefund({ payment_intent: payment.kept.id, amount: String(amount) });
    },

    /** The claim by its name at Stripe; reports on it may be older than what is true. */
    claim(reference: string): Claim | null {
      const found = [...disputes(), ...foreign()].find(({ kept }) => kept.id === reference)?.kept;
      if (found === undefined) return null;
      const { amount, payment_intent: intent, status } = found;
      return { amount, intent, statuses: calledOf(status) };
    },

    /** Each claim with the payment that it is on, and what sessions have to call it in the end; undefined: nothing. */
    claims: () =>
      [...disputes(), ...foreign()].map(({ kept: { id, payment_intent: intent, status } }) => ({
        id,
        intent,
        status: calledOf(status).at(-1),
      })),

    /** The last of what Stripe tells about each claim: it sends an event again until it was heard. */
    lastEvents: (): StandInEvent[] =>
      both.flatMap(({ events }) => {
        const told = new Map<string, StandInEvent>();
        for (const event of events) told.set(event.data.object.id, event);
        return [...told].flatMap(([id, event]) => (/^(du|re)_/.test(id) ? [event] : []));
      }),
  };
}
