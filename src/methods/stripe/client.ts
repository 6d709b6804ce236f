/**
 * Client of Stripe: calls with limits on their duration, their retries and their number at once, and one classification
 * of errors.
 */
import { hash } from 'node:crypto';
import type { Tenant } from '../../checkout/tenant.ts';
import { createCounts } from '../../lib/counts.ts';
import { createLru } from '../../lib/lru.ts';
import { type StripeApi, type StripeCall, stripeApi } from './api.ts';
import { formOf } from './form.ts';
import { fetchHttp, headersOf, type StripeAnswer, type StripeHttp } from './http.ts';
import { lackedPermissions } from './permissions.ts';

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
/** For so long what is said of a key that cannot be used is told once for each account and mode. */
const TOLD_MS = 60 * 60_000;
/** Alerts about keys that are remembered for that. */
const MAX_TOLD = 1_000;
/** Characters of a message of Stripe, which has none that long. */
const MAX_MESSAGE = 500;
/** Time beyond the time-outs of all tries. */
const PAUSES_MS = 2_000;

export function createLine(options: LineOptions): Ask {
  const { secretKeyOf, apiUrl, timeoutMs, retries, concurrency, concurrencyInAll } = options;
  const { http = fetchHttp } = options;
  /** Calls under way by the number of their account: one for which Stripe is slow takes nothing from the others. */
  const underWay = createCounts<number>();
  let inAll = 0;
  const told = createLru<string, number>({ most: MAX_TOLD });
  const lacked = createLru<string, Lacked>({ most: MAX_TOLD });

  /** Trouble with a key, which is empty where there is none. Another key that is wrong too is told of at once. */
  function troubleWithKey(
    { account, mode }: Tenant,
    key: string,
    text: string,
    details: TroubleDetails = {},
  ): StripeTrouble {
    const isNews = () => {
      const mark = hash('sha256', JSON.stringify([account, mode, key, text]), 'base64url');
      // Time that no change of the machine's clock moves: one that is set back must not silence anything.
      const now = performance.now();
      if (now - (told.get(mark) ?? -TOLD_MS) < TOLD_MS) return false;
      told.set(mark, now);
      return true;
    };
    return new StripeTrouble('forbidden', text, { ...details, isNews });
  }

  /** What a key lacks is asked as seldom as it is told. */
  function lackedBy(key: string): Promise<readonly string[]> {
    const mark = hash('sha256', key, 'base64url');
    const at = performance.now();
    const known = lacked.get(mark);
    if (known && at - known.at < TOLD_MS) return known.names;
    const names = lackedPermissions(key, { apiUrl, timeoutMs, http });
    lacked.set(mark, { at, names });
    return names;
  }

  /** Stripe names the permission of the call alone: whoever grants that one would be told of the next one later. */
  async function refusalOfKey(
    tenant: Tenant,
    key: string,
    { message, code, parameter, status }: StripeTrouble,
  ): Promise<StripeTrouble> {
    const names = status === 403 ? await lackedBy(key) : [];
    const why = names.length > 0 ? `it lacks ${names.join(', ')}` : message;
    const text = `Stripe refuses the key of account ${tenant.account} in ${tenant.mode} mode: ${why}`;
    return troubleWithKey(tenant, key, text, { code, parameter });
  }

  function begin(account: number): void {
    const own = inAll < concurrencyInAll / 2 ? concurrency : 1;
    if (underWay.of(account) >= own || inAll >= concurrencyInAll)
      throw new StripeTrouble('unavailable', 'too many calls are under way');
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
          (await send(call, secretKey, deadline, options).catch(async (error: StripeTrouble) => {
            throw error.kind === 'forbidden' ? await refusalOfKey(tenant, secretKey, error) : error;
          })) as Answer,
      );
      return question(stripe);
    })().finally(() => ended(account));
    return answer.catch((error: unknown) => {
      throw error instanceof StripeTrouble ? error : new StripeTrouble('unavailable', messageOf(error));
    });
  };
}

/** Names of the permissions that a key lacks, and when it was asked for them. */
type Lacked = { readonly at: number; readonly names: Promise<readonly string[]> };

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
