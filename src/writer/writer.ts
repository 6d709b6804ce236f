/**
 * The only writer. An order is queued; while one batch commits the next gathers, so that many orders share one commit.
 * Inside the transaction the rules decide on what was loaded, and the change, its events, deliveries, audit row and
 * stored answer are written together or not at all. A refusal writes nothing.
 */
import { type Refusal, refuse } from '../checkout/refusals.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { IdempotencyKey, Loaded, Needs, Store } from '../store/store.ts';
import type { Committed, Decided, Order, Outcome } from './command.ts';
import { groupCommit } from './group-commit.ts';
import { decideOnEntry, entryNeeds } from './handlers/bank-entry.ts';
import { checkoutNeeds, decideOnCheckout } from './handlers/checkout.ts';
import { decideOnClock } from './handlers/clock.ts';
import { customerNeeds, decideOnCustomer } from './handlers/customer.ts';
import { decideOnDeliveries, deliveriesNeeds } from './handlers/deliveries.ts';
import { decideOnEndpoint, endpointNeeds } from './handlers/endpoint.ts';
import { decideOnPaymentFile, paymentFileNeeds } from './handlers/payment-file.ts';
import { decideOnBankFile, decideOnNotice, noticeNeeds } from './handlers/provider-event.ts';
import { decideOnResend, resendNeeds } from './handlers/resend.ts';

export type Executed = { readonly outcome: Outcome; readonly committed: Committed | null };

/** Carries out one order. Rejects with StoreUnavailable if it could not be written; then nothing of it was. */
export type Execute = (order: Order) => Promise<Executed>;

type Options = {
  readonly store: Pick<Store, 'commit' | 'batching'>;
  readonly serializer: Serializer;
  /** Real time in milliseconds; everything else has the time of its command. */
  readonly realNow: () => number;
  readonly maxBatch?: number;
  readonly maxQueue?: number;
};

export function createWriter({
  store,
  serializer,
  realNow,
  maxBatch = 256,
  maxQueue = 10_000,
}: Options): Execute {
  const enqueue = groupCommit(store, maxBatch, maxQueue);

  return async (order) => {
    const idempotency = 'origin' in order ? order.origin.idempotency : null;
    // Set anew at each try of the batch; the last try is the one that was committed.
    let executed: Executed | undefined;
    await enqueue({
      needs: { ...needsOf(order), ...(idempotency ? { idempotency } : {}) },
      decide(loaded) {
        const decided = repeated(loaded, idempotency) ?? decideOn(order, loaded, serializer);
        if ('kind' in decided) {
          executed = { outcome: decided, committed: null };
          return [];
        }
        const { writes, further = [], answer, committed } = decided;
        executed = { outcome: { kind: 'success', answer }, committed };
        const stored = idempotency
          ? { ...writes, answer: { ...answer, ...idempotency, createdAt: realNow() } }
          : writes;
        return [stored, ...further];
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

function needsOf(order: Order): Needs {
  switch (order.subject) {
    case 'checkout':
      return checkoutNeeds(order);
    case 'customer':
      return customerNeeds(order);
    case 'endpoint':
      return endpointNeeds(order);
    case 'resend':
      return resendNeeds(order);
    case 'deliveries':
      return deliveriesNeeds(order);
    case 'entry':
      return entryNeeds(order);
    case 'notice':
      return noticeNeeds(order);
    case 'payment_file':
      return paymentFileNeeds(order);
    case 'repetition':
    case 'bank_file':
    case 'clock':
      return { tenant: order.origin.tenant };
  }
}

function decideOn(order: Order, loaded: Loaded, serializer: Serializer): Decided | Refusal {
  switch (order.subject) {
    case 'checkout':
      return decideOnCheckout(order, loaded, serializer);
    case 'customer':
      return decideOnCustomer(order, loaded, serializer);
    case 'endpoint':
      return decideOnEndpoint(order, loaded);
    case 'resend':
      return decideOnResend(order, loaded);
    case 'deliveries':
      return decideOnDeliveries(order, loaded);
    case 'entry':
      return decideOnEntry(order, loaded, serializer);
    case 'notice':
      return decideOnNotice(order, loaded);
    case 'repetition':
      return refuse('not_found', 'The request was not answered before.');
    case 'bank_file':
      return decideOnBankFile(order);
    case 'payment_file':
      return decideOnPaymentFile(order, loaded, serializer);
    case 'clock':
      return decideOnClock(order);
  }
}
