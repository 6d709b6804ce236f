/** Stripe's page for one attempt (a Checkout Session): its creation, and its recovery if the answer was lost. */

import type Stripe from 'stripe';
import type { Attempt, Checkout, JsonObject } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import type { Occasion } from '../method.ts';
import { toStripeAmount } from './amounts.ts';
import { type Ask, StripeTrouble } from './client.ts';

export type Page = Stripe.Checkout.Session;

/**
 * Details of the page, kept in the attempt. Freezing them at planning time makes every try to create the page the same
 * request, as its idempotency key demands. The times are seconds since the epoch in real time: Stripe does not know of
 * test clocks.
 */
export type PageDetails = {
  readonly plannedAt: number;
  readonly expiresAt: number;
  readonly title: string;
  /** Empty until the page is there. */
  readonly session: string;
  readonly url: string;
};

/** Stripe takes 30 minutes to 24 hours from when it makes the page; the tries and two clocks need some room. */
const SHORTEST_S = 35 * 60;
const LONGEST_S = (24 * 60 - 5) * 60;
const SLACK_S = 10 * 60;

const TITLE_LENGTH = 200;

/** Pages of the list that are read: a lost page is among the newest. */
const PAGES_OF_LIST = 10;
const PAGE_OF_LIST = 100;

export function planDetails(checkout: Checkout, { mode, account }: Occasion, nowMs: TenantTime): JsonObject {
  const offsetMs = mode === 'test' ? account.testClockOffsetMs : 0;
  const plannedAt = inSeconds(nowMs - offsetMs);
  const wanted =
    checkout.expiresAt === null ? plannedAt + LONGEST_S : inSeconds(checkout.expiresAt - offsetMs);
  return {
    planned_at: plannedAt,
    expires_at: Math.min(Math.max(wanted, plannedAt + SHORTEST_S), plannedAt + LONGEST_S),
    title: [...(checkout.description || account.name)].slice(0, TITLE_LENGTH).join(''),
  };
}

export function detailsOf({ details }: Attempt): PageDetails {
  const text = (key: string) => (typeof details[key] === 'string' ? details[key] : '');
  const number = (key: string) => (typeof details[key] === 'number' ? details[key] : 0);
  return {
    plannedAt: number('planned_at'),
    expiresAt: number('expires_at'),
    title: text('title'),
    session: text('session'),
    url: text('url'),
  };
}

/** Details with the page in them, or undefined if it is there already. */
export function withPage(attempt: Attempt, { id, url }: Page): JsonObject | undefined {
  const known = detailsOf(attempt);
  const address = url ?? known.url;
  if (known.session === id && known.url === address) return undefined;
  return { ...attempt.details, session: id, url: address };
}

/** Metadata on everything created at Stripe, which names the payment: it comes back in events and lists. */
export function metadataOf(
  { id, tenant }: Checkout,
  attempt: { readonly id: string },
): Record<string, string> {
  return { checkout: id, attempt: attempt.id, account: String(tenant.account) };
}

/** A repeated request returns the same page. */
export function createPage(ask: Ask, checkout: Checkout, attempt: Attempt, returnUrl: string): Promise<Page> {
  const { currency, payer, tenant } = checkout;
  const { title, expiresAt } = detailsOf(attempt);
  const amount = toStripeAmount(attempt.amount, currency);
  if (amount === null) throw new StripeTrouble('refused', 'Stripe cannot express the amount.');
  const metadata = metadataOf(checkout, attempt);
  return ask(tenant, (stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        allowed_payment_method_types: ['card'],
        locale: 'auto',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: currency.toLowerCase(),
              unit_amount: amount,
              product_data: { name: title },
            },
          },
        ],
        // The amount paid must be the amount requested, in its currency: an amount that Stripe chose could not be
        // booked.
        adaptive_pricing: { enabled: false },
        client_reference_id: attempt.id,
        metadata,
        payment_intent_data: { metadata },
        ...(isPlainAddress(payer.email) ? { customer_email: payer.email } : {}),
        success_url: returnUrl,
        cancel_url: returnUrl,
        expires_at: expiresAt,
      },
      { idempotencyKey: attempt.id },
    ),
  );
}

/** An address that Stripe would refuse must not keep anybody from paying. */
function isPlainAddress(email: string): boolean {
  return email.length <= 254 && /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i.test(email);
}

/** The page with the objects that show the state of the payment. */
export function retrievePage(ask: Ask, { tenant }: Checkout, session: string): Promise<Page> {
  return ask(tenant, (stripe) =>
    stripe.checkout.sessions.retrieve(session, { expand: ['payment_intent.latest_charge'] }),
  );
}

/**
 * Looks for the page of an attempt whose answer was lost; null: there is none. Rejects if Stripe has had too many other
 * pages since to be sure.
 */
export async function findPage(ask: Ask, { tenant }: Checkout, attempt: Attempt): Promise<Page | null> {
  const { plannedAt, expiresAt } = detailsOf(attempt);
  const created = { gte: plannedAt - SLACK_S, lte: expiresAt };
  let after: string | undefined;
  for (let count = 0; count < PAGES_OF_LIST; count += 1) {
    const { data, has_more: hasMore } = await ask(tenant, (stripe) =>
      stripe.checkout.sessions.list({
        created,
        limit: PAGE_OF_LIST,
        ...(after === undefined ? {} : { starting_after: after }),
      }),
    );
    const found = data.find((each) => each.client_reference_id === attempt.id);
    if (found) return found;
    after = data.at(-1)?.id;
    if (!hasMore || after === undefined) return null;
  }
  throw new StripeTrouble('unavailable', `Stripe has made more than ${PAGES_OF_LIST * PAGE_OF_LIST} pages`);
}

/** Closes the page. Rejects as refused if it is closed already, one way or the other. */
export function expirePage(ask: Ask, { tenant }: Checkout, session: string): Promise<Page> {
  return ask(tenant, (stripe) => stripe.checkout.sessions.expire(session));
}

function inSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
