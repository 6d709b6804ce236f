/** Serializer of sessions: one representation as bytes, made once for each version of a session. */

import { createBesideCopied } from '../lib/beside.ts';
import type { Customer } from './customer.ts';
import type { CheckoutEvent } from './events.ts';
import {
  representAttempt,
  representCheckout,
  representCustomer,
  representPayin,
  representRefund,
  representReversal,
} from './representation.ts';
import type { Attempt, Checkout, Refund } from './session.ts';

export type Serializer = ReturnType<typeof createSerializer>;

export function createSerializer(checkoutUrl: string) {
  // Sessions are immutable, so their bytes stay valid for as long as the object is in memory.
  const made = createBesideCopied<Checkout, string>();

  function checkout(session: Checkout): string {
    let json = made.get(session);
    if (json === undefined) {
      json = JSON.stringify(representCheckout(session, checkoutUrl));
      made.set(session, json);
    }
    return json;
  }

  const attempt = (session: Checkout, one: Attempt): string => JSON.stringify(representAttempt(session, one));
  const payin = (session: Checkout): string => JSON.stringify(representPayin(session, checkoutUrl));

  const refund = (session: Checkout, one: Refund): string => JSON.stringify(representRefund(session, one));

  return {
    /** Where the pages of sessions are: whoever knows it can make the same bytes, in another thread. */
    checkoutUrl,
    checkout,
    attempt,
    payin,
    refund,
    customer: (customer: Customer): string => JSON.stringify(representCustomer(customer)),

    /** Part of the session in the body of an event. */
    eventData(session: Checkout, event: CheckoutEvent): string {
      if (event.attempt) return attempt(session, event.attempt);
      if (event.refund) return refund(session, event.refund);
      if (event.reversal) return JSON.stringify(representReversal(session, event.reversal));
      return event.type.startsWith('payin.') ? payin(session) : checkout(session);
    },
  };
}
