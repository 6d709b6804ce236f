/**
 * States: sessions up to the names of their parts, to what only counts or dates them, and to what no rule reads. Two
 * sessions are the same state if their keys are equal, and the search goes on from the first one of each.
 */
import type { Checkout } from '../../../src/checkout/session.ts';
import { type Bound, methodsOfAll, policyNameOf } from './bound.ts';
import { everyStatus } from './commands.ts';

/** The key of a session's state. Payments, refunds and reversals have no order; attempts have: refunds take the newest. */
export function stateOf(session: Checkout): string {
  const { amount, expiresAt, lifecycle, attempts, payments, refunds, reversals } = session;
  const end = lifecycle.state === 'expired' ? lifecycle.by : lifecycle.state;
  let key = `${policyNameOf(session)} ${amount}${expiresAt === null ? '' : '!'}${end[0]}`;
  for (const each of attempts) {
    key += `|${each.rail}${everyStatus.indexOf(each.status)}${each.amount}${each.syncAt === null ? '' : '?'}`;
  }
  const place = (id: string) => attempts.findIndex((each) => each.id === id);
  key += payments.some(({ late }) => late) ? '~' : '+';
  key += sorted(payments, (each) => `${place(each.attempt)}${each.amount}`);
  key += `-${sorted(refunds, (each) => `${place(each.attempt)}${each.amount}${each.status[0]}`)}`;
  return `${key}/${sorted(reversals, (each) => `${place(each.attempt)}${each.amount}${each.status[0]}`)}`;
}

function sorted<Part>(parts: readonly Part[], keyOf: (part: Part) => string): string {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1) return keyOf(first);
  return parts.map(keyOf).sort().join();
}

/** True if a search goes on from this session. */
export function isWithin(
  { amount, methods, attempts, payments, refunds, reversals }: Checkout,
  bound: Bound,
): boolean {
  return (
    methods === methodsOfAll &&
    amount <= bound.amount &&
    attempts.length <= bound.attempts &&
    payments.length <= bound.payments &&
    refunds.length <= bound.refunds &&
    reversals.length <= bound.reversals &&
    // Payments for an attempt of unknown amount may exceed the bound.
    payments.every((each) => each.amount <= bound.money)
  );
}
