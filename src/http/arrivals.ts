/**
 * Requests that arrive together. Somebody can send thousands in one moment, over as many connections or one behind the
 * other, and each would begin before what others have sent is looked at: for a quarter of a second nobody else was answered.
 * So a few begin in a turn of the event loop, and where more wait, one of each caller after the other.
 */
import type { IncomingMessage } from 'node:http';
import { tenantName } from '../checkout/tenant.ts';
import { clientOf } from '../lib/client-address.ts';
import type { Authenticator } from './auth.ts';
import { createTurns, unlimited } from './turns.ts';

/** As many changes as a commit takes together, by and large; of what takes longer, such as payment pages, only a few. */
const A_TURN = { atOnce: 32, forMs: 2 };

export type Arrivals = ReturnType<typeof createArrivals>;

export function createArrivals(auth: Pick<Authenticator, 'recall'>) {
  const turns = createTurns(unlimited, A_TURN);
  const waited = new WeakMap<IncomingMessage, number>();

  /** A tenant whose key is known; of all others nothing is known but where they come from. */
  function callerOf({ headers, socket }: IncomingMessage): string {
    const principal = auth.recall(headers.authorization);
    return principal === undefined ? clientOf(socket.remoteAddress) : tenantName(principal.tenant);
  }

  return {
    /** Begins a request now or in one of the next turns. A connection has one that waits here at most. */
    arrive(request: IncomingMessage, begin: () => void): void {
      let arrivedAt: number | undefined;
      function queued(): string {
        arrivedAt = performance.now();
        return callerOf(request);
      }
      turns(queued, () => {
        if (arrivedAt !== undefined) waited.set(request, performance.now() - arrivedAt);
        // Who has left meanwhile needs no answer.
        if (!request.socket.destroyed) begin();
      });
    },

    /** Time for which a request has waited for its turn, in milliseconds. */
    waitedMs: (request: IncomingMessage): number => waited.get(request) ?? 0,
  };
}
