/** The bytes in which sessions leave the service: one representation, made once for each version of a session. */

import type { Customer } from './checkout/customer.ts';
import type { CheckoutEvent } from './checkout/events.ts';
import {
  presentAttempt,
  presentCheckout,
  presentCustomer,
  presentPayin,
  presentRefund,
  presentReversal,
  timestamp,
} from './checkout/present.ts';
import type { Attempt, Checkout, Refund } from './checkout/session.ts';

export type Presenter = ReturnType<typeof createPresenter>;

export function createPresenter(checkoutUrl: string) {
  // Sessions are immutable, so what was made from one stays right for as long as it is in memory.
  const made = new WeakMap<Checkout, string>();

  function checkout(session: Checkout): string {
    let json = made.get(session);
    if (json === undefined) {
      json = JSON.stringify(presentCheckout(session, checkoutUrl));
      made.set(session, json);
    }
    return json;
  }

  const attempt = (session: Checkout, one: Attempt): string => JSON.stringify(presentAttempt(session, one));
  const payin = (session: Checkout): string => JSON.stringify(presentPayin(session, checkoutUrl));

  const refund = (session: Checkout, one: Refund): string => JSON.stringify(presentRefund(session, one));

  return {
    checkout,
    attempt,
    payin,
    refund,
    customer: (customer: Customer): string => JSON.stringify(presentCustomer(customer)),

    /** What an event of the session holds of it. */
    eventData(session: Checkout, event: CheckoutEvent): string {
      if (event.attempt) return attempt(session, event.attempt);
      if (event.refund) return refund(session, event.refund);
      if (event.reversal) return JSON.stringify(presentReversal(session, event.reversal));
      return event.type.startsWith('payin.') ? payin(session) : checkout(session);
    },
  };
}

/** The body of an event: compact JSON, its keys in this order, frozen from here on. `data` is JSON already. */
export function eventBody(
  type: string,
  id: string,
  nowMs: number,
  data: string,
  version: number,
  sequence: number,
): string {
  return (
    `{"type":"${type}","id":"${id}","object":"event","created_at":"${timestamp(nowMs)}",` +
    `"data":${data},"version":${version},"sequence":${sequence}}`
  );
}

/** The envelope of a success. `operation` is such as `CHECKOUT.FETCH`, `data` is JSON already. */
export function envelope(operation: string, data: string): string {
  return `{"status":"success","message":"${operation}.SUCCESS","data":${data}}`;
}

/** The envelope of a list; `rows` are JSON already. */
export function listEnvelope(
  operation: string,
  rows: readonly string[],
  hasMore: boolean,
  cursor: string | null,
): string {
  return (
    `{"status":"success","message":"${operation}.SUCCESS","data":[${rows.join(',')}],` +
    `"has_more":${hasMore},"next_cursor":${JSON.stringify(cursor)}}`
  );
}

export function etagOf(version: number): string {
  return `"${version}"`;
}
