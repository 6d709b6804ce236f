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

/** HTTP client of Stripe's library. */
export type StripeHttp = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;

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
  /** Absent: the library's own. */
  readonly http?: StripeHttp;
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
  const clients = {
    test: clientsFor(secretKeys.test, options),
    live: clientsFor(secretKeys.live, options),
  };
  const deadlineMs = timeoutMs * (retries + 1) + PAUSES_MS;
  let underWay = 0;

  return async (mode, question) => {
    const client = clients[mode];
    if (client === null) throw new StripeTrouble('forbidden', `no key of Stripe is set for ${mode} mode`);
    if (underWay >= concurrency) throw new StripeTrouble('unavailable', 'too many calls are under way');
    underWay += 1;
    const answer = (async () => question(client(deadlineMs)))().finally(() => {
      underWay -= 1;
    });
    return withDeadline(answer, deadlineMs).catch((error: unknown) => {
      throw troubleOf(error);
    });
  };
}

/** Makes the client of one call, over connections that all of them share. */
function clientsFor(
  secretKey: string | null,
  { apiUrl, timeoutMs, retries, http }: LineOptions,
): ((deadlineMs: number) => Stripe) | null {
  if (secretKey === null) return null;
  const { protocol, hostname, port } = new URL(apiUrl);
  const Library = stripeLibrary();
  const shared = http ?? Library.createNodeHttpClient();
  return (deadlineMs) =>
    new Library(secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
      timeout: timeoutMs,
      maxNetworkRetries: retries,
      telemetry: false,
      appInfo: { name: 'opentill', version },
      httpClient: untilDeadline(shared, Date.now() + deadlineMs),
    });
}

/**
 * Sends nothing behind the deadline. The library tries again by a timer, which may fire days later in a process or on a
 * machine that has stood still: by then Stripe has forgotten the idempotency key, and would do all of it once more.
 */
function untilDeadline(http: StripeHttp, deadline: number): StripeHttp {
  return {
    getClientName: () => http.getClientName(),
    makeRequest: async (...request) => {
      if (Date.now() > deadline) throw new StripeTrouble('unavailable', 'it is too late for another try');
      return http.makeRequest(...request);
    },
  };
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
