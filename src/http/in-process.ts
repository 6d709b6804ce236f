/**
 * Requests that the service makes to its own API, in the name of somebody who is signed in. They take the way of any
 * request, but for the network: what an operation refuses, limits or notes down is the same for everybody who asks.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Tenant } from '../checkout/tenant.ts';
import type { Rights } from '../users/roles.ts';
import type { UserId } from '../users/user.ts';
import type { Principal } from './auth.ts';

export type OwnRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query: `/v3/checkout?limit=20`. */
  readonly url: string;
  /** An object is sent as JSON, a stream or bytes as they are. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The user on whose behalf it is asked, with the id of the request that makes it ask. */
export type Asker = {
  readonly user: UserId;
  readonly tenant: Tenant;
  readonly rights: Rights;
  readonly requestId: string;
};

export type OwnAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body, as it was written. */
  readonly pieces: readonly Uint8Array[];
};

/** Asks an operation of the API. */
export type AskOwn = (asker: Asker, request: OwnRequest) => Promise<OwnAnswer>;

/** Scheme of the Authorization header of such a request. */
const SCHEME = 'In-Process';

export function createInProcess() {
  /** Askers by the tickets of their requests under way. Nobody outside of the process ever sees a ticket. */
  const askers = new Map<string, Principal>();

  return {
    /** The asker whose ticket the header has; undefined for any other header. */
    asker: (authorization: string): Principal | undefined =>
      authorization.startsWith(SCHEME) ? askers.get(authorization) : undefined,

    askOn(app: FastifyInstance): AskOwn {
      return async ({ user, tenant, rights, requestId }, { method, url, body, headers }) => {
        const authorization = `${SCHEME} ${randomBytes(32).toString('base64url')}`;
        let taken: readonly Uint8Array[] | null = null;
        askers.set(authorization, {
          keyId: user,
          tenant,
          ...rights,
          compatibility: 'strict',
          inProcess: {
            take(bytes) {
              taken = bytes;
            },
          },
        });
        try {
          const answer = await app.inject({
            method,
            url,
            headers: { ...headers, authorization, 'x-request-id': requestId },
            ...(body === undefined ? {} : { payload: body }),
            // Otherwise the answer is copied twice more, once of them as text.
            payloadAsStream: true,
          });
          const written: readonly Uint8Array[] = await answer.stream().toArray();
          return { status: answer.statusCode, headers: answer.headers, pieces: taken ?? written };
        } finally {
          askers.delete(authorization);
        }
      };
    },
  };
}
