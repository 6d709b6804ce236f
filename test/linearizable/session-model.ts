/**
 * A session as its clients see it, one request after the other. Written from the contract (versions, lifecycle, money,
 * refunds, preconditions), and not from the rules.
 */
import type { Model } from './checker.ts';

export type Payment = { readonly reference: string; readonly amount: number; readonly refunded: number };

export type State = {
  readonly version: number;
  readonly amount: number;
  /** The mark last written into the metadata. */
  readonly mark: number;
  readonly isExpired: boolean;
  readonly payments: readonly Payment[];
  /** Refunds that the provider has not settled yet: each will make a version of its own, at any time. */
  readonly pendingRefunds: number;
};

export type Input =
  | { readonly type: 'fetch' }
  | { readonly type: 'fetch_payin' }
  /** The version that the client knows. */
  | { readonly type: 'fetch_if_changed'; readonly known: number }
  | { readonly type: 'set_items'; readonly amount: number; readonly ifMatch: number | null }
  | { readonly type: 'set_mark'; readonly mark: number; readonly ifMatch: number | null }
  /** An amount of null pays everything that is due. */
  | { readonly type: 'pay'; readonly reference: string; readonly amount: number | null }
  | { readonly type: 'expire'; readonly ifMatch: number | null }
  | { readonly type: 'refund'; readonly reference: string; readonly amount: number };

/** The visible state of a session. */
export type Shown = {
  readonly version: number;
  readonly amount: number;
  readonly mark: number;
  readonly paid: number;
  readonly status: string;
  readonly paymentStatus: string;
};

export type Output =
  | { readonly type: 'session'; readonly shown: Shown }
  | {
      readonly type: 'payin';
      readonly amount: number;
      readonly paid: number;
      readonly refunded: number;
      readonly pendingRefunds: number;
    }
  | { readonly type: 'not_modified' | 'refunded' | 'conflict' | 'stale' };

export const sessionModel = (amount: number): Model<State, Input, Output> => ({
  initial: { version: 1, amount, mark: 0, isExpired: false, payments: [], pendingRefunds: 0 },
  next: (state, input, output) =>
    settled(state).flatMap((before) => {
      const { after, answers } = step(before, input);
      const fits = output === null || answers.some((answer) => isSame(answer, output));
      return fits ? [after] : [];
    }),
  key: ({ version, amount, mark, isExpired, payments, pendingRefunds }) =>
    JSON.stringify([version, amount, mark, isExpired, payments, pendingRefunds]),
});

export const paidOf = ({ payments }: State): number => payments.reduce((sum, each) => sum + each.amount, 0);

export function shownOf(state: State): Shown {
  const paid = paidOf(state);
  const isCovered = paid >= state.amount;
  const status = isCovered ? 'completed' : 'active';
  return {
    version: state.version,
    amount: state.amount,
    mark: state.mark,
    paid,
    status: state.isExpired ? 'expired' : status,
    // A session that was expired by a request stays unpaid until late money covers it.
    paymentStatus: isCovered ? 'paid' : 'unpaid',
  };
}

/** The states that this one may have become by itself: any number of refunds has been settled. */
function settled(state: State): State[] {
  return Array.from({ length: state.pendingRefunds + 1 }, (_, count) => ({
    ...state,
    version: state.version + count,
    pendingRefunds: state.pendingRefunds - count,
  }));
}

/** The state after an operation, and the answers that are right; several where two reasons to refuse meet. */
function step(state: State, input: Input): { after: State; answers: Output[] } {
  const answered = (...answers: Output[]) => ({ after: state, answers });
  const changed = (change: Partial<State>, answer?: Output) => {
    const after = { ...state, ...change, version: state.version + 1 };
    return { after, answers: [answer ?? ({ type: 'session', shown: shownOf(after) } as const)] };
  };
  const session = { type: 'session', shown: shownOf(state) } as const;
  switch (input.type) {
    case 'fetch':
      return answered(session);
    case 'fetch_payin': {
      const refunded = state.payments.reduce((sum, each) => sum + each.refunded, 0);
      const { amount, pendingRefunds } = state;
      return answered({ type: 'payin', amount, paid: paidOf(state), refunded, pendingRefunds });
    }
    case 'fetch_if_changed':
      return answered(input.known === state.version ? { type: 'not_modified' } : session);
    case 'set_mark':
      return refusals(state, input.ifMatch, true, answered) ?? changed({ mark: input.mark });
    case 'set_items':
      return (
        refusals(state, input.ifMatch, shownOf(state).status === 'active' && paidOf(state) === 0, answered) ??
        changed({ amount: input.amount })
      );
    case 'expire':
      return (
        refusals(state, input.ifMatch, shownOf(state).status === 'active', answered) ??
        changed({ isExpired: true })
      );
    case 'pay': {
      // A payment is booked once.
      if (state.payments.some(({ reference }) => reference === input.reference)) return answered(session);
      const amount = input.amount ?? state.amount - paidOf(state);
      if (amount <= 0) return answered({ type: 'conflict' });
      return changed({
        payments: [...state.payments, { reference: input.reference, amount, refunded: 0 }],
      });
    }
    case 'refund': {
      const payment = state.payments.find(({ reference }) => reference === input.reference);
      if (payment === undefined || payment.refunded + input.amount > payment.amount)
        return answered({ type: 'conflict' });
      const refunded = { ...payment, refunded: payment.refunded + input.amount };
      return changed(
        {
          payments: state.payments.map((each) => (each === payment ? refunded : each)),
          pendingRefunds: state.pendingRefunds + 1,
        },
        { type: 'refunded' },
      );
    }
  }
}

function refusals<T>(
  { version }: State,
  ifMatch: number | null,
  isAllowed: boolean,
  answered: (...answers: Output[]) => T,
): T | null {
  const answers: Output[] = [];
  if (ifMatch !== null && ifMatch !== version) answers.push({ type: 'stale' });
  if (!isAllowed) answers.push({ type: 'conflict' });
  return answers.length === 0 ? null : answered(...answers);
}

const isSame = (one: Output, other: Output): boolean => JSON.stringify(one) === JSON.stringify(other);
