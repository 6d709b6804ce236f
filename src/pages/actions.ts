/** What a payer can do with the forms of the page. Each action leads back to the page, or says why it was not done. */
import { hash } from 'node:crypto';
import type { Refusal } from '../checkout/refusal.ts';
import type { Attempt } from '../checkout/session.ts';
import type { Deps } from '../deps.ts';
import { newId, randomText } from '../id.ts';
import {
  SANDBOX,
  type SandboxOutcome,
  SLOW_PAYMENT_MS,
  sandboxAnswer,
  sandboxOutcomes,
} from '../methods/sandbox/sandbox.ts';
import type { Origin } from '../orders/order.ts';
import type { IdempotencyKey } from '../store/store.ts';
import type { Messages } from './languages/messages.ts';
import { isOnce, shownAmount } from './pay-form.ts';
import type { Visit } from './visit.ts';

/** Null: done, or done already. Otherwise the status of the answer and the sentence that explains it. */
export type ActionResult = { readonly statusCode: 400 | 409; readonly alert: keyof Messages & Alert } | null;
type Alert = 'badInput' | 'formUsed' | 'amountChanged' | 'alreadyInProgress' | 'notPayable' | 'stepOver';

export type Form = Readonly<Record<string, unknown>>;

type Action = (deps: Deps, visit: Visit, form: Form, requestId: string) => Promise<ActionResult>;

/**
 * Starts an attempt at the sandbox and reports how it ended. The attempt begins as `processing`: nobody else can
 * start one, or change the session, between the two; and if this process dies there, the worker asks the sandbox.
 * Only an attempt that is to wait for the payer begins by waiting.
 */
export const pay: Action = async (deps, visit, form, requestId) => {
  const { checkout, methods, now } = visit;
  const { scope, id, token } = checkout;
  const method = methods.find((each) => each.id === form.method);
  const outcome = sandboxOutcomes.find((each) => each === form.outcome);
  const due = shownAmount(form.due);
  // Without an offered method there is none that the sandbox carries: so it is in live mode.
  if (scope.mode !== 'test') return { statusCode: 409, alert: 'notPayable' };
  if (!method || !outcome || due === null || !isOnce(form.once))
    return { statusCode: 400, alert: 'badInput' };

  const attemptId = newId('pat', now);
  const waits = outcome === 'further_step';
  const { outcome: started } = await deps.transact({
    subject: 'checkout',
    origin: originOf(visit, requestId, {
      key: form.once,
      operation: `POST /transaction/${token}/pay`,
      requestHash: hash('sha256', `${method.id} ${outcome} ${due}`),
    }),
    id,
    command: {
      type: 'start_attempt',
      now,
      attemptId,
      rail: SANDBOX,
      reference: `sbx_${randomText(26)}`,
      method: method.id,
      expectedAmount: due,
      status: waits ? 'requires_action' : 'processing',
      syncAt: waits ? null : now + SLOW_PAYMENT_MS,
    },
  });
  if (started.kind === 'refusal') return refused(started);
  if (started.kind === 'replay') return null;
  const attempt = (await deps.store.checkout(scope, id))?.attempts.find((each) => each.id === attemptId);
  return attempt ? report(deps, visit, attempt, outcome, requestId) : null;
};

/** The payer's decision on an attempt that waits for one. */
export const decideStep: Action = async (deps, visit, form, requestId) => {
  const attempt = visit.checkout.attempts.find(({ id, rail }) => id === form.attempt && rail === SANDBOX);
  const { decision } = form;
  if (decision !== 'succeed' && decision !== 'fail') return { statusCode: 400, alert: 'stepOver' };
  const outcome = decision === 'succeed' ? 'succeeds' : 'fails';
  // The same form sent twice finds what it asked for done.
  if (attempt?.status === (decision === 'succeed' ? 'succeeded' : 'failed')) return null;
  if (attempt?.status !== 'requires_action') return { statusCode: 409, alert: 'stepOver' };
  return report(deps, visit, attempt, outcome, requestId);
};

/** Back to the choice of a method. */
export const cancelAttempt: Action = async (deps, visit, _form, requestId) => {
  const { outcome } = await deps.transact({
    subject: 'checkout',
    origin: originOf(visit, requestId, null),
    id: visit.checkout.id,
    command: { type: 'cancel_attempt', now: visit.now },
  });
  return outcome.kind === 'refusal' ? refused(outcome) : null;
};

async function report(
  deps: Deps,
  visit: Visit,
  attempt: Attempt,
  ending: SandboxOutcome,
  requestId: string,
): Promise<ActionResult> {
  const { id, rail, reference, method } = attempt;
  const { outcome: reported } = await deps.transact({
    subject: 'checkout',
    origin: originOf(visit, requestId, null),
    id: visit.checkout.id,
    command: {
      type: 'report',
      now: visit.now,
      rail,
      reference,
      unknownAttempt: { id, method },
      ...sandboxAnswer(ending, attempt, visit.now),
    },
  });
  return reported.kind === 'refusal' ? refused(reported) : null;
}

function refused({ reason }: Refusal): ActionResult {
  if (reason === 'key_reused') return { statusCode: 409, alert: 'formUsed' };
  if (reason === 'version_stale') return { statusCode: 409, alert: 'amountChanged' };
  if (reason === 'payment_in_progress') return { statusCode: 409, alert: 'alreadyInProgress' };
  return { statusCode: 409, alert: 'notPayable' };
}

function originOf({ checkout }: Visit, requestId: string, idempotency: IdempotencyKey | null): Origin {
  return { scope: checkout.scope, actor: 'payer', requestId, idempotency };
}
