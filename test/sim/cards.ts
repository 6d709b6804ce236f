/**
 * Stripe in a simulation: the rail as it is, and at the other end of its line the books of the stand-in. They are what is
 * true; payers, banks and time write in them.
 */
import type { Account } from '../../src/accounts/account.ts';
import { defaultSettings } from '../../src/accounts/settings.ts';
import type { AttemptId } from '../../src/checkout/ids.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { TenantTime } from '../../src/checkout/tenant.ts';
import { findMethod } from '../../src/methods/catalogue.ts';
import { type AttemptPlan, occasionOf, type Rail } from '../../src/methods/method.ts';
import { STRIPE } from '../../src/methods/stripe/credentials.ts';
import { createStripeRail } from '../../src/methods/stripe/stripe.ts';
import { createStripeApi, KEYS, type SignedEvent } from '../support/stripe-stand-in-api.ts';
import type { Session as Page, Refund, StandInEvent } from '../support/stripe-stand-in-books.ts';
import { part } from '../support/stripe-stand-in-form.ts';
import { createClaims } from './card-claims.ts';
import { createCardLine } from './card-line.ts';
import type { Truth } from './truth.ts';
import type { World } from './world.ts';

/** The one account that is paid over this rail. */
const ACCOUNT = 1;
/** Attempts whose page was ever shown to a payer. The address of any other is known to nobody. */
export function shownPages(checkouts: Iterable<Checkout>): string[] {
  return [...checkouts].flatMap(({ attempts }) =>
    attempts.filter(({ rail, details }) => rail === STRIPE && details.url).map(({ reference }) => reference),
  );
}

/** The shortest time of a page: long enough that none is given up before it is made. */
const SHORTEST_PAGE_MS = 35 * 60_000;

const account: Account = {
  number: ACCOUNT,
  name: 'one',
  webhookSecrets: { test: '', live: '' },
  createdAt: 0,
  previousWebhookSecrets: { test: null, live: null },
  testClockOffsetMs: 0,
  settings: { test: defaultSettings, live: defaultSettings },
  railCredentials: { test: {}, live: {} },
  logos: { test: null, live: null },
};

export type Cards = ReturnType<typeof createCards>;

export function createCards(world: World, trace: (line: string) => void) {
  // Stripe's clock is right, whatever that of the machine shows.
  const begun = world.wall() - world.elapsed();
  const api = createStripeApi(
    (page) => `https://stripe.example/${page}`,
    () => begun + world.elapsed(),
  );
  const both = [api.books.test, api.books.live];
  /** Attempts for which Stripe has refused to make a page, and those that were ever processing. */
  const refused = new Set<string>();
  const slow = new Set<string>();
  const refusedRefunds = new Set<string>();
  const claims = createClaims(both);
  const watched = {
    ...api,
    answerOnce(...[call, work]: Parameters<typeof api.answerOnce>) {
      const said = api.answerOnce(call, work);
      const { client_reference_id: reference } = call.form;
      if (said.status === 400 && typeof reference === 'string') refused.add(reference);
      const { refund } = part(call.form, 'metadata');
      if (said.status === 400 && typeof refund === 'string') refusedRefunds.add(refund);
      return said;
    },
  };
  const line = createCardLine(watched, world, ({ method, path }, how) => trace(`${method} ${path}: ${how}`));
  const planner = railFor(() => true);

  function railFor(isAlive: () => boolean): Rail {
    return createStripeRail({ ...KEYS, accountNumber: ACCOUNT, http: line.httpFor(isAlive) });
  }

  const homeOf = (reference: string) =>
    both.find(({ sessions }) =>
      [...sessions.values()].some((page) => page.client_reference_id === reference),
    );
  const pagesOf = (reference: string): Page[] =>
    both
      .flatMap(({ sessions }) => [...sessions.values()])
      .filter((page) => page.client_reference_id === reference);
  const intentOf = ({ payment_intent: id }: Page) =>
    both.map(({ intents }) => intents.get(id ?? '')).find((intent) => intent !== undefined);
  const refunds = (): Refund[] => both.flatMap((each) => [...each.refunds.values()]);
  const refundsOf = (id: string): Refund[] => refunds().filter(({ metadata }) => metadata.refund === id);
  const pageOf = (reference: string): Page | undefined => pagesOf(reference).at(-1);

  const truth: Truth = {
    statusOf(reference) {
      const page = pageOf(reference);
      if (page === undefined) return null;
      if (page.status === 'open') return 'requires_action';
      if (page.status === 'expired') return 'cancelled';
      if (page.payment_status === 'paid') return 'succeeded';
      return intentOf(page)?.status === 'processing' ? 'processing' : 'failed';
    },
    mayHaveSaid(reference, status, ageMs) {
      const is = truth.statusOf(reference);
      if (status === 'processing') return slow.has(reference);
      if (status === 'cancelled') return is === null || is === 'cancelled';
      if (status !== 'failed') return is === status;
      return (
        is === 'failed' ||
        is === 'cancelled' ||
        (is === null && (refused.has(reference) || ageMs >= SHORTEST_PAGE_MS))
      );
    },
    payments({ reference }) {
      const paid = pagesOf(reference).find(({ payment_status }) => payment_status === 'paid');
      const intent = paid && intentOf(paid);
      return intent === undefined ? [] : [{ reference: intent.id, amount: intent.amount_received }];
    },
    refundStatus: (_reference, id) =>
      refundsOf(id).at(-1)?.status ?? (refusedRefunds.has(id) ? 'failed' : undefined),
    reversal: claims.claim,
    flaws() {
      const live = refunds().filter((each) => each.status !== 'failed' && !claims.isForeign(each));
      const twice = (names: string[]) => names.filter((name, index) => names.indexOf(name) < index);
      const open = both
        .flatMap(({ sessions }) => [...sessions.values()])
        .filter(({ status }) => status !== 'expired');
      return [
        ...twice(live.map(({ metadata }) => metadata.refund ?? '')).map((id) => `${id} went back twice`),
        ...twice(open.map((page) => page.client_reference_id ?? '')).map((id) => `${id} has two pages`),
      ];
    },
  };

  return {
    truth,
    line,
    claims,
    railFor,

    /** The plan of an attempt, or null where this rail is not offered. */
    plan(checkout: Checkout, attemptId: AttemptId, now: TenantTime, aheadMs: number): AttemptPlan | null {
      const method = findMethod('card');
      const occasion = occasionOf(checkout, { ...account, testClockOffsetMs: aheadMs });
      if (checkout.tenant.account !== ACCOUNT || !method || !planner.offers(method, occasion)) return null;
      return planner.plan(checkout, method, occasion, attemptId, now);
    },

    /** The payer does something at the page; nothing if it is closed. What is processing comes to its end. */
    payer(reference: string, does: 'pays' | 'pays slowly' | 'fails'): void {
      const books = homeOf(reference);
      const page = pageOf(reference);
      const status = truth.statusOf(reference);
      if (books === undefined || page === undefined) return;
      if (status === 'processing' && does !== 'pays slowly')
        books.settlePayment(page.id, does === 'pays' ? 'succeeds' : 'fails');
      if (status !== 'requires_action') return;
      if (does === 'pays slowly') slow.add(reference);
      const outcome = ({ pays: 'succeeds', 'pays slowly': 'processing', fails: 'declined' } as const)[does];
      books.pay(page.id, { outcome });
    },

    /** The next refunds come out so, in either mode. */
    nextRefund(status: 'pending' | 'failed' | 'succeeded'): void {
      for (const { refundStatuses } of both) refundStatuses.push(status);
    },
    /** The bank has decided on a refund that is pending, or sends back the money of one that was made at Stripe. */
    settleRefund(number: number, status: 'failed' | 'succeeded'): void {
      const open = refunds().filter(
        (each) =>
          each.status === 'pending' ||
          (status === 'failed' && each.status === 'succeeded' && claims.isForeign(each)),
      );
      const refund = open[number % open.length];
      const books = both.find((each) => refund && each.refunds.has(refund.id));
      if (refund) books?.settleRefund(refund.id, status);
    },

    /** Any event of the past, signed as it would go out now. */
    event(number: number): SignedEvent | null {
      const events: StandInEvent[] = both.flatMap((each) => each.events);
      const event = events[number % events.length];
      return event === undefined ? null : api.signed(event);
    },

    /** Time has passed: pages close by themselves, and keys are forgotten. */
    pass(): void {
      for (const books of both) books.expireDue();
    },
    /** The last of what Stripe tells about each claim, signed as it goes out now. */
    lastOfClaims: (): SignedEvent[] => claims.lastEvents().map((event) => api.signed(event)),
    heal(): void {
      line.heal();
      for (const { refundStatuses } of both) refundStatuses.length = 0;
    },
    /** Ends what banks have left unfinished. */
    settleAll(): void {
      for (const books of both) {
        for (const page of books.sessions.values())
          if (page.status === 'complete' && intentOf(page)?.status === 'processing')
            books.settlePayment(page.id, 'succeeds');
        for (const { id, status } of books.refunds.values())
          if (status === 'pending') books.settleRefund(id, 'succeeded');
      }
    },

    /** Money that has come, by attempt. */
    allReceived: (): string[] =>
      both
        .flatMap(({ sessions }) => [...sessions.values()])
        .filter(({ payment_status }) => payment_status === 'paid')
        .map(({ client_reference_id }) => client_reference_id ?? ''),
    /** Refunds that have gone back, by our id. */
    allBack: (): string[] =>
      refunds()
        .filter((each) => each.status === 'succeeded' && !claims.isForeign(each))
        .map(({ metadata }) => metadata.refund ?? ''),
  };
}
