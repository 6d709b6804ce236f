/** The truth about the attempts of one rail: its provider's books, whatever the service has heard of them. */
import type { AttemptStatus } from '../../src/checkout/session.ts';

type Named = { readonly id: string; readonly reference: string };

export type Truth = {
  /** Null where the provider knows nothing of the attempt. A page that is closed is `cancelled`. */
  statusOf(reference: string): AttemptStatus | null;
  /**
   * True if the provider may have said this about an attempt of this age: its answers can be old when they
   * arrive.
   */
  mayHaveSaid(reference: string, status: string, ageMs: number): boolean;
  /** The money that has come for an attempt, and what the provider calls it. */
  payments(attempt: Named): ReadonlyArray<{ readonly reference: string; readonly amount: number }>;
  refundStatus(reference: string, refund: string): string | undefined;
  /** Money that the provider takes back, by its own name for that, and what it may have said about it. */
  reversal(reference: string): { readonly amount: number; readonly statuses: readonly string[] } | null;
  /** Flaws that the provider itself has found: money that went back twice, or more of it than had come. */
  flaws(): string[];
};

/** Truths by the name of the rail. */
export type Truths = Readonly<Record<string, Truth>>;

export function truthOf(truths: Truths, rail: string): Truth {
  const truth = truths[rail];
  if (truth === undefined) throw new Error(`nobody knows what is true of ${rail}`);
  return truth;
}
