/**
 * The only writer. An order is queued; while one batch commits the next gathers, so that many orders share one commit.
 * Inside the transaction the rules decide on what was loaded, and the change, its events, deliveries, audit row and
 * stored answer are written together or not at all. A refusal writes nothing.
 */
import type { CheckoutCommand } from './checkout/command.ts';
import {
  type Customer,
  type CustomerCommand,
  decideCustomer,
  emailKey,
  identifyPayer,
} from './checkout/customer.ts';
import { type Change, type Decision, decide } from './checkout/decide.ts';
import { timestamp } from './checkout/present.ts';
import { type Refusal, refuse, refuseFields } from './checkout/refusal.ts';
import type { Checkout, Scope } from './checkout/session.ts';
import { groupCommit } from './group-commit.ts';
import { newId } from './id.ts';
import { envelope, etagOf, type Presenter } from './presenter.ts';
import type {
  Answer,
  Audit,
  DeliveryResult,
  IdempotencyKey,
  Loaded,
  Needs,
  Store,
  Writes,
} from './store/store.ts';

/** Who asks, and how the answer is to be kept for a repetition of the request. */
export type Origin = {
  readonly scope: Scope;
  /** Id of the API key, or `payer`, `time`, `rail`. */
  readonly actor: string;
  readonly requestId: string;
  readonly idempotency: IdempotencyKey | null;
};

/** How a success is answered: with the envelope of this operation around what the order is about. */
export type Reply = {
  /** As messages name it: `CHECKOUT.UPDATE`. */
  readonly operation: string;
  readonly statusCode?: number;
  readonly location?: string;
};

export type Order =
  | {
      readonly subject: 'checkout';
      readonly origin: Origin;
      readonly id: string;
      readonly command: CheckoutCommand;
      readonly reply?: Reply;
    }
  | {
      readonly subject: 'customer';
      readonly origin: Origin;
      readonly id: string;
      readonly command: CustomerCommand;
      /** In the clock of the account and mode. */
      readonly now: number;
      readonly reply: Reply;
    }
  | {
      readonly subject: 'clock';
      readonly origin: Origin;
      readonly now: number;
      readonly advanceMs: number;
      readonly reply: Reply;
    }
  | { readonly subject: 'deliveries'; readonly scope: Scope; readonly results: readonly DeliveryResult[] };

export type Outcome = { readonly kind: 'success' | 'replay'; readonly answer: Answer } | Refusal;

/** What has just been committed, for those who wait for it: open pages and the worker. */
export type Committed = {
  readonly scope: Scope;
  /** Ids of the sessions that changed. */
  readonly checkouts: readonly string[];
  readonly deliveries: number;
};

export type Executed = { readonly outcome: Outcome; readonly committed: Committed | null };

/** Carries out one order. Rejects with StoreUnavailable if it could not be written; then nothing of it was. */
export type Transact = (order: Order) => Promise<Executed>;

type Options = {
  readonly store: Pick<Store, 'commit' | 'batching'>;
  readonly presenter: Presenter;
  /** Real time in milliseconds; everything else has the time of its command. */
  readonly realNow: () => number;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
};

/** What an order comes to once everything is loaded. */
type Decided = { readonly writes: Writes; readonly answer: Answer; readonly committed: Committed | null };

/** Times must stay such that they can be written, and sort as ids. */
const LAST_CLOCK_MS = Date.UTC(9000, 0);

const noAnswer: Answer = { statusCode: 204, headers: {}, body: '' };

export function createTransact({
  store,
  presenter,
  realNow,
  maxBatch = 256,
  maxQueue = 10_000,
}: Options): Transact {
  const enqueue = groupCommit(store, maxBatch, maxQueue);

  return async (order) => {
    if (order.subject === 'deliveries') {
      const { scope, results } = order;
      if (results.length > 0) {
        await enqueue({ needs: { scope }, decide: () => ({ deliveryResults: results }) });
      }
      return { outcome: { kind: 'success', answer: noAnswer }, committed: null };
    }
    const { idempotency } = order.origin;
    // Set anew at each try of the batch; the last try is the one that was committed.
    let executed: Executed | undefined;
    await enqueue({
      needs: { ...needsOf(order), ...(idempotency ? { idempotency } : {}) },
      decide(loaded) {
        const decided = repeated(loaded, idempotency) ?? decideOn(order, loaded, presenter);
        if ('kind' in decided) {
          executed = { outcome: decided, committed: null };
          return null;
        }
        const { writes, answer, committed } = decided;
        executed = { outcome: { kind: 'success', answer }, committed };
        return idempotency
          ? { ...writes, answer: { ...answer, ...idempotency, createdAt: realNow() } }
          : writes;
      },
    });
    return executed as Executed;
  };
}

/** The answer to a request that was answered before, or why it cannot be repeated; null for a new one. */
function repeated({ answer }: Loaded, idempotency: IdempotencyKey | null): Outcome | null {
  if (idempotency === null || answer === null) return null;
  const { requestHash, ...stored } = answer;
  if (requestHash === idempotency.requestHash) return { kind: 'replay', answer: stored };
  return refuse('key_reused', 'The idempotency key was used with another request body.');
}

type Addressed = Exclude<Order, { subject: 'deliveries' }>;
type CheckoutOrder = Extract<Order, { subject: 'checkout' }>;
type CustomerOrder = Extract<Order, { subject: 'customer' }>;

function needsOf(order: Addressed): Needs {
  const { scope } = order.origin;
  if (order.subject === 'clock') return { scope };
  if (order.subject === 'customer') {
    const email = 'fields' in order.command ? order.command.fields.email : undefined;
    return { scope, customer: order.id, ...(email ? { email: emailKey(email) } : {}) };
  }
  const { command, id } = order;
  if (command.type !== 'create') {
    const { rail, reference } = command.type === 'report' ? command : {};
    return { scope, checkout: id, ...(rail && reference ? { rail: { rail, reference } } : {}) };
  }
  const { customer, email } = command.payer;
  if (customer !== '') return { scope, customer };
  return email === '' ? { scope } : { scope, email: emailKey(email) };
}

function decideOn(order: Addressed, loaded: Loaded, presenter: Presenter): Decided | Refusal {
  switch (order.subject) {
    case 'checkout':
      return decideOnCheckout(order, loaded, presenter);
    case 'customer':
      return decideOnCustomer(order, loaded, presenter);
    case 'clock': {
      const { origin, now, advanceMs, reply } = order;
      if (now + advanceMs > LAST_CLOCK_MS) {
        return refuseFields([
          { pointer: '/seconds', detail: 'must not move the clock beyond the year 9000' },
        ]);
      }
      const data = JSON.stringify({ object: 'clock', now: timestamp(now + advanceMs) });
      return {
        writes: { testClockAdvanceMs: advanceMs, audit: auditOf(origin, 'clock', 0, now, 'advance_clock') },
        answer: answerOf(reply, data),
        committed: null,
      };
    }
  }
}

function decideOnCheckout(order: CheckoutOrder, loaded: Loaded, presenter: Presenter): Decided | Refusal {
  const { origin, id, command, reply } = order;
  const decision = decideWith(loaded, command, id);
  if (decision.kind === 'refusal') return decision;
  const { checkout, customer } = decision;
  const answer = reply
    ? answerOf(reply, presenter.checkout(checkout), { etag: etagOf(checkout.version) })
    : noAnswer;
  if (decision.kind === 'unchanged') return { writes: {}, answer, committed: null };
  const writes = writesOf(decision, loaded.checkout, command, origin, presenter);
  return {
    writes: customer ? { ...writes, customer } : writes,
    answer,
    committed: { scope: origin.scope, checkouts: [checkout.id], deliveries: writes.deliveries?.length ?? 0 },
  };
}

/** The decision on a session, with what only the loaded rows can tell: who the payer is, and whose a payment is. */
function decideWith(
  loaded: Loaded,
  command: CheckoutCommand,
  id: string,
): (Exclude<Decision, Refusal> & { readonly customer?: Customer | null }) | Refusal {
  if (command.type === 'create') {
    const fresh = { id: newId('cus', command.now), scope: command.scope, now: command.now };
    const identified = identifyPayer(command.payer, loaded.customer ?? loaded.namesake, fresh);
    if ('kind' in identified) return identified;
    const decision = decide(null, { ...command, payer: identified.payer });
    return decision.kind === 'refusal' ? decision : { ...decision, customer: identified.created };
  }
  if (loaded.ownerOfReference !== null && loaded.ownerOfReference !== id && loaded.checkout !== null) {
    return refuse('payment_booked_elsewhere', 'This payment belongs to another session.', [
      { pointer: '/payment_id', detail: 'is the id of a payment for another session' },
    ]);
  }
  return decide(loaded.checkout, command);
}

function writesOf(
  { checkout, events }: Change,
  before: Checkout | null,
  command: CheckoutCommand,
  origin: Origin,
  presenter: Presenter,
): Writes {
  const { now, type } = command;
  const firstSequence = checkout.eventCount - events.length + 1;
  const rows = events.map((event, index) => {
    const id = newId('evt', now);
    const sequence = firstSequence + index;
    const body = presenter.eventBody(checkout, event, id, sequence, now);
    return { id, type: event.type, checkout: checkout.id, sequence, createdAt: now, body };
  });
  const url = checkout.webhookUrl;
  const deliveries = rows.map(({ id }) => ({
    id: newId('whd', now),
    event: id,
    checkout: checkout.id,
    url,
    dueAt: now,
  }));
  return {
    checkout: { before, after: checkout },
    events: rows,
    deliveries: url === '' ? [] : deliveries,
    audit: auditOf(origin, checkout.id, checkout.version, now, type),
  };
}

function decideOnCustomer(order: CustomerOrder, loaded: Loaded, presenter: Presenter): Decided | Refusal {
  const { origin, id, command, now, reply } = order;
  const decision = decideCustomer(loaded.customer, loaded.namesake, command);
  if (decision.kind === 'refusal') return decision;
  const { customer } = decision;
  const audit = auditOf(origin, id, 0, now, command.type);
  if (decision.kind === 'erased') {
    const data = JSON.stringify({ id, object: 'customer', deleted: true });
    const writes = { erasedCustomer: customer, audit };
    return { writes, answer: answerOf(reply, data), committed: null };
  }
  const answer = answerOf(reply, presenter.customer(customer));
  const writes = decision.kind === 'unchanged' ? {} : { customer, audit };
  return { writes, answer, committed: null };
}

function answerOf({ operation, statusCode = 200, location }: Reply, data: string, headers = {}): Answer {
  const all = { ...headers, ...(location === undefined ? {} : { location }) };
  return { statusCode, headers: all, body: envelope(operation, data) };
}

function auditOf(origin: Origin, subject: string, version: number, at: number, action: string): Audit {
  return { subject, version, at, actor: origin.actor, action, requestId: origin.requestId };
}
