/**
 * Every state of a session × every command × every state of an attempt. A row is a command in a state; `gives`
 * has one cell for each attempt the session may have at that time. The rows are in `lifecycle-*.test.ts`.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CheckoutCommand } from '../../src/checkout/commands.ts';
import { decide } from '../../src/checkout/decide.ts';
import { type AttemptStatus, attemptStatuses, type Checkout } from '../../src/checkout/session.ts';
import { amountDue, paymentStatusOf, statusOf } from '../../src/checkout/statuses.ts';
import {
  attempt,
  cancel,
  checkBookkeeping,
  checkout,
  completed,
  EXPIRES,
  expire,
  expiredByMerchant,
  expiredByTime,
  GRACE_ENDS,
  NOW,
  paid,
  payment,
  report,
  start,
  tick,
  update,
} from './build.ts';
import { createRefund, reportReversal } from './build-refunds.ts';

type Column = 'none' | AttemptStatus;
const columns: readonly Column[] = ['none', ...attemptStatuses];

/** The states; `now` is when the command comes. The session has asked for 1000 and expires an hour after it was made. */
const states = {
  active: { now: NOW, given: {} },
  'active until this moment': { now: EXPIRES, given: {} },
  'active until the grace ends now': { now: GRACE_ENDS, given: {} },
  completed: {
    now: NOW,
    given: {
      lifecycle: completed,
      attempts: [attempt('succeeded', { name: 'earlier' })],
      payments: [payment(1000)],
    },
  },
  'expired by its merchant': { now: NOW, given: { lifecycle: expiredByMerchant } },
  'expired by time': { now: GRACE_ENDS, given: { lifecycle: expiredByTime } },
} satisfies Record<string, { now: number; given: Partial<Checkout> }>;
export type State = keyof typeof states;

const commands = {
  'new items': update({ items: [{ name: 'Widget', quantity: 2, unitPrice: 300 }] }),
  'new metadata': update({ metadata: { order: 'A-2' } }),
  'an empty update': update(),
  expire: expire(),
  start: start(),
  'money proven': paid(1000),
  'reported processing': report('processing'),
  'reported failed': report('failed'),
  'reported waiting': report('requires_action'),
  'reported unknown': report('unknown'),
  'payer goes back': cancel,
  refund: createRefund(100),
  dispute: reportReversal('open', { amount: 100 }),
  tick: tick(NOW),
} satisfies Record<string, CheckoutCommand>;

/**
 * A cell is `unchanged`, a reason of refusal, or `status payment_status` with the status of the newest attempt; `=`
 * is the column's own status, as it was. `else` stands for the columns that are not named, a string for all of them.
 */
type Cells = Partial<Record<Column, string>> & { readonly else?: string };
export type MatrixRow = {
  readonly given: State;
  readonly when: keyof typeof commands;
  readonly gives: Cells | string;
};

export const refusedInFlight = { unknown: 'payment_in_progress', processing: 'payment_in_progress' };

/** Runs one test for each cell; the rows must name every command in each of these states, once. */
export function matrix(given: readonly State[], rows: readonly MatrixRow[]): void {
  test('the table has a row for every command in every state', () => {
    const named = rows.map((row) => `${row.given} | ${row.when}`);
    const wanted = given.flatMap((state) => Object.keys(commands).map((command) => `${state} | ${command}`));
    assert.deepEqual(named.sort(), wanted.sort());
  });
  for (const row of rows) {
    suite(`${row.given}, ${row.when}`, () => {
      for (const column of columns) cellTest(row, column);
    });
  }
}

function cellTest({ given, when, gives }: MatrixRow, column: Column): void {
  const cell = typeof gives === 'string' ? gives : (gives[column] ?? gives.else);
  assert.ok(cell, `${given} | ${when} says nothing of ${column}`);
  test(`${column === 'none' ? 'no attempt' : `attempt ${column}`}: ${cell}`, () => {
    const session = sessionIn(given, column);
    const command: CheckoutCommand = { ...commands[when], now: states[given].now };
    const decision = decide(
      session,
      command.type === 'start_attempt' ? { ...command, expectedAmount: amountDue(session) } : command,
    );
    const newest = session.attempts.at(-1)?.status ?? 'none';
    assert.equal(cellOf(decision), cell.replace('=', newest));
    checkBookkeeping(session, decision);
  });
}

function sessionIn(state: State, column: Column): Checkout {
  const base = checkout({ expiresAt: EXPIRES, ...states[state].given });
  if (column === 'none') return base;
  const attempts = [...base.attempts, attempt(column)];
  const part = payment(400, { attempt: 'pat_a', reference: 'pay_part' });
  return checkout({
    ...base,
    attempts,
    payments: column === 'succeeded' ? [...base.payments, part] : base.payments,
  });
}

function cellOf(decision: ReturnType<typeof decide>): string {
  if (decision.kind === 'refusal') return decision.reason;
  if (decision.kind === 'unchanged') return 'unchanged';
  const { checkout: session } = decision;
  return `${statusOf(session)} ${paymentStatusOf(session)} ${session.attempts.at(-1)?.status ?? 'none'}`;
}
