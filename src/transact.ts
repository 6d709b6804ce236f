/**
 * The only writer. A command is queued; while one batch commits the next gathers, so that many commands share one
 * commit. Inside the transaction the rules decide on what was loaded, and the change, its events, deliveries, audit
 * row and stored answer are written together or not at all. A refusal writes nothing.
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
import { type Refusal, refuse } from './checkout/refusal.ts';
import type { Checkout, Scope } from './checkout/session.ts';
import { newId } from './id.ts';
import type { Presenter } from './presenter.ts';
import type {
  Answer,
  Audit,
  DeliveryResult,
  IdempotencyKey,
  Loaded,
  Needs,
  Store,
  Unit,
  Writes,
} from './store/store.ts';
import { StoreUnavailable } from './store/store.ts';

/** Who asks, and how the answer is to be kept for a repetition of the request. */
export type Origin = {
  readonly scope: Scope;
  /** Id of the API key, or `payer`, `time`, `rail`. */
  readonly actor: string;
  readonly requestId: string;
  readonly idempotency: IdempotencyKey | null;
};

export type CheckoutOrder = {
  readonly origin: Origin;
  readonly id: string;
  readonly command: CheckoutCommand;
  readonly answer?: (checkout: Checkout) => Answer;
};

export type CustomerOrder = {
  readonly origin: Origin;
  readonly id: string;
  readonly command: CustomerCommand;
  readonly now: number;
  readonly answer: (customer: Customer) => Answer;
};

export type ClockOrder = {
  readonly origin: Origin;
  readonly advanceMs: number;
  readonly now: number;
  readonly answer: () => Answer;
};

export type Outcome = { readonly kind: 'success' | 'replay'; readonly answer: Answer } | Refusal;

/** What has just been committed, for those who wait for it: open pages and the worker. */
export type Committed = { readonly checkout: Checkout; readonly deliveries: number };

export type Transact = ReturnType<typeof createTransact>;

type Options = {
  readonly store: Store;
  readonly presenter: Presenter;
  /** Real time in milliseconds; everything else has the time of its command. */
  readonly realNow: () => number;
  readonly onCommitted: (committed: Committed) => void;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
};

const nothing: Answer = { statusCode: 204, headers: {}, body: '' };

export function createTransact(options: Options) {
  const { store, presenter, realNow, onCommitted } = options;
  const enqueue = groupCommit(store, options.maxBatch ?? 256, options.maxQueue ?? 10_000);

  /** Runs one order: looks for a stored answer first, then decides; keeps what is to be answered with the change. */
  async function run(
    origin: Origin,
    needs: Needs,
    decideOn: (loaded: Loaded) => { writes: Writes; answer: Answer; committed?: Committed } | Refusal,
  ): Promise<Outcome> {
    // Set anew at each try of the batch; the last try is the one that was committed.
    let outcome: Outcome | undefined;
    let committed: Committed | undefined;
    await enqueue({
      needs,
      decide(loaded) {
        const { idempotency } = origin;
        committed = undefined;
        if (idempotency && loaded.answer) {
          outcome =
            loaded.answer.requestHash === idempotency.requestHash
              ? { kind: 'replay', answer: loaded.answer }
              : refuse('key_reused', 'The idempotency key was used with another request body.');
          return null;
        }
        const decision = decideOn(loaded);
        if ('kind' in decision) {
          outcome = decision;
          return null;
        }
        outcome = { kind: 'success', answer: decision.answer };
        committed = decision.committed;
        if (!idempotency) return decision.writes;
        return { ...decision.writes, answer: { ...decision.answer, ...idempotency, createdAt: realNow() } };
      },
    });
    if (committed) onCommitted(committed);
    return outcome as Outcome;
  }

  return {
    /** Writes what came of deliveries, in the next commit of whatever else there is. */
    deliveries(results: readonly DeliveryResult[]): Promise<void> {
      const [first] = results;
      if (first === undefined) return Promise.resolve();
      return enqueue({ needs: { scope: first.scope }, decide: () => ({ deliveryResults: results }) });
    },

    checkout({ origin, id, command, answer }: CheckoutOrder): Promise<Outcome> {
      const { scope, idempotency } = origin;
      const needs: Needs = {
        scope,
        ...(command.type === 'create' ? customerNeeds(command.payer) : { checkout: id }),
        ...(command.type === 'report' ? { rail: { rail: command.rail, reference: command.reference } } : {}),
        ...(idempotency ? { idempotency } : {}),
      };
      return run(origin, needs, (loaded) => {
        const decision = decideWith(loaded, command, id);
        if (decision.kind === 'refusal') return decision;
        const writes = decision.kind === 'change' ? writesOf(decision, loaded.checkout, command, origin) : {};
        return {
          writes: { ...writes, ...(decision.customer ? { customer: decision.customer } : {}) },
          answer: answer?.(decision.checkout) ?? nothing,
          ...(decision.kind === 'change'
            ? { committed: { checkout: decision.checkout, deliveries: writes.deliveries?.length ?? 0 } }
            : {}),
        };
      });
    },

    customer({ origin, id, command, now, answer }: CustomerOrder): Promise<Outcome> {
      const { scope, idempotency } = origin;
      const email = 'fields' in command ? command.fields.email : undefined;
      const needs: Needs = {
        scope,
        customer: id,
        ...(email ? { email: emailKey(email) } : {}),
        ...(idempotency ? { idempotency } : {}),
      };
      return run(origin, needs, (loaded) => {
        const decision = decideCustomer(loaded.customer, loaded.namesake, command);
        if (decision.kind === 'refusal') return decision;
        const { customer } = decision;
        const audit = auditOf(origin, id, 0, now, command.type);
        const answered = answer(customer);
        if (decision.kind === 'unchanged') return { writes: {}, answer: answered };
        const subject = decision.kind === 'erased' ? { erasedCustomer: customer } : { customer };
        return { writes: { ...subject, audit }, answer: answered };
      });
    },

    advanceClock({ origin, advanceMs, now, answer }: ClockOrder): Promise<Outcome> {
      const { scope, idempotency } = origin;
      return run(origin, { scope, ...(idempotency ? { idempotency } : {}) }, () => ({
        writes: {
          testClockAdvanceMs: advanceMs,
          audit: auditOf(origin, 'clock', 0, now, 'advance_clock'),
        },
        answer: answer(),
      }));
    },
  };

  function writesOf(
    { checkout, events }: Change,
    before: Checkout | null,
    command: CheckoutCommand,
    origin: Origin,
  ): Writes {
    const { now, type } = command;
    const firstSequence = checkout.eventCount - events.length + 1;
    const rows = events.map((event, index) => {
      const id = newId('evt', now);
      const sequence = firstSequence + index;
      const body = presenter.eventBody(checkout, event, id, sequence, now);
      return { id, type: event.type, checkout: checkout.id, sequence, createdAt: now, body };
    });
    const deliveries =
      checkout.webhookUrl === ''
        ? []
        : rows.map((row) => ({
            id: newId('whd', now),
            event: row.id,
            checkout: checkout.id,
            url: checkout.webhookUrl,
            dueAt: now,
          }));
    return {
      checkout: { before, after: checkout },
      events: rows,
      deliveries,
      audit: auditOf(origin, checkout.id, checkout.version, now, type),
    };
  }
}

function customerNeeds(payer: { customer: string; email: string }): Partial<Needs> {
  if (payer.customer !== '') return { customer: payer.customer };
  return payer.email === '' ? {} : { email: emailKey(payer.email) };
}

/** The decision on a session, with what only the loaded rows can tell: who the payer is, and whose a payment is. */
function decideWith(
  loaded: Loaded,
  command: CheckoutCommand,
  id: string,
): (Decision & { readonly customer?: Customer | null }) | Refusal {
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

function auditOf(origin: Origin, subject: string, version: number, at: number, action: string): Audit {
  return { subject, version, at, actor: origin.actor, action, requestId: origin.requestId };
}

/**
 * Queues units and commits them in batches: one at a time, each as large as what has gathered meanwhile. A batch that
 * fails as a whole is run again one unit at a time, so that a unit answers only for itself.
 */
function groupCommit(store: Store, maxBatch: number, maxQueue: number) {
  type Entry = { unit: Unit; resolve: () => void; reject: (error: unknown) => void };
  let queue: Entry[] = [];
  let running = false;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      try {
        await store.commit(batch.map(({ unit }) => unit));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        if (batch.length === 1) batch[0]?.reject(error);
        else for (const entry of batch) await store.commit([entry.unit]).then(entry.resolve, entry.reject);
      }
    }
    running = false;
  }

  return (unit: Unit): Promise<void> =>
    new Promise((resolve, reject) => {
      if (queue.length >= maxQueue) {
        reject(new StoreUnavailable('too many changes are waiting to be written'));
        return;
      }
      queue.push({ unit, resolve, reject });
      if (running) return;
      running = true;
      // Requests that arrived in the same turn of the event loop join the batch.
      setImmediate(drain);
    });
}
