/**
 * Asks rails, outside of any transaction, and reports their answers to the sessions. The way back of a payer, an event
 * of a provider and the worker's timer all come through here: asking twice comes to the same as asking once.
 */

import { type Attempt, type Checkout, knowledgeOf, type Refund } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { Cause } from '../events/event.ts';
import { newId } from '../lib/id.ts';
import type { Rail, RailAnswer, RefundAnswer, Untold } from '../methods/method.ts';
import type { Store } from '../store/store.ts';
import { type Origin, ownOrigin } from './command.ts';
import type { Execute } from './writer.ts';

/** Message for the operator: ids and the rail's own words, never personal data or a secret. */
export type RailAlert = (rail: string, text: string, about: { readonly [name: string]: string }) => void;

export type RailDependencies = {
  readonly store: Pick<Store, 'checkouts'>;
  readonly execute: Execute;
  readonly rails: readonly Rail[];
  readonly onAlert: RailAlert;
  /** A rail has not answered: it is asked again, and only an operator can tell whether that lasts too long. */
  readonly onSilence: RailAlert;
};

/** Waits before a rail that did not answer is asked again. */
const ASK_AGAIN_MS = 30_000;

/** A missing answer is not a failure: the rail may have done what it was asked for. */
const noAnswer: RailAnswer = { status: 'unknown', reason: '', syncAt: null, payment: null };

/** Lets the rail prepare what the payer needs. Nothing moves yet, so that no answer only means to ask again. */
export async function startAtRail(
  dependencies: RailDependencies,
  checkout: Checkout,
  attempt: Attempt,
  returnUrl: string,
  now: TenantTime,
): Promise<void> {
  const rail = railOf(dependencies, attempt.rail);
  if (!rail?.start) return;
  const unanswered = { ...noAnswer, status: attempt.status, syncAt: now + ASK_AGAIN_MS };
  const answer = await rail.start(checkout, attempt, returnUrl, now).catch(() => unanswered);
  await applyAnswer(dependencies, checkout, attempt, answer, now, 'asked');
  const { status, details = attempt.details } = answer;
  const isReady = rail.payerUrl === undefined || rail.payerUrl({ ...attempt, status, details }) !== null;
  if (status === 'requires_action' && !isReady) {
    const about = { checkout: checkout.id, attempt: attempt.id };
    dependencies.onSilence(attempt.rail, 'the rail has made no page for the payer', about);
  }
}

/**
 * Asks how an attempt stands; of one that was given up, tells the rail so. Null where the rail has told, and else why it
 * has not. `cause` is the event of the provider that is the reason to ask, if there is one.
 */
export async function syncAttempt(
  dependencies: RailDependencies,
  checkout: Checkout,
  attempt: Attempt,
  now: TenantTime,
  cause: Cause = 'asked',
): Promise<Untold | null> {
  const rail = railOf(dependencies, attempt.rail);
  const isGivenUp = attempt.status === 'cancelled';
  const asked =
    isGivenUp && rail?.cancel ? rail.cancel(checkout, attempt, now) : rail?.sync(checkout, attempt, now);
  const answer = (await asked?.catch(() => noAnswer)) ?? noAnswer;
  const isOpen = knowledgeOf(answer.status) < knowledgeOf(isGivenUp ? 'cancelled' : 'failed');
  const syncAt = answer.syncAt ?? (isOpen ? now + ASK_AGAIN_MS : null);
  // An answer that tells less than is known already only moves the time of the next question.
  const tellsLess = knowledgeOf(answer.status) < knowledgeOf(attempt.status);
  const status = tellsLess ? attempt.status : answer.status;
  await applyAnswer(dependencies, checkout, attempt, { ...answer, status, syncAt }, now, cause);
  // A rail that tells nothing may repeat what was known, such as that the payment is booked.
  const untold = answer.untold ?? (answer.status === 'unknown' ? 'no_answer' : null);
  if (untold === null) return null;
  const about = { checkout: checkout.id, attempt: attempt.id };
  dependencies.onSilence(attempt.rail, 'the rail does not say how a payment stands', about);
  return untold;
}

async function applyAnswer(
  dependencies: RailDependencies,
  checkout: Checkout,
  attempt: Attempt,
  answer: RailAnswer,
  now: TenantTime,
  cause: Cause,
): Promise<void> {
  const { execute, onAlert } = dependencies;
  const { alert, untold: _untold, reversals = [], refunds = [], details = null, ...said } = answer;
  const change = {
    subject: 'checkout',
    origin: originOf(checkout.tenant, cause),
    id: checkout.id,
  } as const;
  if (alert !== undefined) onAlert(attempt.rail, alert, { checkout: checkout.id, attempt: attempt.id });
  await execute({
    ...change,
    command: {
      type: 'report',
      now,
      rail: attempt.rail,
      reference: attempt.reference,
      unknownAttempt: attempt,
      refundId: newId('rfd', now),
      details,
      ...said,
    },
  });
  for (const reversal of reversals) {
    await execute({
      ...change,
      command: { type: 'report_reversal', now, rail: attempt.rail, attempt: attempt.id, ...reversal },
    });
  }
  for (const { alert: _alert, ...news } of refunds) {
    await execute({ ...change, command: { type: 'report_refund', now, ...news } });
  }
}

/** Makes a refund at its rail, or asks how it stands. */
export async function syncRefund(
  dependencies: RailDependencies,
  checkout: Checkout,
  refund: Refund,
  now: TenantTime,
): Promise<void> {
  const unanswered: RefundAnswer = {
    status: 'pending',
    reference: '',
    failure: '',
    syncAt: now + ASK_AGAIN_MS,
  };
  const asked = railOf(dependencies, refund.rail)?.refund(checkout, refund, now);
  const { alert, ...answer } = (await asked?.catch(() => unanswered)) ?? unanswered;
  if (alert !== undefined)
    dependencies.onAlert(refund.rail, alert, { checkout: checkout.id, refund: refund.id });
  await dependencies.execute({
    subject: 'checkout',
    origin: originOf(checkout.tenant, 'asked'),
    id: checkout.id,
    command: { type: 'report_refund', now, refund: refund.id, ...answer },
  });
}

const originOf = (tenant: Tenant, cause: Cause): Origin => ({ ...ownOrigin(tenant, 'rail'), cause });

function railOf({ rails }: RailDependencies, name: string): Rail | undefined {
  return rails.find((each) => each.name === name);
}
