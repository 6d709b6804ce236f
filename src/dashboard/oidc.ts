/**
 * The provider of OpenID Connect by which users sign in: the authorization code flow with PKCE, by `openid-client`, which
 * is loaded when somebody first comes by it. What is asked of the provider is bounded in time and size.
 */
import type { Configuration } from 'openid-client';
import type { RealTime } from '../lib/time.ts';
import type { Identity } from '../users/user.ts';

export type Provider = {
  /** Name of the provider as people read it. */
  readonly name: string;
  /** The address to lead a browser to, and what it has to bring back. `isProof` asks the user to sign in anew. */
  begin(how: { readonly isProof: boolean }): Promise<{ readonly url: string; readonly secrets: FlowSecrets }>;
  /** What the provider has confirmed, by the query with which the browser comes back. */
  finish(
    query: string,
    flow: { readonly secrets: FlowSecrets; readonly provenSince?: RealTime },
  ): Promise<Confirmed>;
};

/** Somebody at the provider, and the time at which they signed in there; null where it does not tell. */
export type Confirmed = { readonly identity: Identity; readonly provenAt: RealTime | null };

/** Values that bind what comes back to the browser that has begun. */
export type FlowSecrets = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** The provider does not answer, or not in time: others can sign in in other ways. */
export class ProviderAway extends Error {
  override name = 'ProviderAway';
}

/** What came back proves nothing. */
export class Unproved extends Error {
  override name = 'Unproved';
}

type Given = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Address to which browsers come back. */
  readonly callback: string;
};

const WITHIN_MS = 5_000;
const MAX_BYTES = 256 * 1024;
const MAX_AT_ONCE = 20;
/** How far the clocks of the provider and of this machine may differ. */
const SKEW_SECONDS = 30;
/** A proof is of a sign-in at the provider that began no longer ago. */
const PROOF_SECONDS = 600;
/** Time for which the metadata of the provider are taken as they were: its keys are looked after by the library. */
const METADATA_MS = 3_600_000;

export function createProvider({ issuer, clientId, clientSecret, callback }: Given): Provider {
  let known: { readonly at: number; readonly configuration: Promise<Configuration> } | null = null;
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
    });
  }

  /** The provider is asked at the first use, so that a start does not depend on it. */
  function configuration(): Promise<Configuration> {
    const now = performance.now();
    if (known !== null && now - known.at < METADATA_MS) return known.configuration;
    const asked = { at: now, configuration: discovered() };
    known = asked;
    asked.configuration.catch(() => {
      if (known === asked) known = null;
    });
    return asked.configuration;
  }

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (underWay >= MAX_AT_ONCE) throw new ProviderAway('too many sign-ins are under way');
    underWay++;
    try {
      return await work();
    } catch (error) {
      throw isAway(error)
        ? new ProviderAway('the provider does not answer', { cause: error })
        : asUnproved(error);
    } finally {
      underWay--;
    }
  }

  return {
    name: new URL(issuer).host,

    begin: ({ isProof }) =>
      bounded(async () => {
        const client = await import('openid-client');
        const secrets = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
        };
        const url = client.buildAuthorizationUrl(await configuration(), {
          redirect_uri: callback,
          scope: 'openid',
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
          ...(isProof ? { max_age: '0', prompt: 'login' } : {}),
        });
        return { url: url.href, secrets };
      }),

    finish: (query, { secrets: { state, nonce, verifier }, provenSince }) =>
      bounded(async () => {
        const client = await import('openid-client');
        const tokens = await client.authorizationCodeGrant(
          await configuration(),
          new URL(`${callback}${query}`),
          {
            ...{
              expectedState: state,
              expectedNonce: nonce,
              pkceCodeVerifier: verifier,
              idTokenExpected: true,
            },
            ...(provenSince === undefined ? {} : { maxAge: PROOF_SECONDS }),
          },
        );
        const claims = tokens.claims();
        if (claims === undefined) throw new Unproved('there is no ID token');
        const { iss: issuer, sub: subject, auth_time: authTime } = claims;
        if (provenSince !== undefined && !isSince(authTime, provenSince))
          throw new Unproved('the provider has not asked anew');
        const provenAt = authTime === undefined ? null : Math.floor(authTime * 1000);
        return { identity: { issuer, subject }, provenAt };
      }),
  };
}

const isSince = (authTime: number | undefined, since: RealTime): boolean =>
  authTime !== undefined && authTime >= Math.floor(since / 1000) - SKEW_SECONDS;

/** Errors behind one another: the library wraps those of requests. */
function isAway(error: unknown): boolean {
  if (error instanceof ProviderAway) return true;
  return error instanceof Error && error.cause !== undefined && isAway(error.cause);
}

function asUnproved(error: unknown): Unproved {
  if (error instanceof Unproved) return error;
  // The messages of the library name the check that has failed; what was checked may be secret, and is no part of it.
  const { code, error: answered } = Object(error) as { code?: unknown; error?: unknown };
  return new Unproved([code, answered].filter((each) => typeof each === 'string').join(' ') || 'unknown');
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
