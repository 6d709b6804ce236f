/** The card rail as the contract of rails sees it, against a stand-in for Stripe. */
import type { TestContext } from 'node:test';
import { fromStripeAmount, toStripeAmount } from '../../src/methods/stripe/amounts.ts';
import { createStripeRail } from '../../src/methods/stripe/stripe.ts';
import { type Misbehaviour, startStripe } from '../support/stripe-stand-in.ts';
import type { Session, StandInEvent } from '../support/stripe-stand-in-books.ts';
import type { Provider } from './contract-provider.ts';
import type { Data, Till } from './contract-till.ts';

const LOOK_AGAIN_SECONDS = 11 * 60;
const QUESTIONS = {
  start: /^POST \/v1\/checkout\/sessions$/,
  sync: /^GET \/v1\/checkout\/sessions/,
  refund: /^POST \/v1\/refunds$/,
};
const silent: readonly Misbehaviour[] = [
  'silence_before',
  'silence_after',
  'reset_before',
  'reset_after',
  'error_before',
  'error_after',
  'too_many',
  'not_json',
  'trickle',
];

export async function startCards(context: Pick<TestContext, 'after'>): Promise<Provider> {
  const stripe = await startStripe(context);
  const rail = createStripeRail({
    test: stripe.keys.test,
    live: null,
    accountNumber: 1,
    apiUrl: stripe.url,
    http: stripe.http,
    retries: 0,
  });
  const books = stripe.books.test;

  function pagesOf(attempt: Data): Session[] {
    return [...books.sessions.values()].filter((each) => each.client_reference_id === attempt.id);
  }
  function pageOf(attempt: Data): Session {
    const [page] = pagesOf(attempt);
    if (!page) throw new Error(`there is no page for ${attempt.id}`);
    return page;
  }
  const intentOf = (attempt: Data): string => pageOf(attempt).payment_intent ?? '';
  const minor = (amount: number, attempt: Data) => fromStripeAmount(amount, attempt.charge_currency) ?? -1;
  const units = (amount: number, attempt: Data) => toStripeAmount(amount, attempt.charge_currency) ?? -1;

  function eventsAbout(attempt: Data): StandInEvent[] {
    const page = pageOf(attempt);
    return books.events.filter(({ data }) => {
      const { id, payment_intent: intent } = data.object as { id: string; payment_intent?: string | null };
      return id === page.id || id === page.payment_intent || (intent && intent === page.payment_intent);
    });
  }
  const tell = (till: Till, event: StandInEvent) => async () => {
    const { body, headers } = stripe.signed(event);
    const { status, text } = await till.tell('stripe', body, headers);
    if (status !== 200) throw new Error(`a provider event was answered with ${status}: ${text}`);
  };
  async function tellNewest(till: Till): Promise<void> {
    const newest = books.events.at(-1);
    if (newest) await tell(till, newest)();
    await till.pass();
  }

  const provider: Provider = {
    rail,
    receivingAccounts: [],
    offers: [
      { why: 'cards', method: 'card', occasion: {}, carried: true },
      { why: 'cards of any country', method: 'card', occasion: { country: 'BR' }, carried: true },
      { why: 'an amount that is not known', method: 'card', occasion: { amount: null }, carried: true },
      {
        why: 'another method',
        method: 'pix_brl',
        occasion: { currency: 'BRL', country: 'BR' },
        carried: false,
      },
      { why: 'too small an amount', method: 'card', occasion: { amount: 49 }, carried: false },
      { why: 'too large an amount', method: 'card', occasion: { amount: 1_000_000_000_000 }, carried: false },
      { why: 'four digits', method: 'card', occasion: { currency: 'CLF' }, carried: false },
      {
        why: 'a thousandth',
        method: 'card',
        occasion: { currency: 'KWD', amount: 12_345 },
        carried: false,
      },
      { why: 'a mode without a key', method: 'card', occasion: { mode: 'live' }, carried: false },
      { why: 'another account', method: 'card', occasion: {}, isConfigured: false, carried: false },
    ],
    methodFor: () => 'card',
    amounts: {
      JPY: [50, 1050, 999_999_999_999],
      EUR: [50, 1051, 999_999_999_999],
      KWD: [1230, 999_999_999_990],
      CLF: [],
    },
    form: {},
    async meansOf(till, id) {
      await till.start(id);
      const attempt = (await till.stored(id)).attempts.at(-1);
      return attempt && rail.payerUrl?.(attempt);
    },
    pay: (attempt, amount = attempt.amount) =>
      void books.pay(pageOf(attempt).id, { amount: units(amount, attempt) }),
    news: (till, attempt) => eventsAbout(attempt).map((event) => tell(till, event)),
    asked: (attempt) => pagesOf(attempt).length,
    isOpen: (attempt) => pageOf(attempt).status === 'open',
    troubles: silent.map((misbehaviour) => ({
      name: misbehaviour.replaceAll('_', ' '),
      // The library repeats by itself what was cut off on a connection that may have been stale.
      cause: (on) => stripe.next(misbehaviour, { on: QUESTIONS[on] }),
    })),
    paidUnheard: {
      async begin(till, session) {
        const attempt = await till.choose(session, 'card');
        await till.start(session.id);
        provider.pay(attempt);
        return attempt;
      },
      askedAfterSeconds: LOOK_AGAIN_SECONDS,
    },
    async unknownState(till, session) {
      const attempt = await till.choose(session, 'card');
      await till.start(session.id);
      const before = till.alerts.length;
      stripe.next('unknown_status', { on: QUESTIONS.sync });
      await till.pass(LOOK_AGAIN_SECONDS);
      return { attempt, seen: till.alerts.length - before };
    },
    async payEarly(till, session) {
      const { checkout, attempt, write } = await till.plan(session.id, rail, 'card');
      await rail.start?.(checkout, attempt, 'https://pay.example.com/back', await till.now());
      books.pay(pageOf(attempt).id);
      for (const event of eventsAbout(attempt)) await tell(till, event)();
      return { write };
    },
    refundFields: () => ({}),
    async carryOut(till, { id }, ending = 'succeeded') {
      books.refundStatuses.push('pending');
      await till.pass();
      const made = [...books.refunds.values()].find(({ metadata }) => metadata.refund === id);
      if (!made) throw new Error(`Stripe knows nothing of ${id}`);
      books.settleRefund(made.id, ending);
      await tellNewest(till);
    },
    refundsAt: (attempt) =>
      [...books.refunds.values()]
        .filter((each) => each.payment_intent === intentOf(attempt) && each.status !== 'failed')
        .map(({ amount }) => minor(amount, attempt)),
    async takeBack(till, attempt, amount = attempt.amount) {
      const dispute = books.dispute(intentOf(attempt), { amount: units(amount, attempt) });
      await tellNewest(till);
      return {
        async win() {
          books.settleDispute(dispute.id, 'won');
          await tellNewest(till);
        },
      };
    },
    async inquire(till, attempt) {
      const { id } = books.dispute(intentOf(attempt), { status: 'warning_needs_response' });
      await tellNewest(till);
      const become = (status: string) => async () => {
        books.settleDispute(id, status);
        await tellNewest(till);
      };
      return { escalate: become('needs_response'), close: become('warning_closed') };
    },
    async refundThere(till, attempt, amount) {
      const form = { payment_intent: intentOf(attempt), amount: String(units(amount, attempt)) };
      const { id } = books.createRefund(form);
      await tellNewest(till);
      return {
        async fail() {
          books.settleRefund(id, 'failed', 'expired_or_canceled_card');
          await tellNewest(till);
        },
      };
    },
  };
  return provider;
}
