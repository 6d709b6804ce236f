/**
 * Client of Stripe: calls with limits on their duration, their retries and their number at once, and one classification
 * of errors.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { createCounts } from '../../lib/counts.ts';
import { type StripeApi, type StripeCall, stripeApi } from './api.ts';
import { formOf } from './form.ts';
import { fetchHttp, headersOf, type StripeAnswer, type StripeHttp, type StripeRequest } from './http.ts';
import { createFindLacking, type KeyAlert } from './lacking.ts';
import { createLately, type Mark } from './lately.ts';
import { lacksPermission } from './permissions.ts';

export type LineOptions = {
  /** The key of a tenant, looked up for each call; null for none. */
  readonly secretKeyOf: (tenant: Tenant) => Promise<string | null>;
  /** Address of Stripe's API: scheme, host and port. */
  readonly apiUrl: string;
  /** Time limit of each try. */
  readonly timeoutMs: number;
  /** Retries after the first try. */
  readonly retries: number;
  /** Concurrent calls for an account, at most; further ones are refused, and made later. */
  readonly concurrency: number;
  /** Concurrent calls of all accounts, at most. From half of them on, each account has one. */
  readonly concurrencyInAll: number;
  /** Told of all that a key lacks, once that is known; absent: nobody is, and nothing is asked. */
  readonly onAlert?: KeyAlert;
  /** Absent: over the network. */
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
  /** Status of the answer; 0 where there is none. */
  readonly status: number;
  /** False for what was told of lately: one key that lacks a permission is refused at every payment. */
  readonly isNews: () => boolean;
  constructor(
    kind: TroubleKind,
    message: string,
    { code = '', parameter = '', status = 0, isNews = () => true }: TroubleDetails = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.parameter = parameter;
    this.status = status;
    this.isNews = isNews;
  }
}

type TroubleDetails = Partial<Pick<StripeTrouble, 'code' | 'parameter' | 'status' | 'isNews'>>;

/**
 * Message for an alert; null where Stripe does not answer, or the same was told of lately. It counts as told from then on:
 * only for an alert that leaves.
 */
export const toldOf = ({ kind, message, isNews }: StripeTrouble): string | null =>
  kind !== 'unavailable' && isNews() ? message : null;

/** The alert about something with this id, if there is something to tell. */
export function alertOf(id: string, trouble: StripeTrouble): { readonly alert?: string } {
  const message = toldOf(trouble);
  return message === null ? {} : { alert: `${id}: ${message}` };
}

/** Calls Stripe for a tenant. Rejects with StripeTrouble, and with nothing else. */
export type Ask = <Answer>(
  tenant: Tenant,
  question: (stripe: StripeApi) => Promise<Answer>,
) => Promise<Answer>;

/** Before another try; somebody waits. */
const PAUSE_MS = 500;
/** Characters of a message of Stripe, which has none that long. */
const MAX_MESSAGE = 500;
/** Time beyond the time-outs of all tries. */
const PAUSES_MS = 2_000;
const TOO_MANY = 'too many calls are under way';

export function createLine(options: LineOptions): Ask {
  const { secretKeyOf, apiUrl, timeoutMs, retries, concurrency, concurrencyInAll, onAlert } = options;
  const { http = fetchHttp } = options;
  /** Calls under way by the number of their account: one for which Stripe is slow takes nothing from the others. */
  const underWay = createCounts<number>();
  let inAll = 0;
  const told = createLately();
  const findLacking = onAlert && createFindLacking({ apiUrl, timeoutMs, http: inBackground }, onAlert);

  /** A call in no account's place, and only while most of the room of all is free. */
  async function inBackground(request: StripeRequest): Promise<StripeAnswer> {
    if (inAll >= concurrencyInAll / 2) throw new StripeTrouble('unavailable', TOO_MANY);
    inAll += 1;
    return http(request).finally(() => {
      inAll -= 1;
    });
  }

  /**
   * Trouble with a key, which is empty where there is none. Another key that is wrong too is told of at once; `about` is
   * the rest of what it is told of once.
   */
  function troubleWithKey(
    { account, mode }: Tenant,
    key: string,
    text: string,
    { about = [], ...details }: TroubleDetails & { readonly about?: Mark } = {},
  ): StripeTrouble {
    const isNews = () => told.isNews([account, mode, key, ...about]);
    return new StripeTrouble('forbidden', text, { ...details, isNews });
  }

  /** A key that nobody knows is told of once; one that lacks a permission, once for each kind of call. */
  function refusalOfKey(
    tenant: Tenant,
    key: string,
    call: StripeCall,
    { message, code, parameter, status }: StripeTrouble,
  ): StripeTrouble {
    const kind = status === 401 ? '' : kindOfCall(call);
    if (lacksPermission({ status, text: message })) findLacking?.(tenant, key, kind);
    // One call may need several permissions, which Stripe names one after the other.
    const about = [kind, ...(message.match(/\brak_\w+/g) ?? [])];
    const text = `Stripe refuses the key of account ${tenant.account} in ${tenant.mode} mode: ${message}`;
    return troubleWithKey(tenant, key, text, { code, parameter, about });
  }

  function begin(account: number): void {
    const own = inAll < concurrencyInAll / 2 ? concurrency : 1;
    if (underWay.of(account) >= own || inAll >= concurrencyInAll)
      throw new StripeTrouble('unavailable', TOO_MANY);
    underWay.add(account, 1);
    inAll += 1;
  }

  function ended(account: number): void {
    inAll -= 1;
    underWay.add(account, -1);
  }

  return async (tenant, question) => {
    const { account, mode } = tenant;
    begin(account);
    const deadline = Date.now() + timeoutMs * (retries + 1) + PAUSES_MS;
    const answer = (async () => {
      const secretKey = await secretKeyOf(tenant);
      if (secretKey === null)
        throw troubleWithKey(
          tenant,
          '',
          `no key of Stripe can be used for account ${account} in ${mode} mode`,
        );
      // The answer is believed to be of the type that Stripe's own library gives it.
      const stripe = stripeApi(
        async <Answer>(call: StripeCall) =>
          (await send(call, secretKey, deadline, options).catch((error: StripeTrouble) => {
            throw error.kind === 'forbidden' ? refusalOfKey(tenant, secretKey, call, error) : error;
          })) as Answer,
      );
      return question(stripe);
    })().finally(() => ended(account));
    return answer.catch((error: unknown) => {
      throw error instanceof StripeTrouble ? error : new StripeTrouble('unavailable', messageOf(error));
    });
  };
}

/** A call without the ids in its path, such as `GET refunds/…`. */
const kindOfCall = ({ method, path }: StripeCall): string =>
  `${method} ${path.replaceAll(/\/[a-z]{2,4}_[^/]*/g, '/…')}`;

/** Makes a call until it is answered for good; every try has the same key, so it has its effect once. */
async function send(
  { method, path, params, idempotencyKey }: StripeCall,
  secretKey: string,
  deadline: number,
  { apiUrl, timeoutMs, retries, http = fetchHttp }: LineOptions,
): Promise<unknown> {
  const form = formOf(params).toString();
  const isPost = method === 'POST';
  const request = {
    method,
    url: `${apiUrl}/v1/${path}${isPost || form === '' ? '' : `?${form}`}`,
    headers: {
      ...headersOf(secretKey, method),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: isPost ? form : '',
    timeoutMs,
  };
  for (let tries = 0; ; tries++) {
    // A timer may fire days later in a process or on a machine that has stood still: by then Stripe has forgotten the
    // key, and would do all of it once more.
    if (Date.now() > deadline) throw new StripeTrouble('unavailable', 'it is too late for another try');
    const answer = await http(request).catch((error: unknown) => messageOf(error));
    if (tries < retries && deservesAnother(answer))
      await pause(PAUSE_MS * 2 ** tries * (1 + Math.random() / 2));
    else if (typeof answer === 'string') throw new StripeTrouble('unavailable', answer);
    else return objectIn(answer);
  }
}

/** A text says why there is no answer. The rules are those of Stripe's own library. */
function deservesAnother(answer: StripeAnswer | string): boolean {
  if (typeof answer === 'string') return true;
  const { status, shouldRetry } = answer;
  if (shouldRetry !== null) return shouldRetry === 'true';
  // Another call with the key is under way, or Stripe has a failure.
  return status === 409 || status >= 500;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Error in an answer of Stripe, which leaves out what it does not know, or says null. */
type StripeError = {
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly message?: string | null;
};

/** The object of an answer; throws the trouble that it tells of. */
function objectIn({ status, text }: StripeAnswer): unknown {
  const json = parsed(text);
  if (json === null) throw new StripeTrouble('unavailable', 'Stripe did not answer with JSON');
  if (status >= 200 && status < 300 && json.error === undefined) return json;
  const { type, code: given, param, message } = json.error ?? {};
  const code = given ?? '';
  const said = shortened(withoutKeys(message ?? `Stripe answered ${status}`));
  throw new StripeTrouble(kindOf(status, { type, code }), said, { code, parameter: param ?? '', status });
}

function parsed(text: string): { readonly error?: StripeError } | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' ? json : null;
  } catch {
    return null;
  }
}

/** The beginning of what Stripe says: a log, or a payer, is shown no more of it. */
export const shortened = (said: string): string => said.slice(0, MAX_MESSAGE).toWellFormed();

/** Stripe repeats keys in its messages, most of their letters hidden. */
function withoutKeys(message: string): string {
  return message.replaceAll(/\b[rs]k_(test|live)_[^\s'"]*/g, 'the key');
}

function kindOf(status: number, { type, code }: { type: string | undefined; code: string }): TroubleKind {
  switch (status) {
    case 401:
    case 403:
      return 'forbidden';
    case 400:
    case 402:
    case 404:
      if (type === 'idempotency_error') return 'key_reused';
      // That many calls are also refused with 429.
      return status === 400 && code === 'rate_limit' ? 'unavailable' : 'refused';
    default:
      return 'unavailable';
  }
}

/** Errors of `fetch` say why in their cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return error.cause instanceof Error ? error.cause.message : error.message;
}
