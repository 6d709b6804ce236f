/** The part of Stripe's API that is used here, in the version for which it was written. */
import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';

/** https://docs.stripe.com/api/versioning: that of the types in use. */
export const API_VERSION = '2026-10-28.endive';

export type StripeCall = {
  readonly method: 'GET' | 'POST';
  /** Below `/v1/`. */
  readonly path: string;
  readonly params: object;
  /** Every POST has one: it may be made again. */
  readonly idempotencyKey: string | null;
};

type Keyed = { readonly idempotencyKey: string };
type Session = Stripe.Checkout.Session;

export type StripeApi = ReturnType<typeof stripeApi>;

/** `call` resolves with the object that Stripe answers. */
export function stripeApi(call: <Answer>(request: StripeCall) => Promise<Answer>) {
  const get = <Answer>(path: string, params: object = {}) =>
    call<Answer>({ method: 'GET', path, params, idempotencyKey: null });
  const post = <Answer>(path: string, params: object, { idempotencyKey }: Keyed) =>
    call<Answer>({ method: 'POST', path, params, idempotencyKey });
  const sessions = 'checkout/sessions';

  return {
    checkout: {
      sessions: {
        create: (params: Stripe.Checkout.SessionCreateParams, keyed: Keyed) =>
          post<Session>(sessions, params, keyed),
        retrieve: (id: string, params: Stripe.Checkout.SessionRetrieveParams) =>
          get<Session>(`${sessions}/${encodeURIComponent(id)}`, params),
        list: (params: Stripe.Checkout.SessionListParams) => get<Stripe.ApiList<Session>>(sessions, params),
        expire: (id: string) =>
          post<Session>(`${sessions}/${encodeURIComponent(id)}/expire`, {}, { idempotencyKey: randomUUID() }),
      },
    },
    refunds: {
      create: (params: Stripe.RefundCreateParams, keyed: Keyed) =>
        post<Stripe.Refund>('refunds', params, keyed),
      retrieve: (id: string) => get<Stripe.Refund>(`refunds/${encodeURIComponent(id)}`),
      list: (params: Stripe.RefundListParams) => get<Stripe.ApiList<Stripe.Refund>>('refunds', params),
    },
    balanceTransactions: {
      retrieve: (id: string) =>
        get<Stripe.BalanceTransaction>(`balance_transactions/${encodeURIComponent(id)}`),
    },
    disputes: {
      list: (params: Stripe.DisputeListParams) => get<Stripe.ApiList<Stripe.Dispute>>('disputes', params),
    },
  };
}
