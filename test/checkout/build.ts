/** Makes sessions and commands for the tests of the core, and runs tables of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type {
  CheckoutCommand,
  CreateCheckout,
  ExpireCheckout,
  Report,
  StartAttempt,
  Tick,
  UpdateCheckout,
} from '../../src/checkout/commands.ts';
import { type Decision, decide } from '../../src/checkout/decide.ts';
import type { EventType } from '../../src/checkout/events.ts';
import type { RefusalReason } from '../../src/checkout/refusals.ts';
import { representCheckout, representPayin } from '../../src/checkout/representation.ts';
import {
  type Attempt,
  type AttemptStatus,
  type Checkout,
  defaultPolicy,
  type Payer,
  type Payment,
} from '../../src/checkout/session.ts';
import {
  amountPaid,
  isPaidInExcess,
  isPartiallyPaid,
  paymentStatusOf,
  statusOf,
} from '../../src/checkout/statuses.ts';

/** The time at which every built session was created. */
export const T = Date.UTC(2030, 0, 15, 12);
export const MINUTE = 60_000;
/** The usual `expiresAt` of a session that has one, and the end of the grace for what is in flight then. */
export const EXPIRES = T + 60 * MINUTE;
export const GRACE_ENDS = EXPIRES + 15 * MINUTE;
/** An unremarkable moment in the life of a session. */
export const NOW = T + MINUTE;

/** Deeply frozen, so that a core that changed its input in place would throw. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) frozen(child);
  }
  return value;
}

export const nobody: Payer = {
  customer: '',
  name: '',
  email: '',
  country: '',
  phone: null,
  billingDetails: null,
  shippingDetails: null,
};

export function checkout(given: Partial<Checkout> = {}): Checkout {
  return frozen({
    id: 'chk_1',
    tenant: { account: 1, mode: 'test' },
    version: 7,
    eventCount: 9,
    createdAt: T,
    token: 'token1',
    currency: 'USD',
    amount: 1000,
    items: [],
    description: 'An order',
    referenceId: 'order-1',
    metadata: { order: 'A-1' },
    payer: nobody,
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/basket',
    webhookUrl: 'https://shop.example/hook',
    methods: ['card', 'bank_transfer'],
    expiresAt: null,
    lifecycle: { state: 'active' },
    attempts: [],
    payments: [],
    refunds: [],
    reversals: [],
    fees: [],
    policy: defaultPolicy,
    ...given,
  });
}

/** An attempt `pat_a` which its rail knows as `ref_a`; the name makes the two. */
export function attempt(status: AttemptStatus, given: Partial<Attempt> & { name?: string } = {}): Attempt {
  const { name = 'a', ...rest } = given;
  return frozen({
    id: `pat_${name}`,
    createdAt: T,
    rail: 'sandbox',
    reference: `ref_${name}`,
    method: 'card',
    amount: 1000,
    version: 7,
    status,
    reason: '',
    syncAt: null,
    traits: {},
    details: {},
    ...rest,
  });
}

export function payment(amount: number, given: Partial<Payment> = {}): Payment {
  return frozen({
    rail: 'sandbox',
    reference: 'pay_earlier',
    attempt: 'pat_earlier',
    amount,
    bookedAt: T,
    late: false,
    ...given,
  });
}

export const completed = { state: 'completed', at: T } as const;
export const expiredByMerchant = { state: 'expired', at: T, by: 'merchant' } as const;
export const expiredByTime = { state: 'expired', at: EXPIRES, by: 'time' } as const;

export function create(given: Partial<CreateCheckout> = {}): CreateCheckout {
  return frozen({
    type: 'create',
    now: T,
    id: 'chk_new',
    token: 'token-new',
    tenant: { account: 1, mode: 'test' },
    currency: 'USD',
    amount: 1000,
    items: [],
    description: 'An order',
    referenceId: 'order-1',
    metadata: {},
    payer: nobody,
    successUrl: '',
    cancelUrl: '',
    webhookUrl: '',
    methods: ['card'],
    expiresAt: null,
    policy: defaultPolicy,
    ...given,
  });
}

export function update(given: Partial<UpdateCheckout> = {}): UpdateCheckout {
  const nothing = { items: null, methods: null, metadata: null, ifVersion: null };
  return frozen({ type: 'update', now: NOW, ...nothing, ...given });
}

export function expire(given: Partial<ExpireCheckout> = {}): ExpireCheckout {
  return frozen({ type: 'expire', now: NOW, ifVersion: null, ...given });
}

/** An attempt for the amount of `checkout()`, where nothing is paid yet. */
export function start(given: Partial<StartAttempt> = {}): StartAttempt {
  return frozen({
    type: 'start_attempt',
    now: NOW,
    attemptId: 'pat_new',
    rail: 'sandbox',
    reference: 'ref_new',
    method: 'card',
    expectedAmount: 1000,
    status: 'requires_action',
    syncAt: null,
    traits: {},
    details: {},
    ...given,
  });
}

/** The sandbox's report on `ref_a`; an unknown attempt becomes `pat_made`. */
export function report(status: Report['status'], given: Partial<Report> = {}): Report {
  return frozen({
    type: 'report',
    now: NOW,
    rail: 'sandbox',
    reference: 'ref_a',
    status,
    reason: '',
    syncAt: null,
    details: null,
    payment: null,
    unknownAttempt: { id: 'pat_made', method: null },
    refundId: 'rfd_excess',
    ...given,
  });
}

/** `report()` of a success that brought money. */
export function paid(amount: number | null, given: Partial<Report> = {}): Report {
  return report('succeeded', { payment: { reference: 'pay_1', amount }, ...given });
}

export const cancel = frozen({ type: 'cancel_attempt', now: NOW } as const);

export function tick(now: number): Tick {
  return frozen({ type: 'tick', now });
}

/** The visible result of a decision, as far as the tables compare it. */
export type Outcome =
  | 'unchanged'
  | { readonly refused: RefusalReason }
  | {
      /** `status`, `payment_status` and the flags that are set: `"expired paid excess late"`. */
      readonly is: string;
      readonly paid: number;
      readonly attempts: readonly AttemptStatus[];
      readonly events: readonly EventType[];
      /** Each with its amount, where there are any: `"pending 300"`. */
      readonly refunds?: readonly string[];
      readonly reversals?: readonly string[];
    };

export type Row = {
  readonly name: string;
  readonly given: Checkout | null;
  readonly when: CheckoutCommand;
  readonly gives: Outcome;
};

/** Runs one test for each row. Every row also checks the bookkeeping that all decisions have in common. */
export function table(rows: readonly Row[]): void {
  for (const { name, given, when, gives } of rows) {
    test(name, () => {
      const decision = decide(given, when);
      assert.deepEqual(outcomeOf(decision), gives);
      checkBookkeeping(given, decision);
    });
  }
}

export function outcomeOf(decision: Decision): Outcome {
  if (decision.kind === 'refusal') return { refused: decision.reason };
  if (decision.kind === 'unchanged') return 'unchanged';
  const { refunds, reversals } = decision.checkout;
  return {
    is: describe(decision.checkout),
    paid: amountPaid(decision.checkout),
    attempts: decision.checkout.attempts.map(({ status }) => status),
    events: decision.events.map(({ type }) => type),
    ...(refunds.length > 0 ? { refunds: refunds.map(words) } : {}),
    ...(reversals.length > 0 ? { reversals: reversals.map(words) } : {}),
  };
}

function words({ status, amount }: { readonly status: string; readonly amount: number }): string {
  return `${status} ${amount}`;
}

export function describe(session: Checkout): string {
  const words: string[] = [statusOf(session), paymentStatusOf(session)];
  if (isPartiallyPaid(session)) words.push('partial');
  if (isPaidInExcess(session)) words.push('excess');
  if (session.payments.some(({ late }) => late)) words.push('late');
  return words.join(' ');
}

export function checkBookkeeping(given: Checkout | null, decision: Decision): void {
  if (decision.kind === 'refusal') {
    assert.match(decision.detail, /^[A-Z].*\.$/s, 'a refusal says why in a sentence');
    const { reason, problems } = decision;
    if (reason === 'field_invalid') assert.ok(problems.length > 0, 'bad fields are named');
    // A refund that is too large names its amount, though what refuses it is the state.
    else if (reason !== 'not_refundable') assert.deepEqual(problems, []);
    return;
  }
  if (decision.kind === 'unchanged') {
    assert.equal(decision.checkout, given, 'what is unchanged is the session itself');
    return;
  }
  const { checkout: after, events } = decision;
  const before = given ?? { version: 0, eventCount: 0 };
  const seen = given === null || !isDeepStrictEqual(look(given), look(after));
  assert.equal(after.version, before.version + (seen ? 1 : 0), 'the version counts what can be seen');
  assert.equal(events.length > 0, seen, 'what can be seen is told');
  assert.equal(after.eventCount, before.eventCount + events.length);
}

function look(session: Checkout): object {
  const url = 'https://pay.example';
  // The payer's page shows the items.
  return {
    checkout: representCheckout(session, url),
    payin: representPayin(session, url),
    items: session.items,
  };
}

/** The session after a command that must change it. */
export function after(given: Checkout | null, command: CheckoutCommand): Checkout {
  const decision = decide(given, command);
  assert.equal(decision.kind, 'change', JSON.stringify(decision));
  return frozen((decision as { checkout: Checkout }).checkout);
}

/** The session after several commands, each of which may change it or leave it, but not be refused. */
export function play(given: Checkout | null, ...commands: readonly CheckoutCommand[]): Checkout {
  let current = given;
  for (const command of commands) {
    const decision = decide(current, command);
    if (decision.kind === 'refusal') assert.fail(`${command.type} is refused: ${decision.detail}`);
    current = frozen(decision.checkout);
  }
  assert.ok(current);
  return current;
}
