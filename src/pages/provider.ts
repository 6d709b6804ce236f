/** Way of a payer to a page of a rail, such as one for cards, and back. */
import { setTimeout as delay } from 'node:timers/promises';
import { paymentUrl } from '../checkout/representation.ts';
import type { Attempt, Checkout } from '../checkout/session.ts';
import { html } from '../lib/html.ts';
import { createLru } from '../lib/lru.ts';
import { startAtRail, syncAttempt } from '../writer/rails.ts';
import type { PageDependencies } from './dependencies.ts';
import { documentOf } from './document.ts';
import { outwardLink } from './links.ts';
import { icon } from './pieces.ts';
import { accentOf, addressOf, railOf, type Visit, waitingAttempt } from './visit.ts';

/** Minimum interval between questions to a rail about one session, whose payer may come back again and again. */
const ASK_INTERVAL_MS = 2_000;

/** Sessions whose last question is remembered; of one that falls out, the rail is asked once more. */
const MAX_REMEMBERED = 10_000;

/** The address of the rail's page; `over`: there is nothing to go on with; `not_started`: the rail has not prepared it. */
export type NextStep = { readonly address: string } | 'over' | 'not_started';

export function createProviderSteps(dependencies: PageDependencies, askIntervalMs = ASK_INTERVAL_MS) {
  const inTurn = createTurns(askIntervalMs);

  async function nextStep({ checkout, now }: Visit): Promise<NextStep> {
    const attempt = waitingAttempt(checkout);
    if (!attempt || !railOf(dependencies, attempt)?.start) return 'over';
    if (addressAt(attempt)) return { address: addressAt(attempt) };
    const returnUrl = `${paymentUrl(checkout, dependencies.checkoutUrl)}/return`;
    await inTurn(`start ${attempt.id}`, () => startAtRail(dependencies, checkout, attempt, returnUrl, now));
    const current = await dependencies.store.checkouts.fetch(checkout.tenant, checkout.id);
    const started = current?.attempts.find(({ id }) => id === attempt.id);
    if (started?.status !== 'requires_action') return 'over';
    return addressAt(started) ? { address: addressAt(started) } : 'not_started';
  }

  function addressAt(attempt: Attempt): string {
    return outwardLink(railOf(dependencies, attempt)?.payerUrl?.(attempt) ?? '') ?? '';
  }

  /** Asks for the state of the payment. The rail reports by itself too, but the payer is here and wants to know now. */
  async function comeBack({ checkout, now }: Visit): Promise<void> {
    const isOpen = ({ status }: Attempt) =>
      status === 'requires_action' || status === 'processing' || status === 'unknown';
    const attemptOf = ({ attempts }: Checkout) =>
      attempts.findLast((each) => isOpen(each) && railOf(dependencies, each)?.start);
    if (!attemptOf(checkout)) return;
    await inTurn(`sync ${checkout.id}`, async () => {
      const current = await dependencies.store.checkouts.fetch(checkout.tenant, checkout.id);
      const attempt = current && attemptOf(current);
      if (attempt) await syncAttempt(dependencies, current, attempt, now);
    });
  }

  return { nextStep, comeBack };
}

/**
 * Runs work of one name one after the other, with some time between the starts. A caller that comes before the next run
 * has started is served by it: its answer will be current.
 */
function createTurns(intervalMs: number) {
  const turns = createLru<string, { readonly beginsAt: number; readonly done: Promise<void> }>({
    most: MAX_REMEMBERED,
  });
  return (name: string, act: () => Promise<void>): Promise<void> => {
    const last = turns.get(name);
    const now = performance.now();
    if (last && now < last.beginsAt) return last.done;
    const beginsAt = Math.max(now, last ? last.beginsAt + intervalMs : 0);
    const begin = async () => {
      if (beginsAt > now) await delay(beginsAt - now);
      await last?.done.catch(() => undefined);
      await act();
    };
    const done = begin();
    turns.set(name, { beginsAt, done });
    return done;
  };
}

/**
 * Page that forwards to the rail. It is no redirect, because the answer to a form may lead to another site only if the
 * policy of the page allows it, and ours lets forms go nowhere else. It needs no script.
 */
export function goingOnPage(visit: Visit, basePath: string, address: string): string {
  const { messages } = visit.locale.language;
  return documentOf({
    locale: visit.locale,
    basePath,
    title: messages.goingOn,
    testMode: visit.checkout.tenant.mode === 'test',
    accent: accentOf(visit),
    refreshFrom: null,
    goTo: address,
    main: html`<main class="card problem">
${icon('step')}
<h1>${messages.goingOn}</h1>
<p><a class="button primary" href="${address}">${messages.goOn}</a></p>
<p><a href="${addressOf(visit)}">${messages.backToPayment}</a></p>
</main>`,
  });
}
