/** The rail of test mode: no money moves, and the payer decides how the payment ends. */
import type { Attempt } from '../../checkout/session.ts';
import type { Rail, RailAnswer } from '../method.ts';

export const SANDBOX = 'sandbox';

/** How long a payment that "takes a while" takes. */
export const SLOW_PAYMENT_MS = 10_000;

/** What the payer can choose on the page of a test session. */
export const sandboxOutcomes = [
  'succeeds',
  'fails',
  'further_step',
  'takes_a_while',
  'pays_part',
  'pays_too_much',
] as const;
export type SandboxOutcome = (typeof sandboxOutcomes)[number];

/** What the rail says right after an attempt was started with this outcome. */
export function sandboxAnswer(outcome: SandboxOutcome, attempt: Attempt, nowMs: number): RailAnswer {
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

export const sandbox: Rail = {
  name: SANDBOX,
  offers: (_method, { mode }) => mode === 'test',
  // Only slow payments are ever asked about, and by then they have succeeded.
  sync: async (_checkout, attempt) => received(attempt, attempt.amount),
};

function answer(status: RailAnswer['status'], reason = ''): RailAnswer {
  return { status, reason, syncAt: null, payment: null };
}

function received(attempt: Attempt, amount: number): RailAnswer {
  return { ...answer('succeeded'), payment: { reference: attempt.reference, amount } };
}
