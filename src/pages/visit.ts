/** One look at a session by its payer: everything that its page is made from. */
import type { FastifyRequest } from 'fastify';
import { MAX_ATTEMPTS } from '../checkout/decide.ts';
import { type Attempt, type Checkout, endsAt, isCovered, isInFlight } from '../checkout/session.ts';
import type { Deps } from '../deps.ts';
import { findMethod, type Method } from '../methods/catalogue.ts';
import type { Rail } from '../methods/method.ts';
import { opens, readToken } from '../token.ts';
import { type Locale, localeOf } from './locale.ts';

export type Visit = {
  readonly checkout: Checkout;
  /** The name of the account that is paid. */
  readonly payee: string;
  readonly locale: Locale;
  /** Where the page is, as seen by the browser: `/transaction/<token>`. */
  readonly path: string;
  /** What the payer can choose from now. */
  readonly methods: readonly Method[];
  readonly now: number;
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

/** The visit that the token in the address opens, or null if it opens nothing. */
export async function openVisit(deps: Deps, request: FastifyRequest): Promise<Visit | null> {
  const { token } = request.params as { token: string };
  const named = readToken(token);
  if (named === null) return null;
  const { scope, checkoutId } = named;
  const checkout = await deps.store.checkout(scope, checkoutId);
  if (checkout === null || !opens(token, checkout)) return null;
  const now = await deps.now(scope);
  const account = await deps.store.account(scope.account);
  const current = await elapsed(deps, checkout, now, request.id);
  return {
    checkout: current,
    payee: account?.name ?? '',
    locale: localeOfRequest(request),
    path: `${basePathOf(deps)}/transaction/${token}`,
    methods: methodsOf(current, deps.rails),
    now,
  };
}

export function localeOfRequest(request: FastifyRequest): Locale {
  return localeOf(request.headers['accept-language'], (request.query as { lang?: unknown }).lang);
}

/** The part of the address that a proxy may put before ours; without a slash at the end. */
export function basePathOf({ checkoutUrl }: Pick<Deps, 'checkoutUrl'>): string {
  return new URL(checkoutUrl).pathname.replace(/\/$/, '');
}

/** A session whose time is over has ended, even if the worker has not come to it yet. */
async function elapsed(deps: Deps, checkout: Checkout, now: number, requestId: string): Promise<Checkout> {
  const end = endsAt(checkout);
  if (end === null || now < end) return checkout;
  const { scope, id } = checkout;
  await deps.transact({
    subject: 'checkout',
    origin: { scope, actor: 'time', requestId, idempotency: null },
    id,
    command: { type: 'tick', now },
  });
  return (await deps.store.checkout(scope, id)) ?? checkout;
}

/** The session's methods that some rail carries out here. */
function methodsOf({ methods, scope, currency, payer }: Checkout, rails: readonly Rail[]): Method[] {
  const occasion = { mode: scope.mode, currency, country: payer.country };
  return methods.flatMap((id) => {
    const method = findMethod(id);
    return method && rails.some((rail) => rail.offers(method, occasion)) ? [method] : [];
  });
}

export function stateOf({ checkout, methods }: Visit): PageState {
  if (isCovered(checkout)) return 'paid';
  if (checkout.lifecycle.state === 'expired') return 'expired';
  if (checkout.amount === 0) return 'draft';
  if (checkout.attempts.some(isInFlight)) return 'in_progress';
  if (waitingAttempt(checkout)) return 'requires_action';
  if (checkout.attempts.length >= MAX_ATTEMPTS) return 'exhausted';
  return methods.length === 0 ? 'unavailable' : 'payable';
}

/** The attempt that waits for the payer, if there is one. */
export function waitingAttempt(checkout: Checkout): Attempt | undefined {
  return checkout.attempts.find(({ status }) => status === 'requires_action');
}

/** Whether an open page should watch the session: something may yet happen to it. */
export function isLive({ checkout }: Visit): boolean {
  return checkout.lifecycle.state === 'active' || checkout.attempts.some(isInFlight);
}
