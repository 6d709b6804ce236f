/** Payer's pages: from the link that somebody looks at to the bytes of the page, for its route and in front of it. */
import type { Checkout } from '../checkout/session.ts';
import { endsAt } from '../checkout/statuses.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import { opens, readToken } from '../checkout/token.ts';
import { findMethod, type Method } from '../methods/catalogue.ts';
import { type Occasion, occasionOf, offersAmong } from '../methods/method.ts';
import { ownOrigin } from '../writer/command.ts';
import type { PageDependencies } from './dependencies.ts';
import { createRenderedPages } from './rendered.ts';
import { type Look, type Opened, railOf, type Visit, waitingAttempt } from './visit.ts';

export type PayerPages = ReturnType<typeof createPayerPages>;

export function createPayerPages(dependencies: PageDependencies) {
  /** Prefix of the path that a proxy may add; without a slash at the end. */
  const basePath = new URL(dependencies.checkoutUrl).pathname.replace(/\/$/, '');

  /** The session that the token of a look opens, as it is now, or null. */
  async function open({ token, requestId, ...how }: Look): Promise<Opened | null> {
    const named = readToken(token);
    if (named === null) return null;
    const { tenant, checkoutId } = named;
    const checkout = await dependencies.store.checkouts.fetch(tenant, checkoutId);
    if (checkout === null || !opens(token, checkout)) return null;
    const now = await dependencies.now(tenant);
    const account = await dependencies.store.accounts.fetch(tenant.account);
    if (account === null) return null;
    const current = await elapsed(dependencies, checkout, now, requestId);
    return { ...how, checkout: current, account, path: `${basePath}/transaction/${token}`, now };
  }

  /** All that a page is made from, of a session that is open. */
  function visitOf(opened: Opened): Visit {
    const { checkout, account } = opened;
    return {
      ...opened,
      payee: account.name,
      ...choiceOf(checkout, dependencies, occasionOf(checkout, account)),
      leavesPage: railOf(dependencies, waitingAttempt(checkout))?.capabilities.leavesPage ?? false,
    };
  }

  return { basePath, open, visitOf, bytesOf: createRenderedPages(visitOf, basePath).of };
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
