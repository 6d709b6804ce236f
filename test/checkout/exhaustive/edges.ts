/** The table of section “Lifecycle” of the contract: which public states lead to which, by what, and when. */
import assert from 'node:assert/strict';
import type { CheckoutCommand } from '../../../src/checkout/commands.ts';
import type { Checkout } from '../../../src/checkout/session.ts';
import { paymentStatusOf, statusOf } from '../../../src/checkout/statuses.ts';
import { enoughFor, graceOf } from './bound.ts';
import { sum } from './oracle.ts';

type Edge = {
  readonly from: string;
  readonly to: string;
  /** Guard of the edge, apart from what the trigger is. */
  readonly allows: (before: Checkout, command: CheckoutCommand, after: Checkout) => boolean;
};

const table: readonly Edge[] = [
  {
    from: 'active unpaid',
    to: 'completed paid',
    allows: (before, { type }, after) => type === 'report' && covers(after) && !covers(before),
  },
  {
    from: 'active unpaid',
    to: 'expired unpaid',
    allows: (before, { type, now }, after) =>
      type === 'expire' && after.expiresAt === now && before.attempts.every((each) => !isInFlight(each)),
  },
  {
    from: 'active unpaid',
    to: 'expired expired',
    allows: (before, { now }, after) => isTimeUp(before, now) || isTimeUp(after, now),
  },
  {
    from: 'expired unpaid',
    to: 'expired paid',
    allows: (_, { type }, after) =>
      type === 'report' && covers(after) && after.payments.at(-1)?.late === true,
  },
  {
    from: 'expired expired',
    to: 'expired paid',
    allows: (_, { type }, after) =>
      type === 'report' && covers(after) && after.payments.at(-1)?.late === true,
  },
  // Time ends the session before the report is looked at, which brings all of the money.
  {
    from: 'active unpaid',
    to: 'expired paid',
    allows: (before, { type, now }, after) =>
      type === 'report' && isTimeUp(before, now) && covers(after) && after.payments.at(-1)?.late === true,
  },
];
const edges = new Map(table.map((edge) => [`${edge.from} → ${edge.to}`, edge]));

/** Fails where the public state goes another way than the table has it, or where the table does not let it. */
export function checkEdge(before: Checkout, command: CheckoutCommand, after: Checkout): string {
  if (statusOf(before) === statusOf(after) && paymentStatusOf(before) === paymentStatusOf(after)) return '';
  const name = `${publicState(before)} → ${publicState(after)}`;
  const edge = edges.get(name);
  assert.ok(edge, `the table has no edge ${name}`);
  assert.ok(edge.allows(before, command, after), `the table allows ${name} only under its condition`);
  return name;
}

/** Names of all edges, to see that a search has come across each. */
export const edgeNames: readonly string[] = [...edges.keys()];

function publicState(session: Checkout): string {
  return `${statusOf(session)} ${paymentStatusOf(session)}`;
}

function covers(session: Checkout): boolean {
  return session.amount > 0 && sum(session.payments) >= enoughFor(session);
}

function isInFlight({ status }: Checkout['attempts'][number]): boolean {
  return status === 'processing' || status === 'unknown';
}

/** True at or after `expires_at`, with nothing in flight or its grace over. */
function isTimeUp({ expiresAt, attempts }: Checkout, now: number): boolean {
  if (expiresAt === null || now < expiresAt) return false;
  return attempts.every((each) => !isInFlight(each) || now >= expiresAt + graceOf(each.traits));
}
