/** The other side of a rail: what payers, banks and the provider do, and what the service hears of it. */

import type { TestContext } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { ReceivingAccount } from '../../src/methods/bank/receiving-account.ts';
import type { Occasion, Rail, RailAnswer, RefundAnswer } from '../../src/methods/method.ts';
import type { Data, Till } from './contract-till.ts';

/** An occasion, and whether the rail carries a method then. */
export type Expectation = {
  readonly why: string;
  readonly method: string;
  readonly occasion: Partial<Omit<Occasion, 'account'>>;
  /** Set if the account has configured the rail. */
  readonly isConfigured?: boolean;
  readonly carried: boolean;
};

export type RefundEnding = 'succeeded' | 'failed';

export type Provider = {
  readonly rail: Rail;
  readonly receivingAccounts: readonly ReceivingAccount[];
  readonly offers: readonly Expectation[];
  methodFor(currency: string): string;
  /**
   * Amounts to be paid, by a currency for each number of decimals in ISO 4217; an empty list: not carried.
   */
  readonly amounts: Readonly<Record<'JPY' | 'EUR' | 'KWD' | 'CLF', readonly number[]>>;
  /** Fields of the page's form, beside the method, that lead to an attempt which waits for the money. */
  readonly form: Readonly<Record<string, string>>;

  /** The payer's means of payment, which tells if two are the same. */
  meansOf(till: Till, id: CheckoutId): Promise<unknown>;
  /** The money moves; nobody hears of it. What is asked for, unless an amount is said. */
  pay(attempt: Data, amount?: number): void;
  /** The reports that the money has moved, each of which may come any number of times and in any order. */
  news(till: Till, attempt: Data): Array<() => Promise<void>>;
  /** The number of times that this attempt has asked the provider for money. */
  asked(attempt: Data): number;
  /** Null: there is nobody who could be told. */
  isOpen(attempt: Data): boolean | null;

  /** The ways in which a question may be without an answer, with whether it has had its effect. */
  readonly troubles: ReadonlyArray<{ readonly name: string; cause(on: 'start' | 'sync' | 'refund'): void }>;
  /**
   * Begins an attempt of which the rail is asked after this time, and will say that it is paid; null: the rail is never
   * asked.
   */
  readonly paidUnheard: {
    begin(till: Till, session: Data): Promise<Data>;
    readonly askedAfterSeconds: number;
  } | null;
  /** The rail says something that this version does not know; how many more things an operator has to look at. */
  unknownState(till: Till, session: Data): Promise<{ readonly attempt: Data; readonly seen: number }>;
  /** Money moves for a planned attempt before anybody has written that down; null: it is not possible. */
  readonly payEarly: ((till: Till, session: Data) => Promise<{ write(): Promise<void> }>) | null;

  /** Fields of a refund, beside the amount, with which it ends so. */
  refundFields(ending: RefundEnding): object;
  /** The rail carries the refund out, and the service hears how it ended. */
  carryOut(till: Till, refund: Data, ending?: RefundEnding): Promise<void>;
  /** The amounts of all refunds that the provider was made to make, in minor units. */
  refundsAt(attempt: Data): number[];
  /** The money is taken back from the merchant, wholly or in part, and the service is told; null: nobody can. */
  readonly takeBack:
    | ((
        till: Till,
        attempt: Data,
        amount?: number,
      ) => Promise<{ readonly win: (() => Promise<void>) | null }>)
    | null;
  /** The payer's bank asks about the payment, and takes nothing; absent: no bank asks. */
  inquire?(
    till: Till,
    attempt: Data,
  ): Promise<{
    /** The bank takes the money after all. */
    escalate(): Promise<void>;
    /** The bank has its answer. */
    close(): Promise<void>;
  }>;
  /** The merchant refunds a part at the provider and not here; absent: the provider has no dashboard. */
  refundThere?(
    till: Till,
    attempt: Data,
    amount: number,
  ): Promise<{
    /** The payer's bank has not taken the money: it comes back to the merchant. */
    fail(): Promise<void>;
  }>;
};

export type StartProvider = (context: Pick<TestContext, 'after'>) => Promise<Provider>;

type Lost = 'question' | 'answer';

/** A rail whose questions, or the answers to them, get lost when the test wants it; and that says strange things. */
export function unreliable(rail: Rail) {
  const lost: Lost[] = [];
  let isStrange = false;
  /** Refunds that were made, by their id. */
  const refunds = new Map<string, { attempt: string; amount: number }>();

  async function carried<Said extends RailAnswer | RefundAnswer>(act: () => Promise<Said>): Promise<Said> {
    const how = lost.shift();
    if (how === 'question') throw new Error('nobody has heard the question');
    const said = await act();
    if (how === 'answer') throw new Error('nobody has heard the answer');
    return said;
  }
  const wrapped: Rail = {
    ...rail,
    sync: (checkout, attempt, nowMs) =>
      carried(async () => {
        if (!isStrange) return rail.sync(checkout, attempt, nowMs);
        isStrange = false;
        const { status, reason } = attempt;
        return { status, reason, syncAt: nowMs + 60_000, payment: null, alert: 'the state is not known' };
      }),
    refund: (checkout, refund, nowMs) =>
      carried(async () => {
        const said = await rail.refund(checkout, refund, nowMs);
        if (said.status !== 'failed') {
          refunds.set(refund.id, { attempt: refund.attempt, amount: refund.amount });
        }
        return said;
      }),
  };
  return {
    rail: wrapped,
    troubles: (['question', 'answer'] as const).map((how) => ({
      name: `the ${how} is lost`,
      cause: () => void lost.push(how),
    })),
    beStrange(): void {
      isStrange = true;
    },
    refundsAt: ({ id }: Data): number[] =>
      [...refunds.values()].filter(({ attempt }) => attempt === id).map(({ amount }) => amount),
  };
}
