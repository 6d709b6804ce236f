/** Visit: one look at a session by its payer, with everything that its page is made from. */

import type { Account } from '../accounts/account.ts';
import { MAX_ATTEMPTS } from '../checkout/attempts.ts';
import type { Attempt, Checkout } from '../checkout/session.ts';
import { isCovered, isInFlight, openTransfer } from '../checkout/statuses.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Locale } from '../i18n/locale.ts';
import type { Offer, Rail } from '../methods/method.ts';
import type { PageDependencies } from './dependencies.ts';

/** A request for a session's page, or for a part of it. */
export type Look = {
  readonly token: string;
  readonly locale: Locale;
  /** True if the payer has gone back to the choice, although a transfer is awaited. */
  readonly isChoosing: boolean;
  readonly requestId: string;
};

/** Session that the token of a look opens. */
export type Opened = Pick<Look, 'locale' | 'isChoosing'> & {
  readonly checkout: Checkout;
  readonly account: Account;
  /** Path of the page as seen by the browser: `/transaction/<token>`. */
  readonly path: string;
  readonly now: TenantTime;
};

export type Visit = Opened & {
  /** Name of the account that is paid. */
  readonly payee: string;
  /** Methods that the payer can choose from now, with their rails. */
  readonly offers: readonly Offer[];
  /** Missing settings for the other methods of the session, a line for each. */
  readonly missing: readonly string[];
  /** True if the attempt that waits for the payer goes on at a page of its rail. */
  readonly leavesPage: boolean;
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
