/** Rail of test mode: no money moves, and the payer decides how the payment ends. */

import type { Attempt } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { randomText } from '../../lib/id.ts';
import type { AttemptPlan, Rail, RailAnswer } from '../method.ts';

export const SANDBOX = 'sandbox';

/** Duration of a payment that "takes a while". */
export const SLOW_PAYMENT_MS = 10_000;

/** Outcomes that the payer can choose on the page of a test session. */
export const sandboxOutcomes = [
  'succeeds',
  'fails',
  'further_step',
  'takes_a_while',
  'pays_part',
  'pays_too_much',
] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

/** Answer of the rail right after an attempt was started with this outcome. */
export function sandboxAnswer(outcome: SandboxOutcome, attempt: Attempt, nowMs: TenantTime): RailAnswer {
  switch (outcome) {
    case 'succeeds':
      return received(attempt, attempt.amount);
    case 'pays_part':
      return received(attempt, Math.ceil(attempt.amount / 2));
    case 'pays_too_much':
      return received(attempt, attempt.amount + Math.ceil(attempt.amount / 10));
    case 'fails':
      return answer('failed', 'The payment was declined.');
    case 'further_step':
      return answer('requires_action');
    case 'takes_a_while':
      return { ...answer('processing'), syncAt: nowMs + SLOW_PAYMENT_MS };
  }
}

/** Start of an attempt with this outcome: only a further step waits for the payer. */
export function sandboxPlan(outcome: SandboxOutcome, nowMs: TenantTime): AttemptPlan {
  const waits = outcome === 'further_step';
  return {
    reference: `sbx_${randomText(26)}`,
    // Nobody else can start an attempt, or change the session, until the outcome is reported; and if this process dies
    // before that, the worker asks.
    status: waits ? 'requires_action' : 'processing',
    syncAt: waits ? null : nowMs + SLOW_PAYMENT_MS,
    details: {},
  };
}

/** Metadata with which a merchant chooses the outcome of a refund in test mode. */
export const SANDBOX_REFUND_OUTCOME = 'sandbox_outcome';

export const sandbox: Rail = {
  name: SANDBOX,
  capabilities: { traits: {}, refunds: 'online', leavesPage: false },
  offers: (_method, { mode }) => mode === 'test',
  plan: (_checkout, _method, _occasion, _attemptId, nowMs) => sandboxPlan('succeeds', nowMs),
  // Only slow payments are ever asked about, and by then they have succeeded.
  sync: async (_checkout, attempt) => received(attempt, attempt.amount),
  async refund(_checkout, refund) {
    const outcome = refund.metadata[SANDBOX_REFUND_OUTCOME];
    const reference = `sbx_${refund.id}`;
    if (outcome === 'pending') return { status: 'pending', reference: '', failure: '', syncAt: null };
    const isRefused = outcome === 'failed';
    return {
      status: isRefused ? 'failed' : 'succeeded',
      reference,
      failure: isRefused ? 'The refund was refused.' : '',
      syncAt: null,
    };
  },
};

function answer(status: RailAnswer['status'], reason = ''): RailAnswer {
  return { status, reason, syncAt: null, payment: null };
}

function received(attempt: Attempt, amount: number): RailAnswer {
  return { ...answer('succeeded'), payment: { reference: attempt.reference, amount } };
}
