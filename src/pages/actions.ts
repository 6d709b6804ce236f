/** Actions of the forms on the payer's page. Each leads back to the page, or explains why it was not done. */
import { hash } from 'node:crypto';
import { isRefusal, type Refusal } from '../checkout/refusals.ts';
import type { Attempt } from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { Messages } from '../i18n/languages/messages.ts';
import { newId } from '../lib/id.ts';
import { catalogue } from '../methods/catalogue.ts';
import { occasionOf, traitsOf } from '../methods/method.ts';
import {
  SANDBOX,
  type SandboxOutcome,
  sandboxAnswer,
  sandboxOutcomes,
  sandboxPlan,
} from '../methods/sandbox/sandbox.ts';
import type { Answer, IdempotencyKey } from '../store/store.ts';
import type { Origin } from '../writer/command.ts';
import type { PageDependencies } from './dependencies.ts';
import { isOnce, readShown } from './pay-form.ts';
import { isWaiting, type Visit } from './visit.ts';

/**
 * Null: done, or done already; `continue`: done, and the payer goes on at the rail's own page. Otherwise the status of
 * the answer and the sentence that explains it.
 */
export type ActionResult =
  | { readonly statusCode: 400 | 409 | 503; readonly alert: keyof Messages & Alert }
  | 'continue'
  | null;
type Alert =
  | 'badInput'
  | 'formUsed'
  | 'amountChanged'
  | 'itemsChanged'
  | 'alreadyInProgress'
  | 'notPayable'
  | 'stepOver'
  | 'notStarted';

export type Form = Readonly<Record<string, unknown>>;

type Action = (
  dependencies: PageDependencies,
  visit: Visit,
  form: Form,
  requestId: string,
) => Promise<ActionResult>;

/** The page itself answers a form sent twice; all that is kept of the first one is that it was used. */
const usedForm: Answer = { statusCode: 204, headers: {}, body: '' };

/** Starts an attempt with the chosen method. The rail hears of it only after the commit. */
export const pay: Action = async (dependencies, visit, form, requestId) => {
  const { checkout, offers, account, now } = visit;
  const { tenant, id, token } = checkout;
  const offer = offers.find(({ method }) => method.id === form.method);
  const shown = readShown(form.shown, checkout);
  // The page may have been opened before the methods changed.
  const isGone = !offer && catalogue(checkout.currency).some(({ id }) => id === form.method);
  if (offers.length === 0 || isGone) return { statusCode: 409, alert: 'notPayable' };
  if (!offer || shown === null || !isOnce(form.once)) return { statusCode: 400, alert: 'badInput' };
  const { method, rail } = offer;
  const { due, isSameSale } = shown;
  const outcome = rail.name === SANDBOX ? sandboxOutcomes.find((each) => each === form.outcome) : null;
  if (outcome === undefined) return { statusCode: 400, alert: 'badInput' };
  // A payer who was given the details of a transfer gets the same again: the first may be on its way.
  const standing = checkout.attempts.some(
    (each) => each.traits.standing && isWaiting(each) && each.method === method.id && each.amount === due,
  );
  if (standing && isSameSale && amountDue(checkout) === due)
    return cancelAttempt(dependencies, visit, form, requestId);

  const attemptId = newId('pat', now);
  const plan =
    outcome === null
      ? rail.plan(checkout, method, occasionOf(checkout, account), attemptId, now)
      : sandboxPlan(outcome, now);
  const start = {
    subject: 'checkout',
    origin: originOf(visit, requestId, {
      key: form.once,
      operation: `POST /transaction/${token}/pay`,
      requestHash: hash('sha256', `${method.id} ${outcome ?? ''} ${form.shown}`),
    }),
    id,
    command: {
      type: 'start_attempt',
      now,
      attemptId,
      rail: rail.name,
      method: method.id,
      expectedAmount: due,
      expectedItems: isSameSale ? checkout.items : null,
      traits: traitsOf(rail, checkout),
      ...plan,
    },
  } as const;
  const { result: started } = await dependencies.execute(start, () => usedForm);
  if (isRefusal(started)) {
    const isOtherSale = started.reason === 'version_stale' && due === amountDue(checkout);
    return isOtherSale ? { statusCode: 409, alert: 'itemsChanged' } : refused(started);
  }
  if (rail.start) return 'continue';
  if (started.kind === 'replay' || outcome === null) return null;
  const attempt = (await dependencies.store.checkouts.fetch(tenant, id))?.attempts.find(
    (each) => each.id === attemptId,
  );
  return attempt ? report(dependencies, visit, attempt, outcome, requestId) : null;
};

/** The payer's decision on an attempt that waits for one. */
export const decideStep: Action = async (dependencies, visit, form, requestId) => {
  const attempt = visit.checkout.attempts.find(({ id, rail }) => id === form.attempt && rail === SANDBOX);
  const { decision } = form;
  if (decision !== 'succeed' && decision !== 'fail') return { statusCode: 400, alert: 'stepOver' };
  const outcome = decision === 'succeed' ? 'succeeds' : 'fails';
  // A form sent twice finds its request done.
  if (attempt?.status === (decision === 'succeed' ? 'succeeded' : 'failed')) return null;
  if (attempt?.status !== 'requires_action') return { statusCode: 409, alert: 'stepOver' };
  return report(dependencies, visit, attempt, outcome, requestId);
};

/** Goes back to the choice of a method. */
export const cancelAttempt: Action = async (dependencies, visit, _form, requestId) => {
  const { result } = await dependencies.execute({
    subject: 'checkout',
    origin: originOf(visit, requestId, null),
    id: visit.checkout.id,
    command: { type: 'cancel_attempt', now: visit.now },
  });
  return isRefusal(result) ? refused(result) : null;
};

async function report(
  dependencies: PageDependencies,
  visit: Visit,
  attempt: Attempt,
  ending: SandboxOutcome,
  requestId: string,
): Promise<ActionResult> {
  const { id, rail, reference, method } = attempt;
  const { result: reported } = await dependencies.execute({
    subject: 'checkout',
    origin: originOf(visit, requestId, null),
    id: visit.checkout.id,
    command: {
      type: 'report',
      now: visit.now,
      rail,
      reference,
      unknownAttempt: { id, method },
      refundId: newId('rfd', visit.now),
      details: null,
      ...sandboxAnswer(ending, attempt, visit.now),
    },
  });
  return isRefusal(reported) ? refused(reported) : null;
}

function refused({ reason }: Refusal): ActionResult {
  if (reason === 'key_reused') return { statusCode: 409, alert: 'formUsed' };
  if (reason === 'version_stale') return { statusCode: 409, alert: 'amountChanged' };
  if (reason === 'payment_in_progress') return { statusCode: 409, alert: 'alreadyInProgress' };
  return { statusCode: 409, alert: 'notPayable' };
}

function originOf({ checkout }: Visit, requestId: string, idempotency: IdempotencyKey | null): Origin {
  return { tenant: checkout.tenant, actor: 'payer', requestId, idempotency };
}
