/**
 * The provider of OpenID Connect by which users sign in: the authorization code flow with PKCE, by `openid-client`, which
 * is loaded when somebody first comes by it. What is asked of the provider is bounded in time and size.
 */
import type { Configuration, IDToken } from 'openid-client';
import { messageLineOf } from '../lib/error-message.ts';
import type { RealTime } from '../lib/time.ts';
import type { Identity } from '../users/user.ts';

export type Provider = {
  /** Name of the provider as people read it. */
  readonly name: string;
  /** True for an account at this provider, and not at one that the settings named before. */
  knows(identity: Identity): boolean;
  /** The address to lead a browser to, and what it has to bring back. `isProof` asks the user to sign in anew. */
  begin(how: { readonly isProof: boolean }): Promise<{ readonly url: string; readonly secrets: FlowSecrets }>;
  /** Confirmation of the provider, by the query with which the browser comes back. */
  finish(
    query: string,
    flow: { readonly secrets: FlowSecrets; readonly provenSince?: RealTime },
  ): Promise<Confirmed>;
};

/** Somebody at the provider, and the time at which they signed in there; null where it does not tell. */
export type Confirmed = { readonly identity: Identity; readonly provenAt: RealTime | null };

/** Values that bind what comes back to the browser that has begun. */
export type FlowSecrets = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** The provider does not answer as it should, or not in time: others can sign in in other ways. */
export class ProviderAway extends Error {
  override name = 'ProviderAway';

  constructor(reason: string, options?: ErrorOptions) {
    super(`the provider does not answer as it should: ${reason}`, options);
  }
}

/** Answer of the provider that proves nothing. */
export class Unproved extends Error {
  override name = 'Unproved';
}

type Given = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address to which browsers come back. */
  readonly callback: string;
  readonly realNow: () => RealTime;
};

const WITHIN_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_AT_ONCE = 20;
/** Difference that the clocks of the provider and of this machine may have. */
const SKEW_SECONDS = 30;
/** A proof is of a sign-in at the provider that began no longer ago. */
const PROOF_SECONDS = 600;
/** Time for which the metadata of the provider are taken as they were: its keys are looked after by the library. */
const METADATA_MS = 3_600_000;
/** Time for which a provider that could not be asked is not asked again, however many people come by. */
const FAILED_MS = 5_000;

/** Subject as OpenID Connect allows it: the name of somebody at their provider. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

export function createProvider({ issuer, clientId, clientSecret, callback, realNow }: Given): Provider {
  let known: Known | null = null;
  let underWay = 0;

  async function discovered(): Promise<Configuration> {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await import(
      'openid-client'
    );
    const url = new URL(issuer);
    return discovery(url, clientId, clientSecret, undefined, {
      [customFetch]: fetchBounded,
      timeout: WITHIN_MS / 1000,
      // Tokens are verified by the keys of the provider, whatever connection they came by. HTTP is for this machine alone.
      execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
    }).catch((error) => {
      throw new ProviderAway(reasonOf(error), { cause: error });
    });
  }

  /** The provider is asked at the first use, so that a start does not depend on it. */
  function configuration(): Promise<Configuration> {
    const now = realNow();
    if (known !== null && Math.abs(now - known.at) < known.keepMs) return known.configuration;
    const asked: Known = { at: now, keepMs: METADATA_MS, configuration: discovered() };
    known = asked;
    asked.configuration.catch(() => Object.assign(asked, { at: realNow(), keepMs: FAILED_MS }));
    return asked.configuration;
  }

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (underWay >= MAX_AT_ONCE) throw new ProviderAway('too many sign-ins are under way');
    underWay++;
    try {
      return await work();
    } finally {
      underWay--;
    }
  }

  return {
    name: new URL(issuer).host,
    knows: (identity) => isOfProvider(identity, issuer),

    begin: ({ isProof }) =>
      bounded(async () => {
        const client = await import('openid-client');
        const secrets = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const parameters = {
          redirect_uri: callback,
          scope: 'openid',
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
          ...(isProof ? { max_age: '0', prompt: 'login' } : {}),
        };
        const known = await configuration();
        try {
          return { url: client.buildAuthorizationUrl(known, parameters).href, secrets };
        } catch (error) {
          // The metadata lack what is needed.
          throw new ProviderAway(reasonOf(error), { cause: error });
        }
      }),

    finish: (query, { secrets: { state, nonce, verifier }, provenSince }) =>
      bounded(async () => {
        const client = await import('openid-client');
        const known = await configuration();
        const checks = {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
          ...(provenSince === undefined ? {} : { maxAge: PROOF_SECONDS }),
        };
        const tokens = await client
          .authorizationCodeGrant(known, new URL(`${callback}${query}`), checks)
          .catch((error) => {
            throw failureOf(error, client);
          });
        return confirmedBy(tokens.claims(), { clientId, provenSince, now: realNow() });
      }),
  };
}

type Known = { at: number; keepMs: number; readonly configuration: Promise<Configuration> };

/** One slash at the end may be in the settings and not in tokens, or the other way round. */
/** True for an account at the provider that the settings name by this address. */
export const isOfProvider = ({ issuer }: Identity, settings: string): boolean =>
  sameAddress(issuer, settings) || isOfTenant(issuer, settings);

const sameAddress = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

/** The provider that has one address for all organizations, while its tokens name the organization of who signs in. */
const OF_MANY = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\/v2\.0\/?$/;
const OF_ONE = /^https:\/\/login\.microsoftonline\.com\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\/v2\.0$/;

/** True for the issuer of a token that this provider has made for one organization; the library has verified which one. */
const isOfTenant = (issuer: string, settings: string): boolean =>
  OF_MANY.test(settings) && OF_ONE.test(issuer);

type Expected = {
  readonly clientId: string;
  readonly provenSince: RealTime | undefined;
  readonly now: RealTime;
};

/** Claims of a token whose signature and audience the library has verified. */
export function confirmedBy(
  claims: Pick<IDToken, 'iss' | 'sub' | 'azp' | 'iat' | 'auth_time'> | undefined,
  { clientId, provenSince, now }: Expected,
): Confirmed {
  if (claims === undefined) throw new Unproved('there is no ID token');
  const { iss: issuer, sub: subject, azp, iat, auth_time: authTime } = claims;
  const latest = now / 1000 + SKEW_SECONDS;
  if (!SUBJECT.test(subject)) throw new Unproved('the subject is not 1 to 255 ASCII characters');
  if (azp !== undefined && azp !== clientId) throw new Unproved('the token was made for another client');
  if (iat > latest || (authTime ?? 0) > latest) throw new Unproved('the token is of a time that is to come');
  if (provenSince !== undefined && !isSince(authTime, provenSince))
    throw new Unproved('the provider has not asked anew');
  const provenAt = authTime === undefined ? null : Math.floor(authTime * 1000);
  return { identity: { issuer, subject }, provenAt };
}

const isSince = (authTime: number | undefined, since: RealTime): boolean =>
  authTime !== undefined && authTime >= Math.floor(since / 1000) - SKEW_SECONDS;

type Client = typeof import('openid-client');

/** Errors of OAuth that the settings of this client are to blame for, and nobody who signs in. */
const OF_SETTINGS: readonly unknown[] = ['invalid_client', 'unauthorized_client'];

/** Errors that the library does not know as an answer of a provider are ours, and stay what they are. */
function failureOf(error: unknown, client: Client): unknown {
  if (isAway(error)) return new ProviderAway(reasonOf(error), { cause: error });
  const { ClientError, AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } =
    client;
  const kinds = [ClientError, AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError];
  if (!kinds.some((kind) => error instanceof kind)) return error;
  // The messages of the library name the check that has failed; what was checked may be secret, and is no part of it.
  const { code, error: answered } = Object(error) as { code?: unknown; error?: unknown };
  const words = [code, answered]
    .filter((each) => typeof each === 'string' && /^\w{1,60}$/.test(each))
    .join(' ');
  return error instanceof ResponseBodyError && OF_SETTINGS.includes(answered)
    ? new ProviderAway(`it refuses this client: ${words}`, { cause: error })
    : new Unproved(words || 'unknown');
}

/** Errors behind one another: the library wraps those of requests. */
function isAway(error: unknown): boolean {
  if (error instanceof ProviderAway) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}

const REASON_LENGTH = 120;

/** Innermost cause of an error, such as `ENOTFOUND` or `status 404`. */
function reasonOf(error: unknown): string {
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  if (cause instanceof Error) return reasonOf(cause);
  if (cause instanceof Response) return `status ${cause.status}`;
  if (typeof code === 'string') return code.slice(0, REASON_LENGTH);
  return messageLineOf(error)
    .replaceAll(/[^ -~]/g, '?')
    .slice(0, REASON_LENGTH);
}

/** Asks the provider, which has so long and so many bytes, and leads to no other address. */
async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const response = await fetch(url, { ...options, redirect: 'error', signal });
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const { status, headers } = response;
    return new Response(await bytesOf(response), { status, headers });
  } catch (error) {
    throw new ProviderAway('no answer', { cause: error });
  }
}

async function bytesOf({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) throw new Error('the answer is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
