/**
 * Client of Stripe: its own library, with limits on the duration, the retries and the number of concurrent calls, and
 * one classification of errors.
 */
import type Stripe from 'stripe';
import type { Mode } from '../../checkout/tenant.ts';
import { version } from '../../version.ts';
import { stripeLibrary } from './library.ts';

export type StripeKeys = {
  /** `sk_test_…`, `sk_live_…`, or a restricted key `rk_…`. */
  readonly secretKey: string;
  /** Secret of the webhook endpoint at Stripe: `whsec_…`. */
  readonly webhookSecret: string;
};

export type LineOptions = {
  readonly secretKeys: Readonly<Record<Mode, string | null>>;
  /** Address of Stripe's API: scheme, host and port. */
  readonly apiUrl: string;
  /** Time limit of each try. */
  readonly timeoutMs: number;
  /** Retries after the first try. */
  readonly retries: number;
  /** Concurrent calls, at most; further ones are refused, and made later. */
  readonly concurrency: number;
};

/** Classes of failed calls, by their effect. */
export type TroubleKind =
  /** Effect unknown: a time-out, a lost connection, an error of Stripe, too many calls. */
  | 'unavailable'
  /** No effect: the key is wrong, or lacks the permission. */
  | 'forbidden'
  /** No effect: Stripe refuses. */
  | 'refused'
  /** Another call was made with the same idempotency key before. */
  | 'key_reused';

export class StripeTrouble extends Error {
  override name = 'StripeTrouble';
  readonly kind: TroubleKind;
  /** Stripe's code of the error, or the parameter concerned; empty if there is none. */
  readonly code: string;
  readonly parameter: string;
  constructor(kind: TroubleKind, message: string, { code = '', parameter = '' } = {}) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.parameter = parameter;
  }
}

/** Calls Stripe in one mode. Rejects with StripeTrouble, and with nothing else. */
export type Ask = <Answer>(mode: Mode, question: (stripe: Stripe) => Promise<Answer>) => Promise<Answer>;

/** Time beyond the time-outs of all tries: the library waits between them. */
const PAUSES_MS = 2_000;

export function createLine(options: LineOptions): Ask {
  const { secretKeys, timeoutMs, retries, concurrency } = options;
  const clients = { test: clientFor(secretKeys.test, options), live: clientFor(secretKeys.live, options) };
  const deadlineMs = timeoutMs * (retries + 1) + PAUSES_MS;
  let underWay = 0;

  return async (mode, question) => {
    const client = clients[mode];
    if (client === null) throw new StripeTrouble('forbidden', `no key of Stripe is set for ${mode} mode`);
    if (underWay >= concurrency) throw new StripeTrouble('unavailable', 'too many calls are under way');
    underWay += 1;
    const answer = (async () => question(client))().finally(() => {
      underWay -= 1;
    });
    return withDeadline(answer, deadlineMs).catch((error: unknown) => {
      throw troubleOf(error);
    });
  };
}

function clientFor(secretKey: string | null, { apiUrl, timeoutMs, retries }: LineOptions): Stripe | null {
  if (secretKey === null) return null;
  const { protocol, hostname, port } = new URL(apiUrl);
  const Library = stripeLibrary();
  return new Library(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    appInfo: { name: 'opentill', version },
  });
}

/** The library's time-out is one of silence: an answer that trickles in would never end. */
async function withDeadline<Answer>(answer: Promise<Answer>, deadlineMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new StripeTrouble('unavailable', 'Stripe did not finish its answer')),
      deadlineMs,
    );
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

function troubleOf(error: unknown): StripeTrouble {
  if (error instanceof StripeTrouble) return error;
  if (!(error instanceof stripeLibrary().errors.StripeError)) {
    return new StripeTrouble('unavailable', error instanceof Error ? error.message : 'unknown error');
  }
  return new StripeTrouble(kindOf(error), withoutKeys(error.message), {
    code: error.code ?? '',
    parameter: error.param ?? '',
  });
}

/** Stripe repeats keys in its messages, most of their letters hidden. */
function withoutKeys(message: string): string {
  return message.replaceAll(/\b[rs]k_(test|live)_[^\s'"]*/g, 'the key');
}

function kindOf(error: Stripe.errors.StripeError): TroubleKind {
  const { StripeIdempotencyError, StripeRateLimitError } = stripeLibrary().errors;
  if (error instanceof StripeIdempotencyError) return 'key_reused';
  // The library makes this of 429, and of 400 with that code.
  if (error instanceof StripeRateLimitError) return 'unavailable';
  switch (error.statusCode) {
    case 401:
    case 403:
      return 'forbidden';
    case 400:
    case 402:
    case 404:
      return 'refused';
    default:
      return 'unavailable';
  }
}
