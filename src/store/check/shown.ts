/** Holds sessions against what their newest events show of them. */
import { isDeepStrictEqual } from 'node:util';
import {
  paymentUrl,
  representAttempt,
  representCheckout,
  representPayin,
  representRefund,
  representReversal,
} from '../../checkout/representation.ts';
import type { Checkout } from '../../checkout/session.ts';
import { shownIn } from './event-rules.ts';

type Json = Readonly<Record<string, unknown>>;

/** Texts, which another version may word in another way, and addresses, which begin with a setting. */
const WORDED = new Set(['url', 'status_description', 'payment_status_description', 'transaction_documents']);
/** Lists of parts, which have such texts too. */
const PARTS = new Set(['payment_attempts', 'refunds', 'reversals']);
/** Fields of a session that nothing changes without an event that shows the whole session. */
const LASTING = [
  'id',
  'object',
  'invoice_currency',
  'amount',
  'customer_details',
  'success_url',
  'cancel_url',
  'webhook_url',
  'payment_methods',
  'transaction_description',
  'expires_at',
  'created_at',
  'payin',
  'reference_id',
  'metadata',
] as const;

/** True if the body of its newest event shows the session, or its part, as it is. */
export function isShownBy(checkout: Checkout, body: string): boolean {
  const { data } = shownIn(body);
  const own = representationLike(data, checkout);
  return own !== null && agrees(data, own) && hasAddress(data, checkout);
}

/** True if the body of the last event that shows the whole session shows what has not changed since. */
export function isLastingIn(checkout: Checkout, body: string): boolean {
  const { data } = shownIn(body);
  const own: Json = representCheckout(checkout, '');
  return (
    hasAddress(data, checkout) &&
    LASTING.every((name) => !(name in data) || isDeepStrictEqual(data[name], own[name]))
  );
}

function hasAddress(data: Json, checkout: Checkout): boolean {
  return data.object !== 'checkout' || `${data.url}`.endsWith(paymentUrl(checkout, ''));
}

/** The event's data as it would be today, or null where the session has no such part. */
function representationLike({ object, id, kind, reference }: Json, checkout: Checkout): Json | null {
  if (object === 'payin') return representPayin(checkout, '');
  if (object === 'payment_attempt') {
    const attempt = checkout.attempts.find((each) => each.id === id);
    return attempt ? representAttempt(checkout, attempt) : null;
  }
  if (object === 'refund') {
    const refund = checkout.refunds.find((each) => each.id === id);
    return refund ? representRefund(checkout, refund) : null;
  }
  if (object === 'reversal') {
    const reversal = checkout.reversals.find((each) => each.kind === kind && each.reference === reference);
    return reversal ? representReversal(checkout, reversal) : null;
  }
  return object === 'checkout' ? representCheckout(checkout, '') : null;
}

/** True if both say the same. A field that only one of them has is of another version. */
function agrees(shown: Json, own: Json): boolean {
  return Object.keys(own).every((name) => {
    if (WORDED.has(name) || !(name in shown)) return true;
    if (!PARTS.has(name)) return isDeepStrictEqual(shown[name], own[name]);
    const [parts, others] = [shown[name], own[name]] as [readonly Json[], readonly Json[]];
    return parts.length === others.length && parts.every((part, index) => agrees(part, others[index] ?? {}));
  });
}
