/**
 * The only writer. An order is queued; while one batch commits the next gathers, so that many orders share one commit.
 * Inside the transaction the rules decide on what was loaded, and the change, its events, deliveries, audit row and
 * stored answer are written together or not at all. A refusal writes nothing.
 */
import { type Refusal, refuse } from './checkout/refusal.ts';
import { groupCommit } from './group-commit.ts';
import { checkoutNeeds, decideOnCheckout } from './orders/on-checkout.ts';
import { decideOnClock } from './orders/on-clock.ts';
import { customerNeeds, decideOnCustomer } from './orders/on-customer.ts';
import { decideOnDeliveries, deliveriesNeeds } from './orders/on-deliveries.ts';
import { decideOnEndpoint, endpointNeeds } from './orders/on-endpoint.ts';
import { decideOnEntry, entryNeeds } from './orders/on-entry.ts';
import { decideOnBankFile, decideOnNotice, noticeNeeds } from './orders/on-notice.ts';
import { decideOnPaymentFile, paymentFileNeeds } from './orders/on-payment-file.ts';
import { decideOnResend, resendNeeds } from './orders/on-resend.ts';
import type { Committed, Decided, Order, Outcome } from './orders/order.ts';
import type { Presenter } from './presenter.ts';
import type { IdempotencyKey, Loaded, Needs, Store } from './store/store.ts';

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

export function createTransact({
  store,
  presenter,
  realNow,
  maxBatch = 256,
  maxQueue = 10_000,
}: Options): Transact {
  const enqueue = groupCommit(store, maxBatch, maxQueue);

  return async (order) => {
    const idempotency = 'origin' in order ? order.origin.idempotency : null;
    // Set anew at each try of the batch; the last try is the one that was committed.
    let executed: Executed | undefined;
    await enqueue({
      needs: { ...needsOf(order), ...(idempotency ? { idempotency } : {}) },
      decide(loaded) {
        const decided = repeated(loaded, idempotency) ?? decideOn(order, loaded, presenter);
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
      return { scope: order.origin.scope };
  }
}

function decideOn(order: Order, loaded: Loaded, presenter: Presenter): Decided | Refusal {
  switch (order.subject) {
    case 'checkout':
      return decideOnCheckout(order, loaded, presenter);
    case 'customer':
      return decideOnCustomer(order, loaded, presenter);
    case 'endpoint':
      return decideOnEndpoint(order, loaded);
    case 'resend':
      return decideOnResend(order, loaded);
    case 'deliveries':
      return decideOnDeliveries(order, loaded);
    case 'entry':
      return decideOnEntry(order, loaded, presenter);
    case 'notice':
      return decideOnNotice(order, loaded);
    case 'repetition':
      return refuse('not_found', 'The request was not answered before.');
    case 'bank_file':
      return decideOnBankFile(order);
    case 'payment_file':
      return decideOnPaymentFile(order, loaded, presenter);
    case 'clock':
      return decideOnClock(order);
  }
}
