/**
 * Requests that arrive together. Somebody can send thousands in one moment, over as many connections or one behind the
 * other, and each would begin before what others have sent is looked at: for a quarter of a second nobody else was answered.
 * So a few begin in a turn of the event loop, and where more wait, one of each caller after the other.
 */
import type { IncomingMessage } from 'node:http';
import { tenantName } from '../checkout/tenant.ts';
import { clientOf } from '../lib/client-address.ts';
import type { Authenticator } from './auth.ts';
import { createTurns } from './turns.ts';

/** As many changes as a commit takes together, by and large, and a millisecond or two of fetches. */
const REQUESTS_A_TURN = 32;

/** Begins a request now or in one of the next turns. */
export function createArrivals(auth: Authenticator): (request: IncomingMessage, begin: () => void) => void {
  // A connection has one request that waits here at most, the others wait for its answer.
  const limits = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitingOfTenant: Number.POSITIVE_INFINITY };
  const turns = createTurns(limits, REQUESTS_A_TURN);

  /** A tenant whose key is known; of all others nothing is known but where they come from. */
  function callerOf({ headers, socket }: IncomingMessage): string {
    const principal = auth.recall(headers.authorization);
    return principal === undefined ? clientOf(socket.remoteAddress) : tenantName(principal.tenant);
  }

  return (request, begin) =>
    turns(
      () => callerOf(request),
      () => {
        // Who has left meanwhile needs no answer.
        if (!request.socket.destroyed) begin();
      },
    );
}
