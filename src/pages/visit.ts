/** Visit: one look at a session by its payer, with everything that its page is made from. */

import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts/account.ts';
import { MAX_ATTEMPTS } from '../checkout/attempts.ts';
import {
  type Attempt,
  type Checkout,
  endsAt,
  isCovered,
  isInFlight,
  openTransfer,
} from '../checkout/session.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { opens, readToken } from '../checkout/token.ts';
import { type Locale, localeOf } from '../i18n/locale.ts';
import { findMethod, type Method } from '../methods/catalogue.ts';
import { type Occasion, type Offer, occasionOf, offersAmong, type Rail } from '../methods/method.ts';
import { ownOrigin } from '../writer/command.ts';
import type { PageDependencies } from './dependencies.ts';

export type Visit = {
  readonly checkout: Checkout;
  /** Name of the account that is paid. */
  readonly payee: string;
  readonly account: Account;
  readonly locale: Locale;
  /** Path of the page as seen by the browser: `/transaction/<token>`. */
  readonly path: string;
  /** Methods that the payer can choose from now, with their rails. */
  readonly offers: readonly Offer[];
  /** Missing settings for the other methods of the session, a line for each. */
  readonly missing: readonly string[];
  /** True if the attempt that waits for the payer goes on at a page of its rail. */
  readonly leavesPage: boolean;
  /** True if the payer has gone back to the choice, although a transfer is awaited. */
  readonly isChoosing: boolean;
  readonly now: TenantTime;
};

export type PageState =
  | 'draft'
  | 'payable'
  | 'requires_action'
  | 'in_progress'
  | 'unavailable'
  | 'exhausted'
  | 'paid'
  | 'expired';

/** Visit that the token in the address opens, or null. */
export async function openVisit(
  dependencies: PageDependencies,
  request: FastifyRequest,
): Promise<Visit | null> {
  const { token } = request.params as { token: string };
  const named = readToken(token);
  if (named === null) return null;
  const { tenant, checkoutId } = named;
  const checkout = await dependencies.store.checkouts.fetch(tenant, checkoutId);
  if (checkout === null || !opens(token, checkout)) return null;
  const now = await dependencies.now(tenant);
  const account = await dependencies.store.accounts.fetch(tenant.account);
  if (account === null) return null;
  const current = await elapsed(dependencies, checkout, now, request.id);
  return {
    checkout: current,
    payee: account.name,
    account,
    locale: localeOfRequest(request),
    path: `${basePathOf(dependencies)}/transaction/${token}`,
    ...choiceOf(current, dependencies, occasionOf(current, account)),
    leavesPage: railOf(dependencies, waitingAttempt(current))?.capabilities.leavesPage ?? false,
    isChoosing: (request.query as { choose?: unknown }).choose !== undefined,
    now,
  };
}

export function railOf(
  { rails }: Pick<PageDependencies, 'rails'>,
  attempt: Attempt | undefined,
): Rail | undefined {
  return rails.find(({ name }) => name === attempt?.rail);
}

/** Color that the account has chosen for its pages, or empty. */
export function accentOf({ account, checkout }: Visit): string {
  return account.settings[checkout.tenant.mode].branding.accentColor;
}

/** Name of the account's logo, or null. */
export function logoOf({ account, checkout }: Visit): string | null {
  return account.logos[checkout.tenant.mode];
}

/** Address of the session's page, or of a part of it (`/receipt`), in the chosen language. */
export function addressOf({ path, locale }: Visit, part = ''): string {
  return `${path}${part}${locale.query}`;
}

/** Address of the page with the choice of a method, although a transfer is awaited. */
export function choiceAddress({ path, locale }: Visit, part = ''): string {
  return `${path}${part}?choose${locale.query.replace('?', '&')}`;
}

export function localeOfRequest(request: FastifyRequest): Locale {
  return localeOf(request.headers['accept-language'], (request.query as { lang?: unknown }).lang);
}

/** Prefix of the path that a proxy may add; without a slash at the end. */
export function basePathOf({ checkoutUrl }: Pick<PageDependencies, 'checkoutUrl'>): string {
  return new URL(checkoutUrl).pathname.replace(/\/$/, '');
}

/** A session whose time is over has ended, even if the worker has not come to it yet. */
async function elapsed(
  dependencies: PageDependencies,
  checkout: Checkout,
  now: TenantTime,
  requestId: string,
): Promise<Checkout> {
  const end = endsAt(checkout);
  if (end === null || now < end) return checkout;
  const { tenant, id } = checkout;
  await dependencies.execute({
    subject: 'checkout',
    origin: ownOrigin(tenant, 'time', requestId),
    id,
    command: { type: 'tick', now },
  });
  return (await dependencies.store.checkouts.fetch(tenant, id)) ?? checkout;
}

/** Methods of the session that some rail offers here, and what is missing for the others. */
function choiceOf(
  { methods }: Checkout,
  { rails }: PageDependencies,
  occasion: Occasion,
): Pick<Visit, 'offers' | 'missing'> {
  const known = methods.map(findMethod).filter((method): method is Method => method !== undefined);
  const offers = offersAmong(methods, rails, occasion);
  const missing = known
    .filter(({ id }) => !offers.some(({ method }) => method.id === id))
    .flatMap((method) => {
      const needs = rails.flatMap((rail) => rail.missing?.(method, occasion) ?? []);
      return needs.length > 0 ? [`${method.name}: ${needs.join('; ')}`] : [];
    });
  return { offers, missing };
}

export function stateOf({ checkout, offers, isChoosing }: Visit): PageState {
  if (isCovered(checkout)) return 'paid';
  if (checkout.lifecycle.state === 'expired') return 'expired';
  if (checkout.amount === 0) return 'draft';
  if (checkout.attempts.some(isInFlight)) return 'in_progress';
  const waiting = waitingAttempt(checkout);
  const hasChoice = offers.length > 0 && checkout.attempts.length < MAX_ATTEMPTS;
  if (waiting && !(isChoosing && waiting.traits.standing && hasChoice)) return 'requires_action';
  if (checkout.attempts.length >= MAX_ATTEMPTS) return 'exhausted';
  return offers.length === 0 ? 'unavailable' : 'payable';
}

/** The attempt that waits for the payer, if there is one; of transfers that stand open, the one that is still right. */
export function waitingAttempt(checkout: Checkout): Attempt | undefined {
  return (
    checkout.attempts.findLast((each) => isWaiting(each) && !each.traits.standing) ?? openTransfer(checkout)
  );
}

export function isWaiting({ status }: Attempt): boolean {
  return status === 'requires_action';
}

/** True if an open page should watch the session, since something may yet happen to it. */
export function isLive({ checkout }: Visit): boolean {
  return checkout.lifecycle.state === 'active' || checkout.attempts.some(isInFlight);
}
