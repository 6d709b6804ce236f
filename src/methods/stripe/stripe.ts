/**
 * Card rail: payers pay on Stripe's page, and the state of a payment is fetched from Stripe, never taken from an event.
 */
import type Stripe from 'stripe';
import { type Attempt, type Checkout, knowledgeOf } from '../../checkout/session.ts';
import { feeOf } from '../../checkout/statuses.ts';
import type { Mode, Tenant } from '../../checkout/tenant.ts';
import type { Vault } from '../credentials.ts';
import type { Occasion, PaidAccount, Rail, RailAnswer, Untold } from '../method.ts';
import { canCharge, takesCurrency, toStripeAmount } from './amounts.ts';
import { type Ask, alertOf, createLine, StripeTrouble, type TroubleKind } from './client.ts';
import { STRIPE, type StripeKeys, stripeCredentials, stripeKeysOf } from './credentials.ts';
import { readStripeEvent } from './event.ts';
import type { StripeHttp } from './http.ts';
import type { KeyAlert } from './lacking.ts';
import {
  createPage,
  detailsOf,
  expirePage,
  findPage,
  type Page,
  planDetails,
  retrievePage,
  withPage,
} from './page.ts';
import { refundAtStripe } from './refund.ts';
import {
  type Aftermath,
  type Asked,
  answerFor,
  failed,
  intentOf,
  noAftermath,
  notKnown,
  strangeness,
  waiting,
} from './standing.ts';

export const STRIPE_API_URL = 'https://api.stripe.com';

export type StripeOptions = {
  readonly test: StripeKeys | null;
  readonly live: StripeKeys | null;
  /** The account that receives the money by these keys, unless it has credentials of its own. */
  readonly accountNumber: number;
  /** The accounts, and what opens their own credentials; absent: there are none. */
  readonly own?: {
    readonly vault: Vault;
    readonly accountOf: (number: number) => Promise<PaidAccount | null>;
  };
  /** Scheme, host and port. */
  readonly apiUrl?: string;
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly concurrency?: number;
  readonly concurrencyInAll?: number;
  /** Told of all permissions that a key lacks, once Stripe has refused it a call. */
  readonly onAlert?: KeyAlert;
  readonly http?: StripeHttp;
};

/** Time until the rail is asked if nothing comes of the start. */
const FIRST_LOOK_MS = 60_000;

/** Time for which the answer to a start may still be on its way. */
const START_SETTLES_MS = 2 * 60_000;

/** Throws an Error with the name of the setting if a key is of the other mode. */
export function createStripeRail(options: StripeOptions): Rail {
  const {
    accountNumber,
    own,
    apiUrl = STRIPE_API_URL,
    timeoutMs = 10_000,
    retries = 1,
    concurrency = 8,
    concurrencyInAll = 64,
    onAlert,
    http,
  } = options;
  const keys = { test: complete(options.test), live: complete(options.live) };
  for (const mode of modes) assertOfMode(mode, keys[mode]);
  const webhookSecrets = { test: keys.test?.webhookSecret ?? null, live: keys.live?.webhookSecret ?? null };
  const ask = createLine({
    secretKeyOf,
    apiUrl,
    timeoutMs,
    retries,
    concurrency,
    concurrencyInAll,
    ...(onAlert && { onAlert }),
    ...(http && { http }),
  });

  const keysOfSettings = (number: number, mode: Mode) => (number === accountNumber ? keys[mode] : null);

  /** Credentials of the account's own that cannot be opened are not replaced by those of the settings. */
  function keysFor({ number, railCredentials }: PaidAccount, mode: Mode): StripeKeys | null {
    const { [STRIPE]: sealed } = railCredentials[mode];
    if (sealed === undefined) return keysOfSettings(number, mode);
    const secrets = own?.vault.open(sealed, { tenant: { account: number, mode }, rail: STRIPE });
    return secrets ? stripeKeysOf(secrets) : null;
  }

  async function secretKeyOf({ account: number, mode }: Tenant): Promise<string | null> {
    const account = own ? await own.accountOf(number) : null;
    return (account ? keysFor(account, mode) : keysOfSettings(number, mode))?.secretKey ?? null;
  }

  return {
    name: STRIPE,
    capabilities: {
      traits: { graceMs: 30 * 60_000 },
      refunds: 'online',
      leavesPage: true,
    },
    credentials: stripeCredentials,
    offers(method, { account, mode, amount, currency }) {
      if (method.id !== 'card' || keysFor(account, mode) === null) return false;
      return amount === null ? takesCurrency(currency) : canCharge(amount, currency);
    },
    missing(method, { account, mode, currency }: Occasion) {
      if (method.id !== 'card' || !takesCurrency(currency) || keysFor(account, mode) !== null) return null;
      if (account.railCredentials[mode][STRIPE]) return 'the CREDENTIALS_KEY of its credentials for Stripe';
      if (account.number === accountNumber) return missingSettings(mode, options[mode]).join(' and ');
      return own?.vault.canSeal ? 'credentials of its own for Stripe' : null;
    },
    plan: (checkout, _method, occasion, attemptId, nowMs) => ({
      reference: attemptId,
      status: 'requires_action',
      syncAt: nowMs + FIRST_LOOK_MS,
      details: planDetails(checkout, occasion, nowMs),
    }),
    start: (checkout, attempt, returnUrl, nowMs) => start(ask, { checkout, attempt, nowMs }, returnUrl),
    payerUrl: (attempt) => (attempt.status === 'requires_action' ? detailsOf(attempt).url || null : null),
    sync: (checkout, attempt, nowMs) => sync(ask, { checkout, attempt, nowMs }),
    cancel: (checkout, attempt, nowMs) => cancel(ask, { checkout, attempt, nowMs }),
    refund: (checkout, refund, nowMs) => refundAtStripe(ask, checkout, refund, nowMs),
    readEvent(body, headers, recipient) {
      const secrets = recipient
        ? {
            ...noSecrets,
            [recipient.mode]: keysFor(recipient.account, recipient.mode)?.webhookSecret ?? null,
          }
        : webhookSecrets;
      const { mode, ...event } = readStripeEvent(secrets, body, headers);
      return { ...event, tenant: { account: recipient?.account.number ?? accountNumber, mode } };
    },
  };
}

const modes: readonly Mode[] = ['test', 'live'];
const noSecrets: Readonly<Record<Mode, string | null>> = { test: null, live: null };

/** The keys, if the webhook secret is among them: without events, a payment would be seen minutes later. */
function complete(keys: StripeKeys | null): StripeKeys | null {
  return keys?.secretKey && keys.webhookSecret ? keys : null;
}

function missingSettings(mode: Mode, keys: StripeKeys | null): string[] {
  const name = `STRIPE_${mode.toUpperCase()}`;
  return [
    ...(keys?.secretKey ? [] : [`${name}_SECRET_KEY`]),
    ...(keys?.webhookSecret ? [] : [`${name}_WEBHOOK_SECRET`]),
  ];
}

function assertOfMode(mode: Mode, keys: StripeKeys | null): void {
  if (keys === null || new RegExp(`^[rs]k_${mode}_`).test(keys.secretKey)) return;
  throw new Error(`STRIPE_${mode.toUpperCase()}_SECRET_KEY must begin with sk_${mode}_ or rk_${mode}_`);
}

async function start(ask: Ask, asked: Asked, returnUrl: string): Promise<RailAnswer> {
  const { checkout, attempt } = asked;
  if (attempt.status !== 'requires_action') return { ...notKnown(asked), status: attempt.status };
  const { session, url } = detailsOf(attempt);
  if (session && url) return waiting(asked);
  try {
    const page = await createPage(ask, checkout, attempt, returnUrl).catch((error: StripeTrouble) =>
      error.kind === 'key_reused' ? found(ask, checkout, attempt, error) : Promise.reject(error),
    );
    return usable(ask, asked, page);
  } catch (error) {
    return startTrouble(asked, error);
  }
}

/**
 * The page that was created with the same key, although something in the request was different, such as the payer's
 * address.
 */
async function found(ask: Ask, checkout: Checkout, attempt: Attempt, reason: StripeTrouble): Promise<Page> {
  const page = await findPage(ask, checkout, attempt);
  if (page === null) throw reason;
  return page;
}

/** A page that does not ask for exactly the amount is closed, and its address given to nobody. */
async function usable(ask: Ask, asked: Asked, page: Page): Promise<RailAnswer> {
  const { checkout, attempt } = asked;
  if (page.status !== 'open') return standing(ask, asked, page.id);
  const isExact =
    page.amount_total === toStripeAmount(attempt.amount, checkout.currency) &&
    page.currency === checkout.currency.toLowerCase();
  const problem =
    strangeness(asked, page) ??
    (isExact ? null : `the page ${page.id} of Stripe asks for ${page.amount_total} ${page.currency}`);
  if (problem === null) {
    const details = withPage(attempt, page);
    return { ...waiting(asked), ...(details ? { details } : {}) };
  }
  await expirePage(ask, checkout, page.id).catch(() => undefined);
  return { ...failed('The payment page could not be used.'), alert: `${attempt.id}: ${problem}` };
}

function startTrouble(asked: Asked, error: unknown): RailAnswer {
  if (!(error instanceof StripeTrouble)) throw error;
  const alert = alertOf(asked.attempt.id, error);
  switch (error.kind) {
    case 'unavailable':
      return notKnown(asked);
    case 'key_reused':
      return { ...notKnown(asked), ...alert };
    case 'forbidden':
      return { ...failed('Stripe does not accept the key of the shop.'), ...alert };
    case 'refused':
      return { ...failed(`Stripe refuses the payment: ${error.message}`), ...alert };
  }
}

async function sync(ask: Ask, asked: Asked): Promise<RailAnswer> {
  const { checkout, attempt } = asked;
  try {
    const { session } = detailsOf(attempt);
    if (session) return await standing(ask, asked, session);
    const page = await findPage(ask, checkout, attempt);
    return page ? await usable(ask, asked, page) : withoutPage(asked);
  } catch (error) {
    return syncTrouble(asked, error);
  }
}

/** There is no page and, since its time would be over, there will be none. */
function withoutPage(asked: Asked): RailAnswer {
  const { attempt, nowMs } = asked;
  const { plannedAt, expiresAt } = detailsOf(attempt);
  const age = nowMs - attempt.createdAt;
  if (attempt.status === 'cancelled') {
    const syncAt = age < START_SETTLES_MS ? nowMs + START_SETTLES_MS : null;
    return { status: 'cancelled', reason: '', syncAt, payment: null };
  }
  if (age > (expiresAt - plannedAt) * 1000) return failed('The payment page could not be created in time.');
  return waiting(asked);
}

async function standing(ask: Ask, asked: Asked, session: string): Promise<RailAnswer> {
  const { checkout, attempt } = asked;
  const page = await retrievePage(ask, checkout, session);
  const answer = answerFor(asked, page, await aftermathOf(ask, asked, page));
  const details = strangeness(asked, page) === null ? withPage(attempt, page) : undefined;
  return { ...answer, ...(details ? { details } : {}) };
}

/** Fetched only if there is a sign of it, or if somebody asks again about a completed payment. */
async function aftermathOf(ask: Ask, asked: Asked, page: Page): Promise<Aftermath> {
  const { checkout, attempt } = asked;
  const { tenant } = checkout;
  const intent = intentOf(page);
  const charge = typeof intent?.latest_charge === 'object' ? intent.latest_charge : null;
  const isKnown = attempt.status === 'succeeded';
  if (intent === null || charge === null) return noAftermath;
  const list = { payment_intent: intent.id, limit: 100 };
  const [refunds, disputes, balance] = await Promise.all([
    isKnown || charge.amount_refunded > 0 ? ask(tenant, (stripe) => stripe.refunds.list(list)) : { data: [] },
    isKnown || charge.disputed ? ask(tenant, (stripe) => stripe.disputes.list(list)) : { data: [] },
    balanceOf(ask, asked, intent.id, charge.balance_transaction),
  ]);
  return { refunds: refunds.data, disputes: disputes.data, ...balance };
}

/**
 * The line of the balance that has the fee of a payment. Stripe has none until some time after the payment. It is asked
 * for by itself: a key that may not read it, or a failure, must not keep the payment from being booked. Rejects where the
 * payment is booked and Stripe does not answer, so that whoever asks does so again.
 */
async function balanceOf(
  ask: Ask,
  { checkout, attempt }: Asked,
  payment: string,
  line: Stripe.Charge['balance_transaction'],
): Promise<Pick<Aftermath, 'balance' | 'untold'>> {
  const isKnown = feeOf(checkout, { rail: STRIPE, reference: payment }) !== undefined;
  if (typeof line !== 'string' || isKnown) return noFee;
  try {
    const balance = await ask(checkout.tenant, (stripe) => stripe.balanceTransactions.retrieve(line));
    return { ...noFee, balance };
  } catch (error) {
    if (!(error instanceof StripeTrouble)) throw error;
    if (error.kind !== 'unavailable') return { ...noFee, untold: error };
    if (attempt.status === 'succeeded') throw error;
    return noFee;
  }
}

const noFee = { balance: null, untold: null } as const;

function syncTrouble(asked: Asked, error: unknown): RailAnswer {
  if (!(error instanceof StripeTrouble)) throw error;
  const untold = untoldBy[error.kind];
  return { ...notKnown(asked), untold, ...alertOf(asked.attempt.id, error) };
}

const untoldBy: Readonly<Record<TroubleKind, Untold>> = {
  unavailable: 'no_answer',
  forbidden: 'key_refused',
  refused: 'request_refused',
  key_reused: 'request_refused',
};

async function cancel(ask: Ask, given: Asked): Promise<RailAnswer> {
  const asked: Asked = { ...given, attempt: { ...given.attempt, status: 'cancelled' } };
  const answer = await close(ask, asked).catch((error: unknown) => syncTrouble(asked, error));
  // Somebody could still pay until the page is closed: the attempt stays given up, and Stripe is told again.
  return knowledgeOf(answer.status) < knowledgeOf('cancelled') ? { ...answer, status: 'cancelled' } : answer;
}

async function close(ask: Ask, asked: Asked): Promise<RailAnswer> {
  const { checkout, attempt } = asked;
  const session = detailsOf(attempt).session || (await findPage(ask, checkout, attempt))?.id;
  if (!session) return withoutPage(asked);
  const page = await expirePage(ask, checkout, session).catch((error: StripeTrouble) =>
    error.kind === 'refused' ? null : Promise.reject(error),
  );
  if (page?.status === 'expired') return answerFor(asked, page, noAftermath);
  // It was closed before, by time or by its payer: then the actual state is fetched.
  return standing(ask, asked, session);
}
