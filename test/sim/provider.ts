/**
 * A payment provider that the simulation plays: a rail on this side, and the provider's own books on the other. The
 * books are what is true; the service hears of them only by asking, and not always then.
 */
import type { Attempt } from '../../src/checkout/session.ts';
import type { Rail, RailAnswer, RefundAnswer } from '../../src/methods/method.ts';
import type { Truth } from './truth.ts';

export const PROVIDER = 'provider';

/** `down`: nothing is done; `lost`: it is done, and the answer does not come back. */
export type Mood = 'ok' | 'down' | 'lost';

type Book = {
  readonly amount: number;
  status: 'requires_action' | 'processing' | 'succeeded' | 'failed' | 'cancelled';
  readonly refunds: Map<string, { readonly amount: number; status: 'pending' | 'succeeded' | 'failed' }>;
};

const ASK_AGAIN_MS = 60_000;

export type Provider = ReturnType<typeof createProvider>;

export function createProvider(onCall: () => void) {
  const books = new Map<string, Book>();
  let mood: Mood = 'ok';

  function bookOf({ reference, amount }: Attempt): Book {
    const known = books.get(reference);
    if (known !== undefined) return known;
    const opened: Book = { amount, status: 'requires_action', refunds: new Map() };
    books.set(reference, opened);
    return opened;
  }

  /** Does it or not, and answers or not. */
  async function asked<T>(work: () => T): Promise<T> {
    onCall();
    if (mood === 'down') throw new Error('the provider cannot be reached');
    const answer = work();
    if (mood === 'lost') throw new Error('the answer of the provider is lost');
    return answer;
  }

  function standing(attempt: Attempt, now: number): RailAnswer {
    const { status, amount } = bookOf(attempt);
    const isOpen = status === 'requires_action' || status === 'processing';
    return {
      status,
      reason: status === 'failed' ? 'The card was declined.' : '',
      syncAt: isOpen ? now + ASK_AGAIN_MS : null,
      payment: status === 'succeeded' ? { reference: paymentOf(attempt.reference), amount } : null,
    };
  }

  const rail: Rail = {
    name: PROVIDER,
    capabilities: { traits: {}, refunds: 'online', leavesPage: true },
    offers: () => true,
    plan: (_checkout, _method, _occasion, attemptId, now) => ({
      reference: `pi_${attemptId}`,
      status: 'requires_action',
      syncAt: now + ASK_AGAIN_MS,
      details: {},
    }),
    start: (_checkout, attempt, _returnUrl, now) => asked(() => standing(attempt, now)),
    sync: (_checkout, attempt, now) => asked(() => standing(attempt, now)),
    cancel: (_checkout, attempt, now) =>
      asked(() => {
        const book = bookOf(attempt);
        if (book.status === 'requires_action') book.status = 'cancelled';
        return standing(attempt, now);
      }),
    refund: (checkout, refund, now) =>
      asked((): RefundAnswer => {
        const attempt = checkout.attempts.find(({ id }) => id === refund.attempt);
        const book = books.get(attempt?.reference ?? '');
        if (book === undefined) throw new Error('a refund of a payment that the provider does not know');
        const known = book.refunds.get(refund.id);
        // The first answer is always that it takes a while; every seventh amount is refused in the end.
        const status = known === undefined ? 'pending' : refund.amount % 7 === 0 ? 'failed' : 'succeeded';
        book.refunds.set(refund.id, { amount: refund.amount, status });
        return {
          status,
          reference: `re_${refund.id}`,
          failure: status === 'failed' ? 'The refund was refused.' : '',
          syncAt: status === 'pending' ? now + ASK_AGAIN_MS : null,
        };
      }),
  };

  const statusOf = (reference: string) => books.get(reference)?.status ?? null;
  const truth: Truth = {
    statusOf,
    mayHaveSaid: (reference, status) => statusOf(reference) === status,
    payments({ reference }) {
      const book = books.get(reference);
      return book?.status === 'succeeded' ? [{ reference: paymentOf(reference), amount: book.amount }] : [];
    },
    refundStatus: (reference, refund) => books.get(reference)?.refunds.get(refund)?.status,
    reversal: () => null,
    flaws: () =>
      [...books]
        .filter(([, { amount, status, refunds }]) => {
          let back = 0;
          for (const each of refunds.values()) if (each.status !== 'failed') back += each.amount;
          return back > (status === 'succeeded' ? amount : 0);
        })
        .map(([reference]) => `more of ${reference} went back than had come`),
  };

  return {
    rail,
    truth,
    setMood: (next: Mood) => {
      mood = next;
    },
    /** The payer does something at the provider's page; nothing if the page is closed. */
    payer(reference: string, does: 'pays' | 'pays slowly' | 'fails'): void {
      const book = books.get(reference);
      if (book === undefined || !['requires_action', 'processing'].includes(book.status)) return;
      book.status = does === 'pays' ? 'succeeded' : does === 'fails' ? 'failed' : 'processing';
    },
    /** Ends whatever a payer has left unfinished. */
    closePages(): void {
      for (const book of books.values()) {
        if (book.status === 'processing') book.status = 'succeeded';
        if (book.status === 'requires_action') book.status = 'failed';
      }
    },
    references: () => [...books.keys()],
  };
}

const paymentOf = (reference: string): string => `ch_${reference}`;
