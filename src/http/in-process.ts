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
import { dispatch, type OwnAnswer, type OwnRequest } from './dispatch.ts';

/** The user on whose behalf it is asked, with the id of the request that makes it ask. */
export type Asker = {
  readonly user: UserId;
  readonly tenant: Tenant;
  readonly rights: Rights;
  readonly requestId: string;
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
          const own = { ...headers, authorization, 'x-request-id': requestId };
          const answer = await dispatch(app, { method, url, body, headers: own });
          return { ...answer, pieces: taken ?? answer.pieces };
        } finally {
          askers.delete(authorization);
        }
      };
    },
  };
}
