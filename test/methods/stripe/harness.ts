/** The card rail against a stand-in for Stripe, and what payers, Stripe and merchants do to it. */
import type { TestContext } from 'node:test';
import type { Account } from '../../../src/accounts/account.ts';
import { defaultSettings } from '../../../src/accounts/settings.ts';
import type { Attempt, Checkout, Refund } from '../../../src/checkout/session.ts';
import type { Mode } from '../../../src/checkout/tenant.ts';
import { findMethod, type Method } from '../../../src/methods/catalogue.ts';
import { type Occasion, type Rail, type RailAnswer, traitsOf } from '../../../src/methods/method.ts';
import { createStripeRail, type StripeOptions } from '../../../src/methods/stripe/stripe.ts';
import { checkout as buildCheckout } from '../../checkout/build.ts';
import { type Misbehaviour, type StripeStandIn, startStripe } from '../../support/stripe-stand-in.ts';
import type { SignedEvent } from '../../support/stripe-stand-in-api.ts';
import type {
  BalanceTransaction,
  Dispute,
  Session,
  Refund as StripeRefund,
} from '../../support/stripe-stand-in-books.ts';

export const RETURN_URL = 'https://pay.example.com/c/token1?back=1';

/** Misbehaviour after which nobody can know if a call had an effect. */
export const troubles: ReadonlyArray<readonly [Misbehaviour, times: number]> = [
  ['silence_before', 1],
  ['silence_after', 1],
  ['reset_before', 1],
  ['reset_after', 1],
  ['error_before', 1],
  ['error_after', 1],
  ['too_many', 1],
  ['too_many_400', 1],
  ['not_json', 1],
];

export type Harness = {
  readonly name: string;
  readonly rail: Rail;
  readonly stripe: StripeStandIn;
  readonly occasionAccount: Account;
  readonly method: Method;
  occasion(given?: Partial<Occasion>): Occasion;
  /** A session with an attempt that was planned just now; it has not been started. */
  planned(given?: Partial<Checkout>, attempt?: Partial<Attempt>): Planned;
  /** The same, started: the payer has the address of the page. */
  started(given?: Partial<Checkout>, attempt?: Partial<Attempt>): Promise<Planned>;
  /** Started, paid, and booked. */
  paid(given?: Partial<Checkout>): Promise<Planned>;
  /** Minor units; what is asked for unless said. */
  pay(attempt: Attempt, stripeAmount?: number): void;
  /** A card is declined; the payer can try another one. */
  decline(attempt: Attempt): void;
  /** The attempt comes to nothing. */
  fail(attempt: Attempt): void;
  beginProcessing(attempt: Attempt): void;
  endProcessing(attempt: Attempt, outcome: 'succeeds' | 'fails'): void;
  timeOutNext(): void;
  serverErrorNext(): void;
  unknownStateNext(): void;
  /** The newest event about the attempt, as Stripe sends it. */
  newestEvent(attempt: Attempt): SignedEvent;
  /** The card holder disputes; `amount` in Stripe's unit. */
  returnOrDispute(attempt: Attempt, amount?: number): Dispute;
  endDispute(dispute: Dispute, outcome: 'won' | 'lost'): void;
  /** The outcome of the next refund: at once, or later (`settleRefund` of the books). */
  refundOutcome(status: 'succeeded' | 'pending' | 'failed'): void;
  pageOf(attempt: Attempt): Session;
  refundsOf(attempt: Attempt): StripeRefund[];
  /** The payment enters the balance, with its fee. */
  enterBalance(attempt: Attempt, given?: Partial<BalanceTransaction>): void;
};

export type Planned = { readonly checkout: Checkout; readonly attempt: Attempt };

const account: Account = {
  number: 1,
  name: 'Test Shop',
  webhookSecrets: { test: 'whsec_a', live: 'whsec_b' },
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  testClockOffsetMs: 0,
  settings: { test: defaultSettings, live: defaultSettings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
};

let count = 0;

export async function startHarness(
  context: Pick<TestContext, 'after'>,
  options: Partial<StripeOptions> = {},
): Promise<Harness> {
  const stripe = await startStripe(context);
  const { keys } = stripe;
  const rail = createStripeRail({
    test: keys.test,
    live: keys.live,
    accountNumber: account.number,
    apiUrl: stripe.url,
    http: stripe.http,
    retries: 0,
    ...options,
  });
  const method = findMethod('card') as Method;
  const books = (attempt: Attempt) => stripe.books[modeOf(attempt)];
  const modes = new Map<string, Mode>();
  const modeOf = ({ id }: Attempt): Mode => modes.get(id) ?? 'test';

  function pageOf(attempt: Attempt): Session {
    const found = [...books(attempt).sessions.values()].find(
      (each) => each.client_reference_id === attempt.id,
    );
    if (!found) throw new Error(`there is no page for ${attempt.id}`);
    return found;
  }

  function intentOf(attempt: Attempt): string {
    return pageOf(attempt).payment_intent ?? '';
  }

  function occasion(given: Partial<Occasion> = {}): Occasion {
    return { mode: 'test', currency: 'USD', country: '', amount: 1000, account, ...given };
  }

  function planned(given: Partial<Checkout> = {}, attempt: Partial<Attempt> = {}): Planned {
    count += 1;
    const now = Date.now();
    const blank = buildCheckout({ id: `chk_${count}`, createdAt: now, ...given });
    const id = `pat_${process.pid}_${count}` as const;
    modes.set(id, blank.tenant.mode);
    const { mode } = blank.tenant;
    const { currency, amount } = blank;
    const plan = rail.plan(blank, method, occasion({ mode, currency, amount }), id, now);
    const made: Attempt = {
      id,
      createdAt: now,
      rail: rail.name,
      method: method.id,
      amount,
      version: blank.version,
      reason: '',
      traits: traitsOf(rail, blank),
      ...plan,
      ...attempt,
    };
    return { checkout: { ...blank, attempts: [made] }, attempt: made };
  }

  async function started(given: Partial<Checkout> = {}, attempt: Partial<Attempt> = {}): Promise<Planned> {
    const made = planned(given, attempt);
    const answer = await rail.start?.(made.checkout, made.attempt, RETURN_URL, Date.now());
    if (!answer) throw new Error('the rail has nothing to start');
    return afterAnswer(made, answer);
  }

  async function paid(given: Partial<Checkout> = {}): Promise<Planned> {
    const made = await started(given);
    harness.pay(made.attempt);
    return afterAnswer(made, await rail.sync(made.checkout, made.attempt, Date.now()));
  }

  const harness: Harness = {
    name: rail.name,
    rail,
    stripe,
    occasionAccount: account,
    method,
    occasion,
    planned,
    started,
    paid,
    pay: (attempt, amount) =>
      void books(attempt).pay(pageOf(attempt).id, amount === undefined ? {} : { amount }),
    decline: (attempt) => void books(attempt).pay(pageOf(attempt).id, { outcome: 'declined' }),
    fail: (attempt) => void books(attempt).expireSession(pageOf(attempt).id),
    beginProcessing: (attempt) => void books(attempt).pay(pageOf(attempt).id, { outcome: 'processing' }),
    endProcessing: (attempt, outcome) => books(attempt).settlePayment(pageOf(attempt).id, outcome),
    timeOutNext: () => stripe.next('silence_after'),
    serverErrorNext: () => stripe.next('error_after'),
    unknownStateNext: () => stripe.next('unknown_status'),
    newestEvent(attempt) {
      const page = pageOf(attempt);
      const event = books(attempt).events.findLast(({ data }) => {
        const { id, payment_intent: intent } = data.object as Partial<Dispute> & { id: string };
        return id === page.id || id === page.payment_intent || (intent && intent === page.payment_intent);
      });
      if (!event) throw new Error(`nothing has happened to ${attempt.id}`);
      return stripe.signed(event);
    },
    returnOrDispute: (attempt, amount) =>
      books(attempt).dispute(intentOf(attempt), amount === undefined ? {} : { amount }),
    endDispute: (dispute, outcome) =>
      stripe.books[dispute.livemode ? 'live' : 'test'].settleDispute(dispute.id, outcome),
    refundOutcome(status) {
      for (const mode of ['test', 'live'] as const) stripe.books[mode].refundStatuses.push(status);
    },
    pageOf,
    enterBalance: (attempt, given) => books(attempt).enterBalance(intentOf(attempt), given),
    refundsOf: (attempt) =>
      [...books(attempt).refunds.values()].filter((each) => each.payment_intent === intentOf(attempt)),
  };
  return harness;
}

/** The session as it is once the answer has been reported. */
export function afterAnswer({ checkout, attempt }: Planned, answer: RailAnswer): Planned {
  const { status, reason, syncAt, payment, details } = answer;
  const moved: Attempt = { ...attempt, status, reason, syncAt, details: details ?? attempt.details };
  const attempts = checkout.attempts.map((each) => (each.id === attempt.id ? moved : each));
  const line = payment && {
    ...payment,
    rail: attempt.rail,
    attempt: attempt.id,
    bookedAt: Date.now(),
    late: false,
  };
  const payments = line ? [...checkout.payments, line] : checkout.payments;
  return { checkout: { ...checkout, attempts, payments }, attempt: moved };
}

/** A refund that the merchant has just made. */
export function refundOf({ checkout, attempt }: Planned, given: Partial<Refund> = {}): Refund {
  count += 1;
  const now = Date.now();
  return {
    id: `rfd_${process.pid}_${count}`,
    createdAt: now,
    attempt: attempt.id,
    rail: attempt.rail,
    reference: '',
    amount: checkout.amount,
    reason: '',
    remarks: '',
    metadata: {},
    webhookUrl: '',
    status: 'pending',
    failure: '',
    syncAt: now,
    ...given,
  };
}
