/** A payer who begins to pay by card, and the key of Stripe that the service asks with then. */
import { shownForm } from '../support/pay-form.ts';
import type { OtherService } from '../support/service.ts';
import type { StripeStandIn } from '../support/stripe-stand-in.ts';
import { createSession, succeeded } from './shop.ts';

type Merchant = Pick<OtherService, 'call'>;
type Call = Pick<StripeStandIn['calls'][number], 'headers'>;

/** The key of Stripe that a payment by card goes through; null if Stripe is not asked. */
export async function usedBy(of: Merchant, { calls }: StripeStandIn): Promise<string | null> {
  const { attempt } = await startCard(of);
  const call = calls.find(({ form }) => form.client_reference_id === attempt);
  return call === undefined ? null : authorizationOf(call);
}

/** A session whose payer has chosen to pay by card. In test mode the sandbox carries cards that nobody else does. */
export async function startCard(of: Merchant): Promise<{ readonly id: string; readonly attempt: string }> {
  const session = await createSession(of, { payment_methods: ['card'] });
  const body = new URLSearchParams({ ...(await shownForm(session.url)), method: 'card' });
  const begun = await fetch(`${session.url}/pay`, { method: 'POST', redirect: 'manual', body });
  await fetch(new URL(begun.headers.get('location') ?? '', session.url), { redirect: 'manual' });
  const { latest_payment_attempt: attempt } = succeeded(await of.call('GET', `/v3/checkout/${session.id}`));
  return { id: session.id, attempt };
}

export function authorizationOf({ headers }: Call): string {
  return String(headers.authorization).replace('Bearer ', '');
}
