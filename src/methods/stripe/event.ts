/** Webhooks of Stripe: their verification, and the payment concerned. */
import type Stripe from 'stripe';
import type { Mode } from '../../checkout/tenant.ts';
import { BadSignature, type InboundEvent } from '../method.ts';
import { isSigned } from './signature.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The result only names what to ask Stripe about: the content of an event is never trusted. */
export function readStripeEvent(
  secrets: Readonly<Record<Mode, string | null>>,
  body: Buffer,
  headers: Headers,
): Omit<InboundEvent, 'tenant'> & { readonly mode: Mode } {
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string') throw new BadSignature('the header Stripe-Signature is missing');
  for (const mode of ['test', 'live'] as const) {
    const secret = secrets[mode];
    const event = secret ? opened(body, signature, secret) : null;
    if (event === null) continue;
    // More people know the secret of the test endpoint than that of the live one.
    if (event.livemode !== (mode === 'live')) throw new BadSignature('the event belongs to the other mode');
    const reference = idOf(event.id);
    if (reference === null) throw new BadSignature('the event has no id');
    const subject = asRecord(event.data?.object);
    return {
      reference,
      attemptReference: attemptOf(subject),
      paymentReference: paymentOf(subject),
      mode,
    };
  }
  throw new BadSignature('the signature matches no configured secret, or is too old');
}

function opened(body: Buffer, signature: string, secret: string): Stripe.Event | null {
  if (!isSigned(body, signature, secret)) return null;
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

/** Pages name the attempt themselves; payments, charges and refunds of ours have it written on them. */
function attemptOf(subject: Readonly<Record<string, unknown>>): string | null {
  return idOf(subject.client_reference_id) ?? idOf(asRecord(subject.metadata).attempt);
}

/** Disputes, and refunds that were made at Stripe, name nothing but the payment. */
function paymentOf(subject: Readonly<Record<string, unknown>>): string | null {
  if (subject.object === 'payment_intent') return idOf(subject.id);
  return idOf(subject.payment_intent) ?? idOf(asRecord(subject.payment_intent).id);
}

/** Ids of Stripe, and ours; anything else is of nobody, and might not even be kept. */
const ID = /^[\w-]{1,255}$/;

function idOf(value: unknown): string | null {
  return typeof value === 'string' && ID.test(value) ? value : null;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
