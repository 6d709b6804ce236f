/** The stand-in's books of one mode, and what Stripe's API and the payers do to them. */
import { randomBytes } from 'node:crypto';
import { type Form, part, text, texts } from './stripe-stand-in-form.ts';

type Named = { id: string; object: string; created: number; livemode: boolean };
export type Metadata = Record<string, string>;

export type Session = Named & {
  status: string;
  payment_status: string;
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  customer_email: string | null;
  metadata: Metadata;
  payment_intent: string | null;
  expires_at: number;
  success_url: string;
  cancel_url: string;
  url: string | null;
  allowed_payment_method_types: string[];
  /** Fields beside the API: metadata for the payment, and the texts that the payer sees. */
  intentMetadata: Metadata;
  title: string;
};

export type Intent = Named & {
  status: string;
  amount: number;
  amount_received: number;
  currency: string;
  metadata: Metadata;
  latest_charge: string | null;
  last_payment_error: { message: string } | null;
};

export type Charge = Named & {
  payment_intent: string;
  amount: number;
  amount_refunded: number;
  refunded: boolean;
  disputed: boolean;
  currency: string;
  metadata: Metadata;
  /** Null at first: Stripe captures behind its answer. */
  balance_transaction: string | null;
};

export type BalanceTransaction = Omit<Named, 'livemode'> & {
  amount: number;
  fee: number;
  net: number;
  currency: string;
  source: string;
};

export type Refund = Named & {
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  status: string;
  failure_reason?: string;
  metadata: Metadata;
};

export type Dispute = Named & {
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  reason: string;
  status: string;
};

export type StandInEvent = {
  id: string;
  object: 'event';
  type: string;
  created: number;
  livemode: boolean;
  data: { object: Named };
};

/** An answer other than 200, as Stripe words it. */
export class Refused extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;
  constructor(status: number, error: Readonly<Record<string, string>>) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

const refuse = (message: string, more: Record<string, string> = {}, status = 400) =>
  new Refused(status, { type: 'invalid_request_error', message, ...more });

export type Books = ReturnType<typeof createBooks>;

const SESSION_PARAMETERS = new Set([
  'adaptive_pricing',
  'allowed_payment_method_types',
  'cancel_url',
  'client_reference_id',
  'customer_email',
  'expires_at',
  'line_items',
  'locale',
  'metadata',
  'mode',
  'payment_intent_data',
  'success_url',
]);

export function createBooks(livemode: boolean, pageUrl: (session: string) => string, nowMs: () => number) {
  const sessions = new Map<string, Session>();
  const intents = new Map<string, Intent>();
  const charges = new Map<string, Charge>();
  const balanceTransactions = new Map<string, BalanceTransaction>();
  const refunds = new Map<string, Refund>();
  const disputes = new Map<string, Dispute>();
  const events: StandInEvent[] = [];
  /** Outcomes of the next refunds. */
  const refundStatuses: string[] = [];

  const mode = livemode ? 'live' : 'test';
  const now = () => Math.floor(nowMs() / 1000);
  const named = (prefix: string, object: string): Named => ({
    id: `${prefix}_${randomBytes(12).toString('hex')}`,
    object,
    created: now(),
    livemode,
  });

  function happened(type: string, object: Named): StandInEvent {
    const data = { object: structuredClone(object) };
    const event: StandInEvent = { ...named('evt', 'event'), object: 'event', type, data };
    events.push(event);
    return event;
  }

  function take<Kept>(kept: ReadonlyMap<string, Kept>, what: string, id: string): Kept {
    const found = kept.get(id);
    if (!found) throw refuse(`No such ${what}: '${id}'`, { code: 'resource_missing', param: 'id' }, 404);
    return found;
  }

  function createSession(form: Form): Session {
    for (const name of Object.keys(form)) {
      if (!SESSION_PARAMETERS.has(name)) {
        throw refuse(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name });
      }
    }
    const line = part(part(form, 'line_items'), '0');
    const price = part(line, 'price_data');
    const currency = text(price, 'currency');
    const amount = chargeable(Number(text(price, 'unit_amount')) * Number(text(line, 'quantity')), currency);
    const lifetime = Number(text(form, 'expires_at')) - now();
    if (lifetime < 30 * 60 || lifetime > 24 * 60 * 60) {
      const message = 'The `expires_at` timestamp must be between 30 minutes and 24 hours from creation.';
      throw refuse(message, { param: 'expires_at' });
    }
    for (const name of ['success_url', 'cancel_url']) {
      if (!URL.canParse(text(form, name)))
        throw refuse('Not a valid URL', { code: 'url_invalid', param: name });
    }
    if (text(form, 'mode') !== 'payment') throw refuse('Invalid mode', { param: 'mode' });
    const identity = { ...named(`cs_${mode}`, 'checkout.session') };
    const session: Session = {
      ...identity,
      status: 'open',
      payment_status: 'unpaid',
      amount_total: amount,
      currency,
      client_reference_id: text(form, 'client_reference_id') || null,
      customer_email: text(form, 'customer_email') || null,
      metadata: part(form, 'metadata') as Metadata,
      payment_intent: null,
      expires_at: Number(text(form, 'expires_at')),
      success_url: text(form, 'success_url'),
      cancel_url: text(form, 'cancel_url'),
      url: pageUrl(identity.id),
      allowed_payment_method_types: texts(form, 'allowed_payment_method_types'),
      intentMetadata: part(part(form, 'payment_intent_data'), 'metadata') as Metadata,
      title: text(part(price, 'product_data'), 'name'),
    };
    sessions.set(session.id, session);
    return session;
  }

  function chargeable(amount: number, currency: string): number {
    if (!/^[a-z]{3}$/.test(currency)) throw refuse(`Invalid currency: ${currency}`, { param: 'currency' });
    if (!Number.isInteger(amount) || amount <= 0) {
      throw refuse('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'unit_amount' });
    }
    if (amount > 999_999_999_999) {
      throw refuse('Amount must be no more than 999999999999', {
        code: 'amount_too_large',
        param: 'unit_amount',
      });
    }
    const step = /^(bhd|jod|kwd|omr|tnd)$/.test(currency) ? 10 : /^(isk|ugx)$/.test(currency) ? 100 : 1;
    if (amount % step !== 0) {
      throw refuse(`Invalid amount. It must be evenly divisible by ${step}.`, { param: 'unit_amount' });
    }
    return amount;
  }

  function expireSession(id: string): Session {
    const session = take(sessions, 'checkout.session', id);
    if (session.status !== 'open') {
      throw refuse(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      );
    }
    Object.assign(session, { status: 'expired', url: null });
    happened('checkout.session.expired', session);
    return session;
  }

  /** Pages close by themselves. */
  function expireDue(): void {
    for (const { id, status, expires_at } of sessions.values())
      if (status === 'open' && expires_at <= now()) expireSession(id);
  }

  /** The payer enters a card. */
  function pay(
    id: string,
    {
      outcome = 'succeeds',
      amount,
      currency,
    }: { outcome?: 'succeeds' | 'declined' | 'processing'; amount?: number; currency?: string } = {},
  ): Intent {
    const session = take(sessions, 'checkout.session', id);
    if (session.status !== 'open') throw new Error(`the page is ${session.status}: nobody can pay there`);
    const known = session.payment_intent ? intents.get(session.payment_intent) : undefined;
    const intent: Intent = known ?? {
      ...named('pi', 'payment_intent'),
      status: 'requires_payment_method',
      amount: session.amount_total,
      amount_received: 0,
      currency: currency ?? session.currency,
      metadata: session.intentMetadata,
      latest_charge: null,
      last_payment_error: null,
    };
    intents.set(intent.id, intent);
    session.payment_intent = intent.id;
    if (outcome === 'declined') return decline(intent);
    Object.assign(session, { status: 'complete', url: null });
    if (outcome === 'processing') {
      intent.status = 'processing';
      happened('payment_intent.processing', intent);
    } else {
      receive(session, intent, amount ?? session.amount_total);
    }
    happened('checkout.session.completed', session);
    return intent;
  }

  function decline(intent: Intent): Intent {
    intent.status = 'requires_payment_method';
    intent.last_payment_error = { message: 'Your card was declined.' };
    happened('payment_intent.payment_failed', intent);
    return intent;
  }

  function receive(session: Session, intent: Intent, amount: number): void {
    const charge: Charge = {
      ...named('ch', 'charge'),
      payment_intent: intent.id,
      amount,
      amount_refunded: 0,
      refunded: false,
      disputed: false,
      currency: intent.currency,
      metadata: intent.metadata,
      balance_transaction: null,
    };
    charges.set(charge.id, charge);
    Object.assign(intent, {
      status: 'succeeded',
      amount_received: amount,
      latest_charge: charge.id,
      last_payment_error: null,
    });
    session.payment_status = 'paid';
    happened('payment_intent.succeeded', intent);
    happened('charge.succeeded', charge);
  }

  /** Ends a payment that was processing. */
  function settlePayment(id: string, outcome: 'succeeds' | 'fails'): void {
    const session = take(sessions, 'checkout.session', id);
    const intent = take(intents, 'payment_intent', session.payment_intent ?? '');
    if (outcome === 'succeeds') receive(session, intent, session.amount_total);
    else decline(intent);
    const event = outcome === 'succeeds' ? 'async_payment_succeeded' : 'async_payment_failed';
    happened(`checkout.session.${event}`, session);
  }

  function chargeOf(intent: string): Charge {
    const { latest_charge: charge } = take(intents, 'payment_intent', intent);
    return take(charges, 'charge', charge ?? '');
  }

  /** The payment enters the balance, in the currency of payouts, less its fee. Nobody need hear of it. */
  function enterBalance(intent: string, given: Partial<BalanceTransaction> = {}): void {
    const charge = chargeOf(intent);
    const { livemode: _, ...entry } = named('txn', 'balance_transaction');
    const { amount = charge.amount, fee = 59, currency = charge.currency } = given;
    const line = { ...entry, amount, fee, net: amount - fee, currency, source: charge.id };
    balanceTransactions.set(line.id, line);
    charge.balance_transaction = line.id;
    happened('charge.updated', charge);
  }

  function createRefund(form: Form): Refund {
    const charge = chargeOf(text(form, 'payment_intent'));
    const left = charge.amount - charge.amount_refunded;
    const amount = text(form, 'amount') === '' ? left : Number(text(form, 'amount'));
    if (left === 0) {
      const message = `Charge ${charge.id} has already been refunded.`;
      throw refuse(message, { code: 'charge_already_refunded' });
    }
    if (!Number.isInteger(amount) || amount <= 0)
      throw refuse('Invalid positive integer', { param: 'amount' });
    if (amount > left) {
      const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`;
      throw refuse(message, { param: 'amount' });
    }
    const refund: Refund = {
      ...named('re', 'refund'),
      amount,
      currency: charge.currency,
      charge: charge.id,
      payment_intent: charge.payment_intent,
      status: refundStatuses.shift() ?? 'succeeded',
      metadata: part(form, 'metadata') as Metadata,
    };
    refunds.set(refund.id, refund);
    // A refund that fails at once has never left the charge.
    if (refund.status !== 'failed') charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    happened('refund.created', refund);
    happened('charge.refunded', charge);
    return refund;
  }

  /** A refund turns out one way or the other; one that failed puts its money back. */
  function settleRefund(id: string, status: string, failureReason?: string): void {
    const refund = take(refunds, 'refund', id);
    refund.status = status;
    if (failureReason !== undefined) refund.failure_reason = failureReason;
    if (status === 'failed' || status === 'canceled') {
      const charge = chargeOf(refund.payment_intent);
      charge.amount_refunded -= refund.amount;
      charge.refunded = false;
    }
    happened(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  function dispute(
    intent: string,
    given: Partial<Pick<Dispute, 'amount' | 'currency' | 'status'>> = {},
  ): Dispute {
    const charge = chargeOf(intent);
    const made: Dispute = {
      ...named('du', 'dispute'),
      amount: charge.amount,
      currency: charge.currency,
      charge: charge.id,
      payment_intent: intent,
      reason: 'fraudulent',
      status: 'needs_response',
      ...given,
    };
    disputes.set(made.id, made);
    // An inquiry is not a dispute yet.
    charge.disputed ||= !made.status.startsWith('warning_');
    happened('charge.dispute.created', made);
    return made;
  }

  function settleDispute(id: string, status: string): void {
    const found = take(disputes, 'dispute', id);
    found.status = status;
    const isClosed = /won|lost|closed/.test(status);
    happened(isClosed ? 'charge.dispute.closed' : 'charge.dispute.updated', found);
  }

  return {
    livemode,
    sessions,
    intents,
    charges,
    balanceTransactions,
    refunds,
    disputes,
    events,
    refundStatuses,
    take,
    createSession,
    expireSession,
    expireDue,
    pay,
    settlePayment,
    enterBalance,
    createRefund,
    settleRefund,
    dispute,
    settleDispute,
  };
}
